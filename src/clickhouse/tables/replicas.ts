import { parameterError } from "../../core/base/errors.js";
import type { Connection } from "../connection/connection.js";
import { sql, text } from "../sql/sql.js";
import { systemTable } from "./change.js";

/** A cluster as its servers define it. */
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

/** What decides whether tables are replicated. */
export interface Replication {
  /** The option `replicas`; null: not given. */
  readonly asked: boolean | null;
  readonly cluster: Cluster | null;
  /** Whether existing tables are replicated; null: there are none. */
  readonly isThere: boolean | null;
}

/** Whether the tables are replicated, or will be. @throws invalid_parameter (options, cluster and tables contradict each other) */
export function isReplicated({ asked, cluster, isThere }: Replication): boolean {
  const hasReplicas = cluster !== null && cluster.replicaCount > 1;
  if (cluster === null && isThere === true) throw parameterError("invalid_parameter", "cluster", "the tables are replicated: name their cluster");
  if (cluster === null && asked === true)
    throw parameterError("invalid_parameter", "replicas", "replicas need a cluster, whose servers store them");
  if (hasReplicas && asked === false) {
    const { name, replicaCount } = cluster;
    throw parameterError("invalid_parameter", "replicas", `the shards of ${name} have ${replicaCount} servers, which would store different rows without replication`);
  }
  const isWanted = asked ?? (hasReplicas || isThere === true);
  if (isThere === true && !isWanted) throw parameterError("invalid_parameter", "replicas", "expected true or none: the tables are replicated");
  if (isThere === false && isWanted) throw withoutReplicas();
  return isWanted;
}

/** @throws invalid_parameter (some server has tables without replicas) */
export async function refuseOtherTables(connection: Connection, place: ReplicaTables): Promise<void> {
  const [[count] = [0]] = await connection.systemRows<[number]>(sql`SELECT count() FROM ${systemTable(place, "tables")}
    WHERE database = ${text(place.database)} AND endsWith(engine, 'MergeTree') AND NOT startsWith(engine, 'Replicated')`);
  if (count > 0) throw withoutReplicas();
}

/**
 * Whether each server of a cluster has replicas of the tables.
 * @throws invalid_parameter (existing tables are not replicas of each other as in the cluster)
 */
export async function areOnAllServers(connection: Connection, place: ReplicaTables, { replicaCount, shardCount }: Cluster): Promise<boolean> {
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

interface ReplicaTables {
  readonly database: string;
  readonly cluster: string | null;
}

function withoutReplicas() {
  return parameterError("invalid_parameter", "database",
    "its tables were created without replication, so the servers of a shard would store different rows: create another database, and load the events there");
}
