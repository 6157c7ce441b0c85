import { type DaybookLoad, WRITER_COUNT } from "./daybook.js";
import type { FirstMeasurement } from "./first.js";
import type { Measurement } from "./measure.js";
import type { PeerLoad } from "./peers/peer.js";
import { FIRST_BAR_MS, LIVE_RATIO_BAR } from "./queries.js";

export const ms = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(2));
export const times = (value: number) => `${value.toFixed(value >= 10 ? 0 : value >= 0.1 ? 1 : 2)}×`;

export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

export function geometricMeanByEngine(measurements: readonly Measurement[], engines: readonly PeerLoad[]): Readonly<Record<string, number>> {
  const ratiosTo = (name: string) => measurements.map(({ ratioByEngine }) => ratioByEngine[name] ?? Number.NaN);
  return Object.fromEntries(engines.map(({ name }) => [name, geometricMean(ratiosTo(name))]));
}

/** Rows of cells as aligned text, the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ");
  return rows.map(line).join("\n");
}

/** How fast events come in, and what they take. SQLite: null where it is not installed. */
export function loadingTable(daybook: Omit<DaybookLoad, "daybook">, loads: readonly PeerLoad[], sqliteEventsPerSecond: number | null): string {
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  return table([
    ["loading", "Daybook", ...loads.map(({ name }) => name), "SQLite"],
    [
      "events/s (1,000 per sync; DuckDB: appender, in memory; chDB: 50,000 per insert)",
      whole(daybook.ingestEventsPerSecond),
      ...loads.map(({ appendEventsPerSecond }) => whole(appendEventsPerSecond)),
      sqliteEventsPerSecond === null ? "not installed" : whole(sqliteEventsPerSecond),
    ],
    [`events/s, ${WRITER_COUNT} batches of 1,000 in flight`, whole(daybook.sharedIngestEventsPerSecond)],
    ["the same, segments made on a thread of their own", whole(daybook.threadIngestEventsPerSecond)],
    ["bytes on disk per event", ...[daybook, ...loads].map(({ diskBytesPerEvent }) => diskBytesPerEvent.toFixed(1))],
    ["bytes in memory per event, by its own estimate", daybook.memoryBytesPerEvent.toFixed(1)],
    ["close, ms", whole(daybook.sealMs)],
    ["open and first answer, ms", whole(daybook.firstAnswerMs)],
  ]);
}

/** Milliseconds of everyone, warm, and of Daybook live and first; the fastest peer's time over each; which bars are missed. */
export function measurementTable(measurements: readonly (Measurement & FirstMeasurement)[], loads: readonly PeerLoad[]): string {
  const peerNames = loads.flatMap(({ peers }) => peers.map(({ name }) => name));
  // One engine's ratios are those to the fastest.
  const engines = loads.length > 1 ? loads : [];
  const timesOf = (ratioByEngine: Readonly<Record<string, number>>) => engines.map(({ name }) => times(ratioByEngine[name] ?? Number.NaN));
  const head = ["query (median, ms)", "live", "warm", "first", ...peerNames, ...engines.map(({ name }) => `to ${name}`), "live", "warm", "first", ""];
  const body = measurements.map(({ query, daybookMs, firstMs, liveMs, peerMs, ratioByEngine, ratio, liveRatio, firstRatio }) => [
    query,
    ms(liveMs),
    ms(daybookMs),
    ms(firstMs),
    ...peerNames.map((name) => ms(peerMs[name] ?? Number.NaN)),
    ...timesOf(ratioByEngine),
    times(liveRatio),
    times(ratio),
    times(firstRatio),
    [...(liveRatio < LIVE_RATIO_BAR ? [`live < ${times(LIVE_RATIO_BAR)}`] : []), ...(firstMs > FIRST_BAR_MS ? [`first > ${FIRST_BAR_MS} ms`] : [])].join(", "),
  ]);
  const means = timesOf(geometricMeanByEngine(measurements, engines));
  const mean = (of: (measurement: Measurement & FirstMeasurement) => number) => times(geometricMean(measurements.map(of)));
  const ratios = [mean(({ liveRatio }) => liveRatio), mean(({ ratio }) => ratio), mean(({ firstRatio }) => firstRatio)];
  const foot = ["geometric mean of the ratios", "", "", "", ...peerNames.map(() => ""), ...means, ...ratios, ""];
  return table([head, ...body, foot]);
}
