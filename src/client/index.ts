export { connectDaybook } from "./connect-daybook.js";
export type { ClientOptions, RetryOptions } from "./options.js";
export type { DaybookClient } from "./daybook-client.js";
export { DaybookError } from "../base/errors.js";
export type { ErrorCode, ErrorDetails } from "../base/errors.js";
