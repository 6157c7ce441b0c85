import { connect } from "./connect.js";
import { checkClickHouseOptions, type ClickHouseOptions } from "./options.js";
import { keptOf } from "./tables/migrate.js";
import { TableNames } from "./tables/layout.js";
import { clusterOf } from "./tables/replicas.js";
import { reportOf, type ClickHouseReport } from "./verify/report.js";

/** Checks the data of an organization on ClickHouse, changing nothing, also during writes. @throws as openClickHouse */
export async function verifyClickHouse(options: ClickHouseOptions): Promise<ClickHouseReport> {
  const settled = checkClickHouseOptions(options);
  const { cluster, database } = settled;
  const first = await connect(settled);
  try {
    const shape = await clusterOf(first, cluster);
    const connection = first.ofReplicas(shape?.replicaCount ?? 1);
    // Refuses tables of another version: their invariants differ.
    await keptOf(connection);
    const servers = { connection, names: new TableNames(cluster !== null), cluster, database };
    return await reportOf(servers, shape === null ? 1 : shape.shardCount * shape.replicaCount);
  } finally {
    await first.close();
  }
}
