import { memoryStorage, openDaybook, fixedClock, type RecordInput } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { afterEach, describe, expect, test } from "vitest";
import { nowMs } from "../support/random/now.js";
import { brokenMembers, hostileHistory } from "../support/random/hostile-history.js";
import { seededRandom } from "../../src/testing/random.js";
import { eventsOf } from "../support/oracle/history.js";
import { heldCount, layouts, newDatabase, order } from "./kit.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await order();
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Some writers of one new database. */
async function writers(layout: (typeof layouts)[number], count: number, own: readonly Partial<ClickHouseOptions>[] = []): Promise<ClickHouseDaybook[]> {
  const { options, drop } = await newDatabase(layout, { clock: fixedClock(nowMs) });
  open.push({ close: drop });
  return await Promise.all(Array.from({ length: count }, (_, at) => another({ ...options, ...own[at] })));
}

async function another(options: ClickHouseOptions): Promise<ClickHouseDaybook> {
  const daybook = await openClickHouse(options);
  open.push(daybook);
  return daybook;
}

const event = (at: number) => ({ id: `e${at}`, name: "seen", userId: `u${at % 3}`, createdAt: nowMs - (at % 60) });
const events = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => event(from + at));
const slow = (statement: string, ms: number, after: number) => ({ kind: "slow", statement, ms, after, times: 3 }) as const;
const OUT_OF_MEMORY = { kind: "error", message: "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)" } as const;

