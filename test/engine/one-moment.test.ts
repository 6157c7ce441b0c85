import { setImmediate } from "node:timers/promises";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type QueryOptions, type RecordInput } from "daybook";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { storeOf } from "../../src/engine/open-daybook.js";
import { useLimits } from "../limits.js";

// A query with a signal pauses wherever it may.
useLimits({ sliceMs: 0 });

/** From now on the records of a batch are learned of one by one, with a turn for others behind each. */
function learnSlowly(isSlow = true): void {
  Object.assign(LIMITS, { turnValueCount: isSlow ? 1 : 128 * 1024 });
}

const NOW = Date.UTC(2026, 2, 10, 12);
const DAY_MS = 86_400_000;
const users = Array.from({ length: 4 }, (_, at) => `user-${at}`);
const devices = Array.from({ length: 5 }, (_, at) => `device-${at}`);
const event = (day: number, more: Partial<EventInput>): EventInput => ({ name: "visit", createdAt: NOW - day * DAY_MS, ...more });
const [EMAIL, TRAITS, ALIAS] = [1, 2, 3].map((at) => `00000000-0000-4000-8000-00000000000${at}`) as [string, string, string];

/** Each day is a head of its own, behind which a query with a signal pauses. */
const DAY_COUNT = 12;
const events = Array.from({ length: DAY_COUNT }, (_, day) => [
  ...users.map((userId) => event(day, { userId, companyId: "acme" })),
  ...devices.map((anonymousId) => event(day, { anonymousId, companyId: "acme" })),
]).flat();

const former: readonly RecordInput[] = [
  { type: "identify", id: EMAIL, userId: "user-0", email: "first@x.io", createdAt: NOW - 5_000 },
  { type: "group", id: TRAITS, userId: "user-0", companyId: "acme", traits: { name: "Acme", domain: "acme.example" }, createdAt: NOW - 5_000 },
  { type: "alias", id: ALIAS, from: "device-4", to: "known by a record", createdAt: NOW - 5_000 },
];

/** Takes back what was told before, and tells everybody's email and the company's new name. */
const batch: readonly RecordInput[] = [
  ...devices.slice(0, 2).map((anonymousId): RecordInput => ({ type: "identify", anonymousId, email: `${anonymousId}@x.io`, createdAt: NOW - 2_000 })),
  ...[EMAIL, TRAITS].map((linkId): RecordInput => ({ type: "unlink", linkId, createdAt: NOW - 1_000 })),
  ...users.map((userId): RecordInput => ({ type: "identify", userId, email: `${userId}@x.io`, createdAt: NOW - 2_000 })),
  { type: "group", userId: "user-1", companyId: "acme", traits: { name: "Acme Incorporated" }, createdAt: NOW - 2_000 },
  ...devices.slice(2, 4).map((anonymousId): RecordInput => ({ type: "identify", anonymousId, email: `${anonymousId}@x.io`, createdAt: NOW - 2_000 })),
];

async function opened(more: readonly EventInput[] = []): Promise<Daybook> {
  learnSlowly(false);
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await daybook.ingest([...events, ...more]);
  await daybook.ingestRecords(former);
  return daybook;
}

const queries: Readonly<Record<string, (daybook: Daybook, options?: QueryOptions) => Promise<unknown>>> = {
  companyTopUsers: (daybook, options) => daybook.companyTopUsers({ companyId: "acme", limit: 100 }, options),
  topCompanies: (daybook, options) => daybook.topCompanies({}, options),
};

describe("A query that is under way while a batch of records is learned of knows none of them, or all:", () => {
  test.each(Object.entries(queries))("%s", async (_name, ask) => {
    await using quiet = await opened();
    const expected = [JSON.stringify(await ask(quiet))];
    await quiet.ingestRecords(batch);
    expected.push(JSON.stringify(await ask(quiet)));
    await using daybook = await opened();
    learnSlowly();
    let isWritten = false;
    const writing = daybook.ingestRecords(batch).then(() => (isWritten = true));
    const asked: Promise<unknown>[] = [];
    while (!isWritten) {
      asked.push(ask(daybook, { signal: new AbortController().signal }));
      await setImmediate();
    }
    await writing;
    const answers = new Set((await Promise.all(asked)).map((answer) => JSON.stringify(answer)));
    expect([...answers]).toEqual(expected);
  });

  test("a count of the events of somebody whom only a record names, by a filter that looks at all ids", async () => {
    const filterGroups = [{ filters: [{ fieldName: "identityId", operator: "!=", value: "idn_00000000000000000000000000000000" } as const] }];
    await using daybook = await opened(Array.from({ length: 4_000 }, (_, at) => event(0, { userId: `other ${at}` })));
    const ask = (options?: QueryOptions) => daybook.countEvents({ userId: "known by a record", filterGroups }, options);
    const asked = ask({ signal: new AbortController().signal });
    await setImmediate();
    await setImmediate();
    await daybook.unlink(ALIAS);
    expect(await asked).toBe(DAY_COUNT);
    expect(await ask()).toBe(0);
  });
});

