import type { Connection } from "../connection/connection.js";
import { sql, Sql } from "../sql/sql.js";
import type { TableNames } from "./names.js";

/** Where the tables of an organization are. */
export interface Servers {
  readonly connection: Connection;
  readonly names: TableNames;
  readonly database: string;
  /** Null: one server. */
  readonly cluster: string | null;
}

/**
 * Deletes or updates rows of a table on every server; settled once that is done. Values that are bound become part of what the servers keep in files
 * for a while: none of them may be what anybody sent.
 */
export async function change(servers: Servers, table: string, commands: Sql): Promise<void> {
  // Replicas each look into the tables that a statement names: what is to go was noted on all of them.
  await alter(servers, table, sql`${commands} SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1`);
}

/** Alters a table on every shard. */
export async function alter(servers: Servers, table: string, commands: Sql): Promise<void> {
  const { connection, names, cluster } = servers;
  // The grammar takes nothing bound here. The name was checked when the Daybook was opened.
  const onCluster = new Sql([cluster === null ? "" : ` ON CLUSTER ${cluster}`], []);
  await connection.command(sql`ALTER TABLE ${names.ofShard(table)}${onCluster} ${commands}`);
}

/** A table of the system database, of all servers. */
export function systemTable({ cluster }: Pick<Servers, "cluster">, table: string): Sql {
  const all = new Sql([`system.${table}`], []);
  return cluster === null ? all : sql`clusterAllReplicas(${{ type: "Identifier", value: cluster }}, ${all})`;
}
