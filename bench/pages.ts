import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { DaybookLoad } from "./daybook.js";
import type { FirstMeasurement } from "./first.js";
import type { Measurement } from "./measure.js";
import type { hardware } from "./results.js";
import { ms, times } from "./table.js";

/** What the documents show of a result file: of a run against DuckDB alone. */
interface Result {
  readonly eventCount: number;
  readonly hardware: ReturnType<typeof hardware>;
  readonly daybook: Omit<DaybookLoad, "daybook">;
  readonly sqliteEventsPerSecond: number | null;
  readonly geometricMeanLiveRatio: number;
  readonly geometricMeanFirstRatio: number;
  readonly geometricMeanRatioByEngine: Readonly<Record<string, number>>;
  readonly measurements: readonly (Measurement & FirstMeasurement)[];
}

/** What the README shows of a result of `bench:cold`. */
interface ColdResult {
  readonly kind: "cold";
  readonly eventCount: number;
  readonly hardware: ReturnType<typeof hardware>;
  readonly means: { readonly events: number; readonly insights: number };
  readonly measured: readonly { readonly query: string; readonly ratio: number }[];
}

const README = new URL("../README.md", import.meta.url);
const BENCHMARKS = new URL("../docs/internals/benchmarks.md", import.meta.url);
const CHART = new URL("../docs/speed.svg", import.meta.url);
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

type Dated<R = Result> = R & { readonly date: string };

function read<R>(path: string | undefined): Dated<R> {
  if (path === undefined) throw new Error("expected three result files: npm run bench:pages -- SMALL.json LARGE.json COLD.json");
  return { ...(JSON.parse(readFileSync(path, "utf8")) as R), date: basename(path).slice(0, 10) };
}

function coldResultOf(path: string | undefined): Dated<ColdResult> {
  const result = read<ColdResult>(path);
  if (result.kind !== "cold") throw new Error(`${path ?? ""}: expected a result of bench:cold`);
  return result;
}

function resultOf(path: string | undefined): Dated {
  const result = read<Result>(path);
  const engines = Object.keys(result.geometricMeanRatioByEngine ?? {});
  if (engines.join() !== "DuckDB") throw new Error(`${path ?? ""}: expected queries of DuckDB alone, got ${engines.join(", ") || "none"}`);
  if (result.geometricMeanFirstRatio === undefined) throw new Error(`${path ?? ""}: expected live, warm and first times, got a result of another version`);
  return result;
}

function machineText({ cpuModel, coreCount, memoryGib, nodeVersion }: Result["hardware"]): string {
  return `${cpuModel} with ${coreCount} cores and ${memoryGib} GiB, Node ${nodeVersion.slice(1)}`;
}

function loadingText({ eventCount, daybook, sqliteEventsPerSecond }: Result): string {
  const sqlite = sqliteEventsPerSecond === null ? "" : ` (SQLite, one transaction a batch, no index: ${whole(sqliteEventsPerSecond)})`;
  return (
    `Of ${whole(eventCount)} events: ${whole(daybook.ingestEventsPerSecond)} durable events/s in batches of 1,000 by one writer, ` +
    `${whole(daybook.sharedIngestEventsPerSecond)} with four batches in flight, ` +
    `${whole(daybook.threadIngestEventsPerSecond)} with a thread that makes segments${sqlite}; ${daybook.diskBytesPerEvent.toFixed(1)} bytes an event on disk; ` +
    `${whole(daybook.firstAnswerMs)} ms from opening the files to the first answer.`
  );
}

/** @param shown names of queries that another table has already; the mean is of all */
function queryTable({ measurements, geometricMeanLiveRatio, geometricMeanFirstRatio }: Result, shown: ReadonlySet<string>): string[] {
  return [
    "| query | live, ms | first, ms | DuckDB, ms | live | first |",
    "|---|---|---|---|---|---|",
    ...measurements.filter(({ query }) => !shown.has(query)).map(({ query, liveMs, firstMs, peerMs, liveRatio, firstRatio }) =>
      `| ${query} | ${[liveMs, firstMs, Math.min(...Object.values(peerMs))].map(ms).join(" | ")} | ${[liveRatio, firstRatio].map(times).join(" | ")} |`),
    `| geometric mean of all | | | | ${[geometricMeanLiveRatio, geometricMeanFirstRatio].map(times).join(" | ")} |`,
  ];
}

/** Bars of the chart: a query of each kind. */
const SHOWN = [
  "count, 30 days", "running total per day, 90 days", "unique users", "unique users per day, 90 days", "aggregate url", "search, page 1, two filters",
  "profile of the heavy user", "LTV cohorts, identity, all time", "revenue by source, last touch, identity", "top companies, 30 days",
];
const [CHART_WIDTH, LABEL_WIDTH, ROW_HEIGHT, BAR_HEIGHT, VALUE_WIDTH] = [800, 270, 34, 12, 60];
/** The longest bar stands for it. */
const RATIO_MAX = 2_000;

/** Ratios about 1 need a digit more. */
const timesTo = (ratio: number) => (ratio < 2 ? `${ratio.toFixed(2)}×` : times(ratio));

