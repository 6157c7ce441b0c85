import { describe, expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Clock, type Daybook, type DaybookOptions, type EventInput, type Notice, type RecordInput } from "../../src/index.js";
import { lastingMemory } from "../store/objects.js";

const NOW = "2026-03-10T12:00:00.000Z";
const NOW_MS = Date.parse(NOW);
const DAY_MS = 86_400_000;

async function opened(options: Partial<DaybookOptions> = {}): Promise<Daybook> {
  return await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS), ...options });
}

const visit = (id: string, createdAt: EventInput["createdAt"], members: Partial<EventInput> = {}): EventInput => ({ id, name: "visit", userId: "ann", createdAt, ...members });
const daysOf = async (daybook: Daybook) => (await daybook.countEventsPerDay()).map(({ day, count }) => `${day.slice(0, 10)} ${count}`);

async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

/** As they come: on the day itself, at the edge of five minutes, and three behind it. */
const plan = [
  visit("past", "2026-03-09T09:00:00Z"),
  visit("edge", NOW_MS + 300_000),
  visit("behind", NOW_MS + 300_001),
  visit("week", new Date("2026-03-17T08:00:00Z")),
  visit("year", "2027-03-10T12:00:00+01:00"),
];

describe("times more than five minutes ahead of the clock", () => {
  test("are stored as of the time of receipt, and the answer names each of them", async () => {
    await using daybook = await opened();
    expect(await daybook.ingest(plan)).toEqual({
      accepted: 5,
      duplicates: 0,
      rejected: [],
      adjusted: [{ index: 2, createdAt: NOW }, { index: 3, createdAt: NOW }, { index: 4, createdAt: NOW }],
    });
    expect(await daysOf(daybook)).toEqual(["2026-03-09 1", "2026-03-10 4"]);
  });

  test("are stored as they come where futureEvents is keep", async () => {
    await using daybook = await opened({ futureEvents: "keep" });
    expect(await daybook.ingest(plan)).toEqual({ accepted: 5, duplicates: 0, rejected: [], adjusted: [] });
    expect(await daysOf(daybook)).toEqual(["2026-03-09 1", "2026-03-10 2", "2026-03-17 1", "2027-03-10 1"]);
    expect((await daybook.searchEvents({ limit: 1 })).events[0]?.createdAt).toBe("2027-03-10T11:00:00.000Z");
  });

  test("are named of events that were stored alone: not of duplicates, nor of what was rejected", async () => {
    await using daybook = await opened();
    await daybook.ingest([visit("known", NOW_MS)]);
    await erase(daybook, "bob");
    const { accepted, duplicates, rejected, adjusted } = await daybook.ingest([
      visit("known", "2027-01-01T00:00:00Z"),
      visit("bad", "2027-01-01T00:00:00Z", { name: "" }),
      visit("erased", "2027-01-01T00:00:00Z", { userId: "bob" }),
      visit("new", "2027-01-01T00:00:00Z"),
      visit("new", "2027-01-01T00:00:00Z"),
    ]);
    expect([accepted, duplicates, rejected.map(({ index, code }) => `${index} ${code}`), adjusted]).toEqual([1, 2, ["1 invalid_event", "2 suppressed"], [{ index: 3, createdAt: NOW }]]);
  });

  test("are named to whoever brought them, by the indexes of their own batch", async () => {
    await using daybook = await opened();
    // The first is written alone; the others wait meanwhile, and are encoded as one.
    const [, ...others] = await Promise.all([
      daybook.ingest([visit("0", NOW_MS)]),
      daybook.ingest([visit("1", NOW_MS), visit("2", "2027-01-01T00:00:00Z")]),
      daybook.ingest([visit("3", NOW_MS)]),
      daybook.ingest([visit("4", "2027-01-01T00:00:00Z"), visit("5", NOW_MS), visit("6", "2028-01-01T00:00:00Z")]),
    ]);
    expect(others.map(({ adjusted }) => adjusted.map(({ index }) => index))).toEqual([[1], [], [0, 2]]);
  });

  test("are named one by one however many there are, as what is rejected is", async () => {
    await using daybook = await opened();
    const { adjusted } = await daybook.ingest(Array.from({ length: 100_000 }, (_, at) => ({ name: "a", createdAt: NOW_MS + DAY_MS + at })));
    expect([adjusted.length, adjusted[99_999]]).toEqual([100_000, { index: 99_999, createdAt: NOW }]);
  });

  test("make one notice for each call", async () => {
    const notices: Notice[] = [];
    await using daybook = await opened({ onNotice: (notice) => notices.push(notice) });
    await daybook.ingest(plan.slice(0, 2));
    await daybook.ingest(plan);
    await daybook.ingestRecords([{ type: "identify", userId: "ann" }, { type: "identify", userId: "bob", createdAt: "2027-01-01T00:00:00Z" }]);
    await daybook.identify({ userId: "cleo", createdAt: "2027-01-01T00:00:00Z" });
    const end = `more than 5 minutes ahead of the clock, stored with the time of receipt, ${NOW}; futureEvents: "keep" stores times unchanged`;
    expect(notices).toEqual([
      { code: "adjusted", message: `events[2].createdAt (and 2 more): ${end}`, param: "events[2].createdAt", count: 3 },
      { code: "adjusted", message: `records[1].createdAt: ${end}`, param: "records[1].createdAt", count: 1 },
      { code: "adjusted", message: `createdAt: ${end}`, param: "createdAt", count: 1 },
    ]);
  });

  test("are the same in records", async () => {
    const later = { createdAt: "2027-01-01T00:00:00Z" };
    const records: RecordInput[] = [
      { type: "identify", id: "1", userId: "ann", ...later },
      { type: "identify", id: "1", userId: "ann", ...later },
      { type: "group", id: "2", companyId: "acme", userId: "ann", createdAt: NOW },
      { type: "alias", id: "3", from: "a", to: "", ...later },
      { type: "alias", id: "4", from: "old", to: "ann", ...later },
    ];
    await using daybook = await opened();
    const { accepted, duplicates, rejected, adjusted } = await daybook.ingestRecords(records);
    expect([accepted, duplicates, rejected.map(({ index }) => index), adjusted]).toEqual([3, 1, [3], [{ index: 0, createdAt: NOW }, { index: 4, createdAt: NOW }]]);
    const first = await daybook.identify({ id: "5", userId: "bob", ...later });
    expect(first).toEqual({ linkId: first.linkId, adjusted: { createdAt: NOW } });
    expect(await daybook.identify({ id: "5", userId: "bob", ...later })).toEqual({ linkId: first.linkId });
    expect(await daybook.group({ companyId: "acme", userId: "bob", ...later })).toMatchObject({ adjusted: { createdAt: NOW } });
    expect(await daybook.alias({ from: "b", to: "bob", ...later })).toMatchObject({ adjusted: { createdAt: NOW } });
    await using keeping = await opened({ futureEvents: "keep" });
    expect((await keeping.ingestRecords(records)).adjusted).toEqual([]);
    expect(await keeping.identify({ id: "5", userId: "bob", ...later })).toEqual({ linkId: first.linkId });
    const times = [];
    for await (const record of keeping.exportRecords()) times.push("createdAt" in record ? record.createdAt : null);
    expect(times).toEqual([NOW, "2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"]);
  });
});

