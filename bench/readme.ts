import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { DaybookLoad } from "./daybook.js";
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
  readonly geometricMeanRatioByEngine: Readonly<Record<string, number>>;
  readonly measurements: readonly Measurement[];
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
  if (result.daybook.threadIngestEventsPerSecond === undefined) throw new Error(`${path}: expected ingest with a thread for seals too, it is of an earlier version`);
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

function cells({ daybookMs, peerMs, ratio }: Measurement): string {
  return `${ms(daybookMs)} | ${ms(Math.min(...Object.values(peerMs)))} | ${times(ratio)}`;
}

/** The README's figures, from a run of fewer and one of more events. */
function figures(paths: readonly string[]): string {
  const results = [resultOf(paths[0]), resultOf(paths[1])] as const;
  const machines = [...new Set(results.map(({ hardware }) => machineText(hardware)))];
  if (machines.length > 1) throw new Error(`expected results of one machine, got ${machines.join("; ")}`);
  const [small, large] = results;
  const questions = results.map(({ measurements }) => measurements.map(({ question }) => question).join("; "));
  if (questions[0] !== questions[1]) throw new Error(`expected the same questions, got ${questions.join(" and ")}`);
  const head = (result: Result) => `${whole(result.eventCount)}: Daybook, ms | DuckDB, ms | ratio`;
  return [
    wrapped(
      `${[...new Set(results.map(({ date }) => date))].join(" and ")}, 90 days of traffic of ${whole(small.eventCount)} and of ${whole(large.eventCount)} events, ` +
        `${machines.join("")}, warm medians in one run each; DuckDB in memory, in memory with ENUM columns, and on file, of which the fastest counts. ` +
        `Geometric mean of the ratios: ${times(small.geometricMeanRatio)} and ${times(large.geometricMeanRatio)}. Warm means that a question was asked ` +
        "before about other windows: what sealed days answered is kept. What a question costs the first time is in `bench/results`.",
    ),
    "",
    wrapped(loadingText(small)),
    "",
    wrapped(loadingText(large)),
    "",
    `| question | ${head(small)} | ${head(large)} |`,
    "|---|---|---|---|---|---|---|",
    ...small.measurements.map((measurement, at) => `| ${measurement.question} | ${cells(measurement)} | ${cells(large.measurements[at] as Measurement)} |`),
  ].join("\n");
}

const readme = readFileSync(README, "utf8");
const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
if (start === -1 || end < start) throw new Error(`README.md: expected figures between ${START} and ${END}`);
writeFileSync(README, `${readme.slice(0, start + START.length)}\n${figures(process.argv.slice(2))}\n${readme.slice(end)}`);
