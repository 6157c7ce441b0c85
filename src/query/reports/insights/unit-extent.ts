import type { Extent } from "../../answer/insights/buckets.js";
import type { Range } from "../../plan/plan.js";

/** The first and last start of some units, but not before the range; null if there are no units. */
export function extentOf(unitStarts: Iterable<number>, { fromMs }: Range): Extent | null {
  let [firstMs, lastMs] = [Infinity, -Infinity];
  for (const unitMs of unitStarts) {
    firstMs = Math.min(firstMs, unitMs);
    lastMs = Math.max(lastMs, unitMs);
  }
  return firstMs > lastMs ? null : { firstMs: Math.max(fromMs, firstMs), lastMs: Math.max(fromMs, lastMs) };
}
