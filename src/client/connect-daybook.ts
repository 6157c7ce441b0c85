import type { DaybookClient } from "./daybook-client.js";
import { thisMachine } from "./machine.js";
import { checkClientOptions } from "./options.js";
import type { ClientOptions } from "./options.js";
import { RemoteDaybook } from "./remote-daybook.js";

/**
 * A Daybook that another process has open, over HTTP. Asks nothing yet: a server that is not there is noticed by the first question.
 * @throws invalid_parameter, unknown_parameter
 */
export function connectDaybook(options: ClientOptions): DaybookClient {
  return new RemoteDaybook(checkClientOptions(options), thisMachine);
}
