import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { fixedClock } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { Connection } from "../../src/clickhouse/connection/connection.js";
import { sql } from "../../src/clickhouse/sql/sql.js";
import { nowMs } from "../support/random/now.js";
import { closeAfter, connectTo, givenUpCount, heldCount, newDatabase, order, type Layout } from "./kit.js";

afterEach(() => order());

const events = Array.from({ length: 12 }, (_, at) => ({ id: `e${at}`, name: "seen", userId: `u${at}`, project: "shop", createdAt: nowMs - at }));
const records = events.map(({ id, userId }) => ({ type: "identify", id: `r${id}`, userId, anonymousId: `a${id}` }) as const);

async function opened(layout: Layout, rest: Partial<ClickHouseOptions>): Promise<{ daybook: ClickHouseDaybook; options: ClickHouseOptions }> {
  const { options, drop } = await newDatabase(layout, { clock: fixedClock(nowMs) });
  const first = await openClickHouse(options);
  await first.ingest(events);
  await first.ingestRecords(records);
  await first.close();
  const daybook = await openClickHouse({ ...options, ...rest });
  closeAfter(daybook, drop);
  return { daybook, options };
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const item of items) count += item === undefined ? 0 : 1;
  return count;
}

const exports = {
  events: {
    of: (daybook: ClickHouseDaybook, stop: { readonly signal?: AbortSignal } = {}) => daybook.exportEvents({}, stop),
    statement: "ORDER BY day, ms",
  },
  records: {
    of: (daybook: ClickHouseDaybook, stop: { readonly signal?: AbortSignal } = {}) => daybook.exportRecords(stop),
    statement: "ORDER BY ms, toUInt128(id), kind",
  },
};

describe.each(Object.entries(exports))("an export of %s", (_name, { of, statement }) => {
  test("takes as long as it takes, as long as something comes", async () => {
    const { daybook } = await opened("one server", { timeoutMs: 1_500 });
    await order({ kind: "drip", statement, ms: 300 });
    const beganMs = performance.now();
    expect(await countOf(of(daybook))).toBe(12);
    expect(performance.now() - beganMs).toBeGreaterThan(2_000);
  });

  test("of which nothing comes any more is unreachable, and never a part", async () => {
    const { daybook } = await opened("one server", { timeoutMs: 1_500 });
    await order({ kind: "stall", statement });
    await expect(countOf(of(daybook))).rejects.toMatchObject({ code: "unreachable" });
    await order();
    expect(await countOf(of(daybook))).toBe(12);
  });

  test("that is stopped, or is not read to its end, ends on the server", async () => {
    const { daybook } = await opened("one server", {});
    const before = await givenUpCount();
    await order({ kind: "stall", statement, times: 2 });
    for await (const item of of(daybook)) {
      expect(item).toBeDefined();
      break;
    }
    await expect.poll(givenUpCount, { timeout: 10_000 }).toBe(before + 1);
    const stop = new AbortController();
    const read = countOf(of(daybook, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 300);
    await expect(read).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(givenUpCount, { timeout: 10_000 }).toBe(before + 2);
  });

});

test("what exports all rows has no bound on the server either, where a query has one", async () => {
  const { options } = await opened("one server", {});
  const { database } = options;
  const connection = await connectTo(options);
  await connection.define(`RENAME TABLE ${database}.events TO ${database}.events_kept`);
  await connection.define(`CREATE VIEW ${database}.events AS SELECT * FROM ${database}.events_kept WHERE sleepEachRow(0.2) = 0`);
  await connection.close();
  const clickhouse_settings = { max_execution_time: 1 };
  const client = createClient({ url: options.url ?? "", database, clickhouse_settings, log: { level: ClickHouseLogLevel.OFF } });
  const daybook = await openClickHouse({ database, client, clock: fixedClock(nowMs) });
  onTestFinished(() => daybook.close());
  await expect(daybook.countEvents()).rejects.toMatchObject({ code: "query_timeout" });
  expect(await countOf(daybook.exportEvents())).toBe(12);
});

describe.each<Layout>(["one server", "two shards"])("a deletion, %s", (layout) => {
  test("takes as long as the servers do, longer than a statement may take otherwise", async () => {
    const { daybook } = await opened(layout, { timeoutMs: 1_500 });
    await order({ kind: "slow", statement: " DELETE WHERE", ms: 4_000 });
    expect(await daybook.deleteProject("shop")).toMatchObject({ events: 12 });
    expect(await daybook.countEvents()).toBe(0);
  });

  test("does not wait for a server that is gone, and is done when it is asked for again", async () => {
    const { daybook } = await opened(layout, { timeoutMs: 1_500 });
    const message = "Code: 279. DB::Exception: All connection tries failed. (ALL_CONNECTION_TRIES_FAILED)";
    const look = "system.one";
    await order({ kind: "hold", statement: " DELETE WHERE" }, { kind: "error", statement: look, times: 99, message });
    await expect(daybook.deleteProject("shop")).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining("no longer responds") as string });
    await order();
    await daybook.deleteProject("shop");
    expect(await daybook.countEvents()).toBe(0);
  });
});