describe.each(layouts)("ingest on ClickHouse, %s", (layout) => {
  test("stores an id once, in one batch and in the next", async () => {
    const [daybook] = (await writers(layout, 1)) as [ClickHouseDaybook];
    expect(await daybook.ingest([...events(0, 5), ...events(3, 6)])).toEqual({ accepted: 6, duplicates: 2, rejected: [], adjusted: [] });
    expect(await daybook.ingest(events(4, 8))).toEqual({ accepted: 2, duplicates: 2, rejected: [], adjusted: [] });
    expect(await daybook.countEvents()).toBe(8);
  });

  test("says of hostile events what the embedded engine says", async () => {
    const [daybook] = (await writers(layout, 1)) as [ClickHouseDaybook];
    await using embedded = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
    const broken = Object.values(brokenMembers).map((members) => ({ name: "seen", ...members }));
    const throwing = { get name(): string { throw new Error("no name"); } };
    const given = [...eventsOf(hostileHistory(seededRandom(3), 40)), ...broken, throwing, null, "text"] as never[];
    const result = await daybook.ingest(given);
    expect(result).toEqual(await embedded.ingest(given));
    expect(result.rejected.length).toBeGreaterThan(10);
  });

  test("names what it stores as of the time of receipt, as the embedded engine does, and keeps it where it is told to", async () => {
    const [daybook, keeping] = (await writers(layout, 2, [{}, { futureEvents: "keep" }])) as [ClickHouseDaybook, ClickHouseDaybook];
    await using embedded = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
    const [now, later] = [new Date(nowMs).toISOString(), "9999-12-31T23:59:59.999Z"];
    const visit = (id: string, createdAt: string) => ({ id, name: "seen", createdAt });
    const given = [visit("a", now), visit("b", later), visit("b", later), { ...visit("c", later), name: "" }, visit("d", later)];
    const result = await daybook.ingest(given);
    expect(result.adjusted).toEqual([{ index: 1, createdAt: now }, { index: 4, createdAt: now }]);
    expect(result).toEqual(await embedded.ingest(given));
    expect((await daybook.ingest(given)).adjusted).toEqual([]);
    const records: RecordInput[] = [
      { type: "unlink", linkId: "1" }, { type: "identify", id: "1", userId: "ann", createdAt: later }, { type: "identify", id: "1", userId: "ann", createdAt: later },
      { type: "alias", id: "2", from: "a", to: "ann", createdAt: now }, { type: "group", id: "3", companyId: "acme", userId: "ann", createdAt: later },
    ];
    const stored = await daybook.ingestRecords(records);
    expect(stored.adjusted).toEqual([{ index: 1, createdAt: now }, { index: 4, createdAt: now }]);
    expect(stored).toEqual(await embedded.ingestRecords(records));
    const call = { id: "4", userId: "bob", createdAt: later };
    for (const of of [daybook, embedded]) {
      expect(await of.identify(call)).toMatchObject({ adjusted: { createdAt: now } });
      expect(await of.identify(call)).not.toHaveProperty("adjusted");
    }
    expect(await keeping.ingest([visit("e", later), visit("f", "1970-01-01T00:00:00Z")])).toEqual({ accepted: 2, duplicates: 0, rejected: [], adjusted: [] });
    expect((await keeping.countEventsPerDay()).map(({ day, count }) => [day.slice(0, 10), count])).toEqual([["1970-01-01", 1], [now.slice(0, 10), 3], ["9999-12-31", 1]]);
  });

  test("of events that several writers bring at once each is there once", async () => {
    const all = await writers(layout, 3);
    const [daybook] = all as [ClickHouseDaybook];
    for (let round = 0; round < 4; round += 1) {
      await order(slow("INSERT INTO events", 40, 0), slow("SELECT id, batch", 30, round));
      const results = await Promise.all(all.map((writer, at) => writer.ingest(events(round * 20 + at * 5, round * 20 + at * 5 + 12))));
      for (const { accepted, duplicates } of results) expect(accepted + duplicates).toBe(12);
    }
    const { length } = await daybook.aggregate({ field: "id" });
    expect(await daybook.countEvents()).toBe(length);
    expect(length).toBe(3 * 20 + 22);
  });

  test("a writer that dies before its second look leaves each event once", async () => {
    const [first, second] = (await writers(layout, 2)) as [ClickHouseDaybook, ClickHouseDaybook];
    await order({ ...OUT_OF_MEMORY, statement: "SELECT id, batch", after: 1 });
    await expect(first.ingest(events(0, 6))).rejects.toMatchObject({ code: "overloaded" });
    expect(await second.ingest(events(0, 8))).toEqual({ accepted: 2, duplicates: 6, rejected: [], adjusted: [] });
    expect(await second.countEvents()).toBe(8);
  });

  test("what a writer failed to delete of events that two brought at once goes when they are sent again", async () => {
    const both = (await writers(layout, 2)) as [ClickHouseDaybook, ClickHouseDaybook];
    const failing = { ...OUT_OF_MEMORY, statement: "ALTER TABLE", times: 9 } as const;
    await order({ kind: "hold", statement: "SELECT id, batch", times: 2 }, failing);
    const bringing = Promise.allSettled(both.map((writer, at) => writer.ingest(events(at, 150))));
    // Both have looked what is there before either brings anything.
    await expect.poll(heldCount, { timeout: 60_000 }).toBe(2);
    await order(failing);
    const outcomes = await bringing;
    expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
    expect(await both[0].countEvents()).toBeGreaterThan(150);
    await order();
    expect(await both[0].ingest(events(0, 150))).toEqual({ accepted: 0, duplicates: 150, rejected: [], adjusted: [] });
    expect(await both[0].countEvents()).toBe(150);
  });

  test("a record is stored once, and taken back before it comes", async () => {
    const [daybook] = (await writers(layout, 1)) as [ClickHouseDaybook];
    const link = { type: "identify", id: "00000000-0000-4000-8000-000000000001", userId: "ann", anonymousId: "a1" } as const;
    await daybook.ingest([{ name: "seen", anonymousId: "a1" }, { name: "seen", userId: "ann" }]);
    expect(await daybook.countUniqueUsers()).toBe(2);
    expect(await daybook.ingestRecords([link, link])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await daybook.countUniqueUsers()).toBe(1);
    const unlink = { type: "unlink", linkId: link.id } as const;
    expect(await daybook.ingestRecords([unlink, unlink])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await daybook.countUniqueUsers()).toBe(2);
    await daybook.ingestRecords([{ type: "unlink", linkId: "later" }, { ...link, id: "later" }]);
    expect(await daybook.countUniqueUsers()).toBe(2);
  });

  test("a page goes on as of its first page, whatever comes meanwhile", async () => {
    const [daybook] = (await writers(layout, 1)) as [ClickHouseDaybook];
    await daybook.ingest(events(0, 10));
    const first = await daybook.searchEvents({ limit: 4 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await daybook.ingest([{ id: "late", name: "seen", createdAt: nowMs - 8 }]);
    const second = await daybook.searchEvents({ limit: 100, cursor: first.cursor });
    expect(second.cursor).toBeNull();
    expect([...first.events, ...second.events].length).toBe(10);
    expect((await daybook.searchEvents()).events.length).toBe(11);
  });

  test("a project is there before its first event", async () => {
    const [daybook] = (await writers(layout, 1)) as [ClickHouseDaybook];
    await daybook.createProject("shop");
    await daybook.ingest([{ name: "seen", project: "blog" }]);
    expect(await daybook.projects()).toEqual(["blog", "default", "shop"]);
  });
});

// Two shards are one table here, whose rows would pass for one another under one token.
test("events whose answer was lost are stored once", async () => {
  const [daybook] = (await writers("one server", 1)) as [ClickHouseDaybook];
  await order({ kind: "lose", statement: "INSERT INTO events", times: 2 });
  expect(await daybook.ingest(events(0, 5))).toEqual({ accepted: 5, duplicates: 0, rejected: [], adjusted: [] });
  expect(await daybook.countEvents()).toBe(5);
});

test("a server that does not answer is unreachable", async () => {
  const [daybook] = (await writers("one server", 1)) as [ClickHouseDaybook];
  await order({ kind: "refuse", statement: "SELECT", times: 9 });
  await expect(daybook.countEvents()).rejects.toMatchObject({ code: "unreachable" });
});

// Else whoever sends events would take their own token for wrong, and drop them.
test("a server that does not know our password is unreachable too", async () => {
  const [daybook] = (await writers("one server", 1)) as [ClickHouseDaybook];
  await order({ kind: "error", statement: "SELECT", message: "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)" });
  await expect(daybook.countEvents()).rejects.toMatchObject({ code: "unreachable" });
});
