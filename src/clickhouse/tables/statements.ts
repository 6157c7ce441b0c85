import { TABLES, VIEWS, type Table, type View } from "./layout.js";

/** Where the tables are: one server, or the shards of a cluster. */
export interface Place {
  readonly database: string;
  /** As `remote_servers` of the servers call it; null: one server. */
  readonly cluster: string | null;
  /** Whether the servers of a shard hold the same. */
  readonly isReplicated: boolean;
}

/** What makes the tables that a version does not have; 0: all, of an empty database. Running it again changes nothing. */
export function tableStatements(place: Place, from: number): string[] {
  const isNew = ({ since }: Table | View) => since > from;
  const tables = TABLES.flatMap((table) => (isNew(table) ? statementsOfTable(table, place) : statementsOfAdditions(table, place, from)));
  return [...tables, ...VIEWS.filter(isNew).map((view) => statementOfView(view, place))];
}

export function databaseStatement({ database, cluster }: Place): string {
  return `CREATE DATABASE IF NOT EXISTS ${database}${onCluster(cluster)}`;
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

/** What an older table gets. Rows that are there are filled in behind the answer: until then a server makes of each what it asks for. */
function statementsOfAdditions({ name, columns, formerProjections = [] }: Table, { database, cluster }: Place, from: number): string[] {
  const alter = (table: string) => `ALTER TABLE ${database}.${table}${onCluster(cluster)}`;
  const local = alter(cluster === null ? name : `${name}_local`);
  const former = formerProjections.filter(([, until]) => until > from).map(([projection]) => `${local} DROP PROJECTION IF EXISTS ${projection}`);
  const additions = columns.filter(([, , since = 0]) => since > from).flatMap(([column, type]) => {
    const [, projection] = /^PROJECTION (.*)$/.exec(column) ?? [];
    if (projection !== undefined)
      return [`${local} ADD PROJECTION IF NOT EXISTS ${projection} ${type}`, `${local} MATERIALIZE PROJECTION ${projection}`];
    const add = `ADD COLUMN IF NOT EXISTS ${column} ${type}`;
    return [`${local} ${add}`, ...(cluster === null ? [] : [`${alter(name)} ${add}`])];
  });
  return [...additions, ...former];
}

function statementOfView({ name, from, to, staysOnShard, select, rest }: View, { database, cluster }: Place): string {
  const local = cluster === null ? "" : "_local";
  const into = `${database}.${to}${staysOnShard ? local : ""}`;
  const view = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${name}${onCluster(cluster)} TO ${into}`;
  return `${view} AS SELECT ${select} FROM ${database}.${from}${local}${rest === "" ? "" : ` ${rest}`}`;
}
