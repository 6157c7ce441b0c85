import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../daybook.js";
import { ingestAll } from "../ingest.js";
import { insightQueries } from "../insights/insight-queries.js";
import { writeDuckdbFile } from "../peers/duckdb.js";
import { queries } from "../queries.js";
import { hardware, writeResult } from "../results.js";
import { geometricMean, median, ms, table, times } from "../table.js";
import { trafficBatches } from "../traffic.js";
import { boundMs, coldRun, type ColdRun } from "./children.js";

/** The first answer of a new process, over stored events, beside DuckDB over its own file. */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    processes: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    /** Only queries whose name contains one of these, with commas between. */
    only: { type: "string", default: "" },
    /** A directory whose `daybook` and `events.duckdb` are used, and made if they are missing. */
    directory: { type: "string", default: "" },
  },
});

interface ColdTimes {
  readonly openMs: number;
  readonly firstMs: number;
}

interface Measured {
  readonly query: string;
  readonly isInsight: boolean;
  readonly daybook: ColdTimes;
  readonly duckdb: ColdTimes;
  /** What the plainest loop over the query's columns takes instead of the first answer; null if the query reads tables. */
  readonly boundMs: number | null;
  /** DuckDB's opening and first answer over Daybook's. */
  readonly ratio: number;
}

const [eventCount, processCount, seed] = [Number(values.events), Number(values.processes), Number(values.seed)];
const isTemporary = values.directory === "";
const directory = isTemporary ? mkdtempSync(join(tmpdir(), "daybook-cold-")) : values.directory;
const paths = { daybook: join(directory, "daybook"), duckdb: join(directory, "events.duckdb") };
const batches = () => trafficBatches({ seed, eventCount, batchRowCount: 1_000 });
const say = (text: string) => void process.stdout.write(`${text}\n`);

async function makeStores(): Promise<void> {
  if (!existsSync(paths.daybook)) {
    const daybook = await openStore(paths.daybook);
    await ingestAll(daybook, batches(), 4);
    await daybook.close();
  }
  if (!existsSync(paths.duckdb)) await writeDuckdbFile(paths.duckdb, batches());
}

const timesOf = (runs: readonly ColdRun[]): ColdTimes => ({ openMs: median(runs.map(({ openMs }) => openMs)), firstMs: median(runs.map(({ firstMs }) => firstMs)) });
const wholeOf = (runs: readonly ColdRun[]) => median(runs.map(({ openMs, firstMs }) => openMs + firstMs));

/** Runs both engines in turn, each time in a new process. @throws if the answers differ */
function measure(query: string, isInsight: boolean): Measured {
  const [daybook, duckdb]: [ColdRun[], ColdRun[]] = [[], []];
  for (let at = 0; at < processCount; at += 1) {
    daybook.push(coldRun("daybook", paths.daybook, query));
    duckdb.push(coldRun("duckdb", paths.duckdb, query));
    if (daybook.at(-1)?.answer !== duckdb.at(-1)?.answer) throw new Error(`${query}: Daybook and DuckDB differ`);
  }
  const bound = boundMs(paths.daybook, query);
  return { query, isInsight, daybook: timesOf(daybook), duckdb: timesOf(duckdb), boundMs: bound, ratio: wholeOf(duckdb) / wholeOf(daybook) };
}

function measuredTable(measured: readonly Measured[]): string {
  const row = ({ query, daybook, duckdb, boundMs: bound, ratio }: Measured) =>
    [query, ms(daybook.openMs), ms(daybook.firstMs), bound === null ? "" : ms(bound), ms(duckdb.openMs), ms(duckdb.firstMs), times2(ratio)];
  return table([["query (median, ms)", "open", "first", "loop", "DuckDB open", "first", "ratio"], ...measured.map(row)]);
}

const times2 = (ratio: number) => (ratio < 10 ? `${ratio.toFixed(2)}×` : times(ratio));

async function run(): Promise<void> {
  await makeStores();
  const wanted = values.only.split(",");
  const measured: Measured[] = [];
  for (const known of queries.filter(({ name }) => wanted.some((part) => name.includes(part)))) {
    measured.push(measure(known.name, insightQueries.includes(known)));
    process.stderr.write(`${known.name}: ${times2(measured.at(-1)?.ratio ?? Number.NaN)}\n`);
  }
  say(measuredTable(measured));
  const meanOf = (areInsights: boolean) => geometricMean(measured.filter(({ isInsight }) => isInsight === areInsights).map(({ ratio }) => ratio));
  const means = { events: meanOf(false), insights: meanOf(true) };
  say(`\ngeometric mean of the ratios: ${times2(means.events)} over queries of events, ${times2(means.insights)} over insights`);
  if (values.only === "") say(`Written to ${relative(process.cwd(), writeResult({ kind: "cold", eventCount, seed, processCount, hardware: hardware(), means, measured }))}.`);
}

try {
  await run();
} finally {
  if (isTemporary) rmSync(directory, { recursive: true, force: true });
}
