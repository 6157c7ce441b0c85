import { createClient } from "@clickhouse/client";
import { openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import type { ClickHouseClient } from "../../src/clickhouse/connection/settings.js";
import { migrateClickHouse, verifyClickHouse } from "../../src/clickhouse/open-clickhouse.js";
import { sql, text } from "../../src/clickhouse/sql/sql.js";
import { TableNames } from "../../src/clickhouse/tables/layout.js";
import { reportOf } from "../../src/clickhouse/verify/report.js";
import { connectTo, newDatabase } from "./kit.js";

const EVENT_COUNT = 20_000;
const DAY_MS = 86_400_000;
const AT = Date.UTC(2026, 2, 1);
const WIDE = "x".repeat(400);

/** A client behind a proxy that runs each statement under settings of its own. */
function clientUnder(settings: Record<string, string | number>, { url = "", database }: ClickHouseOptions): ClickHouseClient {
  const client = createClient({ url, database });
  const under = <Request extends { readonly clickhouse_settings?: Record<string, string | number> }>(request: Request): Request =>
    ({ ...request, clickhouse_settings: { ...request.clickhouse_settings, ...settings } });
  return {
    query: (request) => client.query(under(request)),
    insert: (request) => client.insert(under(request)),
    command: (request) => client.command(under(request)),
    close: () => client.close(),
  };
}

/** Events in granules so small that ClickHouse reads a projection in full, and adds counts of whole granules to its rows. */
async function filledDatabase() {
  const { options, drop } = await newDatabase("one server");
  onTestFinished(drop);
  const connection = await connectTo(options);
  onTestFinished(() => connection.close());
  const { database } = options;
  const [[created] = [""]] = await connection.systemRows<[string]>(
    sql`SELECT create_table_query FROM system.tables WHERE database = ${text(database)} AND name = 'events'`);
  await connection.define(`DROP TABLE ${database}.events SYNC`);
  await connection.define(created.replace("index_granularity = 8192", "index_granularity = 100, index_granularity_bytes = 10000"));
  await connection.insert("events", times.map((ms, at) => ({
    id: `0195800a-0000-7000-8000-${String(at).padStart(12, "0")}`, project: "default", day: Math.floor(ms / DAY_MS), ms,
    name: at % 4 === 0 ? "hot" : `n${at % 977}`, userId: `u${(at * 7_919) % 50}`, title: WIDE,
  })));
  return { options, connection };
}

const times = Array.from({ length: EVENT_COUNT }, (_, at) => AT + (at % 3) * DAY_MS + at);

test("ranges of time are counted exactly where ClickHouse could take counts of granules for those of rows", async () => {
  const { options } = await filledDatabase();
  await using daybook = await openClickHouse(options);
  for (let endMs = AT; endMs < AT + 4 * DAY_MS; endMs += DAY_MS / 8) {
    expect(await daybook.countEvents({ endDate: new Date(endMs).toISOString() })).toBe(times.filter((ms) => ms <= endMs).length);
  }
});

test("verify notices counts of granules that are taken for those of rows", async () => {
  const { options, connection } = await filledDatabase();
  const { database } = options;
  const names = new TableNames(database, null);
  expect(await reportOf({ connection, names, database, cluster: null }, 1, 0)).toMatchObject({ findings: [] });
  const client = clientUnder({ optimize_use_implicit_projections: 1 }, options);
  onTestFinished(() => client.close());
  const other = new Connection({ usual: client, patient: client, looking: client, definer: client }, connection.place);
  const { findings } = await reportOf({ connection: other, names, database, cluster: null }, 1, 0);
  expect(findings).toEqual([{
    file: "events", expected: "the same count of a range by a filter and by a scan", found: expect.stringMatching(/^\d+ of 16 ranges with another$/) as string,
  }]);
});

test.each([
  ["one server", "optimize_use_implicit_projections", 0, 1, "1 of 1"],
  ["one server", "join_use_nulls", 0, 1, "1 of 1"],
  ["two shards", "distributed_product_mode", "deny", "local", "2 of 2"],
  ["two replicas", "select_sequential_consistency", 1, 0, "2 of 2"],
] as const)("on %s, servers with another value of %s are refused", async (layout, setting, expected, found, count) => {
  const { options, drop } = await newDatabase(layout);
  onTestFinished(drop);
  const { database, cluster } = options;
  const message = `ClickHouse: expected statements to run with the setting ${setting} = ${expected}, but ${count} servers use ${found}: ` +
    "allow it in the profile of the user, and in any proxy on the way";
  for (const use of [openClickHouse, migrateClickHouse, verifyClickHouse]) {
    const other = { database, ...(cluster === undefined ? {} : { cluster }), client: clientUnder({ [setting]: found }, options) };
    await expect(use(other)).rejects.toMatchObject({ code: "not_supported", message });
  }
});
