import { DaybookError } from "./errors.js";

/** States what must hold if our own code is right. Never for input. @throws internal */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new DaybookError("internal", `invariant broken: ${what}`);
}
