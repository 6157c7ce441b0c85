import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Daybook } from "daybook";
import { migrateClickHouse, openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { clock } from "../clock.js";
import { canonicalColumns } from "../peers/peer.js";
import { queries } from "../queries.js";
import type { BenchQuery } from "../bench-query.js";
import { median, ms, table, times } from "../table.js";
import { trafficBatches, type TrafficEvent } from "../traffic.js";
import { windowOf } from "../measure.js";
import { Plain } from "./plain.js";
import { makeSameRules, sameRules } from "./same-rules.js";
import { startServer } from "./server.js";

const SEED = 1;
const BATCH_ROW_COUNT = 20_000;
/** Answers of rounds before them warm up. */
const ROUND_COUNT = 3;
/** What takes longer is asked once. */
const SLOW_MS = 8_000;
/** What takes longer beside SQL of a flat table is asked of SQL that keeps Daybook's rules too. */
const RATIO_MAX = 3;
const DATABASE = "bench";

const { values: options } = parseArgs({
  options: { events: { type: "string", default: "1000000" }, only: { type: "string" }, store: { type: "string" } },
});
const eventCount = Number(options.events);
const directory = options.store ?? mkdtempSync(join(tmpdir(), "daybook-bench-clickhouse-"));

/** The traffic into the tables of Daybook and into the plain one, two batches in flight. */
async function load(daybook: ClickHouseDaybook, plain: Plain): Promise<void> {
  await plain.make();
  const startedMs = performance.now();
  const put = async (batch: TrafficEvent[]) => {
    await daybook.ingest(batch);
    await plain.insert(batch);
  };
  let before = Promise.resolve();
  let count = 0;
  for (const batch of trafficBatches({ seed: SEED, eventCount, batchRowCount: BATCH_ROW_COUNT })) {
    const putting = put(batch);
    await before;
    before = putting;
    count += batch.length;
    if (count % 500_000 === 0) console.error(`${count} events after ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  }
  await before;
  await plain.run("OPTIMIZE TABLE plain.events FINAL");
  await plain.run(`OPTIMIZE TABLE ${DATABASE}.events`);
}

interface Timed {
  readonly ms: number;
  /** Of the processors, here and in the server: what else the machine does shows less in it. */
  readonly cpuMs: number;
  readonly answer: unknown;
}

/** Medians of some rounds, each about another window, after one that warms up; the answer to the first. */
async function timed(run: (round: number) => Promise<unknown>): Promise<Timed> {
  const taken: { readonly ms: number; readonly cpuMs: number }[] = [];
  let first: unknown = null;
  for (let round = 0; round <= ROUND_COUNT; round += 1) {
    const [startedMs, before, own] = [performance.now(), server.cpuMs(), process.cpuUsage()];
    const answer = await run(round);
    const elapsedMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(own);
    if (round === 0) first = answer;
    if (round > 0 || elapsedMs > SLOW_MS) taken.push({ ms: elapsedMs, cpuMs: server.cpuMs() - before + (user + system) / 1_000 });
    if (elapsedMs > SLOW_MS) break;
  }
  return { ms: median(taken.map((one) => one.ms)), cpuMs: median(taken.map(({ cpuMs }) => cpuMs)), answer: first };
}

const shortened = (error: unknown) => String(error).replace(/\s+/g, " ").slice(0, 150);

const canonicalText = (answer: unknown, query: BenchQuery) =>
  JSON.stringify(canonicalColumns(answer as (string | number | boolean | null)[][], query));

/** A line of the table. What one of them cannot answer has no ratio. */
async function compared(query: BenchQuery, daybook: ClickHouseDaybook, plain: Plain): Promise<string[]> {
  const figures: string[] = [];
  try {
    // A query of the benchmark asks what is there on ClickHouse too.
    const own = await timed((round) => query.run(daybook as unknown as Daybook, windowOf(round)));
    const answers = new Set([JSON.stringify(query.canonical(own.answer))]);
    figures.push(ms(own.ms), ms(own.cpuMs));
    for (const peer of [plain.peer(), sameRules(query, plain)]) {
      const { ms: tookMs, cpuMs, answer } = await timed((round) => peer.run(query, windowOf(round)));
      answers.add(canonicalText(answer, query));
      figures.push(ms(tookMs), times(own.ms / tookMs), ms(cpuMs), times(own.cpuMs / cpuMs));
      if (own.ms <= RATIO_MAX * tookMs) break;
    }
    return [query.name, ...filled(figures), answers.size === 1 ? "equal" : "differ"];
  } catch (error) {
    return [query.name, ...filled(figures), shortened(error)];
  }
}

const filled = (figures: readonly string[]) => Array.from({ length: 10 }, (_, at) => figures[at] ?? "");

const isLoaded = join(directory, "loaded");
const server = await startServer(directory);
try {
  const place = { url: server.url, database: DATABASE, clock };
  await migrateClickHouse(place);
  await using daybook = await openClickHouse(place);
  const plain = new Plain(server.url);
  if (!existsSync(isLoaded)) {
    await load(daybook, plain);
    writeFileSync(isLoaded, String(eventCount));
  }
  await makeSameRules(plain);
  const names = options.only?.split(",") ?? [""];
  const beside = (name: string) => [`${name}, ms`, "ratio", "of processors, ms", "ratio"];
  const rows: string[][] = [["query", "Daybook, ms", "of processors, ms", ...beside("plain"), ...beside("same rules"), "answers"]];
  for (const query of queries.filter(({ name }) => names.some((part) => name.includes(part)))) {
    const row = await compared(query, daybook, plain);
    console.error(row.join("  "));
    rows.push(row);
  }
  console.log(table(rows));
} finally {
  await server.stop();
  if (options.store === undefined) rmSync(directory, { recursive: true, force: true });
}
