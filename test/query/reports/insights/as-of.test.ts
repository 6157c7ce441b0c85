import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type StickinessInput } from "daybook";
import { seededRandom } from "daybook/testing";
import { describe, expect, test, vi } from "vitest";
import { yieldToEventLoop } from "../../../../src/core/base/yield.js";
import { storeOf } from "../../../../src/engine/open-daybook.js";
import type { InsightName } from "../../../support/random/insight-queries.js";
import { signalOf } from "../../../engine/counted-signal.js";
import { HeldReads } from "../../../oracle/held-reads.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { checkAsOf, newestOf } from "./as-of-case.js";

const names: readonly InsightName[] = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"];

test("As of a sequence each insight answers what the oracle answers of all that had come by then.", async () => {
  for (let index = 0; index < caseCount(3, 100); index += 1) await checkAsOf(baseSeed + index, names);
}, 240_000);

const NOW = Date.UTC(2026, 2, 31);
const HOUR_MS = 3_600_000;

/** Events of one day, some of other days; each by somebody of its own. */
function eventsOf(first: number, count: number): EventInput[] {
  return Array.from({ length: count }, (_, at) => ({ name: "a", userId: `u${first + at}`, createdAt: NOW - HOUR_MS * (1 + ((first + at) % 48)) }));
}

function openHere(storage = Object.assign(memoryStorage(), { volatile: false })): Promise<Daybook> {
  return openDaybook({ storage, durability: "os", clock: fixedClock(NOW) });
}

/** How many people there were. */
async function peopleAsOf(daybook: Daybook, asOf: StickinessInput["asOf"], rest: StickinessInput = {}): Promise<number> {
  const { buckets } = await daybook.stickiness({ interval: "total", asOf, ...rest });
  return buckets[0]?.entities ?? 0;
}

async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId }, regulation: "gdpr" });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

function planIs(value: string): StickinessInput {
  return { filterGroups: [{ filters: [{ fieldName: "person.plan", operator: "equals", value }] }] };
}

