import { DaybookError } from "../../base/errors.js";
import type { ErrorCode } from "../../base/errors.js";

/** What is wrong with one thing of many alone; any other error is the whole request's, and the sender tries again. */
const FAULTS: readonly ErrorCode[] = ["invalid_parameter", "unknown_parameter", "invalid_event", "suppressed", "project_not_allowed"];

/** The fault of one thing of many that were sent. @throws anything else */
export function faultOf(thrown: unknown): DaybookError {
  if (thrown instanceof DaybookError && FAULTS.includes(thrown.code)) return thrown;
  throw thrown;
}
