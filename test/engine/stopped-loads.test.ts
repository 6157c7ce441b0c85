import { setImmediate } from "node:timers/promises";
import { fixedClock, openDaybook, type Daybook, type EventInput, type QueryOptions } from "daybook";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { Slices } from "../../src/engine/query/scan.js";
import { HeldReads } from "../oracle/held-reads.js";
import { seededRandom } from "daybook/testing";

const NOW = Date.UTC(2026, 2, 10, 12);

/** Asks, says stop once a read waits, and lets later reads go on: this one waits still. */
async function stopsWhileReading(reads: HeldReads, ask: (options: QueryOptions) => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  reads.isHolding = true;
  const stopped = ask({ signal: controller.signal });
  while (reads.waitingCount === 0) await setImmediate();
  controller.abort();
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  reads.isHolding = false;
}

test("A query that waits for what another one began to load is answered, though that one was stopped and the segments became one meanwhile.", async () => {
  const reads = new HeldReads();
  reads.isHolding = false;
  // What is not in use is not kept in memory.
  await using daybook = await openDaybook({ storage: reads.storage, clock: fixedClock(NOW), memoryBudgetBytes: 0 });
  const sealed = async (at: number) => {
    await daybook.ingest([{ name: "visit", userId: `user-${at}`, createdAt: NOW - at } satisfies EventInput]);
    await daybook.seal();
  };
  for (let at = 0; at < 4; at += 1) await sealed(at);
  const ask = (of: Daybook, options?: QueryOptions) => of.ltvCohorts({ project: "default", level: "identity" }, options);
  await stopsWhileReading(reads, (options) => ask(daybook, options));
  await sealed(4);
  expect((await daybook.stats()).segmentCount).toBe(1);
  const { cohorts } = await reads.until(ask(daybook), seededRandom(1));
  expect(cohorts).toMatchObject([{ entities: 5 }]);
});

test.each<[name: string, ask: (daybook: Daybook, options: QueryOptions) => Promise<unknown>]>([
  ["of columns", (daybook, options) => daybook.aggregate({ field: "url" }, options)],
  ["of who did something", (daybook, options) => daybook.countUniqueUsers({}, options)],
])("A query ends where it is stopped, though a read %s never does.", async (_name, ask) => {
  const reads = new HeldReads();
  reads.isHolding = false;
  // What is not in use is not kept in memory.
  const open = () => openDaybook({ storage: reads.storage, clock: fixedClock(NOW), memoryBudgetBytes: 0 });
  const writer = await open();
  await writer.ingest([{ name: "visit", userId: "ann", url: "/", createdAt: NOW }]);
  await writer.close();
  const daybook = await open();
  await stopsWhileReading(reads, (options) => ask(daybook, options));
  reads.letGo(seededRandom(1));
  await daybook.close();
});

test("A query that had the thread for a slice gives others a turn, also where what it waited for was there at once.", async () => {
  const slices = new Slices({ aborted: false });
  const endMs = performance.now() + 2 * LIMITS.sliceMs;
  while (performance.now() < endMs);
  await slices.until(Promise.resolve());
  const others = setImmediate("had a turn");
  await slices.yieldSometimes();
  expect(await Promise.race([others, Promise.resolve("had none")])).toBe("had a turn");
});