describe("As of a sequence", () => {
  test("within a batch events count in their order, before and after they are sealed and merged", async () => {
    await using daybook = await openHere();
    for (let batch = 0; batch < 6; batch += 1) {
      await daybook.ingest(eventsOf(batch * 10, 10));
      if (batch > 0) await daybook.seal();
    }
    await daybook.seal();
    expect((await daybook.stats()).segmentCount).toBeLessThan(12);
    for (const count of [0, 1, 9, 10, 11, 37, 59, 60]) expect(await peopleAsOf(daybook, count)).toBe(count);
    await daybook.ingest(eventsOf(60, 3));
    for (const count of [59, 61, 63]) expect(await peopleAsOf(daybook, count)).toBe(count);
    expect(await newestOf(daybook)).toBe(63);
  });

  test("within a batch records count in their order, also after a restart", async () => {
    const storage = Object.assign(memoryStorage(), { volatile: false });
    const pros = (daybook: Daybook) => Promise.all([5, 6, 7, 8].map((asOf) => peopleAsOf(daybook, asOf, planIs("pro"))));
    const first = await openHere(storage);
    await first.ingest(eventsOf(0, 5));
    await first.ingestRecords([0, 1, 2].map((user) => ({ type: "identify", userId: `u${user}`, traits: { plan: "pro" } })));
    expect(await pros(first)).toEqual([0, 1, 2, 3]);
    const copy = Object.assign(memoryStorage(), { volatile: false });
    for (const key of await storage.list("")) await copy.write(key, (await storage.read(key)) ?? expect.unreachable(key));
    await using fromJournal = await openHere(copy);
    expect(await pros(fromJournal)).toEqual([0, 1, 2, 3]);
    await first.close();
    await using fromFile = await openHere(storage);
    expect(await pros(fromFile)).toEqual([0, 1, 2, 3]);
  });

  test("who is who is what was known then: links, what was taken back since, companies, traits and emails", async () => {
    await using daybook = await openHere();
    await daybook.ingest([
      { name: "a", userId: "ann", createdAt: NOW - HOUR_MS },
      { name: "a", anonymousId: "device", createdAt: NOW - HOUR_MS },
    ]);
    const events = await newestOf(daybook);
    await daybook.identify({ userId: "ann", traits: { plan: "free" } });
    const free = await newestOf(daybook);
    const { linkId } = await daybook.identify({ userId: "ann", anonymousId: "device", traits: { plan: "pro" }, email: "ann@x.example" });
    const linked = await newestOf(daybook);
    await daybook.seal();
    await daybook.group({ userId: "ann", companyId: "acme" });
    const grouped = await newestOf(daybook);
    await daybook.unlink(linkId);
    const inAcme: StickinessInput = { filterGroups: [{ filters: [{ fieldName: "company_id", operator: "equals", value: "acme" }] }] };
    const figures = async (asOf: number | "latest") => [
      await peopleAsOf(daybook, asOf), await peopleAsOf(daybook, asOf, planIs("free")), await peopleAsOf(daybook, asOf, planIs("pro")), await peopleAsOf(daybook, asOf, inAcme),
    ];
    expect(await figures(events)).toEqual([2, 0, 0, 0]);
    expect(await figures(free)).toEqual([2, 1, 0, 0]);
    expect(await figures(linked)).toEqual([1, 0, 1, 0]);
    expect(await figures(grouped)).toEqual([1, 0, 1, 1]);
    expect(await figures("latest")).toEqual([2, 1, 0, 1]);
    expect([events, free, linked, grouped, await newestOf(daybook)]).toEqual([2, 3, 4, 5, 6]);
  });

  test("the erased stay erased, and what others did keeps its sequences", async () => {
    await using daybook = await openHere();
    await daybook.ingest([...eventsOf(0, 4), { name: "a", userId: "gone", createdAt: NOW - HOUR_MS }]);
    await daybook.identify({ userId: "u0", traits: { plan: "pro" } });
    await daybook.identify({ userId: "gone", anonymousId: "device" });
    await daybook.identify({ userId: "u1", traits: { plan: "pro" } });
    expect([await peopleAsOf(daybook, 5), await newestOf(daybook)]).toEqual([5, 8]);
    await erase(daybook, "gone");
    const ofPros = planIs("pro");
    expect(await peopleAsOf(daybook, 5)).toBe(4);
    expect([await peopleAsOf(daybook, 5, ofPros), await peopleAsOf(daybook, 7, ofPros), await peopleAsOf(daybook, 8, ofPros)]).toEqual([0, 1, 2]);
  });

  test("queries go on beside writers and seals", async () => {
    await using daybook = await openHere();
    await daybook.ingest(eventsOf(0, 40));
    await daybook.seal();
    await daybook.ingest(eventsOf(40, 10));
    const asked = Array.from({ length: 30 }, (_, at) => peopleAsOf(daybook, 30 + (at % 20)));
    await Promise.all([daybook.ingest(eventsOf(50, 10)), daybook.seal(), daybook.identify({ userId: "u0", anonymousId: "other" })]);
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 30 }, (_, at) => 30 + (at % 20)));
    expect(await peopleAsOf(daybook, null)).toBe(60);
  });

  test("queries leave nothing in memory, also those that are stopped", async () => {
    await using daybook = await openHere();
    await daybook.ingest(eventsOf(0, 40));
    await daybook.seal();
    await daybook.ingest(eventsOf(40, 10));
    const { budget } = storeOf(daybook) ?? expect.unreachable("it is of this process");
    const before = budget.byteLength;
    for (const looks of [1, 2, 4, 6, Infinity]) {
      const input = { asOf: 30, breakdown: { fields: ["first_touch.source", "person.plan"] } };
      await Promise.allSettled([daybook.trend(input, { signal: signalOf(looks) }), daybook.sessionsOverview({ asOf: 45 }, { signal: signalOf(looks) })]);
    }
    expect(budget.byteLength).toBe(before);
  });

  test("a definition is the same, and is told beside the sequence", async () => {
    await using daybook = await openHere();
    await daybook.ingest(eventsOf(0, 3));
    const [now, latest, then] = await Promise.all([null, "latest" as const, 2].map((asOf) => daybook.trend({ asOf })));
    expect([now?.asOf, latest?.asOf, then?.asOf]).toEqual([null, 3, 2]);
    expect(new Set([now?.definition, latest?.definition, then?.definition]).size).toBe(1);
    expect((await daybook.explain("trend", { asOf: 2 })).rowCount).toBe(2);
  });

  test("what the store has not come to is refused, and so is what is no sequence", async () => {
    await using daybook = await openHere();
    expect(await peopleAsOf(daybook, 0)).toBe(0);
    await daybook.ingest(eventsOf(0, 2));
    for (const asOf of [3, 1e300, -1, 0.5, NaN, "newest", "2", {}])
      await expect(daybook.trend({ asOf: asOf as number })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "asOf" } });
    await expect(daybook.trend({ asOf: 3 })).rejects.toThrow("up to the newest, which is 2, got 3");
  });

  test("whoever is erased while a query waits is not in its answer", async () => {
    const held = new HeldReads();
    held.isHolding = false;
    const options = { storage: held.storage, clock: fixedClock(NOW) };
    const former = await openDaybook(options);
    // So many that parts of the file are read.
    await former.ingest(Array.from({ length: 5_000 }, (_, at) => ({ name: "a", userId: `u${at}`, createdAt: NOW - HOUR_MS })));
    await former.close();
    await using daybook = await openDaybook(options);
    const store = storeOf(daybook) ?? expect.unreachable("it is of this process");
    const [before] = store.manifest.segments;
    held.isHolding = true;
    const asked = peopleAsOf(daybook, 4_000);
    while (held.waitingCount === 0) await yieldToEventLoop();
    held.isHolding = false;
    const erasing = erase(daybook, "u7");
    while (store.manifest.segments[0]?.key === before?.key) await yieldToEventLoop();
    expect(await held.until(asked, seededRandom(baseSeed))).toBe(3_999);
    await erasing;
  });

  test("a query whose reads fail keeps no file that an erasure replaced", async () => {
    const storage = Object.assign(memoryStorage(), { volatile: false });
    let isFailing = false;
    const read = storage.read.bind(storage);
    storage.read = async (key, range) => {
      if (isFailing && key.startsWith("segments/")) throw new Error("this disk does not read");
      return await read(key, range);
    };
    await using daybook = await openHere(storage);
    await daybook.ingest(Array.from({ length: 5_000 }, (_, at) => ({ name: "a", userId: `u${at}`, createdAt: NOW - HOUR_MS, url: `/${at}` })));
    await daybook.seal();
    isFailing = true;
    await expect(daybook.trend({ asOf: 4_000 })).rejects.toThrow("this disk does not read");
    isFailing = false;
    await erase(daybook, "u7");
    const named = storeOf(daybook)?.manifest.segments.map(({ key }) => key);
    await vi.waitFor(async () => expect(await storage.list("segments/")).toEqual(named));
  });

  test("a query stops by its signal wherever it is", async () => {
    await using daybook = await openHere();
    await daybook.ingest(eventsOf(0, 20));
    await daybook.seal();
    await daybook.ingest(eventsOf(20, 20));
    for (const looks of [1, 2, 3, 5, 8]) await expect(daybook.trend({ asOf: 30 }, { signal: signalOf(looks) })).rejects.toMatchObject({ code: "aborted" });
    expect(await peopleAsOf(daybook, 30)).toBe(30);
  });
});