describe("events that are kept of the future", () => {
  /** One event a day from the ninth to the nineteenth. */
  const days = Array.from({ length: 11 }, (_, at) => visit(`day ${at}`, NOW_MS + (at - 1) * DAY_MS, { url: "/", anonymousId: `phone ${at}`, userId: null }));

  test("lie behind ranges that end now, and in those without an end", async () => {
    await using daybook = await opened({ futureEvents: "keep" });
    await daybook.ingest(plan);
    expect(await daybook.countEvents()).toBe(5);
    expect((await daybook.identityProfile({ userId: "ann" })).events).toBe(1);
    expect((await daybook.identityProfile({ userId: "ann", endDate: "2027-12-31" })).events).toBe(5);
    expect((await daybook.identityProfile({ userId: "ann" })).lastSeen).toBe("2027-03-10T11:00:00.000Z");
  });

  test("make nobody online before their time", async () => {
    await using daybook = await opened({ futureEvents: "keep" });
    await daybook.ingest([visit("now", NOW_MS, { userId: "ann" }), visit("edge", NOW_MS + 300_000, { userId: "bob" }), visit("behind", NOW_MS + 300_001, { userId: "cleo" })]);
    expect((await daybook.webOverview()).nowOnline).toBe(2);
  });

  test("are sealed on their own days, and answered the same after that and after a restart", async () => {
    const storage = lastingMemory();
    const options = { storage, futureEvents: "keep", clock: fixedClock(NOW_MS) } as const;
    let daybook = await openDaybook(options);
    await daybook.ingest(days);
    const answers = async () => [await daysOf(daybook), await daybook.webOverview(), await daybook.trend({ interval: "day" })];
    const before = await answers();
    expect(before[0]).toHaveLength(11);
    await daybook.seal();
    expect((await daybook.stats()).segmentCount).toBe(11);
    expect(await answers()).toEqual(before);
    await daybook.close();
    daybook = await openDaybook(options);
    expect(await answers()).toEqual(before);
    // Their day comes: what happens then joins what was planned, and what a sealed day answered is not the end of it.
    await daybook.ingest([visit("more", NOW_MS + 5 * DAY_MS)]);
    expect((await daysOf(daybook)).slice(5, 8)).toEqual(["2026-03-14 1", "2026-03-15 2", "2026-03-16 1"]);
    await daybook.close();
  });

  test("stay when the clock comes to a time to live that others are past", async () => {
    let nowMs = NOW_MS;
    const clock: Clock = { now: () => nowMs };
    await using daybook = await opened({ clock, futureEvents: "keep" });
    await daybook.timeToLive.set(null, { days: 7 });
    expect((await daybook.ingest(days)).accepted).toBe(11);
    expect(await daybook.timeToLive.sweep()).toMatchObject({ events: 0 });
    nowMs += 9 * DAY_MS;
    // Of the ninth to the eleventh are past it by then; of the nineteenth it is today.
    expect(await daybook.timeToLive.sweep()).toMatchObject({ events: 3 });
    expect((await daysOf(daybook))[0]).toBe("2026-03-12 1");
  });

  test("are part of a moment by when they came, not by their time", async () => {
    await using daybook = await opened({ futureEvents: "keep" });
    await daybook.ingest([visit("first", "2026-03-20T00:00:00Z")]);
    const { asOf: sequence } = await daybook.trend({ asOf: "latest" });
    await daybook.ingest([visit("second", "2026-03-19T00:00:00Z")]);
    const total = async (asOf: number | "latest" | null) => (await daybook.trend({ interval: "total", asOf })).series[0]?.total;
    expect([await total(sequence), await total("latest")]).toEqual([1, 2]);
  });

  test("are shown by a reader that follows, whatever its own clock says", async () => {
    const storage = memoryStorage();
    await using writer = await opened({ storage, futureEvents: "keep" });
    await writer.ingest(days.slice(0, 4));
    await using reader = await opened({ storage, readOnly: true, follow: true });
    expect(await daysOf(reader)).toEqual(await daysOf(writer));
    await writer.ingest(days.slice(4));
    await expect.poll(() => daysOf(reader), { timeout: 5_000 }).toEqual(await daysOf(writer));
  });

  test("go with their person, and with what is deleted up to a time behind them", async () => {
    await using daybook = await opened({ futureEvents: "keep" });
    await daybook.ingest([...plan, visit("bob", "2026-05-01T00:00:00Z", { userId: "bob" })]);
    expect((await daybook.deleteEvents({ before: "2026-03-17" })).events).toBe(3);
    await erase(daybook, "ann");
    expect(await daysOf(daybook)).toEqual(["2026-05-01 1"]);
  });

  test("may lie at the end of time", async () => {
    await using daybook = await opened({ futureEvents: "keep" });
    expect(await daybook.ingest([visit("last", "9999-12-31T23:59:59.999Z")])).toMatchObject({ accepted: 1, adjusted: [] });
    await daybook.seal();
    expect(await daysOf(daybook)).toEqual(["9999-12-31 1"]);
  });
});

test.each(["drop", true, null])("futureEvents %j is refused by name.", async (futureEvents) => {
  await expect(opened({ futureEvents: futureEvents as never })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "futureEvents" } });
});
