import { grouped } from "../../core/base/arrays.js";
import { DaybookError, parameterError } from "../../core/base/errors.js";
import type { Connection } from "../connection/connection.js";
import { EMPTY, name, raw, sql, text, texts, type Sql } from "../sql/sql.js";
import { columnTypes, TABLES, VIEW_ENGINE, VIEWS, type TableNames } from "./layout.js";

export interface Servers {
  readonly connection: Connection;
  readonly names: TableNames;
  readonly database: string;
  /** Null: one server. */
  readonly cluster: string | null;
}

/** Resolves once all servers are done. Bound values become part of files kept there for a while, so none of them may be user data. */
export async function change(servers: Servers, table: string, commands: Sql): Promise<void> {
  // Each replica reads its own copy of the tables that a statement names: notes of removals are stored on all of them.
  await alter(servers, table, sql`${commands} SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1`);
}

export async function alter(servers: Servers, table: string, commands: Sql): Promise<void> {
  const { connection, names, cluster } = servers;
  // The grammar allows no bound name here. It was checked when the Daybook was opened.
  const onCluster = cluster === null ? EMPTY : raw(` ON CLUSTER ${cluster}`);
  await connection.command(sql`ALTER TABLE ${names.ofShard(table)}${onCluster} ${commands}`);
}

export function systemTable({ cluster }: Pick<Servers, "cluster">, table: string): Sql {
  const all = raw(`system.${table}`);
  return cluster === null ? all : sql`clusterAllReplicas(${name(cluster)}, ${all})`;
}

/**
 * A server that asks itself plans its own rows without positional arguments up to ClickHouse 26.4, whatever the setting; no statement uses them.
 * Whether it prefers itself among replicas decides who answers, not what.
 */
const NOT_COMPARED: ReadonlySet<string> = new Set(["enable_positional_arguments", "prefer_localhost_replica"]);

/**
 * Checks that each server that answers runs statements under the settings that answers depend on: a proxy may drop them, and a server that another
 * one asks replaces those that its profile forbids, without an error.
 * @throws not_supported (a server uses another value), unreachable
 */
export async function refuseOtherSettings(connection: Connection, place: Pick<Servers, "cluster">): Promise<void> {
  // A server that is down must not prevent opening where others have its rows.
  const tolerant = { skip_unavailable_shards: 1 };
  const expected = Object.entries({ ...connection.settings, ...tolerant }).filter(([setting]) => !NOT_COMPARED.has(setting));
  // Ungrouped: a user may be allowed fewer groups than there are settings.
  const found = await connection.systemRows<[setting: string, value: string]>(
    sql`SELECT name, value FROM ${systemTable(place, "settings")} WHERE name IN ${texts(expected.map(([setting]) => setting))}`, tolerant);
  if (found.length === 0) throw new DaybookError("unreachable", "none of the ClickHouse servers answers");
  const valuesOf = grouped(found, ([setting]) => setting);
  const serverCount = Math.max(...[...valuesOf.values()].map(({ length }) => length));
  for (const [setting, value] of expected) {
    const values = (valuesOf.get(setting) ?? []).map(([, own]) => own);
    const others = values.filter((own) => own !== String(value));
    const otherCount = others.length + serverCount - values.length;
    if (otherCount > 0)
      throw new DaybookError("not_supported", `ClickHouse: expected statements to run with the setting ${setting} = ${value}, but ${otherCount} ` +
        `of ${serverCount} servers use ${[...new Set(others)].join(", ") || "none"}: allow it in the profile of the user, and in any proxy on the way`);
  }
}

/** Random part of a version: of two concurrent writes, all readers take the same one for the newer. */
const CHANCE = 2 ** 16;

