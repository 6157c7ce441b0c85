import { thisMachine, checkClientOptions, type ClientOptions } from "./options.js";
import { RemoteDaybook, type DaybookClient } from "./remote-daybook.js";

/**
 * Connects to a Daybook that another process has open, over HTTP. Sends nothing yet: an unreachable server fails the first query.
 * @throws invalid_parameter, unknown_parameter
 */
export function connectDaybook(options: ClientOptions): DaybookClient {
  return new RemoteDaybook(checkClientOptions(options), thisMachine);
}
