import type { Extent } from "../../answer/insights/buckets.js";
import type { Range } from "../../plan/plan.js";

/** From the first to the last of some units of a range, by where they begin, which may be before it; null of none. */
export function extentOf(unitStarts: Iterable<number>, { fromMs }: Range): Extent | null {
  let [firstMs, lastMs] = [Infinity, -Infinity];
  for (const unitMs of unitStarts) {
    firstMs = Math.min(firstMs, unitMs);
    lastMs = Math.max(lastMs, unitMs);
  }
  return firstMs > lastMs ? null : { firstMs: Math.max(fromMs, firstMs), lastMs: Math.max(fromMs, lastMs) };
}
