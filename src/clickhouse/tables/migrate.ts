import { DaybookError, parameterError } from "../../core/base/errors.js";
import { toHex } from "../../core/base/hash.js";
import { SIGNING_KEY_COUNT, type SigningKeys } from "../../store/files/signing-keys.js";
import type { Connection } from "../connection/connection.js";
import { sql, text, whole } from "../sql/sql.js";
import { areOnAllServers, isReplicated, refuseForeignTables, refuseOtherTables, type Cluster, type Servers, type ServersPlace } from "./servers.js";
import { TABLES, VIEWS, type FillingView, type Table, type TableNames } from "./layout.js";

interface TablesPlace extends ServersPlace {
  readonly isReplicated: boolean;
}

/** Statements that create the database and its tables. Running them again changes nothing. */
export function tableStatements(place: TablesPlace): string[] {
  const { database, cluster } = place;
  const tables = TABLES.flatMap((table) => statementsOfTable(table, place));
  return [`CREATE DATABASE IF NOT EXISTS ${database}${onCluster(cluster)}`, ...tables, ...VIEWS.map((view) => statementOfView(view, place))];
}

function onCluster(cluster: string | null): string {
  return cluster === null ? "" : ` ON CLUSTER ${cluster}`;
}

function statementsOfTable(table: Table, place: TablesPlace): string[] {
  const { name, columns, placedBy } = table;
  const { database, cluster } = place;
  const lines = columns.map(([column, type]) => `  ${column} ${type}`).join(",\n");
  const local = `${database}.${name}${cluster === null ? "" : "_local"}`;
  const own = `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (\n${lines}\n) ENGINE = ${engineOf(table, place)}`;
  if (cluster === null) return [own];
  const all = `CREATE TABLE IF NOT EXISTS ${database}.${name}${onCluster(cluster)} AS ${local}`;
  return [own, `${all} ENGINE = Distributed(${cluster}, ${database}, ${name}_local, cityHash64(${placedBy}))`];
}

/** How long servers remember inserts, besides the bound on their number, in s: as long as a retry may come. */
const INSERT_KNOWN_S = 7 * 86_400;
/** Longest interval between clean-ups of files of former rows, in s: erasures wait for these. */
const CLEANUP_S = 30;

function engineOf({ name, engine, order, knownInsertCount = 0 }: Table, { database, isReplicated }: TablesPlace): string {
  const window = `deduplication_window = ${knownInsertCount}`;
  if (!isReplicated) return `${engine} ${order}${knownInsertCount === 0 ? "" : ` SETTINGS non_replicated_${window}`}`;
  // Paths with names, not with {uuid}: a server that gets its tables later then joins as a replica, instead of being separate.
  const path = `'/clickhouse/tables/{shard}/${database}/${name}', '{replica}'`;
  const [, family = "", rest = ""] = /^(\w+)(?:\((.*)\))?$/.exec(engine) ?? [];
  const kept = knownInsertCount === 0 ? "" : `, replicated_deduplication_window_seconds = ${INSERT_KNOWN_S}`;
  const settings = `replicated_${window}${kept}, max_cleanup_delay_period = ${CLEANUP_S}`;
  return `Replicated${family}(${path}${rest === "" ? "" : `, ${rest}`}) ${order} SETTINGS ${settings}`;
}