/** Stores rows in a table where the newest version of a key counts. */
export async function insertNewer({ connection, names, random }: Versioning, table: string, rows: readonly object[]): Promise<void> {
  const [[newest] = [0]] = await connection.rows<[number]>(sql`SELECT max(version) FROM ${names.all(table)}`);
  const chance = new Uint8Array(2);
  random(chance);
  const version = (Math.floor(newest / CHANCE) + 1) * CHANCE + (chance[0] ?? 0) * 256 + (chance[1] ?? 0);
  await connection.insert(table, rows.map((row) => ({ ...row, version })));
}

interface Versioning extends Pick<Servers, "connection" | "names"> {
  readonly random: (bytes: Uint8Array) => void;
}

export type ServersPlace = Pick<Servers, "database" | "cluster">;

export interface Cluster {
  readonly name: string;
  readonly shardCount: number;
  /** Servers that hold the rows of a shard; 1: no replicas. */
  readonly replicaCount: number;
}

/** @throws invalid_parameter (no such cluster, or unsuitable replicas), unreachable */
export async function clusterOf(connection: Connection, name: string | null): Promise<Cluster | null> {
  if (name === null) return null;
  const shards = await connection.systemRows<[count: number, replicates: number]>(
    sql`SELECT count(), min(internal_replication) FROM system.clusters WHERE cluster = ${text(name)} GROUP BY shard_num ORDER BY shard_num`);
  const [[replicaCount] = [0]] = shards;
  if (replicaCount === 0) throw parameterError("invalid_parameter", "cluster", `the servers have no cluster named ${name}`);
  // The quorum of a row is one number for all shards.
  if (shards.some(([count]) => count !== replicaCount))
    throw parameterError("invalid_parameter", "cluster", `expected the same number of replicas in each shard, got ${shards.map(([count]) => count).join(", ")}`);
  // Otherwise the inserting server writes each row to all replicas, and these replicate it again.
  if (replicaCount > 1 && shards.some(([, replicates]) => replicates !== 1))
    throw parameterError("invalid_parameter", "cluster", "its shards have replicas: set internal_replication for each shard in remote_servers");
  return { name, shardCount: shards.length, replicaCount };
}

interface Replication {
  /** The option `replicas`; null: not given. */
  readonly option: boolean | null;
  readonly cluster: Cluster | null;
  /** Whether existing tables are replicated; null: there are none. */
  readonly isThere: boolean | null;
}

/** Whether the tables are replicated, or will be. @throws invalid_parameter (options, cluster and tables contradict each other) */
export function isReplicated({ option, cluster, isThere }: Replication): boolean {
  const hasReplicas = cluster !== null && cluster.replicaCount > 1;
  if (cluster === null && isThere === true) throw parameterError("invalid_parameter", "cluster", "the tables are replicated: name their cluster");
  if (cluster === null && option === true)
    throw parameterError("invalid_parameter", "replicas", "replicas need a cluster, whose servers store them");
  if (hasReplicas && option === false) {
    const { name, replicaCount } = cluster;
    throw parameterError("invalid_parameter", "replicas", `the shards of ${name} have ${replicaCount} servers, which would store different rows without replication`);
  }
  const isWanted = option ?? (hasReplicas || isThere === true);
  if (isThere === true && !isWanted) throw parameterError("invalid_parameter", "replicas", "expected true or none: the tables are replicated");
  if (isThere === false && isWanted) throw withoutReplicas();
  return isWanted;
}

/** @throws invalid_parameter (some server has tables without replicas) */
export async function refuseOtherTables(connection: Connection, place: ServersPlace): Promise<void> {
  const [[count] = [0]] = await connection.systemRows<[number]>(sql`SELECT count() FROM ${systemTable(place, "tables")}
    WHERE database = ${text(place.database)} AND endsWith(engine, 'MergeTree') AND NOT startsWith(engine, 'Replicated')`);
  if (count > 0) throw withoutReplicas();
}

