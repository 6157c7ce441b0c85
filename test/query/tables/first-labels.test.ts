import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type QueryOptions, type Storage } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { afterEach, expect, test, vi } from "vitest";
import { TouchMaker } from "../../../src/query/tables/touches/touch-facts.js";
import { Touches } from "../../../src/query/tables/touches/touches.js";
import { useLimits } from "../../limits.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

// The pass yields after each step.
useLimits({ sliceMs: 0 });

const NOW = Date.UTC(2026, 2, 10, 12);
const DAY_MS = 86_400_000;
const range = { project: "default", startDate: "2026-01-01", endDate: "2026-12-31", dimension: "source" } as const;
const MODELS = ["first_touch", "last_touch"] as const;
const LEVELS = ["identity", "account"] as const;

afterEach(() => void vi.restoreAllMocks());

async function stored(...seals: readonly (readonly EventInput[])[]): Promise<Storage> {
  const storage = memoryStorage();
  await using daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
  for (const events of seals) {
    await daybook.ingest(events);
    await daybook.seal();
  }
  return storage;
}

const opened = (storage: Storage) => openDaybook({ storage, clock: fixedClock(NOW), readOnly: true });

async function sourcesOf(daybook: Daybook, model: (typeof MODELS)[number], level: (typeof LEVELS)[number] = "identity", options: QueryOptions = {}): Promise<[string, number][]> {
  const { rows } = await daybook.revenueByAttribution({ ...range, model, level }, options);
  return rows.map(({ dimension, revenue }): [string, number] => [dimension, revenue]);
}

/** The first answer of a process, and whether it read the table of all touches. */
async function firstSources(storage: Storage, model: (typeof MODELS)[number], level?: (typeof LEVELS)[number]) {
  await using daybook = await opened(storage);
  const reading = vi.spyOn(Touches.prototype, "catchUp");
  const sources = await sourcesOf(daybook, model, level);
  const readsTable = reading.mock.calls.length > 0;
  reading.mockRestore();
  return { sources, readsTable };
}

