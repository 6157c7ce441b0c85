import { statSync } from "node:fs";
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  DuckDBTimestampValue,
  type DuckDBValue,
  TIMESTAMP,
} from "@duckdb/node-api";
import type { Canonical, Cell, Question, Window } from "../question.js";
import type { TrafficEvent } from "../traffic.js";
import { columns } from "./duckdb-columns.js";

/** An engine that answers the benchmark's questions from its own copy of the events. */
export interface Peer {
  readonly name: string;
  /** The whole answer as plain values, column by column. */
  ask(question: Question, window: Window): Promise<readonly DuckDBValue[][]>;
}

export interface DuckdbLoad {
  readonly peers: readonly Peer[];
  readonly appendEventsPerSecond: number;
  readonly diskBytesPerEvent: number;
}

const types = columns.map(({ type }) => type);
const chunkRowCountMax = 2_048;

/** Milliseconds inside the appender; making the chunks from objects is not counted. */
async function append(connection: DuckDBConnection, batches: Iterable<TrafficEvent[]>): Promise<{ eventCount: number; ms: number }> {
  const definitions = columns.map(({ name, type }) => `${name} ${type}`);
  await connection.run(`CREATE TABLE events (${definitions.join(", ")})`);
  const appender = await connection.createAppender("events");
  let [eventCount, ms] = [0, 0];
  for (const batch of batches) {
    for (let start = 0; start < batch.length; start += chunkRowCountMax) {
      const rows = batch.slice(start, start + chunkRowCountMax);
      const chunk = DuckDBDataChunk.create(types, rows.length);
      chunk.setColumns(columns.map((column) => rows.map(column.value)));
      const startedMs = performance.now();
      appender.appendDataChunk(chunk);
      ms += performance.now() - startedMs;
    }
    eventCount += batch.length;
  }
  const startedMs = performance.now();
  appender.closeSync();
  return { eventCount, ms: ms + performance.now() - startedMs };
}

/** A copy whose text columns are ENUMs, their values in code point order. */
async function copyAsEnums(connection: DuckDBConnection): Promise<void> {
  const selected: string[] = [];
  for (const { name, isEnum } of columns) {
    if (isEnum) {
      await connection.run(`CREATE TYPE ${name}_enum AS ENUM (SELECT DISTINCT ${name} FROM events WHERE ${name} IS NOT NULL ORDER BY 1)`);
    }
    selected.push(isEnum ? `CAST(${name} AS ${name}_enum) AS ${name}` : name);
  }
  await connection.run(`CREATE SCHEMA enums; CREATE TABLE enums.events AS SELECT ${selected.join(", ")} FROM events`);
}

/** The window as half-open timestamps in microseconds. */
function bounds({ startDate, endDate }: Window): { from: DuckDBTimestampValue; to: DuckDBTimestampValue } {
  const at = (ms: number) => new DuckDBTimestampValue(BigInt(ms) * 1_000n);
  return { from: at(Date.parse(startDate)), to: at(Date.parse(endDate) + 86_400_000) };
}

/**
 * Text, or the numbers of ENUMs, which DuckDB would turn into text to join them. In answers ENUMs are text: its client
 * would read all their values to show one.
 */
interface Keys {
  text(column: string): string;
  key(column: string): string;
  either(first: string, second: string): string;
}

const textKeys: Keys = {
  text: (column) => column,
  key: (column) => column,
  either: (first, second) => `coalesce(${first}, ${second})`,
};
const enumKeys: Keys = {
  text: (column) => `CAST(${column} AS VARCHAR)`,
  key: (column) => `enum_code(${column})`,
  either: (first, second) => `coalesce(CAST(enum_code(${first}) AS BIGINT), -1 - enum_code(${second}))`,
};

/** SQL of a question for one table. */
function sqlFor({ sql }: Question, table: string, keys: Keys): string {
  return sql
    .replaceAll("FROM events", `FROM ${table}`)
    .replaceAll(/:text\(([\w.]+)\)/g, (_, column: string) => keys.text(column))
    .replaceAll(/:key\(([\w.]+)\)/g, (_, column: string) => keys.key(column))
    .replaceAll(/:either\(([\w.]+), ([\w.]+)\)/g, (_, first: string, second: string) => keys.either(first, second))
    .replaceAll(/:(from|to)\b/g, "$$$1");
}

function peer(name: string, connection: DuckDBConnection, table: string, keys: Keys): Peer {
  const statements = new Map<Question, Promise<DuckDBPreparedStatement>>();
  return {
    name,
    async ask(question, window) {
      const known = statements.get(question) ?? connection.prepare(sqlFor(question, table, keys));
      statements.set(question, known);
      const statement = await known;
      if (statement.parameterCount > 0) statement.bind({ ...bounds(window) }, { from: TIMESTAMP, to: TIMESTAMP });
      return (await statement.run()).getColumns();
    },
  };
}

/** Loads the events into DuckDB with two threads: in memory as VARCHAR and as ENUM, and in a file. */
export async function loadDuckdb(filePath: string, batches: Iterable<TrafficEvent[]>): Promise<DuckdbLoad> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  const { eventCount, ms } = await append(connection, batches);
  await copyAsEnums(connection);
  // For the pages of one user, where it is at its best with few rows of many.
  await connection.run("CREATE INDEX users ON events (user_id)");
  await connection.run(`ATTACH '${filePath.replaceAll("'", "''")}' AS stored; CREATE TABLE stored.events AS SELECT * FROM events; CHECKPOINT stored`);
  return {
    peers: [
      peer("DuckDB", connection, "memory.main.events", textKeys),
      peer("DuckDB ENUM", connection, "memory.enums.events", enumKeys),
      peer("DuckDB file", connection, "stored.events", textKeys),
    ],
    appendEventsPerSecond: Math.round((eventCount / ms) * 1_000),
    diskBytesPerEvent: statSync(filePath).size / eventCount,
  };
}

const cellOf = (value: DuckDBValue | undefined): Cell => {
  if (value === null || value === undefined) return "";
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : String(value);
};

/** DuckDB's columns in the form in which engines are compared. */
export function canonicalColumns(answer: readonly DuckDBValue[][], { comparedColumnCount }: Question): Canonical {
  const [keys = [], ...others] = answer.slice(0, comparedColumnCount);
  if (others.length === 0) return Number(keys[0]);
  return keys.map((key, at) => [cellOf(key), ...others.map((column) => cellOf(column[at]))]);
}
