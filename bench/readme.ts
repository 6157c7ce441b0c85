import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { DaybookLoad } from "./daybook.js";
import type { FirstMeasurement } from "./first.js";
import type { Measurement } from "./measure.js";
import type { hardware } from "./results.js";
import { ms, times } from "./table.js";

/** What the README shows of a result file: of a run against DuckDB alone. */
interface Result {
  readonly eventCount: number;
  readonly hardware: ReturnType<typeof hardware>;
  readonly daybook: Omit<DaybookLoad, "daybook">;
  readonly sqliteEventsPerSecond: number | null;
  readonly geometricMeanRatio: number;
  readonly geometricMeanLiveRatio: number;
  readonly geometricMeanFirstRatio: number;
  readonly geometricMeanRatioByEngine: Readonly<Record<string, number>>;
  readonly measurements: readonly (Measurement & FirstMeasurement)[];
}

const README = new URL("../README.md", import.meta.url);
const [START, END] = ["<!-- bench -->", "<!-- /bench -->"];

/** Of a line of prose, as in all documents. */
const LINE_CHARS = 150;

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= LINE_CHARS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

const whole = (value: number) => Math.round(value).toLocaleString("en");

function resultOf(path: string | undefined): Result & { readonly date: string } {
  if (path === undefined) throw new Error("expected two result files: npm run bench:readme -- SMALL.json LARGE.json");
  const result = JSON.parse(readFileSync(path, "utf8")) as Result;
  const engines = Object.keys(result.geometricMeanRatioByEngine ?? {});
  if (engines.join() !== "DuckDB") throw new Error(`${path}: expected questions asked of DuckDB alone, got ${engines.join(", ") || "none"}`);
  if (result.geometricMeanFirstRatio === undefined) throw new Error(`${path}: expected the three regimes of questions, it is of an earlier version`);
  return { ...result, date: basename(path).slice(0, 10) };
}

function machineText({ cpuModel, coreCount, memoryGib, nodeVersion }: Result["hardware"]): string {
  return `${cpuModel} with ${coreCount} cores and ${memoryGib} GiB, Node ${nodeVersion.slice(1)}`;
}

function loadingText({ eventCount, daybook, sqliteEventsPerSecond }: Result): string {
  const sqlite = sqliteEventsPerSecond === null ? "" : ` (SQLite, one transaction a batch, no index: ${whole(sqliteEventsPerSecond)})`;
  return (
    `Of ${whole(eventCount)} events: ${whole(daybook.ingestEventsPerSecond)} durable events/s in batches of 1,000 by one writer, ` +
    `${whole(daybook.sharedIngestEventsPerSecond)} with four batches in flight, ` +
    `${whole(daybook.threadIngestEventsPerSecond)} where a thread of its own makes the segments${sqlite}; ${daybook.diskBytesPerEvent.toFixed(1)} bytes an event on disk; ` +
    `${whole(daybook.firstAnswerMs)} ms from opening the files to the first answer.`
  );
}

function questionTable({ measurements, geometricMeanRatio, geometricMeanLiveRatio, geometricMeanFirstRatio }: Result): string[] {
  return [
    "| question | live, ms | warm, ms | first, ms | DuckDB, ms | live | warm | first |",
    "|---|---|---|---|---|---|---|---|",
    ...measurements.map(({ question, liveMs, daybookMs, firstMs, peerMs, liveRatio, ratio, firstRatio }) =>
      `| ${question} | ${[liveMs, daybookMs, firstMs, Math.min(...Object.values(peerMs))].map(ms).join(" | ")} | ${[liveRatio, ratio, firstRatio].map(times).join(" | ")} |`),
    `| geometric mean | | | | | ${[geometricMeanLiveRatio, geometricMeanRatio, geometricMeanFirstRatio].map(times).join(" | ")} |`,
  ];
}

/** The README's figures, from a run of fewer and one of more events. */
function figures(paths: readonly string[]): string {
  const [small, large] = [resultOf(paths[0]), resultOf(paths[1])];
  const machines = [...new Set([small, large].map(({ hardware }) => machineText(hardware)))];
  if (machines.length > 1) throw new Error(`expected results of one machine, got ${machines.join("; ")}`);
  const dates = [...new Set([small.date, large.date])].join(" and ");
  return [
    wrapped(
      `${dates}, 90 days of traffic, ${machines.join("")}; medians, each table from one run. DuckDB: in memory, in memory with ENUM columns, and on file, ` +
        "all warm, of which the fastest counts; the ratios are its time over Daybook's. **Live**: before each question 20 events come in, somebody " +
        "signs up, somebody pays, and one event is late. **Warm**: nothing comes in, and the question was asked before about other windows. **First**: the " +
        `first question of a new process over the stored files. While the store lives, Daybook is ${times(large.geometricMeanLiveRatio)} as fast at ` +
        `${whole(large.eventCount)} events, ${times(small.geometricMeanLiveRatio)} at ${whole(small.eventCount)} (geometric means).`,
    ),
    ...[large, small].flatMap((result) => ["", `### ${whole(result.eventCount)} events`, "", wrapped(loadingText(result)), "", ...questionTable(result)]),
  ].join("\n");
}

const readme = readFileSync(README, "utf8");
const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
if (start === -1 || end < start) throw new Error(`README.md: expected figures between ${START} and ${END}`);
writeFileSync(README, `${readme.slice(0, start + START.length)}\n${figures(process.argv.slice(2))}\n${readme.slice(end)}`);
