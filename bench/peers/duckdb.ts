import { statSync } from "node:fs";
import {
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  TIMESTAMP,
  UUID,
  VARCHAR,
} from "@duckdb/node-api";
import type { Canonical, Question, Window } from "../questions.js";
import { METADATA_TYPES, type TrafficEvent } from "../traffic.js";

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

interface Column {
  readonly name: string;
  readonly type: DuckDBType;
  /** Few enough values for an ENUM to pay. */
  readonly isEnum: boolean;
  value(event: TrafficEvent): DuckDBValue;
}

const uuidValue = (id: string) => DuckDBUUIDValue.fromUint128(BigInt(`0x${id.replaceAll("-", "")}`));

const textColumn = (name: string, value: (event: TrafficEvent) => string | null | undefined): Column => ({
  name,
  type: VARCHAR,
  isEnum: true,
  value: (event) => value(event) ?? null,
});

const metadataColumns = Object.entries(METADATA_TYPES).map(
  ([name, type]): Column => ({
    name,
    type: type === "text" ? VARCHAR : type === "number" ? DOUBLE : BOOLEAN,
    isEnum: type === "text",
    value: (event) => event.metadata[name] ?? null,
  }),
);

// In DuckDB's favour: every metadata key is a column of its own type, known in advance.
const columns: readonly Column[] = [
  { name: "id", type: UUID, isEnum: false, value: (event) => uuidValue(event.id) },
  { name: "created_at", type: TIMESTAMP, isEnum: false, value: (event) => new DuckDBTimestampValue(BigInt(event.createdAt) * 1_000n) },
  textColumn("name", (event) => event.name),
  textColumn("user_id", (event) => event.userId),
  textColumn("project", (event) => event.project),
  textColumn("location_country", (event) => event.locationCountry),
  textColumn("location_region", (event) => event.locationRegion),
  textColumn("location_city", (event) => event.locationCity),
  textColumn("device", (event) => event.device),
  textColumn("os", (event) => event.os),
  textColumn("browser", (event) => event.browser),
  textColumn("screen", (event) => event.screen),
  textColumn("language", (event) => event.language),
  textColumn("referrer", (event) => event.referrer),
  textColumn("url", (event) => event.url),
  textColumn("hostname", (event) => event.hostname),
  ...metadataColumns,
];
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

function peer(name: string, connection: DuckDBConnection, table: string): Peer {
  const statements = new Map<Question, Promise<DuckDBPreparedStatement>>();
  const prepare = (question: Question) =>
    connection.prepare(question.sql.replaceAll("FROM events", `FROM ${table}`).replaceAll(/:(from|to)\b/g, "$$$1"));
  return {
    name,
    async ask(question, window) {
      const known = statements.get(question) ?? prepare(question);
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
  await connection.run(`ATTACH '${filePath.replaceAll("'", "''")}' AS stored; CREATE TABLE stored.events AS SELECT * FROM events; CHECKPOINT stored`);
  return {
    peers: [
      peer("DuckDB", connection, "memory.main.events"),
      peer("DuckDB ENUM", connection, "memory.enums.events"),
      peer("DuckDB file", connection, "stored.events"),
    ],
    appendEventsPerSecond: Math.round((eventCount / ms) * 1_000),
    diskBytesPerEvent: statSync(filePath).size / eventCount,
  };
}

/** DuckDB's columns in the form in which engines are compared. */
export function canonicalColumns(answer: readonly DuckDBValue[][]): Canonical {
  const [keys = [], counts] = answer;
  if (counts === undefined) return Number(keys[0]);
  return keys.map((key, at) => [key === null ? "" : String(key), Number(counts[at])]);
}