/** How many times as fast as DuckDB each query is while events arrive, and as the first of a new process, on a scale of powers of ten. */
function chart({ measurements, eventCount }: Result, cold: ColdResult): string {
  const lengthOf = (ratio: number) => (Math.max(Math.log10(ratio), 0) / Math.log10(RATIO_MAX)) * (CHART_WIDTH - LABEL_WIDTH - VALUE_WIDTH);
  const ratioIn = (list: readonly { readonly query: string }[], shown: string, ratioOf: (at: number) => number) => {
    const at = list.findIndex(({ query }) => query === shown);
    if (at === -1) throw new Error(`expected a measurement of "${shown}"`);
    return ratioOf(at);
  };
  const bar = (kind: "live" | "first", y: number, ratio: number) => {
    const length = lengthOf(ratio);
    return `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y}" width="${Math.max(length, 1).toFixed(1)}" height="${BAR_HEIGHT}"/>` +
      `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${y + BAR_HEIGHT - 1}">${timesTo(ratio)}</text>`;
  };
  const rows = SHOWN.map((shown, row) => {
    const y = (row + 2) * ROW_HEIGHT;
    const live = ratioIn(measurements, shown, (at) => measurements[at]?.liveRatio ?? Number.NaN);
    const first = ratioIn(cold.measured, shown, (at) => cold.measured[at]?.ratio ?? Number.NaN);
    const label = `<text x="${LABEL_WIDTH - 10}" y="${y + BAR_HEIGHT + 6}" text-anchor="end">${shown}</text>`;
    return [label, bar("live", y + 2, live), bar("first", y + BAR_HEIGHT + 4, first)].join("");
  });
  const height = (SHOWN.length + 2) * ROW_HEIGHT + 8;
  const ticks = [1, 10, 100, 1_000].map((ratio) => {
    const x = (LABEL_WIDTH + lengthOf(ratio)).toFixed(1);
    return `<path d="M${x} ${2 * ROW_HEIGHT - 4}V${height}"/><text x="${x}" y="${2 * ROW_HEIGHT - 8}" text-anchor="middle">${whole(ratio)}×</text>`;
  });
  const light = "text{font:13px system-ui,sans-serif;fill:#1f2328}.live{fill:#2563eb}.first{fill:#93a4bd}path{stroke:#d0d7de}";
  const style = `${light}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.live{fill:#60a5fa}.first{fill:#5d6b80}path{stroke:#3d444d}}`;
  const title = `Times as fast as DuckDB over ${whole(eventCount)} events: while events arrive (blue), and as the first query of a new process (gray)`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_WIDTH} ${height}" width="${CHART_WIDTH}" height="${height}" role="img" aria-label="${title}">`,
    `<style>${style}</style>`,
    `<text x="0" y="16">${title}</text>`,
    ...ticks,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

/** Five rows of figures, and the chart. */
function readmeFigures({ date, eventCount, daybook, geometricMeanLiveRatio, hardware: machine }: Dated, small: Dated, cold: Dated<ColdResult>): string {
  return [
    `![Times as fast as DuckDB, by query](docs/speed.svg)`,
    "",
    `| ${whole(eventCount)} events, ${machineText(machine)}, ${date} | |`,
    "|---|---:|",
    `| queries while events arrive, against DuckDB (geometric mean; ${times(small.geometricMeanLiveRatio)} at ${whole(small.eventCount)} events) | ${times(geometricMeanLiveRatio)} |`,
    `| the first query of a new process, both from files, against DuckDB (${cold.date}; insights: ${timesTo(cold.means.insights)}) | ${timesTo(cold.means.events)} |`,
    `| durable events a second, in batches of 1,000 by one writer; with a thread that makes segments | ` +
      `${whole(daybook.ingestEventsPerSecond)}; ${whole(daybook.threadIngestEventsPerSecond)} |`,
    `| bytes of an event on disk | ${daybook.diskBytesPerEvent.toFixed(1)} |`,
    `| from opening the files to the first answer | ${whole(daybook.firstAnswerMs)} ms |`,
  ].join("\n");
}

/** All figures of a run of more events, and of one of fewer those of queries that the first did not have. */
function allFigures(small: Dated, large: Dated): string {
  const shownOf = (result: Dated) => new Set(result === small ? large.measurements.map(({ query }) => query) : []);
  const dates = [...new Set([small.date, large.date])].join(" and ");
  return [
    wrapped(
      `${dates}, 90 days of traffic, ${machineText(large.hardware)}; medians, each table from one run. DuckDB runs in memory, in memory with ENUM columns, ` +
        "and on file, warm; the fastest of the three counts. Ratios are DuckDB's time over Daybook's. **Live**: before each query, 20 events, a signup, a " +
        "payment and a late event arrive; without them, times are about the same. **First**: the " +
        `first query of a new process over the stored files. While events arrive, Daybook is ${times(large.geometricMeanLiveRatio)} as fast at ` +
        `${whole(large.eventCount)} events, ${times(small.geometricMeanLiveRatio)} at ${whole(small.eventCount)} (geometric means).`,
    ),
    ...[large, small].flatMap((result) => ["", `## ${whole(result.eventCount)} events`, "", wrapped(loadingText(result)), "", ...queryTable(result, shownOf(result))]),
  ].join("\n");
}

function put(page: URL, figures: string): void {
  const text = readFileSync(page, "utf8");
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`${page.pathname}: expected figures between ${START} and ${END}`);
  writeFileSync(page, `${text.slice(0, start + START.length)}\n${figures}\n${text.slice(end)}`);
}

const [small, large, cold] = [resultOf(process.argv[2]), resultOf(process.argv[3]), coldResultOf(process.argv[4])];
const machines = [...new Set([small, large, cold].map((result) => machineText(result.hardware)))];
if (machines.length > 1) throw new Error(`expected results of one machine, got ${machines.join(" and ")}`);
if (cold.eventCount !== large.eventCount) throw new Error(`expected a cold result of ${large.eventCount} events, got ${cold.eventCount}`);
put(README, readmeFigures(large, small, cold));
put(BENCHMARKS, allFigures(small, large));
writeFileSync(CHART, chart(large, cold));
