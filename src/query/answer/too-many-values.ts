import { parameterError, type DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";

/** The error for too many values of a field whose values are unique to each event, or nearly. */
export function tooManyValues(field: "id" | "createdAt"): DaybookError {
  const narrower = field === "id" ? "fewer days, a filter or a limit" : "fewer days or a filter";
  const reason = `expected at most ${LIMITS.ownValueCount} values of ${field} among the matching events, got more; use ${narrower}`;
  return parameterError("too_many_values", "field", reason);
}
