import { join } from "node:path";
import type { Dialect } from "../dialect.js";
import type { TrafficEvent } from "../traffic.js";
import { type ColumnKind, columns } from "./columns.js";
import { boundsMs, type LoadPeer, type Peer, type PeerLoad } from "./peer.js";

/** As much of chdb as is used here. It is no dependency: `npm install --no-save chdb` brings it. */
interface Session {
  queryAsync(sql: string, options: { format: string }): Promise<Answer>;
  queryBindAsync(sql: string, values: object, options: { format: string }): Promise<Answer>;
  insert(rows: { table: string; format: string; values: Uint8Array }): Promise<unknown>;
  close(): void;
}

interface Answer {
  json(): (string | number | boolean | null)[][];
}

type SessionClass = new (directory: string, options: { connectionArgs: readonly string[] }) => Session;

const engine = "chDB";
const packageName = "chdb";

async function sessionClass(): Promise<SessionClass> {
  try {
    return ((await import(packageName)) as { Session: SessionClass }).Session;
  } catch (error) {
    throw new Error("chDB cannot be loaded: npm install --no-save chdb brings it (some 550 MB; Linux with glibc, macOS)", { cause: error });
  }
}

// In ClickHouse's favour: what it has read stays in memory inflated, as DuckDB's tables do. The other two settings have it
// read SQL as DuckDB does.
const settings = [
  "--max_threads=2",
  "--use_uncompressed_cache=1",
  `--uncompressed_cache_size=${2 ** 32}`,
  `--merge_tree_max_rows_to_use_cache=${2 ** 40}`,
  `--merge_tree_max_bytes_to_use_cache=${2 ** 40}`,
  "--join_use_nulls=1",
  "--prefer_column_name_to_alias=1",
];

export const types: Readonly<Record<ColumnKind, string>> = {
  uuid: "UUID",
  instant: "DateTime64(3, 'UTC')",
  text: "LowCardinality(Nullable(String))",
  userId: "String",
  key: "Nullable(String)",
  money: "Nullable(Decimal(18, 2))",
  number: "Nullable(Float64)",
  boolean: "Nullable(Bool)",
};

const format = "JSONCompactColumns";
const insertRowCount = 50_000;

/** By time, and by user for the pages of one. */
const orders = { by_time: "created_at", by_user: "user_id, created_at" };

export function rowText(event: TrafficEvent): string {
  return JSON.stringify(columns.map(({ kind, value }) => (kind === "instant" ? (Number(value(event)) / 1_000).toFixed(3) : value(event))));
}

/** Milliseconds inside the inserts, which parse JSON; making the JSON is not counted. */
async function insert(session: Session, batches: Iterable<TrafficEvent[]>): Promise<{ eventCount: number; ms: number }> {
  let [eventCount, ms] = [0, 0];
  let rows: string[] = [];
  const insertRows = async () => {
    const values = Buffer.from(rows.join("\n"));
    const startedMs = performance.now();
    await session.insert({ table: "by_time", format: "JSONCompactEachRow", values });
    ms += performance.now() - startedMs;
    eventCount += rows.length;
    rows = [];
  };
  for (const batch of batches) {
    for (const event of batch) rows.push(rowText(event));
    if (rows.length >= insertRowCount) await insertRows();
  }
  await insertRows();
  return { eventCount, ms };
}

export const dialectOf = (events: string): Dialect => ({
  events,
  from: `{from:${types.instant}}`,
  to: `{to:${types.instant}}`,
  text: (column) => column,
  key: (column) => column,
  either: (first, second) => `coalesce(${first}, ${second})`,
  ms: (instant) => `toUnixTimestamp64Milli(${instant})`,
  any: (condition) => `max(${condition})`,
  quantile: (value, share) => `quantileExactInclusive(${share})(${value})`,
  rounded: (value) => `roundBankers(${value})`,
});

function peer(name: string, session: Session, dialect: Dialect): Peer {
  return {
    name,
    engine,
    async run(query, window) {
      const { fromMs, toMs } = boundsMs(window);
      const answer = await session.queryBindAsync(query.sql.clickhouse(dialect), { from: fromMs / 1_000, to: toMs / 1_000 }, { format });
      return answer.json();
    },
  };
}

/** Two tables of different order, each merged into one part. */
async function load(session: Session, batches: Iterable<TrafficEvent[]>): Promise<PeerLoad> {
  const run = (sql: string) => session.queryAsync(sql, { format });
  const definitions = columns.map(({ name, kind }) => `${name} ${types[kind]}`).join(", ");
  for (const [table, order] of Object.entries(orders)) {
    await run(`CREATE TABLE ${table} (${definitions}) ENGINE = MergeTree ORDER BY (${order})`);
  }
  const { eventCount, ms } = await insert(session, batches);
  await run("INSERT INTO by_user SELECT * FROM by_time");
  for (const table of Object.keys(orders)) await run(`OPTIMIZE TABLE ${table} FINAL`);
  const sizes = await run("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'by_time'");
  return {
    key: "chdb",
    name: engine,
    peers: [peer("chDB", session, dialectOf("by_time")), peer("chDB by user", session, dialectOf("by_user"))],
    appendEventsPerSecond: Math.round((eventCount / ms) * 1_000),
    diskBytesPerEvent: Number(sizes.json()[0]?.[0]) / eventCount,
    close: () => session.close(),
  };
}

/** Loads into ClickHouse in process. Throws where chDB is not installed. */
export async function chdbLoader(): Promise<LoadPeer> {
  const Session = await sessionClass();
  return (directory, batches) => load(new Session(join(directory, "chdb"), { connectionArgs: settings }), batches);
}
