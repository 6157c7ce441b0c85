import { TABLES, VIEWS, type Table, type View } from "./layout.js";

/** Where the tables are: one server, or the shards of a cluster. */
export interface Place {
  readonly database: string;
  /** As `remote_servers` of the servers call it; null: one server. */
  readonly cluster: string | null;
  /** Whether the servers of a shard hold the same. */
  readonly isReplicated: boolean;
}

/** What makes the database and its tables. Running it again changes nothing. */
export function tableStatements(place: Place): string[] {
  const { database, cluster } = place;
  const tables = TABLES.flatMap((table) => statementsOfTable(table, place));
  return [`CREATE DATABASE IF NOT EXISTS ${database}${onCluster(cluster)}`, ...tables, ...VIEWS.map((view) => statementOfView(view, place))];
}

function onCluster(cluster: string | null): string {
  return cluster === null ? "" : ` ON CLUSTER ${cluster}`;
}

function statementsOfTable(table: Table, place: Place): string[] {
  const { name, columns, placedBy } = table;
  const { database, cluster } = place;
  const lines = columns.map(([column, type]) => `  ${column} ${type}`).join(",\n");
  const local = `${database}.${name}${cluster === null ? "" : "_local"}`;
  const own = `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (\n${lines}\n) ENGINE = ${engineOf(table, place)}`;
  if (cluster === null) return [own];
  const all = `CREATE TABLE IF NOT EXISTS ${database}.${name}${onCluster(cluster)} AS ${local}`;
  return [own, `${all} ENGINE = Distributed(${cluster}, ${database}, ${name}_local, cityHash64(${placedBy}))`];
}

/** For how long servers know inserts, beside their number: as long as anybody may try one again. */
const INSERT_KNOWN_S = 7 * 86_400;
/** From one look for files of former rows to the next, in s, at most: whoever erases waits for them. */
const CLEANUP_S = 30;

function engineOf({ name, engine, order, knownInsertCount = 0 }: Table, { database, isReplicated }: Place): string {
  const window = `deduplication_window = ${knownInsertCount}`;
  if (!isReplicated) return `${engine} ${order}${knownInsertCount === 0 ? "" : ` SETTINGS non_replicated_${window}`}`;
  // By names, not by {uuid}: a server that gets its tables later is then another replica, and not one by itself.
  const path = `'/clickhouse/tables/{shard}/${database}/${name}', '{replica}'`;
  const [, family = "", rest = ""] = /^(\w+)(?:\((.*)\))?$/.exec(engine) ?? [];
  const kept = knownInsertCount === 0 ? "" : `, replicated_deduplication_window_seconds = ${INSERT_KNOWN_S}`;
  const settings = `replicated_${window}${kept}, max_cleanup_delay_period = ${CLEANUP_S}`;
  return `Replicated${family}(${path}${rest === "" ? "" : `, ${rest}`}) ${order} SETTINGS ${settings}`;
}

function statementOfView({ name, from, to, staysOnShard, select, rest }: View, { database, cluster }: Place): string {
  const local = cluster === null ? "" : "_local";
  const into = `${database}.${to}${staysOnShard ? local : ""}`;
  const view = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${name}${onCluster(cluster)} TO ${into}`;
  return `${view} AS SELECT ${select} FROM ${database}.${from}${local}${rest === "" ? "" : ` ${rest}`}`;
}
