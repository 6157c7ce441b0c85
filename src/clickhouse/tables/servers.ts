import type { Connection } from "../connection/connection.js";
import { EMPTY, name, raw, sql, type Sql } from "../sql/sql.js";
import type { TableNames } from "./layout.js";

/** The servers with the tables of an organization. */
export interface Servers {
  readonly connection: Connection;
  readonly names: TableNames;
  readonly database: string;
  /** Null: one server. */
  readonly cluster: string | null;
}

/**
 * Deletes or updates rows of a table on every server; resolves once that is done.
 * Bound values become part of files that the servers keep for a while, so none of them may be user data.
 */
export async function change(servers: Servers, table: string, commands: Sql): Promise<void> {
  // Each replica reads its own copy of the tables that a statement names: notes of removals are stored on all of them.
  await alter(servers, table, sql`${commands} SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1`);
}

/** Alters a table on every shard. */
export async function alter(servers: Servers, table: string, commands: Sql): Promise<void> {
  const { connection, names, cluster } = servers;
  // The grammar allows no bound name here. It was checked when the Daybook was opened.
  const onCluster = cluster === null ? EMPTY : raw(` ON CLUSTER ${cluster}`);
  await connection.command(sql`ALTER TABLE ${names.ofShard(table)}${onCluster} ${commands}`);
}

/** A table of the system database, on all servers. */
export function systemTable({ cluster }: Pick<Servers, "cluster">, table: string): Sql {
  const all = raw(`system.${table}`);
  return cluster === null ? all : sql`clusterAllReplicas(${name(cluster)}, ${all})`;
}

/** Random part of a version: of two concurrent writes, all readers take the same one for the newer. */
const CHANCE = 2 ** 16;

/** A version after the newest existing one. */
export function nextVersion(newest: number, random: (bytes: Uint8Array) => void): number {
  const chance = new Uint8Array(2);
  random(chance);
  return (Math.floor(newest / CHANCE) + 1) * CHANCE + (chance[0] ?? 0) * 256 + (chance[1] ?? 0);
}
