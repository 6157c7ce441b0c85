import { migrateClickHouse, openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/clickhouse/open-clickhouse.js";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import type { ClickHouseClient } from "../../src/clickhouse/connection/settings.js";
import { checkClickHouseOptions } from "../../src/clickhouse/options.js";
import { sql } from "../../src/clickhouse/sql/sql.js";
import { tableStatements } from "../../src/clickhouse/tables/migrate.js";
import { emptyDirectory } from "../cli/run.js";
import { closeAfter, newDatabase, newOptions, order, startServer } from "./kit.js";
import { CLUSTER } from "./server/clusters.js";
import { APART, LOOSE, PAIR, TRIO, UNLIKE } from "./server/engine.js";

afterEach(() => order());

const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ id: `e${from + at}`, name: "seen", userId: `u${at % 3}`, anonymousId: `a${from + at}` }));

async function opened() {
  const { options, drop } = await newDatabase("two replicas");
  const daybook = await openClickHouse(options);
  closeAfter(daybook, drop);
  return { daybook, options };
}

const refused = (message: RegExp) => ({ code: "invalid_parameter", message: expect.stringMatching(message) as string });

test("ClickHouse makes the tables with replicas", async () => {
  const { port } = await startServer(await emptyDirectory());
  const connection = await connect(checkClickHouseOptions({ url: `http://127.0.0.1:${port}`, database: "shop" }));
  onTestFinished(() => connection.close());
  const place = { database: "shop", cluster: PAIR, isReplicated: true };
  // By the name of the macro the stand-in knows what it makes without replicas.
  for (const statement of tableStatements(place)) await connection.define(statement.replace("'{replica}'", "'one'"));
  const made = await connection.systemRows<[string, string]>(
    sql`SELECT name, engine_full FROM system.tables WHERE database = 'shop' AND endsWith(name, '_local') ORDER BY name`);
  expect(made.map(([name, engine]) => `${name} ${/^(\w+)\('([^']+)'/.exec(engine)?.slice(1).join(" ")}`)).toEqual([
    "events_local ReplicatedMergeTree /clickhouse/tables/{shard}/shop/events",
    "kept_local ReplicatedMergeTree /clickhouse/tables/{shard}/shop/kept",
    "links_local ReplicatedAggregatingMergeTree /clickhouse/tables/{shard}/shop/links",
    "privacy_requests_local ReplicatedReplacingMergeTree /clickhouse/tables/{shard}/shop/privacy_requests",
    "projects_local ReplicatedReplacingMergeTree /clickhouse/tables/{shard}/shop/projects",
    "records_local ReplicatedMergeTree /clickhouse/tables/{shard}/shop/records",
    "removals_local ReplicatedMergeTree /clickhouse/tables/{shard}/shop/removals",
    "segments_local ReplicatedReplacingMergeTree /clickhouse/tables/{shard}/shop/segments",
    "suppressed_local ReplicatedMergeTree /clickhouse/tables/{shard}/shop/suppressed",
    "time_to_live_local ReplicatedReplacingMergeTree /clickhouse/tables/{shard}/shop/time_to_live",
  ]);
  const engines = new Map(made);
  expect(engines.get("events_local")).toContain("replicated_deduplication_window = 1000, replicated_deduplication_window_seconds = 604800");
  // Else a link that comes again after it was deleted would be taken for the former one.
  for (const [name, engine] of engines) if (name !== "events_local") expect(engine).toContain("replicated_deduplication_window = 0");
  expect(engines.get("segments_local")).toContain("'one', version)");
});

test.each([
  [LOOSE, /internal_replication/], [UNLIKE, /the same number of replicas in each shard, got 2, 1/], ["nobody", /have no cluster named nobody/],
  [APART, /have 2 replicas, but the tables have 1: the macro shard must be/], [TRIO, /expected the tables on all servers of trio, but some servers have none/],
] as const)("a cluster %s is refused", async (cluster, message) => {
  const options = { ...newOptions("two replicas"), cluster };
  await expect(migrateClickHouse(options)).rejects.toMatchObject(refused(message));
  const isFound = cluster === TRIO || cluster === APART;
  await expect(openClickHouse(options)).rejects.toMatchObject({ code: isFound ? "manifest_missing" : "invalid_parameter" });
});

test("tables that were made without replicas are not opened where the servers of a shard would not hold the same, nor made over", async () => {
  const made = { ...newOptions("two replicas"), cluster: CLUSTER };
  await migrateClickHouse(made);
  const message = /were created without replication.*create another database/;
  for (const options of [{ ...made, cluster: PAIR }, { ...made, replicas: true }] satisfies ClickHouseOptions[])
    for (const run of [openClickHouse, migrateClickHouse]) await expect(run(options)).rejects.toMatchObject(refused(message));
  const connection = await connect(checkClickHouseOptions(made));
  onTestFinished(() => connection.close());
  // As where a server is asked that has no row of those which the others wrote.
  await connection.define(`TRUNCATE TABLE ${made.database}.kept_local`);
  await expect(migrateClickHouse({ ...made, cluster: PAIR })).rejects.toMatchObject(refused(message));
});

