import { statSync } from "node:fs";
import { join } from "node:path";
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  TIMESTAMP,
} from "@duckdb/node-api";
import type { Dialect } from "../dialect.js";
import type { BenchQuery } from "../bench-query.js";
import type { TrafficEvent } from "../traffic.js";
import { duckdbColumns as columns, timestampOf } from "./duckdb-columns.js";
import { boundsMs, type Peer, type PeerLoad } from "./peer.js";

const types = columns.map(({ type }) => type);
const engine = "DuckDB";
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

const dialect = {
  from: "$from",
  to: "$to",
  ms: (instant: string) => `CAST(epoch_ms(${instant}) AS DOUBLE)`,
  any: (condition: string) => `bool_or(${condition})`,
  quantile: (value: string, share: number) => `quantile_cont(${value}, ${share})`,
  rounded: (value: string) => `round_even(${value}, 0)`,
} as const;

const textDialect = (events: string): Dialect => ({
  ...dialect,
  events,
  text: (column) => column,
  key: (column) => column,
  either: (first, second) => `coalesce(${first}, ${second})`,
});

/**
 * DuckDB would turn ENUMs into text to join them: it is asked for their numbers. In answers they are text, for its client
 * would read all their values to show one.
 */
const enumDialect = (events: string): Dialect => ({
  ...dialect,
  events,
  text: (column) => `CAST(${column} AS VARCHAR)`,
  key: (column) => `enum_code(${column})`,
  either: (first, second) => `coalesce(CAST(enum_code(${first}) AS BIGINT), -1 - enum_code(${second}))`,
});

function peer(name: string, connection: DuckDBConnection, dialect: Dialect): Peer {
  const statements = new Map<BenchQuery, Promise<DuckDBPreparedStatement>>();
  return {
    name,
    engine,
    async run(query, window) {
      const known = statements.get(query) ?? connection.prepare(query.sql.duckdb(dialect));
      statements.set(query, known);
      const statement = await known;
      const { fromMs, toMs } = boundsMs(window);
      if (statement.parameterCount > 0) {
        statement.bind({ from: timestampOf(fromMs), to: timestampOf(toMs) }, { from: TIMESTAMP, to: TIMESTAMP });
      }
      return (await statement.run()).getColumns();
    },
  };
}

/** Writes the events into a file of their own. */
export async function writeDuckdbFile(path: string, batches: Iterable<TrafficEvent[]>): Promise<void> {
  const { connection, close } = await connect(path);
  await append(connection, batches);
  await connection.run("CHECKPOINT");
  close();
}

/** Opens such a file with two threads. */
export async function openDuckdbFile(path: string): Promise<{ readonly peer: Peer; close(): void }> {
  const { connection, close } = await connect(path);
  return { peer: peer("DuckDB file", connection, textDialect("events")), close };
}

async function connect(path: string) {
  const instance = await DuckDBInstance.create(path, { threads: "2" });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  return { connection, close };
}

/** Loads the events into DuckDB with two threads: in memory as VARCHAR and as ENUM, and in a file. */
export async function loadDuckdb(directory: string, batches: Iterable<TrafficEvent[]>): Promise<PeerLoad> {
  const filePath = join(directory, "events.duckdb");
  const { connection, close } = await connect(":memory:");
  const { eventCount, ms } = await append(connection, batches);
  await copyAsEnums(connection);
  // For the pages of one user, where it is at its best with few rows of many.
  await connection.run("CREATE INDEX users ON events (user_id)");
  await connection.run(`ATTACH '${filePath.replaceAll("'", "''")}' AS stored`);
  await connection.run("CREATE TABLE stored.events AS SELECT * FROM events; CHECKPOINT stored");
  return {
    key: "duckdb",
    name: engine,
    peers: [
      peer("DuckDB", connection, textDialect("memory.main.events")),
      peer("DuckDB ENUM", connection, enumDialect("memory.enums.events")),
      peer("DuckDB file", connection, textDialect("stored.events")),
    ],
    appendEventsPerSecond: Math.round((eventCount / ms) * 1_000),
    diskBytesPerEvent: statSync(filePath).size / eventCount,
    close,
  };
}
