const BARS = "▁▂▃▄▅▆▇█";

/** One character per value, its height a share of the largest; a blank for 0, so that nothing never looks like little. */
export function sparkline(values: readonly number[]): string {
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  return values.map((value) => (value <= 0 ? " " : (BARS[Math.ceil((value / largest) * BARS.length) - 1] ?? "█"))).join("");
}

/** Bar widths in days that a reader knows: a day, a week, two weeks, four weeks, … */
const GROUP_DAYS = [1, 7, 14, 28, 91, 364];

/**
 * Sums of neighbouring days, at most `width` of them where the known group sizes allow it. The last group may be shorter;
 * `dayCounts` says how many days each has.
 */
export function grouped(
  values: readonly number[],
  width: number,
): { readonly sums: readonly number[]; readonly dayCounts: readonly number[]; readonly groupDays: number } {
  const groupDays = GROUP_DAYS.find((days) => values.length <= days * width) ?? Math.ceil(values.length / width);
  const starts = Array.from({ length: Math.ceil(values.length / groupDays) }, (_, group) => group * groupDays);
  const groups = starts.map((start) => values.slice(start, start + groupDays));
  const sums = groups.map((group) => group.reduce((sum, value) => sum + value, 0));
  return { sums, dayCounts: groups.map((group) => group.length), groupDays };
}
