import type { StickinessBucket } from "../../plan/insights/answers.js";

/** The figures of a bucket. @param histogram entities by their number of units; the entry of 0 is not used */
export function stickinessOf(histogram: readonly number[]): Pick<StickinessBucket, "entities" | "avg" | "units"> {
  const units: StickinessBucket["units"][number][] = [];
  let [entities, sum] = [0, 0];
  for (let count = histogram.length - 1; count > 0; count -= 1) {
    const own = histogram[count] ?? 0;
    if (own === 0) continue;
    entities += own;
    sum += own * count;
    units.push({ units: count, entities: own, atLeast: entities });
  }
  // Both are exact integers, so their quotient is the nearest double.
  return { entities, avg: entities === 0 ? null : sum / entities, units: units.reverse() };
}
