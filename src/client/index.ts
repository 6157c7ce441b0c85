import { systemEnvironment } from "../core/base/retry.js";
import { checkClientOptions, type ClientOptions } from "./options.js";
import { RemoteDaybook, type DaybookClient } from "./remote-daybook.js";

export { DaybookError } from "../core/base/errors.js";
export type { ErrorCode, ErrorDetails } from "../core/base/errors.js";
export type { ClientOptions, RetryOptions } from "./options.js";
export type { DaybookClient } from "./remote-daybook.js";

/**
 * Creates a client for a Daybook that another process serves over HTTP. Sends nothing yet: if the server is unreachable, the first call fails.
 * @throws invalid_parameter, unknown_parameter
 */
export function connectDaybook(options: ClientOptions): DaybookClient {
  return new RemoteDaybook(checkClientOptions(options), systemEnvironment);
}
