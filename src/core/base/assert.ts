import { DaybookError } from "./errors.js";

/** Asserts an invariant of our own code; never use it for input. @throws internal */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new DaybookError("internal", `invariant broken: ${what}`);
}
