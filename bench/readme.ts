import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { DaybookLoad } from "./daybook.js";
import type { Measurement } from "./measure.js";
import type { hardware } from "./results.js";

/** What the README shows of a result file. */
interface Result {
  readonly eventCount: number;
  readonly hardware: ReturnType<typeof hardware>;
  readonly daybook: Omit<DaybookLoad, "daybook">;
  readonly sqliteEventsPerSecond: number | null;
  readonly geometricMeanRatio: number;
  readonly measurements: readonly Measurement[];
}

const README = new URL("../README.md", import.meta.url);
const [START, END] = ["<!-- bench -->", "<!-- /bench -->"];

const whole = (value: number) => Math.round(value).toLocaleString("en");
const times = (value: number) => `${value >= 10 ? value.toFixed(0) : value.toFixed(1)}×`;
const ms = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : String(Number(value.toPrecision(2))));
const dateOf = (path: string) => basename(path).slice(0, 10);

function loadingText({ eventCount, daybook, sqliteEventsPerSecond }: Result): string {
  const sqlite = sqliteEventsPerSecond === null ? "" : ` (SQLite, one transaction a batch, no index: ${whole(sqliteEventsPerSecond)})`;
  return (
    `Of ${whole(eventCount)} events: ${whole(daybook.ingestEventsPerSecond)} durable events/s in batches of 1,000 by one writer, ` +
    `${whole(daybook.sharedIngestEventsPerSecond)} with four batches in flight${sqlite}; ${daybook.diskBytesPerEvent.toFixed(1)} bytes an event on disk; ` +
    `${whole(daybook.firstAnswerMs)} ms from opening the files to the first answer.`
  );
}

function cells({ daybookMs, peerMs, ratio }: Measurement): string {
  return `${ms(daybookMs)} | ${ms(Math.min(...Object.values(peerMs)))} | ${times(ratio)}`;
}

/** The README's figures, from a run of fewer and one of more events: `npm run bench:readme -- SMALL.json LARGE.json`. */
function figures([smallPath = "", largePath = ""]: readonly string[]): string {
  const [small, large] = [smallPath, largePath].map((path) => JSON.parse(readFileSync(path, "utf8")) as Result) as [Result, Result];
  const { cpuModel, coreCount, memoryGib, nodeVersion } = large.hardware;
  const dates = [...new Set([dateOf(smallPath), dateOf(largePath)])].join(" and ");
  const rows = small.measurements.map((measurement) => {
    const other = large.measurements.find(({ question }) => question === measurement.question);
    if (other === undefined) throw new Error(`${largePath}: expected the question ${JSON.stringify(measurement.question)}`);
    return `| ${measurement.question} | ${cells(measurement)} | ${cells(other)} |`;
  });
  return [
    `${dates}, 90 days of traffic of ${whole(small.eventCount)} and of ${whole(large.eventCount)} events, ${cpuModel} with ${coreCount} cores and ${memoryGib} GiB, Node ${nodeVersion.slice(1)}, warm medians in one run each;`,
    "DuckDB in memory, in memory with ENUM columns, and on file, of which the fastest counts. Geometric mean of the ratios:",
    `${times(small.geometricMeanRatio)} and ${times(large.geometricMeanRatio)}. Warm means that a question was asked before about other windows: what sealed days answered is kept. What a question`,
    "costs the first time is in `bench/results`.",
    "",
    loadingText(small),
    "",
    loadingText(large),
    "",
    "| question | 1 M: Daybook, ms | DuckDB, ms | ratio | 10 M: Daybook, ms | DuckDB, ms | ratio |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

const readme = readFileSync(README, "utf8");
const [start, end] = [readme.indexOf(START) + START.length, readme.indexOf(END)];
if (end < start) throw new Error(`README.md: expected figures between ${START} and ${END}`);
writeFileSync(README, `${readme.slice(0, start)}\n${figures(process.argv.slice(2))}\n${readme.slice(end)}`);
