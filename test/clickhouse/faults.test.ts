import { fixedClock } from "daybook";
import { migrateClickHouse, openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { tableStatements } from "../../src/clickhouse/tables/migrate.js";
import { nowMs } from "../support/random/now.js";
import { emptyDirectory } from "../cli/run.js";
import { closeAfter, connectTo, heldCount, killed, layouts, newDatabase, order, startServer, type Layout } from "./kit.js";
import { CLUSTER, HALF_CLUSTER } from "./server/clusters.js";

afterEach(() => order());

const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ id: `e${from + at}`, name: "seen", userId: `u${(from + at) % 5}`, createdAt: nowMs - from - at }));

async function idsOf(daybook: Pick<ClickHouseDaybook, "exportEvents">): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of daybook.exportEvents()) ids.push(id);
  return ids;
}

async function opened(layout: Layout, rest: Partial<ClickHouseOptions> = {}): Promise<{ daybook: ClickHouseDaybook; options: ClickHouseOptions }> {
  const { options, drop } = await newDatabase(layout, { clock: fixedClock(nowMs) });
  const daybook = await openClickHouse({ ...options, ...rest });
  closeAfter(daybook, drop);
  return { daybook, options };
}

const DENIED = "Code: 497. DB::Exception: reader: it's necessary to have the grant INSERT(id, name) ON shop.events. (ACCESS_DENIED)";
const NOT_WRITTEN = "Code: 75. DB::Exception: Cannot write to file. (CANNOT_WRITE_TO_FILE_DESCRIPTOR)";
const INSERT = { statement: "INSERT INTO events" } as const;

/** What is wrong with a server, and what somebody who stores events is told. */
const faults = [
  ["has no room left to write to", { ...INSERT, kind: "error", message: NOT_WRITTEN }, "storage_full"],
  ["does not let its user write", { ...INSERT, kind: "error", message: DENIED }, "read_only"],
  ["has no room left", { ...INSERT, kind: "error", message: "Code: 243. DB::Exception: Cannot reserve. (NOT_ENOUGH_SPACE)" }, "storage_full"],
  ["has too many parts", { ...INSERT, kind: "error", message: "Code: 252. DB::Exception: Too many parts. (TOO_MANY_PARTS)" }, "overloaded"],
  ["may only be read", { ...INSERT, kind: "error", message: "Code: 242. DB::Exception: Table is readonly. (TABLE_IS_READ_ONLY)" }, "read_only"],
  ["hangs up before each insert", { kind: "refuse", statement: "INSERT INTO events", times: 9 }, "unreachable"],
  ["breaks off the answer to the first look", { kind: "cut", statement: "SELECT id, batch" }, "unreachable"],
  ["breaks off the answer to the second look", { kind: "cut", statement: "SELECT id, batch", after: 1 }, "unreachable"],
] as const;

