const BARS = "▁▂▃▄▅▆▇█";

/** One character per value, its height a share of the largest; a blank for 0, so that nothing never looks like little. */
export function sparkline(values: readonly number[]): string {
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  return values.map((value) => (value <= 0 ? " " : (BARS[Math.ceil((value / largest) * BARS.length) - 1] ?? "█"))).join("");
}

/** At most `width` values: neighbours summed in groups of equal size (the last one may be smaller). */
export function fitted(values: readonly number[], width: number): { readonly values: readonly number[]; readonly groupSize: number } {
  const groupSize = Math.max(1, Math.ceil(values.length / width));
  const sums: number[] = [];
  for (let start = 0; start < values.length; start += groupSize) {
    sums.push(values.slice(start, start + groupSize).reduce((sum, value) => sum + value, 0));
  }
  return { values: sums, groupSize };
}
