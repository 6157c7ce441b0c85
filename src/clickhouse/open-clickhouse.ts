import { DaybookError } from "../core/base/errors.js";
import { ScopeTokens } from "../engine/tokens/scope-tokens.js";
import { reportRules } from "../query/plan/report-rules.js";
import { Connection } from "./connection/connection.js";
import { ClickHouseExecutor } from "./executor.js";
import { RefusalsTable, Writes } from "./ingest/writes.js";
import { checkClickHouseOptions, type CheckedOptions, type ClickHouseOptions } from "./options.js";
import { SegmentsTable, StoredDaybook, upkeepOf, type ClickHouseDaybook } from "./stored-daybook.js";
import { clusterOf, isReplicated, refuseOtherDatabase, refuseOtherSettings, type Cluster } from "./tables/servers.js";
import { TableNames } from "./tables/layout.js";
import { keptOf, migrate, signingKeysOf, type Migration } from "./tables/migrate.js";
import { reportOf, type ClickHouseReport } from "./verify/report.js";

/** Log level that silences the client: its lines would reveal queries. */
const SILENT = 127;

/** Request timeout of unbounded statements. Meanwhile the system's keep-alive packets detect a dead peer. */
const ENDLESS_MS = 2 ** 31 - 1;
/** Interval between probes of the servers while they change rows. */
const LOOK_MS = 30_000;

/** Connects with the given client, or with one of `@clickhouse/client`. @throws not_supported (the package is not installed) */
export async function connect({ url, username, password, database, cluster, client, timeoutMs }: CheckedOptions): Promise<Connection> {
  const place = { cluster, replicaCount: 1, lookMs: Math.min(timeoutMs, LOOK_MS) };
  if (client !== null) return new Connection({ usual: client, patient: client, looking: client, definer: client }, place);
  const { createClient } = await import("@clickhouse/client").catch((error: unknown) => {
    throw new DaybookError("not_supported", "the package @clickhouse/client is not installed: npm install @clickhouse/client", {}, { cause: error });
  });
  // The server ends a statement at the client's timeout, even if it misses the disconnect.
  const clickhouse_settings = { max_execution_time: Math.ceil(timeoutMs / 1_000) };
  const shared = { url: url ?? "", username, password, request_timeout: timeoutMs, clickhouse_settings, log: { level: SILENT } } as const;
  const usual = createClient({ ...shared, database });
  const patient = createClient({ ...shared, database, request_timeout: ENDLESS_MS });
  const looking = createClient({ ...shared, database });
  // Creating the database needs a client that does not select it.
  return new Connection({ usual, patient, looking, definer: createClient(shared) }, place);
}

/** Connects to the servers of an organization, and closes the connection if `use` fails. */
async function connected<T>(options: CheckedOptions, use: (connection: Connection, cluster: Cluster | null) => Promise<T>): Promise<T> {
  const first = await connect(options);
  try {
    const cluster = await clusterOf(first, options.cluster);
    const connection = first.ofReplicas(cluster?.replicaCount ?? 1);
    await refuseOtherSettings(connection, options);
    if (options.client !== null) await refuseOtherDatabase(connection, options.database);
    return await use(connection, cluster);
  } catch (error) {
    await first.close();
    throw error;
  }
}

/**
 * Opens an organization's events on ClickHouse. `migrateClickHouse`, or `daybook clickhouse migrate`, has to create the tables first.
 * @throws invalid_parameter, unknown_parameter, exactly_one_required, unreachable, manifest_missing (no tables); not_supported
 * (@clickhouse/client is not installed, or a server ignores a setting that answers depend on); invalid_parameter also for tables of another version,
 * and for replicas that are unreliable
 */
export async function openClickHouse(options: ClickHouseOptions): Promise<ClickHouseDaybook> {
  return (await openWithExecutor(options)).daybook;
}

function ruleOptionsOf(options: ClickHouseOptions): ClickHouseExecutor["rules"] {
  const { currency, rates, session, pageviewSlugs, revenue, attribution } = options;
  const given = Object.entries({ currency, rates, session, pageviewSlugs, revenue, attribution }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

export async function openWithExecutor(options: ClickHouseOptions): Promise<{ readonly daybook: StoredDaybook; readonly executor: ClickHouseExecutor }> {
  const settled = checkClickHouseOptions(options);
  const rules = reportRules(options);
  return await connected(settled, async (connection, shape) => {
    const { clock, keepsFuture, random, cluster, database, replicas, throwsRejected, track } = settled;
    const { cursorKey, suppressionKey, isReplicated: isThere } = await keptOf(connection);
    isReplicated({ option: replicas, cluster: shape, isThere });
    const names = new TableNames(database, cluster);
    const executor = new ClickHouseExecutor(connection, names, ruleOptionsOf(options));
    const context = { connection, names, cluster, database, clock, random };
    const writes = new Writes({ ...context, keepsFuture, refusals: new RefusalsTable(context, suppressionKey) });
    const segments = new SegmentsTable(context);
    const scopeTokens = new ScopeTokens({ keys: signingKeysOf(context), clock, random, change: (write) => write() });
    const upkeep = upkeepOf(context, suppressionKey, writes, executor);
    return { daybook: new StoredDaybook({ connection, executor, writes, segments, upkeep, cursorKey, scopeTokens, rules, clock, random, throwsRejected, track }), executor };
  });
}

/**
 * Creates the database and its tables where missing. May be repeated, and run several times at once.
 * @param isDryRun only reports what would be done
 * @throws as openClickHouse; invalid_parameter also for tables of another program
 */
export async function migrateClickHouse(options: ClickHouseOptions, isDryRun = false): Promise<Migration> {
  const settled = checkClickHouseOptions(options);
  return await connected(settled, async (connection, cluster) => {
    const migration = await migrate(connection, { ...settled, cluster }, isDryRun, settled.random);
    await connection.close();
    return migration;
  });
}

/** Checks the data of an organization on ClickHouse, changing nothing, also during writes. @throws as openClickHouse */
export async function verifyClickHouse(options: ClickHouseOptions): Promise<ClickHouseReport> {
  const settled = checkClickHouseOptions(options);
  return await connected(settled, async (connection, shape) => {
    const { cluster, database } = settled;
    // Refuses tables of another version: their invariants differ.
    await keptOf(connection);
    const servers = { connection, names: new TableNames(database, cluster), cluster, database };
    const report = await reportOf(servers, shape === null ? 1 : shape.shardCount * shape.replicaCount);
    await connection.close();
    return report;
  });
}