describe.each(layouts)("a server with %s", (layout) => {
  test.each(faults)("that %s says so, and stores what is sent again once", async (_name, fault, code) => {
    const { daybook } = await opened(layout);
    expect(await daybook.ingest(events(0, 5))).toMatchObject({ accepted: 5 });
    await order(fault);
    await expect(daybook.ingest(events(3, 10))).rejects.toMatchObject({ code });
    await order();
    const { accepted, duplicates } = await daybook.ingest(events(3, 10));
    expect(accepted + duplicates).toBe(7);
    expect([await daybook.countEvents(), (await daybook.aggregate({ field: "id" })).length]).toEqual([10, 10]);
  });

  test("that stores, and whose answers are lost, stores each event and each record once", async () => {
    const { daybook } = await opened(layout);
    await order({ kind: "lose", statement: "INSERT INTO events", times: 2 }, { kind: "lose", statement: "INSERT INTO records", times: 2 });
    expect(await daybook.ingest(events(0, 5))).toEqual({ accepted: 5, duplicates: 0, rejected: [], adjusted: [] });
    const records = ["a", "b"].map((id) => ({ type: "identify", id, userId: "u1", anonymousId: id }) as const);
    expect(await daybook.ingestRecords(records)).toEqual({ accepted: 2, duplicates: 0, rejected: [], adjusted: [] });
    const stored: unknown[] = [];
    for await (const record of daybook.exportRecords()) stored.push(record);
    expect([await daybook.countEvents(), stored.length]).toEqual([5, 2]);
  });

  test("of which one dies when it has stored stores each event once", async () => {
    const { daybook } = await opened(layout);
    const message = "Code: 32. DB::Exception: Attempt to read after eof: while receiving packet from 127.0.0.2:9000. (ATTEMPT_TO_READ_AFTER_EOF)";
    await order({ kind: "fail", statement: "INSERT INTO events", times: 3, message });
    expect(await daybook.ingest(events(0, 5))).toEqual({ accepted: 5, duplicates: 0, rejected: [], adjusted: [] });
    await order({ kind: "fail", statement: "INSERT INTO events", times: 4, message });
    await expect(daybook.ingest(events(3, 9))).rejects.toMatchObject({ code: "unreachable" });
    const { accepted, duplicates } = await daybook.ingest(events(3, 9));
    expect([accepted + duplicates, await daybook.countEvents(), (await daybook.aggregate({ field: "id" })).length]).toEqual([6, 9, 9]);
  });

  test("that breaks off an answer with an error says what it is, and never answers a part", async () => {
    const { daybook } = await opened(layout);
    await daybook.ingest(events(0, 20));
    for (const [message, code] of [
      ["Code: 32. DB::Exception: Attempt to read after eof. (ATTEMPT_TO_READ_AFTER_EOF)", "unreachable"],
      ["Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)", "overloaded"],
      ["Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)", "unreachable"],
    ] as const) {
      await order({ kind: "break", statement: "SELECT", message, times: 9 });
      await expect(daybook.aggregate({ field: "id" })).rejects.toMatchObject({ code });
      await expect(idsOf(daybook)).rejects.toMatchObject({ code });
    }
    await order();
    expect(await idsOf(daybook)).toHaveLength(20);
  });

  test("that fails while links are written again says so, and knows the event", async () => {
    const { daybook } = await opened(layout);
    const linked = [{ id: "e1", name: "seen", userId: "u1", anonymousId: "a1" }];
    await daybook.ingest(linked);
    await order({ kind: "refuse", statement: "INSERT INTO links" });
    await expect(daybook.ingest(linked)).rejects.toMatchObject({ code: "unreachable" });
    expect(await daybook.ingest(linked)).toEqual({ accepted: 0, duplicates: 1, rejected: [], adjusted: [] });
  });
});

test("an insert that is still under way when another process sends the same again is stored once", async () => {
  const { daybook, options } = await opened("one server");
  await using other = await openClickHouse(options);
  await order({ kind: "hold", statement: "INSERT INTO events" });
  const late = daybook.ingest(events(0, 5));
  late.catch(() => undefined);
  await expect.poll(heldCount, { timeout: 30_000 }).toBe(1);
  expect(await other.ingest(events(0, 5))).toMatchObject({ accepted: 5 });
  // Whoever sent it is gone, and does not look again.
  await order({ kind: "refuse", statement: "SELECT id, batch" });
  await expect(late).rejects.toMatchObject({ code: "unreachable" });
  expect(await daybook.countEvents()).toBe(5);
});

test("events that were deleted on the server are stored when they are sent again", async () => {
  const { daybook, options } = await opened("one server");
  await daybook.ingest(events(0, 5));
  const connection = await connectTo(options);
  await connection.define(`ALTER TABLE ${options.database}.events DELETE WHERE true SETTINGS mutations_sync = 2`);
  await connection.close();
  expect(await daybook.countEvents()).toBe(0);
  expect(await daybook.ingest(events(0, 5))).toMatchObject({ accepted: 5 });
  expect(await daybook.countEvents()).toBe(5);
});

