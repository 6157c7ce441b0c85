import { fixedClock, openDaybook, type EventInput, type Storage } from "daybook";
import { expect, test } from "vitest";
import { lastingMemory } from "./objects.js";
import { useLimits } from "../limits.js";

// Values of some events take several frames of the journal, each of which takes a number.
useLimits({ frameValueChars: 40 });

const NOW = Date.UTC(2026, 2, 10, 12);
const event = (at: number, url: string): EventInput => ({ id: `e${at}`, name: "Pageview", createdAt: NOW - at * 1_000, url });

/** Lets some writes to journals pass, waits with the next one until it is told to go on, and lets it fail. */
class FailingJournal {
  passCount = Infinity;
  fail = (): void => undefined;
  #reached = (): void => undefined;
  readonly reached = new Promise<void>((resolve) => (this.#reached = resolve));
  readonly storage: Storage;

  constructor() {
    const storage = lastingMemory();
    this.storage = {
      list: (prefix) => storage.list(prefix),
      read: (key, range) => storage.read(key, range),
      write: (key, bytes, options) => storage.write(key, bytes, options),
      remove: (key) => storage.remove(key),
      sync: (keys) => storage.sync(keys),
      openAppend: async (key) => {
        const file = await storage.openAppend(key);
        return {
          get byteLength() {
            return file.byteLength;
          },
          write: async (bytes) => {
            this.passCount -= 1;
            if (this.passCount >= 0) return await file.write(bytes);
            this.passCount = Infinity;
            const failed = new Promise<void>((resolve) => (this.fail = resolve));
            this.#reached();
            await failed;
            throw new Error("the disk is tired");
          },
          sync: () => file.sync(),
          truncate: (byteLength) => file.truncate(byteLength),
          close: () => file.close(),
        };
      },
    };
  }
}

test.each([1, 2, 3])("A page that was asked for while a commit was under way that failed has a cursor which shows none of the rows that got its numbers, after %i frames.", async (frameCount) => {
  const journal = new FailingJournal();
  await using daybook = await openDaybook({ storage: journal.storage, clock: fixedClock(NOW) });
  await daybook.ingest([event(1, "/"), event(9, "/")]);
  journal.passCount = frameCount;
  const failing = daybook.ingest(Array.from({ length: 6 }, (_, at) => event(20 + at, `/${"x".repeat(20)}${at}`))).catch((error: unknown) => String(error));
  await journal.reached;
  const first = await daybook.searchEvents({ limit: 1 });
  journal.fail();
  expect(await failing).toContain("the disk is tired");
  // Older than the first page, and newer than the store was then: with the numbers that the failed commit had.
  for (let at = 2; at < 8; at += 1) await daybook.ingest([event(at, "/")]);
  const second = await daybook.searchEvents({ limit: 100, cursor: first.cursor });
  expect([...first.events, ...second.events].map(({ id }) => id)).toEqual((await openedThen()).map(({ id }) => id));
});

/** What the store held when it was asked. */
async function openedThen() {
  await using daybook = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
  await daybook.ingest([event(1, "/"), event(9, "/")]);
  return (await daybook.searchEvents({})).events;
}
