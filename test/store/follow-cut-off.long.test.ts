import type { Storage } from "daybook";
import { expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { expectSame, follow, open, sleep } from "./follow-kit.js";
import { lastingMemory } from "./objects.js";

// Values of some events take several frames of the journal.
useLimits({ frameValueChars: 40 });

const NOW = Date.UTC(2026, 2, 5);
const event = (at: number, url: string) => ({ id: `e${at}`, name: "Pageview", createdAt: NOW - at * 1_000, url });

/** A storage whose journal fails at times, late: after so many writes one is there for some time, whole, and is then said to have failed. */
function failingLate(storage: ReturnType<typeof lastingMemory>) {
  const failing = { passCount: Infinity, afterMs: 0 };
  const writing: Storage = {
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
          const { byteLength } = file;
          failing.passCount -= 1;
          if (failing.passCount >= 0) return await file.write(bytes);
          failing.passCount = Infinity;
          await file.write(bytes);
          await sleep(failing.afterMs);
          await file.truncate(byteLength);
          throw new Error("the disk is tired");
        },
        sync: () => file.sync(),
        truncate: (byteLength) => file.truncate(byteLength),
        close: () => file.close(),
      };
    },
  };
  return { failing, writing };
}

test.each([
  // Without a new value it is one frame.
  ["a commit", () => "/first", 0, 90, 6],
  ["values of a commit that goes on behind them", (text: string) => `/${"x".repeat(30)} ${text}`, 2, 600, 2],
] as const)(
  "What a writer takes back, %s, is never shown: others get its numbers, and its codes.",
  async (_what, urlOf, passCount, afterMs, roundCount) => {
    const storage = lastingMemory();
    const { failing, writing } = failingLate(storage);
    const writer = await open(writing);
    await writer.ingest([event(0, "/first")]);
    const follower = await follow(storage);
    for (let round = 1; round <= roundCount; round += 1) {
      // What was expected last was shown by a look: the next one comes a fifth of a second later.
      await sleep(30 * round);
      Object.assign(failing, { passCount, afterMs });
      let isFailing = true;
      const failed = writer.ingest(Array.from({ length: 4 }, (_, at) => event(round * 100 + at, urlOf(`${round} ${at}`)))).catch((error: unknown) => String(error)).finally(() => (isFailing = false));
      while (isFailing) {
        expect(await follower.countEvents()).toBe(round);
        await sleep(5);
      }
      expect(await failed).toContain("the disk is tired");
      await writer.ingest([event(round, `/of round ${round}`)]);
      await expectSame(follower, writer, `round ${round}`);
    }
  },
);
