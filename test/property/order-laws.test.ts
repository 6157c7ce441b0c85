import { memoryStorage, type Daybook, type EventInput, type EventRecord, type SearchEventsPage, type Storage } from "daybook";
import fc from "fast-check";
import { expect, test } from "vitest";
import { allPages } from "../oracle/answers.js";
import { event, history, scope } from "./arbitraries.js";
import { allAnswers, holds, openAt, withEvents } from "./law.js";
import { lastingMemory } from "../store/objects.js";

/** The same events in another order, some of them twice, cut into batches; `seal` after a batch where true. */
interface Arrival {
  readonly order: readonly number[];
  readonly repeats: readonly number[];
  readonly batchSizes: readonly number[];
  readonly seals: readonly boolean[];
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
  order: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
  repeats: fc.array(fc.nat(), { maxLength: 10 }),
  batchSizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
  seals: fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
});

async function ingestAs(daybook: Daybook, events: readonly EventInput[], { order, repeats, batchSizes, seals }: Arrival) {
  const ranked = events.map((one, index) => ({ one, rank: order[index] ?? 0 })).sort((a, b) => a.rank - b.rank);
  const queue = [...ranked.map(({ one }) => one), ...repeats.flatMap((index) => events[index % Math.max(1, events.length)] ?? [])];
  for (let batch = 0; queue.length > 0; batch += 1) {
    await daybook.ingest(queue.splice(0, batchSizes[batch % batchSizes.length]));
    if (seals[batch % seals.length] === true) await daybook.seal();
  }
}

test("Law 5: order, batches and repetition of the input never change an answer.", () =>
  holds([history, arrival], async (events, how) => {
    const [plain, shuffled] = [await openAt(memoryStorage()), await openAt(memoryStorage())];
    await plain.ingest(events);
    await ingestAs(shuffled, events, how);
    expect(await allAnswers(shuffled)).toBe(await allAnswers(plain));
    await Promise.all([plain.close(), shuffled.close()]);
  }, 80));

test("Law 9: the union of the pages is one big page.", () =>
  holds([history, fc.boolean(), scope, fc.integer({ min: 1, max: 9 })], (events, sealed, within, limit) =>
    withEvents(events, sealed, async (daybook) => {
      const { events: onePage, cursor } = await daybook.searchEvents({ ...within, limit: 1_000 });
      expect(cursor).toBeNull();
      expect(await allPages(daybook, within, limit)).toEqual(onePage);
    }),
  ));

test("Law 9 over restarts: a cursor goes on in the next process, whatever was sealed in between.", () =>
  holds([history, scope, fc.integer({ min: 1, max: 9 })], async (events, within, limit) => {
    const storage = memoryStorage();
    let daybook = await openAt(storage);
    await daybook.ingest(events);
    const expected = await allPages(daybook, within, 1_000);
    const seen: EventRecord[] = [];
    let cursor: string | null = null;
    do {
      const found: SearchEventsPage = await daybook.searchEvents({ ...within, cursor, limit });
      seen.push(...found.events);
      cursor = seen.length > expected.length ? null : found.cursor;
      await daybook.close();
      daybook = await openAt(storage);
    } while (cursor !== null);
    await daybook.close();
    expect(seen).toEqual(expected);
  }, 60));

// Links are always the newest, so events that arrive between pages must bring none.
const laterEvents = fc.array(event.map((one) => ({ ...one, anonymousId: null })), { maxLength: 20 });

test("Law 9 under concurrent ingest: pages show what was there at the first, whatever arrives between them.", () =>
  holds(
    [history, laterEvents, fc.boolean(), scope, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 })],
    (events, later, sealed, within, limits) =>
      withEvents(events, sealed, async (daybook) => {
        const expected = await allPages(daybook, within, 1_000);
        const seen: EventRecord[] = [];
        const arriving = [...later];
        let cursor: string | null = null;
        for (let page = 0; page === 0 || cursor !== null; page += 1) {
          const ingesting: Promise<unknown> = page === 0 ? Promise.resolve() : daybook.ingest(arriving.splice(0, 3));
          const found: SearchEventsPage = await daybook.searchEvents({ ...within, cursor, limit: limits[page % limits.length] ?? 1 });
          await ingesting;
          if (sealed) await daybook.seal();
          seen.push(...found.events);
          cursor = seen.length > expected.length ? null : found.cursor;
        }
        expect(seen).toEqual(expected);
      }),
  ));

test("Law 16: sealing, a restart and a replay of the journal change nothing.", () =>
  holds([history, arrival], async (events, how) => {
    const storage = lastingMemory();
    const daybook = await openAt(storage);
    await ingestAs(daybook, events, how);
    const before = await allAnswers(daybook);
    const replayed = await openAt(await copyOf(storage));
    expect(await allAnswers(replayed)).toBe(before);
    await daybook.seal();
    expect(await allAnswers(daybook)).toBe(before);
    await Promise.all([daybook.close(), replayed.close()]);
    const reopened = await openAt(storage);
    expect(await allAnswers(reopened)).toBe(before);
    await reopened.close();
  }, 80));

/** What another process would find had this one stopped dead now. */
async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage();
  for (const key of await storage.list("")) {
    const bytes = await storage.read(key);
    if (bytes !== null) await copy.write(key, bytes.slice());
  }
  return copy;
}

test("What export writes, ingest takes back: the copy answers as the original, in the order of time and id.", () =>
  holds([history, fc.boolean()], (events, sealed) =>
    withEvents(events, sealed, async (daybook) => {
      const exported: EventInput[] = [];
      for await (const one of daybook.exportEvents()) exported.push(one);
      const newestFirst = await allPages(daybook, {}, 1_000);
      expect(exported.map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id).reverse());
      const copy = await openAt(memoryStorage());
      expect((await copy.ingest(exported)).accepted).toBe(events.length);
      expect(await allAnswers(copy)).toBe(await allAnswers(daybook));
      await copy.close();
    }), 80));
