export { connectDaybook } from "./connect-daybook.js";
export type { ClientOptions, RetryOptions } from "./options.js";
export type { DaybookClient } from "./remote-daybook.js";
export { DaybookError } from "../core/base/errors.js";
export type { ErrorCode, ErrorDetails } from "../core/base/errors.js";
