import { reportRules } from "../query/plan/report-rules.js";
import type { ClickHouseDaybook } from "./clickhouse-daybook.js";
import { connect } from "./connect.js";
import { ClickHouseExecutor } from "./executor.js";
import { RefusalsTable } from "./ingest/refusals.js";
import { Writes } from "./ingest/writes.js";
import { checkClickHouseOptions, type ClickHouseOptions } from "./options.js";
import { SegmentsTable } from "./saved-segments.js";
import { StoredDaybook } from "./stored-daybook.js";
import { keptOf, migrate, type Migration } from "./tables/migrate.js";
import { refuseOtherDatabase } from "./tables/foreign-tables.js";
import { TableNames } from "./tables/layout.js";
import { clusterOf, isReplicated } from "./tables/replicas.js";
import { upkeepOf } from "./upkeep.js";

/**
 * Opens an organization's events on ClickHouse. `migrateClickHouse`, or `daybook clickhouse migrate`, has to create the tables first.
 * @throws invalid_parameter, unknown_parameter, exactly_one_required, not_supported (@clickhouse/client is not installed), unreachable,
 * manifest_missing (no tables); invalid_parameter also for tables of another version, and for replicas that are unreliable
 */
export async function openClickHouse(options: ClickHouseOptions): Promise<ClickHouseDaybook> {
  return (await openWithExecutor(options)).daybook;
}

/** The options that affect answers. */
function ruleOptionsOf(options: ClickHouseOptions): ClickHouseExecutor["rules"] {
  const { currency, rates, session, pageviewSlugs, revenue, attribution } = options;
  const given = Object.entries({ currency, rates, session, pageviewSlugs, revenue, attribution }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

interface Opened {
  readonly daybook: StoredDaybook;
  readonly executor: ClickHouseExecutor;
}

/** The same, with its executor. */
export async function openWithExecutor(options: ClickHouseOptions): Promise<Opened> {
  const settled = checkClickHouseOptions(options);
  const rules = reportRules(options);
  const { clock, keepsFuture, random, cluster, database, replicas } = settled;
  const first = await connect(settled);
  try {
    const shape = await clusterOf(first, cluster);
    const connection = first.ofReplicas(shape?.replicaCount ?? 1);
    if (settled.client !== null) await refuseOtherDatabase(connection, database);
    const { cursorKey, suppressionKey, isReplicated: isThere } = await keptOf(connection);
    isReplicated({ asked: replicas, cluster: shape, isThere });
    const tables = new TableNames(cluster !== null);
    const executor = new ClickHouseExecutor(connection, tables, ruleOptionsOf(options));
    const context = { connection, names: tables, cluster, database, clock, random };
    const writes = new Writes({ ...context, keepsFuture, refusals: new RefusalsTable(context, suppressionKey) });
    const segments = new SegmentsTable(connection, tables, random);
    const upkeep = upkeepOf(context, suppressionKey, writes, executor);
    return { daybook: new StoredDaybook({ connection, executor, writes, segments, upkeep, cursorKey, rules, clock }), executor };
  } catch (error) {
    await first.close();
    throw error;
  }
}

/**
 * Creates the database and its tables where missing. May be repeated, and run several times at once.
 * @param isDryRun only reports what would be done
 * @throws as openClickHouse; invalid_parameter also for tables of another program
 */
export async function migrateClickHouse(options: ClickHouseOptions, isDryRun = false): Promise<Migration> {
  const settled = checkClickHouseOptions(options);
  const connection = await connect(settled);
  try {
    const cluster = await clusterOf(connection, settled.cluster);
    if (settled.client !== null) await refuseOtherDatabase(connection, settled.database);
    return await migrate(connection.ofReplicas(cluster?.replicaCount ?? 1), { ...settled, cluster }, isDryRun, settled.random);
  } finally {
    await connection.close();
  }
}