function statementOfView({ name, from, to, staysOnShard, select, rest }: FillingView, { database, cluster }: TablesPlace): string {
  const local = cluster === null ? "" : "_local";
  const into = `${database}.${to}${staysOnShard ? local : ""}`;
  const view = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${name}${onCluster(cluster)} TO ${into}`;
  return `${view} AS SELECT ${select} FROM ${database}.${from}${local}${rest === "" ? "" : ` ${rest}`}`;
}

/** Version of the tables that this package creates. It works with no other. */
const TABLES_VERSION = 6;

const VERSION = "tablesVersion";
/** The name of a row that tables with replicas have. */
const REPLICATED = "replicated";
const CURSOR_KEY = "cursorKey";
/** The key of the hashes by which erased people are recognized. */
const SUPPRESSION_KEY = "suppressionKey";

/** Names rows with the keys that sign tokens. Rows stay: of concurrent rotations none is lost. */
const SIGNING_KEY = "signingKey";

/** Where to create tables, and whether with replicas; null: as in the cluster, or as in existing tables. */
interface MigrationTarget {
  readonly database: string;
  readonly cluster: Cluster | null;
  readonly replicas: boolean | null;
}

/** What a migration did, or would do. */
export interface Migration {
  /** The version of the tables. */
  readonly version: number;
  /** Empty: the tables already exist. */
  readonly statements: readonly string[];
}

/** May run several times at once, and again after a failure. @throws unreachable, invalid_parameter */
export async function migrate(connection: Connection, target: MigrationTarget, isDryRun: boolean, random: (bytes: Uint8Array) => void): Promise<Migration> {
  const { database, cluster, replicas } = target;
  const tables = { database, cluster: cluster?.name ?? null };
  await refuseForeignTables(connection, tables, (name) => name === "kept");
  const isThere = await areReplicated(connection);
  if (isThere === null) await refuseForeignTables(connection, tables, () => true);
  const place = { ...tables, isReplicated: isReplicated({ option: replicas, cluster, isThere }) };
  const of = place.isReplicated ? cluster : null;
  if (of !== null && isThere === null) await refuseOtherTables(connection, place);
  // A server that was added later has no tables yet.
  const isDone = isThere !== null && (of === null || (await areOnAllServers(connection, place, of)));
  const migration = { version: TABLES_VERSION, statements: isDone ? [] : tableStatements(place) };
  if (isDryRun || isDone) return migration;
  for (const statement of migration.statements) await connection.define(statement);
  if (of !== null && !(await areOnAllServers(connection, place, of)))
    throw parameterError("invalid_parameter", "cluster", `expected the tables on all servers of ${of.name}, but some servers have none`);
  if (isThere !== null) return migration;
  const keys = [CURSOR_KEY, SUPPRESSION_KEY, SIGNING_KEY].map((name) => {
    const key = new Uint8Array(32);
    random(key);
    return { name, value: toHex(key) };
  });
  await connection.insert("kept", [...keys, ...(of === null ? [] : [{ name: REPLICATED, value: "1" }])]);
  // Last, and by itself: rows of one insert go to several shards, and some of these may have refused theirs.
  await connection.insert("kept", [{ name: VERSION, value: String(TABLES_VERSION) }]);
  return migration;
}

/** @throws manifest_missing (no tables, or no keys), invalid_parameter (another version), unreachable */
export async function keptOf(connection: Connection) {
  const isReplicated = await areReplicated(connection);
  if (isReplicated === null)
    throw new DaybookError("manifest_missing", "the database has no Daybook tables: run `daybook clickhouse migrate`");
  // Of several values the first stored: concurrent migrations then read the same.
  const rows = await connection.rows<[string, string]>(sql`SELECT name, argMin(value, (storedMs, value)) FROM kept GROUP BY name`);
  const values = new Map(rows);
  const keyOf = (name: string) => {
    const hex = values.get(name);
    if (hex === undefined) throw new DaybookError("manifest_missing", `expected ${name} in the table kept, but it is missing: Daybook cannot work without it`);
    return bytesOfHex(hex);
  };
  return { cursorKey: keyOf(CURSOR_KEY), suppressionKey: keyOf(SUPPRESSION_KEY), isReplicated };
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** Keys in the table `kept`. */
export function signingKeysOf({ connection, names }: Pick<Servers, "connection" | "names">): SigningKeys {
  // A repeated insert may store a row twice.
  const rows = sql`SELECT value, max(storedMs) AS addedMs FROM ${names.all("kept")} WHERE name = ${text(SIGNING_KEY)}
    GROUP BY value ORDER BY addedMs DESC, value DESC LIMIT ${whole(SIGNING_KEY_COUNT)}`;
  return {
    read: async () => (await connection.rows<[hex: string, addedMs: number]>(rows)).map(([hex]) => bytesOfHex(hex)),
    write: async ([key = new Uint8Array()]) => {
      // Later than the others by any clock.
      const [[, newestMs] = ["", 0]] = await connection.rows<[hex: string, addedMs: number]>(rows);
      await connection.insert("kept", [{ name: SIGNING_KEY, value: toHex(key), storedMs: newestMs + 1 }]);
    },
  };
}

/** Whether existing tables have replicas; null: there are none. @throws invalid_parameter (another version), unreachable */
async function areReplicated(connection: Connection): Promise<boolean | null> {
  const isOf = (name: string) => sql`name = ${text(name)}`;
  const isOther = sql`${isOf(VERSION)} AND value != ${text(String(TABLES_VERSION))}`;
  try {
    const [[versions, other, replicated] = [0, "", 0]] = await connection.rows<[number, string, number]>(
      sql`SELECT countIf(${isOf(VERSION)}), maxIf(value, ${isOther}), countIf(${isOf(REPLICATED)}) FROM kept`);
    if (other !== "")
      throw parameterError("invalid_parameter", "database", `its tables have version ${other}, but this package supports version ${TABLES_VERSION}`);
    return versions === 0 ? null : replicated > 0;
  } catch (error) {
    if (error instanceof DaybookError && error.code === "manifest_missing") return null;
    throw error;
  }
}

const PREFIX = "loaded ";

/** Parts of an embedded store that were loaded completely, and what each held: rows of table `kept`, written after the last event of a part. */
export class LoadedParts {
  constructor(
    readonly connection: Connection,
    readonly names: TableNames,
  ) {}

  async known(): Promise<ReadonlyMap<string, string>> {
    const kept = sql`FROM ${this.names.all("kept")} WHERE startsWith(name, ${text(PREFIX)})`;
    const rows = await this.connection.rows<[string, string]>(sql`SELECT name, argMax(value, storedMs) ${kept} GROUP BY name`);
    return new Map(rows.map(([name, value]) => [name.slice(PREFIX.length), value]));
  }

  async add(part: string, held: string): Promise<void> {
    await this.connection.insert("kept", [{ name: `${PREFIX}${part}`, value: held }]);
  }
}