const isGone = { code: "unreachable", message: expect.stringContaining("no longer responds") as string };

test.each(["AS gone", "INSERT INTO removals", "system.parts"])("a deletion does not wait for a server that is silent at %s", async (statement) => {
  const { daybook } = await opened("one server", { timeoutMs: 500 });
  await order({ kind: "hold", statement, times: 9 }, { kind: "hold", statement: "system.one", times: 99 });
  const before = new Date(nowMs + 1);
  await expect(daybook.deleteEvents({ before })).rejects.toMatchObject(isGone);
  await order();
  await daybook.deleteEvents({ before });
  expect(await daybook.countEvents()).toBe(0);
});

test("a deletion waits for whatever takes long on a server that is there", async () => {
  const { daybook } = await opened("one server", { timeoutMs: 500 });
  const long = (statement: string) => ({ kind: "slow", statement, ms: 2_500 }) as const;
  await order(long("AS gone"), long("INSERT INTO removals"), long("system.parts"));
  expect(await daybook.deleteProject("shop")).toMatchObject({ events: 12 });
});

test("a check of files does not wait for a server that is silent", async () => {
  const { options } = await opened("one server", {});
  const connection = await connectTo({ ...options, timeoutMs: 500 });
  onTestFinished(() => connection.close());
  await order({ kind: "hold", statement: "CHECK TABLE" }, { kind: "hold", statement: "system.one", times: 99 });
  await expect(connection.checkRows(sql`CHECK TABLE events`)).rejects.toMatchObject(isGone);
});

test("rules of time to live and their preview have the bound of a query", async () => {
  const { daybook } = await opened("one server", { timeoutMs: 500 });
  await daybook.timeToLive.set("shop", { days: 30 });
  const rules = "argMax(days, version)";
  for (const statement of [rules, "groupUniqArray(day)"]) {
    await order({ kind: "hold", statement, times: 9 });
    await expect(daybook.timeToLive.preview(), statement).rejects.toMatchObject({ code: "unreachable" });
  }
  await order({ kind: "hold", statement: rules, times: 9 });
  await expect(daybook.timeToLive.list()).rejects.toMatchObject({ code: "unreachable" });
});

test.each([
  ["of their own", undefined],
  ["of the application's", 1],
] as const)("a change is not given up while sockets are taken, with looks by a client %s", async (_, sockets) => {
  const { options } = await opened("one server", {});
  const { url, database } = options;
  const shared = createClient({ url: url ?? "", database, max_open_connections: sockets ?? 10, log: { level: ClickHouseLogLevel.OFF } });
  const made = await connectTo(options);
  const clients = sockets === undefined ? made.clients : { usual: shared, patient: shared, looking: shared, definer: shared };
  const connection = new Connection(clients, { ...made.place, lookMs: 300 });
  onTestFinished(async () => {
    await made.close();
    await shared.close();
  });
  const held = sockets === undefined ? 10 : 0;
  await order({ kind: "hold", statement: "SELECT 42", times: held }, { kind: "slow", statement: "ALTER", ms: 4_000 });
  const asked = Array.from({ length: held }, () => connection.rows(sql`SELECT 42`));
  await expect.poll(heldCount).toBe(held);
  await connection.command(sql`ALTER TABLE events DELETE WHERE 1`);
  await order();
  expect(await Promise.all(asked)).toEqual(asked.map(() => [[42]]));
});
