import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { openDaybook, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import { queries } from "../queries.js";

const COMMAND = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const LOOK_MS = 20;
const KIB_PER_MIB = 1024;

/** Runs the built command line: the most memory that it had resident, in MiB, and how long it took. */
async function peakOf(...args: string[]): Promise<{ readonly mib: number; readonly ms: number }> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  let kib = 0;
  const look = setInterval(() => {
    try {
      kib = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? kib);
    } catch {
      // It ended since the last look.
    }
  }, LOOK_MS);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(look);
  if (code !== 0) throw new Error(`daybook ${args.join(" ")} ended with ${String(code)}`);
  return { mib: kib / KIB_PER_MIB, ms: performance.now() - startedMs };
}

/** A cursor is a place in one store: it names the events that were there when the first page was asked for. */
const withoutCursors = (member: string, value: unknown) => (member === "cursor" ? undefined : value);

async function answersOf(store: string): Promise<string[]> {
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  const answers: string[] = [];
  for (const { name, run } of queries) answers.push(`${name}: ${JSON.stringify(await run(daybook, windowOf(0)), withoutCursors)}`);
  await daybook.close();
  return answers;
}

/** What both can tell of the same events. */
interface Counts {
  readonly events: number;
  readonly users: number;
  readonly names: readonly (readonly [name: string, count: number])[];
}

async function countsOf(daybook: Daybook): Promise<Counts> {
  const names = await daybook.aggregate({ field: "name" });
  const users = await daybook.aggregate({ field: "userId" });
  return {
    events: await daybook.countEvents(),
    users: users.filter(({ property }) => property !== "").length,
    names: names.map(({ property, count }) => [property, count] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  };
}

/** Of the file, which it writes again as its own. */
async function countsByDuckDB(file: string, own: string): Promise<Counts> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
  try {
    const [totals] = await rows(`SELECT count(*) AS events, count(DISTINCT "userId") AS users FROM '${file}'`);
    const names = await rows(`SELECT name, count(*) AS count FROM '${file}' GROUP BY 1 ORDER BY 1`);
    await rows(`COPY (SELECT * FROM '${file}') TO '${own}' (FORMAT parquet, CODEC 'snappy')`);
    return {
      events: Number(totals?.["events"]),
      users: Number(totals?.["users"]),
      names: names.map(({ name, count }) => [String(name), Number(count)] as const),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * A store out as Parquet and in again, by the command line: the most memory of each, of Linux. Ends with an error where an answer of the benchmark is
 * another afterwards, by one byte, or DuckDB counts other events or users in the file.
 */
export async function parquetFigures(store: string, directory: string): Promise<Record<string, number>> {
  const [file, own, again] = [join(directory, "events.parquet"), join(directory, "duckdb.parquet"), join(directory, "again")];
  const opened = await peakOf("stats", "--data", store);
  const written = await peakOf("export", "--data", store, "--events-only", "--out", file);
  const read = await peakOf("import", "--data", again, file);
  const before = await answersOf(store);
  const after = await answersOf(join(again, "default"));
  const other = before.find((answer, at) => answer !== after[at]);
  if (other !== undefined) throw new Error(`another answer after the way through Parquet: ${other.slice(0, 200)}`);
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  const [counts, countsThere] = [JSON.stringify(await countsOf(daybook)), JSON.stringify(await countsByDuckDB(file, own))];
  await daybook.close();
  if (counts !== countsThere) throw new Error(`DuckDB counts ${countsThere} in the file, Daybook ${counts}`);
  return {
    parquetOpenedMib: opened.mib, parquetOutMib: written.mib, parquetInMib: read.mib, parquetOutMs: written.ms, parquetInMs: read.ms,
    parquetFileBytes: statSync(file).size, parquetDuckDBFileBytes: statSync(own).size, parquetEqualAnswerCount: before.length,
  };
}
