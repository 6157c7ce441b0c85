import { memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { describe, expect, test } from "vitest";
import { BudgetedLimit, BUILT_IN_KEYS, type Withheld } from "../../src/engine/ingest/allowance.js";
import { ALLOWANCE, type DaybookWithAllowance } from "../../src/engine/ingest/allowed-options.js";
import { FIELDS } from "../../src/core/schema/fields.js";
import { seededRandom } from "daybook/testing";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { useLimits, useServerLimits } from "../limits.js";

/** A budget of so many values and keys. */
class Purse {
  readonly withheldParts: Withheld[] = [];
  byteLength = 0;

  constructor(
    public valueCount: number,
    public keyCount: number,
  ) {}

  takesValues(count: number, byteLength: number): boolean {
    if (count > this.valueCount) return false;
    this.valueCount -= count;
    this.byteLength += byteLength;
    return true;
  }

  takesKey(): boolean {
    if (this.keyCount === 0) return false;
    this.keyCount -= 1;
    return true;
  }

  withheld(what: Withheld): void {
    this.withheldParts.push(what);
  }
}

const allowed = (purse: Purse) => ({ [ALLOWANCE]: { keyCountMax: Infinity, limit: new BudgetedLimit(purse) } });

async function take(daybook: Daybook, events: readonly EventInput[], purse: Purse) {
  return await (daybook as DaybookWithAllowance).ingest(events, allowed(purse));
}

async function stored(daybook: Daybook): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for await (const event of daybook.exportEvents()) events.push({ ...event });
  return events;
}

describe("an ingest with an allowance", () => {
  test("charges each new value once, and nothing for what is there or came twice", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ name: "view", url: "/known" }]);
    const purse = new Purse(10, 10);
    const event = { id: "e", name: "view", url: "/new", metadata: { title: "T" } };
    expect(await take(daybook, [event, event, { ...event, id: "f" }], purse)).toMatchObject({ accepted: 2, duplicates: 1 });
    // The path, the title, and a list of metadata keys.
    expect([purse.valueCount, purse.byteLength, purse.keyCount]).toEqual([7, 4 * 2 + 72 + 3 * 2 + 72 + 1 * 2 + 72, 10]);
    await take(daybook, [{ name: "other name" }], purse);
    // A name, and the slug made of it.
    expect([purse.valueCount, purse.withheldParts]).toEqual([5, []]);
  });

  test("puts a name that stands for all in the place of one that is too much, and its slug", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ name: "Sign up", createdAt: new Date(5) }]);
    // The second has a slug that is known.
    await take(daybook, [{ name: "Buy" }, { name: "SIGN UP" }], new Purse(0, 0));
    expect((await stored(daybook)).map(({ name, slug }) => [name, slug])).toEqual([["Sign up", "sign-up"], ["(other)", "other"], ["(other)", "other"]]);
    expect(await daybook.countEvents({ eventName: "(other)" })).toBe(2);
  });

  test("charges ingests that are encoded together each by itself", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ name: "view" }]);
    const purses = [new Purse(9, 9), new Purse(0, 0), new Purse(9, 9)];
    await Promise.all(purses.map((purse, at) => take(daybook, [{ name: "view", url: `/${at}` }], purse)));
    expect(purses.map(({ valueCount, withheldParts }) => [valueCount, withheldParts])).toEqual([[8, []], [0, ["value"]], [8, []]]);
    expect((await stored(daybook)).map(({ url }) => url ?? null).sort()).toEqual(["(other)", "/0", "/2", null]);
  });

  test("charges lists of metadata keys: beyond the budget those of ours stay, in their order", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ name: "view", metadata: { a: 1, b: 2, title: "T", width: 9 } }]);
    const purse = new Purse(1, 0);
    await take(daybook, [{ name: "view", metadata: { b: 2, a: 1 }, createdAt: new Date(1) }, { name: "view", metadata: { b: 2, width: 9, title: "T" }, createdAt: new Date(2) }], purse);
    const [first, second] = await stored(daybook);
    expect([JSON.stringify(first?.["metadata"]), JSON.stringify(second?.["metadata"])]).toEqual(['{"b":2,"a":1}', '{"title":"T","width":9}']);
    expect([purse.valueCount, purse.withheldParts]).toEqual([0, ["key"]]);
  });

  test("leaves a record out whose ids are too much, as if it had come", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.identify({ userId: "ann", anonymousId: "a" });
    const purse = new Purse(1, 0);
    const tie = (userId: string, anonymousId: string) => (daybook as DaybookWithAllowance).identify({ userId, anonymousId }, allowed(purse));
    await tie("ann", "a");
    expect(await tie("bob", "b")).toMatchObject({ linkId: expect.any(String) as string });
    await tie("ann", "a2");
    await tie("ann", "a3");
    const records: unknown[] = [];
    for await (const record of daybook.exportRecords()) records.push(record);
    expect(records).toHaveLength(3);
    expect([purse.valueCount, purse.withheldParts]).toEqual([0, ["record", "record"]]);
  });

  test.each(Array.from({ length: caseCount(20) }, (_, at) => baseSeed + at))("never changes what is known, of random events with no budget, seed %i", async (caseSeed) => {
    const random = seededRandom(caseSeed);
    const numbers = ["value", "locationLon", "locationLat"];
    const texts = FIELDS.map(({ camel }) => camel).filter((camel) => !["slug", "project", "notify", ...numbers].includes(camel));
    const valueOf = (field: string, at: number) => (numbers.includes(field) ? at : `${field} ${at}`);
    const eventOf = (at: () => number, time: number) => {
      const fields = [...texts, ...numbers].map((field) => [field, valueOf(field, at())]);
      return { ...Object.fromEntries(fields) as { name: string }, createdAt: new Date(time), metadata: { a: at(), b: { of: at() }, title: `t ${at()}` } };
    };
    await using daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([0, 1, 2].map((at) => eventOf(() => at, at)));
    const sent = Array.from({ length: 40 }, (_, at) => eventOf(() => random.between(0, 5), 100 + at));
    expect(await take(daybook, sent, new Purse(0, 0))).toMatchObject({ accepted: 40, rejected: [] });
    const found = (await stored(daybook)).slice(3);
    const isKnown = (value: unknown) => Number(/\d$/.exec(String(value))?.[0]) < 3;
    const ids = ["userId", "anonymousId", "externalId", "companyId"];
    for (const [at, event] of sent.entries()) {
      const expected = Object.fromEntries(Object.entries(event).filter(([name]) => name !== "metadata" && name !== "createdAt").map(([name, value]) =>
        [name, isKnown(value) ? (name.startsWith("locationL") ? String(value) : value) : ids.includes(name) || numbers.includes(name) ? undefined : "(other)"]));
      expect(Object.fromEntries(Object.keys(expected).map((name) => [name, found[at]?.[name]]))).toEqual(expected);
      const { a, b, title } = event.metadata;
      expect(found[at]?.["metadata"]).toEqual({ a: isKnown(a) ? a : "(other)", b: isKnown(b.of) ? b : "(other)", title: isKnown(title) ? title : "(other)" });
    }
  });
});

