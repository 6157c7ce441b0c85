import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { coldRun } from "../cold/children.js";
import { queries } from "../queries.js";
import { hardware, writeResult } from "../results.js";
import { median, ms, table } from "../table.js";
import type { LargeIngest } from "./ingest-child.js";
import type { LiveFigures } from "./live-child.js";
import type { OperationFigures } from "./operations-child.js";

/** Many events on one machine, without peers: ingest, first and live answers, and operations beside queries, each in processes of their own. */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "100000000" },
    /** Of the smaller store whose live times are compared. */
    smaller: { type: "string", default: "10000000" },
    /** Where both stores are made, and found again by the next run. */
    directory: { type: "string" },
    /** Leave out parts: first, live, operations; with commas between. */
    without: { type: "string", default: "" },
  },
});

const { directory } = values;
if (directory === undefined) throw new Error("--directory: expected a directory with room for both stores");
const [eventCount, smallerCount] = [Number(values.events), Number(values.smaller)];
const paths = { large: join(directory, `${eventCount}`), smaller: join(directory, `${smallerCount}`) };
const without = values.without.split(",");
const MIB = 2 ** 20;
const say = (text: string) => void process.stdout.write(`${text}\n`);

function outputOf(child: string, ...args: string[]): unknown {
  const file = fileURLToPath(new URL(child, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ["--import", "tsx", file, ...args], { encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] }));
}

/** What the ingest of a store took; it is written beside the store when it is complete. */
function ingested(path: string, count: number): LargeIngest {
  const log = `${path}.json`;
  if (!existsSync(log)) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(log, JSON.stringify(outputOf("ingest-child.ts", path, `${count}`)));
  }
  return JSON.parse(readFileSync(log, "utf8")) as LargeIngest;
}

/** Runs a child on a copy of a store, which it changes. */
function onCopy(child: string, path: string): unknown {
  const copy = `${path}-copy`;
  try {
    cpSync(path, copy, { recursive: true });
    return outputOf(child, copy);
  } finally {
    for (const used of [copy, `${copy}-backup`]) rmSync(used, { recursive: true, force: true });
  }
}

function directoryByteLength(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function firstAnswers(path: string) {
  return queries.map(({ name }) => {
    const { openMs, firstMs } = coldRun("daybook", path, name);
    process.stderr.write(`${name}: open ${ms(openMs)} ms, first ${ms(firstMs)} ms\n`);
    return { query: name, openMs, firstMs };
  });
}

function liveAnswers() {
  const [smaller, large] = [onCopy("live-child.ts", paths.smaller), onCopy("live-child.ts", paths.large)] as [LiveFigures, LiveFigures];
  const measured = queries.map(({ name: query }) => ({ query, smallerMs: smaller.medianMs[query] ?? Number.NaN, largeMs: large.medianMs[query] ?? Number.NaN }));
  return { measured, residentBytes: { smaller: smaller.residentBytes, large: large.residentBytes } };
}

mkdirSync(directory, { recursive: true });
const smallerIngest = ingested(paths.smaller, smallerCount);
const largeIngest = ingested(paths.large, eventCount);
const bytesPerEvent = directoryByteLength(paths.large) / eventCount;
say(`${eventCount} events: ${bytesPerEvent.toFixed(1)} bytes an event on disk`);
for (const line of largeIngest.log)
  say(`${line.eventCount} events, ${(line.ingestMs / 1_000).toFixed(0)} s, longest pause ${ms(line.longestPauseMs)} ms, resident ${(line.residentBytes / MIB).toFixed(0)} MiB`);
const first = without.includes("first") ? null : firstAnswers(paths.large);
if (first !== null) {
  say(table([["first query of a process (ms)", "open", "first"], ...first.map(({ query, openMs, firstMs }) => [query, ms(openMs), ms(firstMs)])]));
  say(`median opening: ${ms(median(first.map(({ openMs }) => openMs)))} ms`);
}
const live = without.includes("live") ? null : liveAnswers();
if (live !== null) {
  const ratioOf = ({ smallerMs, largeMs }: { readonly smallerMs: number; readonly largeMs: number }) => largeMs / smallerMs;
  say(table([["live (median, ms)", `${smallerCount}`, `${eventCount}`, "ratio"], ...live.measured.map((row) => [row.query, ms(row.smallerMs), ms(row.largeMs), ratioOf(row).toFixed(1)])]));
  say(`median ratio: ${median(live.measured.map(ratioOf)).toFixed(1)}; resident after the last query: ${(live.residentBytes.large / MIB).toFixed(0)} MiB`);
}
const operations = without.includes("operations") ? null : (onCopy("operations-child.ts", paths.large) as OperationFigures[]);
for (const { operation, tookMs, longestPauseMs, residentBytes, queryCount, queryMedianMs, queryLongestMs } of operations ?? [])
  say(`${operation}: ${(tookMs / 1_000).toFixed(1)} s, longest pause ${ms(longestPauseMs)} ms, resident ${(residentBytes / MIB).toFixed(0)} MiB; ${queryCount} queries meanwhile, median ${ms(queryMedianMs)} ms, longest ${ms(queryLongestMs)} ms`);
const written = writeResult({ kind: "large", eventCount, smallerCount, hardware: hardware(), bytesPerEvent, ingest: largeIngest, smallerIngest, first, live, operations });
say(`Written to ${relative(process.cwd(), written)}.`);