const idOf = (first: number) => `${first.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
const touch = (userId: string, source: string, ms: number, id = ms): EventInput => ({ id: idOf(id), createdAt: NOW + ms, name: "Pageview", userId, url: `/?utm_source=${source}` });
const payment = (userId: string, value: number, ms: number, id = ms): EventInput => ({ id: idOf(id), createdAt: NOW + ms, name: "Payment", userId, value });

test("The first query of a process attributes each payment to its touch without the table of touches.", async () => {
  const ofAnn = [touch("ann", "news", 1), payment("ann", 1, 2), touch("ann", "mail", 3), payment("ann", 10, 4), touch("ann", "late", 5)];
  const ofBen = [payment("ben", 100, 1, 101), touch("ben", "ads", 2, 102)];
  const storage = await stored([...ofAnn, ...ofBen]);
  expect(await firstSources(storage, "first_touch")).toEqual({ sources: [["(direct)", 100], ["news", 11]], readsTable: false });
  expect(await firstSources(storage, "last_touch")).toEqual({ sources: [["(direct)", 100], ["mail", 10], ["news", 1]], readsTable: false });
});

test("Touches of earlier days and of other segments of a day count in their order of time.", async () => {
  const storage = await stored(
    [touch("ann", "monday", -DAY_MS), touch("ann", "noon", 20), payment("ann", 1, 30)],
    [touch("ann", "morning", 10), touch("ann", "evening", 40), payment("ann", 10, 50)],
  );
  expect(await firstSources(storage, "first_touch")).toEqual({ sources: [["monday", 11]], readsTable: false });
  expect(await firstSources(storage, "last_touch")).toEqual({ sources: [["evening", 10], ["noon", 1]], readsTable: false });
});

test("A payment that has a campaign is a touch before itself, and within a millisecond of one segment ids decide.", async () => {
  const own = { ...payment("ann", 1, 1, 5), url: "/?utm_source=own" };
  const [before, after] = [touch("ann", "before", 1, 4), touch("ann", "after", 1, 6)];
  const other = [payment("ben", 10, 1, 50), touch("cat", "cats", 1, 40)];
  expect(await firstSources(await stored([own, ...other]), "first_touch")).toEqual({ sources: [["(direct)", 10], ["own", 1]], readsTable: false });
  const storage = await stored([own, touch("dan", "dans", 1, 3), ...other]);
  expect(await firstSources(storage, "last_touch")).toEqual({ sources: [["(direct)", 10], ["own", 1]], readsTable: false });
  // Two events of Ann's: only sequences tell which of them is the payment.
  const tied = await stored([own, before, after]);
  expect(await firstSources(tied, "first_touch")).toEqual({ sources: [["before", 1]], readsTable: true });
  expect(await firstSources(tied, "last_touch")).toEqual({ sources: [["own", 1]], readsTable: true });
});

test("Two payments of one day, only the later of which has a touch on that day, have their own touches.", async () => {
  const storage = await stored([touch("ann", "news", -DAY_MS, 1), payment("ann", 1, 1, 2), touch("ann", "mail", 2, 3), payment("ann", 10, 3, 4)]);
  expect(await firstSources(storage, "last_touch")).toEqual({ sources: [["mail", 10], ["news", 1]], readsTable: false });
  expect(await firstSources(storage, "first_touch")).toEqual({ sources: [["news", 11]], readsTable: false });
});

test("At level account a payment has the touches of all members of its company.", async () => {
  const company = { companyId: "acme" };
  const storage = await stored([
    { ...touch("ann", "news", 1), ...company },
    { ...touch("ben", "mail", 2), ...company },
    { ...payment("ben", 1, 3), ...company },
    touch("ann", "ads", 4),
    { ...payment("ben", 10, 5), ...company },
    touch("cat", "cats", 6),
    payment("cat", 100, 7),
  ]);
  expect(await firstSources(storage, "first_touch", "account")).toEqual({ sources: [["cats", 100], ["news", 11]], readsTable: false });
  expect(await firstSources(storage, "last_touch", "account")).toEqual({ sources: [["cats", 100], ["ads", 10], ["mail", 1]], readsTable: false });
});

test("At level account, ids decide between two members at one millisecond of a segment; between segments the table does.", async () => {
  const company = { companyId: "acme" };
  const [early, paid, late] = [{ ...touch("ann", "early", 1, 4), ...company }, { ...payment("ben", 1, 1, 5), ...company }, { ...touch("cat", "late", 1, 6), ...company }];
  expect(await firstSources(await stored([early, paid, late]), "last_touch", "account")).toEqual({ sources: [["early", 1]], readsTable: false });
  expect(await firstSources(await stored([paid, late]), "first_touch", "account")).toEqual({ sources: [["(direct)", 1]], readsTable: false });
  expect(await firstSources(await stored([paid, late]), "last_touch", "account")).toEqual({ sources: [["(direct)", 1]], readsTable: false });
  expect(await firstSources(await stored([paid], [late]), "first_touch", "account")).toEqual({ sources: [["(direct)", 1]], readsTable: true });
  expect(await firstSources(await stored([paid], [early]), "last_touch", "account")).toEqual({ sources: [["early", 1]], readsTable: true });
});

test("Two touches of one millisecond in different segments are told apart by their ids.", async () => {
  for (const ids of [[4, 5], [5, 4]] as const) {
    const [one, other] = [touch("ann", "one", 1, ids[0]), touch("ann", "other", 1, ids[1])];
    const storage = await stored([one], [other, payment("ann", 1, 2)]);
    const [first, last] = ids[0] < ids[1] ? ["one", "other"] : ["other", "one"];
    expect(await firstSources(storage, "first_touch")).toEqual({ sources: [[first, 1]], readsTable: true });
    expect(await firstSources(storage, "last_touch")).toEqual({ sources: [[last, 1]], readsTable: true });
  }
});

test("A sign-in is no touch, and what is not sealed yet counts too.", async () => {
  const signIn: EventInput = { ...touch("ann", "", 2), url: "/", referrer: "https://accounts.google.com/", hostname: "own.example" };
  const storage = await stored([touch("ann", "news", 1), signIn, payment("ann", 1, 10)]);
  expect(await firstSources(storage, "last_touch")).toEqual({ sources: [["news", 1]], readsTable: false });
  await using writer = await openDaybook({ storage, clock: fixedClock(NOW) });
  await writer.ingest([touch("ann", "mail", 5, 20), touch("ann", "blog", 3, 21)]);
  expect(await sourcesOf(writer, "last_touch")).toEqual([["mail", 1]]);
});

test("Touches of somebody who changed the company count for the company of their time.", async () => {
  const storage = await stored([touch("ann", "news", 10), touch("ann", "mail", 30), { ...payment("ben", 1, 40), companyId: "acme" }]);
  {
    await using daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
    await daybook.group({ userId: "ann", companyId: "acme", createdAt: NOW + 5 });
    await daybook.group({ userId: "ann", companyId: "umbra", createdAt: NOW + 20 });
  }
  expect(await firstSources(storage, "last_touch", "account")).toEqual({ sources: [["news", 1]], readsTable: true });
});

test("Events that arrive during the first query count as if it had begun after them.", async () => {
  const ofOtherDays = Array.from({ length: 30 }, (_, at) => touch("ben", "days", -at * DAY_MS, 100 + at));
  await using daybook = await openDaybook({ storage: await stored([...ofOtherDays, touch("ann", "news", 1), payment("ann", 1, 2)]), clock: fixedClock(NOW + 100) });
  const { reader } = TouchMaker.prototype;
  const spied = vi.spyOn(TouchMaker.prototype, "reader");
  spied.mockImplementationOnce(function (this: TouchMaker) {
    void daybook.ingest([touch("ann", "mail", 3), payment("ann", 10, 4)]);
    return reader.call(this);
  });
  // Only queries that can be stopped yield.
  const { signal } = new AbortController();
  expect(await sourcesOf(daybook, "last_touch", "identity", { signal })).toEqual([["mail", 10], ["news", 1]]);
  expect(spied).toHaveBeenCalled();
});

test("The second query reads the table of touches, and later ones follow what is ingested.", async () => {
  await using daybook = await openDaybook({ storage: await stored([touch("ann", "news", 1), payment("ann", 1, 2)]), clock: fixedClock(NOW + 100) });
  expect(await sourcesOf(daybook, "last_touch")).toEqual([["news", 1]]);
  const reading = vi.spyOn(Touches.prototype, "catchUp");
  expect(await sourcesOf(daybook, "last_touch")).toEqual([["news", 1]]);
  expect(reading).toHaveBeenCalled();
  await daybook.ingest([touch("ann", "mail", 3), payment("ann", 10, 4)]);
  expect(await sourcesOf(daybook, "last_touch")).toEqual([["mail", 10], ["news", 1]]);
});

test("Queries that run at once get the answers of their own model, level and window.", async () => {
  const company = { companyId: "acme" };
  const storage = await stored([touch("ann", "old", -40 * DAY_MS, 9), { ...touch("ben", "news", 1), ...company }, touch("ann", "mail", 2), { ...payment("ann", 1, 3), ...company }, payment("ann", 10, -39 * DAY_MS, 8)]);
  const asked = [...MODELS.flatMap((model) => LEVELS.map((level) => ({ ...range, model, level }))), { ...range, startDate: "2026-03-01", model: MODELS[0], level: LEVELS[0] }];
  await using daybook = await opened(storage);
  const atOnce = await Promise.all(asked.map((input) => daybook.revenueByAttribution(input)));
  const inTurn = await Promise.all(asked.map(async (input) => {
    await using alone = await opened(storage);
    return await alone.revenueByAttribution(input);
  }));
  expect(atOnce).toEqual(inTurn);
  expect(new Set(inTurn.map((answer) => JSON.stringify(answer.rows))).size).toBe(3);
});

test("If more events share a millisecond than are compared, the table answers.", async () => {
  const crowd = Array.from({ length: 100 }, (_, at) => touch(`user-${at}`, "crowd", 1, at));
  const storage = await stored([...crowd, payment("user-50", 1, 1, 1_000), payment("user-7", 10, 2, 1_001)]);
  for (const model of MODELS) expect(await firstSources(storage, model)).toMatchObject({ sources: [["crowd", 11]] });
  const tied = await stored([...Array.from({ length: 100 }, (_, at) => touch("ann", `source-${at % 2}`, 1, at)), payment("ann", 1, 1, 1_000)]);
  expect(await firstSources(tied, "first_touch")).toEqual({ sources: [["source-0", 1]], readsTable: true });
  expect(await firstSources(tied, "last_touch")).toEqual({ sources: [["source-1", 1]], readsTable: true });
});

test("A first query that is stopped leaves the next one its answer.", async () => {
  await using daybook = await openDaybook({ storage: await stored([touch("ann", "news", 1), payment("ann", 1, 2)]), clock: fixedClock(NOW) });
  const stop = new AbortController();
  const { reader } = TouchMaker.prototype;
  vi.spyOn(TouchMaker.prototype, "reader").mockImplementationOnce(function (this: TouchMaker) {
    stop.abort();
    return reader.call(this);
  });
  await expect(sourcesOf(daybook, "last_touch", "identity", stop)).rejects.toMatchObject({ code: "aborted" });
  expect(await sourcesOf(daybook, "last_touch")).toEqual([["news", 1]]);
});

test("If the table of touches has no room in memory, later queries do without it too.", async () => {
  await using daybook = await openDaybook({ storage: await stored([touch("ann", "news", 1), payment("ann", 1, 2)]), clock: fixedClock(NOW), memoryBudgetBytes: 1 });
  for (let query = 0; query < 2; query += 1) expect(await sourcesOf(daybook, "last_touch")).toEqual([["news", 1]]);
  const reading = vi.spyOn(Touches.prototype, "catchUp");
  for (const model of MODELS) expect(await sourcesOf(daybook, model)).toEqual([["news", 1]]);
  expect(reading).not.toHaveBeenCalled();
});

test("Of random stores, the first answer of a process is that of the table of touches, and most do not read it.", async () => {
  let tableCount = 0;
  const count = caseCount(60, 3_000);
  for (let index = 0; index < count; index += 1) {
    const seed = baseSeed + index;
    const random = seededRandom(seed);
    const storage = await randomStore(random);
    for (const model of MODELS)
      for (const level of LEVELS) {
        const first = await firstSources(storage, model, level);
        if (first.readsTable) tableCount += 1;
        await using daybook = await opened(storage);
        await sourcesOf(daybook, model, level);
        expect(first.sources, `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1, ${model}, ${level}`).toEqual(await sourcesOf(daybook, model, level));
      }
  }
  expect(tableCount).toBeGreaterThan(0);
  expect(tableCount).toBeLessThan(count * MODELS.length * LEVELS.length * 0.6);
});

/** Some people's touches and payments within three days, in one or more segments a day. */
async function randomStore(random: Random): Promise<Storage> {
  const storage = memoryStorage();
  await using daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
  const users = ["ann", "ben", "cat", "dan"];
  const spanMs = random.pick([5, 1_000]);
  const touchChance = random.pick([0.05, 0.5]);
  const companyOf = new Map(users.map((user) => [user, random.pick(["", "acme", "umbra"])]));
  const event = (at: number): EventInput => {
    const userId = random.pick(users);
    const who = random.chance(0.8) ? { userId } : { anonymousId: random.pick(["d1", "d2"]) };
    const companyId = random.chance(0.3) ? companyOf.get(userId) : "";
    const company = companyId === "" || companyId === undefined || !("userId" in who) ? {} : { companyId };
    const createdAt = NOW - random.below(3) * DAY_MS - random.below(spanMs);
    const campaign = random.chance(touchChance) ? { url: `/?utm_source=${random.pick(["news", "mail", "ads"])}` } : {};
    const referrer = random.chance(touchChance / 2) ? { referrer: `https://${random.pick(["a", "b"])}.example/`, hostname: random.pick(["a.example", "own.example"]) } : {};
    return { createdAt, ...who, ...company, ...campaign, ...referrer, ...(random.chance(0.3) ? { name: "Payment", value: 2 ** (at % 20) } : { name: "Pageview" }) };
  };
  for (let round = random.between(1, 3); round > 0; round -= 1) {
    await daybook.ingest(Array.from({ length: random.between(1, 15) }, (_, at) => event(at)));
    if (random.chance(0.9)) await daybook.seal();
  }
  if (random.chance(0.3)) await daybook.identify({ userId: random.pick(users), anonymousId: "d1", createdAt: NOW });
  if (random.chance(0.2)) await daybook.group({ userId: random.pick(users), companyId: "umbra", createdAt: NOW - DAY_MS });
  return storage;
}
