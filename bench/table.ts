import type { Measurement } from "./measure.js";
import { RATIO_BAR } from "./questions.js";

const ms = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(2));
const times = (value: number) => `${value >= 10 ? value.toFixed(0) : value.toFixed(1)}×`;

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** By how much each peer is slower than Daybook, over all questions. */
export function geometricMeanRatios(measurements: readonly Measurement[], peerNames: readonly string[]): Readonly<Record<string, number>> {
  const ratiosTo = (name: string) => measurements.map(({ peerMs, daybookMs }) => (peerMs[name] ?? Number.NaN) / daybookMs);
  return Object.fromEntries(peerNames.map((name) => [name, geometricMean(ratiosTo(name))]));
}

/** Rows of cells as aligned text, the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ");
  return rows.map(line).join("\n");
}

/** Milliseconds of everyone, the fastest peer's time over Daybook's, and whether these reach the bars. */
export function measurementTable(measurements: readonly Measurement[], peerNames: readonly string[]): string {
  const head = ["question (warm median, ms)", "first", "Daybook", ...peerNames, "ratio", "bars", ""];
  const body = measurements.map(({ question, daybookMs, firstMs, peerMs, ratio, barMs, isMet }) => [
    question,
    ms(firstMs),
    ms(daybookMs),
    ...peerNames.map((name) => ms(peerMs[name] ?? Number.NaN)),
    times(ratio),
    `≤ ${barMs} ms, ≥ ${times(RATIO_BAR)}`,
    isMet ? "" : "missed",
  ]);
  const ratios = measurements.map(({ ratio }) => ratio);
  const ratioByPeer = geometricMeanRatios(measurements, peerNames);
  const foot = ["geometric mean of the ratios", "", "", ...peerNames.map((name) => times(ratioByPeer[name] ?? Number.NaN)), times(geometricMean(ratios)), "", ""];
  return table([head, ...body, foot]);
}
