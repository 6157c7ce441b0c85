import { DaybookError } from "../../core/base/errors.js";
import type { ErrorCode } from "../../core/base/errors.js";

/** Errors of a single item; any other error fails the whole request, and the sender retries. */
const FAULTS: readonly ErrorCode[] = ["invalid_parameter", "unknown_parameter", "invalid_event", "suppressed", "project_not_allowed"];

/** The error of a single item. @throws any other error */
export function faultOf(thrown: unknown): DaybookError {
  if (thrown instanceof DaybookError && FAULTS.includes(thrown.code)) return thrown;
  throw thrown;
}