/** @throws invalid_parameter (existing tables are not replicas of each other as in the cluster) */
export async function areOnAllServers(connection: Connection, place: ServersPlace, { replicaCount, shardCount }: Cluster): Promise<boolean> {
  const [[serverCount, fewest, most] = [0, 0, 0]] = await connection.systemRows<[number, number, number]>(
    sql`SELECT count(), min(total_replicas), max(total_replicas) FROM ${systemTable(place, "replicas")}
      WHERE database = ${text(place.database)} AND table = 'events_local'`);
  const isWhole = serverCount === shardCount * replicaCount;
  const isRight = isWhole ? fewest === replicaCount && most === replicaCount : most <= replicaCount;
  if (!isRight) {
    const found = fewest === most ? `${most}` : `${fewest} to ${most}`;
    throw parameterError("invalid_parameter", "cluster", `its shards have ${replicaCount} replicas, but the tables have ${found}: ` +
      "the macro shard must be the same on all servers of a shard and different in each shard, and the macro replica different on each server");
  }
  return isWhole;
}

function withoutReplicas() {
  return parameterError("invalid_parameter", "database",
    "its tables were created without replication, so the servers of a shard would store different rows: create another database, and load the events there");
}

/**
 * Tables of other programs with our names would be written to, and their rows deleted.
 * @param isOurs which are to be created: an interrupted migration leaves them empty
 */
export async function refuseForeignTables(connection: Connection, place: ServersPlace, isOurs: (name: string) => boolean): Promise<void> {
  const expected = new Map(columnsOf(place, isOurs));
  const there = sql`database = ${text(place.database)} AND table IN ${texts([...expected.keys()])}`;
  const columns = sql`SELECT table, arraySort(groupUniqArray(name)) AS columns FROM ${systemTable(place, "columns")} WHERE ${there} GROUP BY table`;
  const rows = sql`SELECT table, max(total_rows > 0) AS hasRows, min(engine = ${text(VIEW_ENGINE)}) AS isView
    FROM ${systemTable(place, "tables")} WHERE ${there} GROUP BY table`;
  const found = await connection.systemRows<[table: string, columns: string[], hasRows: number, isView: number]>(
    sql`SELECT table, columns, ifNull(hasRows, 0), isView FROM (${columns}) AS columns INNER JOIN (${rows}) AS rows USING (table) ORDER BY table`);
  for (const [table, names, hasRows, isView] of found) {
    const own = expected.get(table) ?? null;
    if (own === null && isView !== 1) throw foreign(place, `${table} in place of a materialized view`);
    if (own !== null && own.join() !== names.join()) throw foreign(place, `${table} with the columns ${names.join(", ")}`);
    if (hasRows > 0 && !table.startsWith("kept")) throw foreign(place, `${table} with rows`);
  }
}

/** Tables with their sorted column names; null for a view. */
function columnsOf({ cluster }: ServersPlace, isOurs: (name: string) => boolean): [string, readonly string[] | null][] {
  const tables = TABLES.filter(({ name }) => isOurs(name)).flatMap((table): [string, readonly string[]][] => {
    const own = [...columnTypes(table).keys()].sort();
    return cluster === null ? [[table.name, own]] : [[table.name, own], [`${table.name}_local`, own]];
  });
  return [...tables, ...VIEWS.map(({ name }) => name).filter(isOurs).map((name): [string, null] => [name, null])];
}

function foreign({ database }: ServersPlace, found: string): DaybookError {
  return parameterError("invalid_parameter", "database", `expected a database that only Daybook uses, but ${database} has a table ${found}: use another database`);
}

/** Refuses a client that was made for another database than the named one. @throws invalid_parameter, manifest_missing (no such database) */
export async function refuseOtherDatabase(connection: Connection, database: string): Promise<void> {
  const [[current = ""] = []] = await connection.systemRows<[string]>(sql`SELECT currentDatabase()`);
  if (current === database) return;
  throw parameterError("invalid_parameter", "client", `expected a client for the database ${database}, got one for ${current}`);
}