describe("the reserve of a store", () => {
  useLimits({ dictionaryBytes: 40_000, dictionaryValueCount: 400, metadataKeyCount: 40 });
  useServerLimits({ collectedMetadataKeyCount: 5 });

  test("of bytes is left to others: then pages bring nothing new, and others do", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    const purse = new Purse(Infinity, Infinity);
    const urls = (of: string) => Array.from({ length: 300 }, (_, at) => ({ name: "view", url: `/${of}${at}${"x".repeat(50)}` }));
    expect(await take(daybook, urls("page"), purse)).toMatchObject({ accepted: 300, rejected: [] });
    const brought = (await stored(daybook)).filter(({ url }) => url !== "(other)").length;
    // 3/4 of the bytes, at some 180 each.
    expect(brought).toBeGreaterThan(155);
    expect(brought).toBeLessThan(170);
    const { accepted } = await daybook.ingest(urls("server"));
    expect(accepted).toBeGreaterThan(40);
    // Where the store is full, pages go on, with what is known.
    expect(await take(daybook, [...urls("more"), { name: "new", metadata: { title: "new", k: 1 } }], purse)).toMatchObject({ accepted: 301, rejected: [] });
  });

  test("of values of one field is left to others", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    const purse = new Purse(Infinity, Infinity);
    await take(daybook, Array.from({ length: 350 }, (_, at) => ({ name: "view", screen: String(at) })), purse);
    expect(purse.withheldParts).toHaveLength(50);
    await take(daybook, [{ name: "view", language: "de" }], purse);
    expect(purse.withheldParts).toHaveLength(50);
    expect(await daybook.ingest([{ name: "view", screen: "new" }])).toMatchObject({ accepted: 1 });
  });

  test("of metadata keys is left to others; ours always fit", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    const purse = new Purse(Infinity, Infinity);
    const many = (from: number, count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, 1]));
    await take(daybook, [{ name: "view", metadata: many(0, 20) }], purse);
    expect([purse.withheldParts.length, (await stored(daybook))[0]?.["metadata"]]).toEqual([15, many(0, 5)]);
    const ours = Object.fromEntries(BUILT_IN_KEYS.map((key) => [key, 1]));
    await daybook.ingest([{ name: "view", metadata: many(100, 35) }]);
    expect(await take(daybook, [{ name: "ours", metadata: ours }], purse)).toMatchObject({ accepted: 1 });
    expect((await stored(daybook)).map(({ metadata }) => metadata)).toContainEqual(ours);
  });
});