test.each([["one by one", true], ["in one turn", false]] as const)("What a batch links, %s, is seen with the events that came with it, or not at all, and so are its projects.", async (_name, isSlow) => {
  learnSlowly(isSlow);
  const seen = new Set<string>();
  for (let round = 0; round < 64; round += 1) {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
    await daybook.ingest([event(0, { userId: "ann" }), event(0, { anonymousId: "device" })]);
    const writing = Promise.all([
      daybook.ingestRecords([{ type: "identify", userId: "ann", anonymousId: "device" }]),
      daybook.ingest([event(0, { userId: "bob", project: "new" }), event(0, { userId: "carl" })]),
    ]);
    for (let turn = 0; isSlow && turn < round / 8; turn += 1) await setImmediate();
    for (let step = 0; step < (isSlow ? round % 8 : round); step += 1) await null;
    const asked = daybook.countUniqueUsers();
    seen.add(`${daybook.projects().join()}, ${shownRowCount(daybook)} events`);
    seen.add(`${await asked} people`);
    await writing;
  }
  // Two before, three after. One would be the link without the events, four the events without the link.
  expect([...seen].sort()).toEqual(["2 people", "3 people", "default, 2 events", "default,new, 4 events"]);
});

/** Events that a query would see that began in this turn. */
function shownRowCount(daybook: Daybook): number {
  const snapshot = storeOf(daybook)?.snapshot();
  snapshot?.release();
  return (snapshot?.rows ?? []).reduce((sum, { rowCount }) => sum + rowCount, 0);
}

test("A bundle of what is held about somebody is of one moment, however slowly it is read.", async () => {
  await using daybook = await opened();
  const { id } = await daybook.privacyRequests.create({ type: "access", subject: { userId: "user-0" } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  const lines = async () => {
    const read: string[] = [];
    for await (const line of daybook.privacyRequests.bundle(id)) read.push(line);
    return read;
  };
  const expected = await lines();
  const bundle = daybook.privacyRequests.bundle(id)[Symbol.asyncIterator]();
  const read = [String((await bundle.next()).value)];
  await daybook.ingestRecords(batch);
  await daybook.ingest([event(0, { userId: "user-0", url: "/later" })]);
  for (let next = await bundle.next(); next.done !== true; next = await bundle.next()) read.push(next.value);
  expect(read).toEqual(expected);
  expect(await lines()).not.toEqual(expected);
});

describe("A query that is under way while somebody is erased", () => {
  async function erasing(daybook: Daybook, userId: string): Promise<() => Promise<unknown>> {
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    return () => daybook.privacyRequests.resolve(id, "completed");
  }

  test("knows of links and events of one moment, whenever it began", async () => {
    const storage = memoryStorage();
    await using daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
    await daybook.ingest([event(0, { userId: "ann" }), event(0, { anonymousId: "device" }), event(0, { userId: "bob" })]);
    await daybook.identify({ userId: "ann", anonymousId: "device" });
    const ask = async () => (await daybook.ltvCohorts({ project: "default", level: "identity" })).cohorts.map(({ entities }) => entities).join();
    const seen = [await ask()];
    const erase = await erasing(daybook, "ann");
    const write = storage.write.bind(storage);
    const askOften = async () => {
      const asked: Promise<unknown>[] = [];
      for (let step = 0; step < 100; step += 1) {
        asked.push(ask().then((answer) => seen.push(answer)));
        await null;
      }
      await Promise.all(asked);
    };
    const asking: Promise<void>[] = [];
    // Among them is the manifest that makes it so.
    storage.write = async (...args) => {
      await write(...args);
      asking.push(askOften());
    };
    await erase();
    storage.write = write;
    await Promise.all(asking);
    expect([...new Set([...seen, await ask()])]).toEqual(["2", "1"]);
  });

  test("finds them by each of its filters, or by none", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
    await daybook.ingest(["ann", "bob"].flatMap((userId) => ["/x", "/y"].map((url) => event(0, { userId, url }))));
    const erase = await erasing(daybook, "ann");
    const filtersOf = (fieldName: string, operator: "=" | "contains", value: string) => ({ filters: [{ fieldName, operator, value }] });
    const nothing = { filters: Array.from({ length: 5 }, () => filtersOf("url", "contains", "z").filters).flat() };
    const filterGroups = [filtersOf("url", "contains", "x"), ...Array.from({ length: 18 }, () => nothing), filtersOf("userId", "=", "ann")];
    const asked = daybook.countEvents({ filterGroups }, { signal: new AbortController().signal });
    for (let turn = 0; turn < 4; turn += 1) await setImmediate();
    await erase();
    expect([1, 3]).toContain(await asked);
  });
});