test("tables with replicas are not opened without their cluster, nor as if they had none", async () => {
  const { options } = await opened();
  const { cluster: _, ...alone } = options;
  await expect(openClickHouse(alone)).rejects.toMatchObject(refused(/name their cluster/));
  await expect(openClickHouse({ ...options, replicas: false })).rejects.toMatchObject(refused(/have 2 servers/));
  await expect(openClickHouse({ ...options, cluster: CLUSTER, replicas: false })).rejects.toMatchObject(refused(/the tables are replicated/));
  await expect(openClickHouse({ ...alone, replicas: true })).rejects.toMatchObject({ code: "invalid_parameter" });
  await expect(openClickHouse({ ...options, replicas: "yes" as never })).rejects.toMatchObject(refused(/expected true or false/));
  await (await openClickHouse({ ...options, replicas: true })).close();
});

test("a server without tables gets them by another migrate", async () => {
  const { daybook, options } = await opened();
  await daybook.createProject("shop");
  expect(await migrateClickHouse(options)).toEqual({ version: 6, statements: [] });
  const connection = await connect(checkClickHouseOptions(options));
  onTestFinished(() => connection.close());
  await connection.define(`DROP TABLE ${options.database}.events_local SYNC`);
  const place = { database: options.database, cluster: PAIR, isReplicated: true };
  expect(await migrateClickHouse(options)).toEqual({ version: 6, statements: tableStatements(place) });
  expect(await daybook.ingest(events(0, 3))).toMatchObject({ accepted: 3 });
  expect(await daybook.projects()).toEqual(["default", "shop"]);
});

test("an insert waits for its turn, and is stored once", async () => {
  const { daybook } = await opened();
  const message = "Code: 286. DB::Exception: Quorum for previous write is not there yet. (UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE)";
  const others = { kind: "error", message, times: 6 } as const;
  await order(...["events", "links", "records"].map((table) => ({ ...others, statement: `INSERT INTO ${table}` })));
  expect(await daybook.ingest(events(0, 5))).toEqual({ accepted: 5, duplicates: 0, rejected: [], adjusted: [] });
  await daybook.identify({ userId: "u1", anonymousId: "a1" });
  expect(await daybook.ingest(events(0, 7))).toEqual({ accepted: 2, duplicates: 5, rejected: [], adjusted: [] });
  expect([await daybook.countEvents(), (await daybook.aggregate({ field: "id" })).length]).toEqual([7, 7]);
});

const LAGS = "Code: 289. DB::Exception: Replica doesn't have part 1_0_0_0 which was written to others. (REPLICA_IS_NOT_IN_QUORUM)";

test("where a server lags, or too few have a row, nothing is told to be stored, and what is sent again is stored once", async () => {
  const { daybook } = await opened();
  const faults = [
    ["SELECT id, batch", LAGS, 1],
    ["INSERT INTO events", "Code: 285. DB::Exception: Number of alive replicas (1) is less than requested quorum (2). (TOO_FEW_LIVE_REPLICAS)", 0],
    ["INSERT INTO events", "Code: 319. DB::Exception: Unknown quorum status. (UNKNOWN_STATUS_OF_INSERT)", 0],
  ] as const;
  let count = 0;
  for (const [statement, message, after] of faults) {
    await order({ kind: "error", statement, message, after, times: 9 });
    const why = expect.stringMatching(/\((289|285|319)\)$/) as string;
    await expect(daybook.ingest(events(count, count + 5))).rejects.toMatchObject({ code: "unreachable", message: why });
    await order({ kind: "error", statement: "count()", message: LAGS });
    await expect(daybook.countEvents()).rejects.toMatchObject({ code: "unreachable" });
    await order();
    const { accepted, duplicates } = await daybook.ingest(events(count, count + 5));
    count += 5;
    expect([accepted + duplicates, await daybook.countEvents()]).toEqual([5, count]);
  }
});

test("while a server is gone a deletion is an error, and it is done when it is asked for again", async () => {
  const { daybook } = await opened();
  await daybook.ingest(events(0, 5));
  const gone = "Code: 341. DB::Exception: Mutation is not finished because some replicas are inactive right now: two. (UNFINISHED)";
  await order({ kind: "error", statement: " DELETE WHERE", message: gone });
  await expect(daybook.deleteProject("default")).rejects.toMatchObject({ code: "unreachable", message: expect.stringMatching(/\(341\)$/) as string });
  await order();
  await daybook.deleteProject("default");
  expect(await daybook.countEvents()).toBe(0);
});

test("of three servers two are enough for a row, and what is to go is noted on all", async () => {
  const sent: (Record<string, string | number> | undefined)[] = [];
  const client: ClickHouseClient = {
    query: ({ clickhouse_settings }) => {
      sent.push(clickhouse_settings);
      return Promise.resolve({ json: () => Promise.resolve([]), stream: () => never(), close: () => undefined });
    },
    insert: ({ clickhouse_settings }) => Promise.resolve(sent.push(clickhouse_settings)),
    command: ({ clickhouse_settings }) => Promise.resolve(sent.push(clickhouse_settings)),
    close: () => Promise.resolve(),
  };
  const connection = new Connection(
    { usual: client, patient: client, looking: client, definer: client }, { cluster: "trio", replicaCount: 3, lookMs: 30_000 },
  );
  await connection.insert("events", [{}], "token");
  await connection.insertOnAll("removals", [{}]);
  await connection.rows(sql`SELECT 1`);
  expect(sent.map((settings) => settings?.["insert_quorum"])).toEqual([2, 3, 2]);
  const together = { insert_quorum_parallel: 0, select_sequential_consistency: 1, load_balancing: "in_order" };
  for (const settings of sent) expect(settings).toMatchObject(together);
});

async function* never() {
  // No rows.
}