test("a project whose name was not written is named when its events are sent again", async () => {
  const { daybook, options } = await opened("one server");
  const [event] = [{ id: "e1", name: "seen", project: "shop" }];
  await daybook.ingest([event]);
  const connection = await connectTo(options);
  await connection.define(`TRUNCATE TABLE ${options.database}.projects`);
  await connection.close();
  expect(await daybook.projects()).toEqual(["default"]);
  await daybook.ingest([event]);
  expect(await daybook.projects()).toEqual(["default", "shop"]);
});

test("a slow server answers rightly, and one that is slower than a statement may take is unreachable", async () => {
  const { options } = await opened("one server");
  await using daybook = await openClickHouse({ ...options, timeoutMs: 3_000 });
  await order({ kind: "slow", statement: "count()", ms: 500 });
  await daybook.ingest(events(0, 5));
  expect(await daybook.countEvents()).toBe(5);
  await order({ kind: "slow", statement: "count()", ms: 6_000 });
  await expect(daybook.countEvents()).rejects.toMatchObject({ code: "unreachable" });
  await order({ kind: "slow", statement: "INSERT INTO events", ms: 4_000 });
  const { accepted, duplicates } = await daybook.ingest(events(5, 9));
  expect(accepted + duplicates).toBe(4);
  expect(await daybook.countEvents()).toBe(9);
});

test("where nobody is there for a shard every answer is an error, and what is sent again behind it is stored once", async () => {
  const { daybook, options } = await opened("two shards");
  await daybook.ingest(events(0, 20));
  const connection = await connectTo(options);
  onTestFinished(() => connection.close());
  const overShards = async (cluster: string) => {
    const statements = tableStatements({ database: options.database, cluster, isReplicated: false });
    const all = statements.find((statement) => statement.includes(`${options.database}.events `)) ?? "";
    await connection.define(`DROP TABLE ${options.database}.events`);
    await connection.define(all);
  };
  await overShards(HALF_CLUSTER);
  for (const ask of [
    () => daybook.countEvents(), () => daybook.trend(), () => daybook.searchEvents(), () => daybook.identityProfile({ userId: "u1" }),
    () => daybook.ingest(events(10, 40)),
  ]) await expect(ask()).rejects.toMatchObject({ code: "unreachable" });
  await overShards(CLUSTER);
  const { accepted, duplicates } = await daybook.ingest(events(10, 40));
  expect([accepted + duplicates, await daybook.countEvents()]).toEqual([30, 40]);
});

test("a server that is killed in the middle of an insert and started again has lost nothing, and has nothing twice", async () => {
  const directory = await emptyDirectory();
  let server = await startServer(directory);
  const options = { url: `http://127.0.0.1:${server.port}`, database: "shop", clock: fixedClock(nowMs) };
  await migrateClickHouse(options);
  await using daybook = await openClickHouse(options);
  let count = 0;
  for (const killedAfterMs of [0, 30, 120]) {
    expect(await daybook.ingest(events(count, count + 50))).toMatchObject({ accepted: 50 });
    count += 50;
    const asked = daybook.ingest(events(count, count + 500)).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, killedAfterMs));
    await killed(server);
    const outcome = await asked;
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "unreachable" });
    await expect(daybook.countEvents()).rejects.toMatchObject({ code: "unreachable" });
    server = await startServer(directory, server.port);
    expect(await daybook.countEvents()).toBeGreaterThanOrEqual(count);
    const { accepted, duplicates } = await daybook.ingest(events(count, count + 500));
    count += 500;
    const ids = await daybook.aggregate({ field: "id", limit: 1_000_000 });
    expect([accepted + duplicates, await daybook.countEvents(), ids.length]).toEqual([500, count, count]);
  }
});
