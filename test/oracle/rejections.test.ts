import { fixedClock, memoryStorage, openDaybook, type EventInput } from "daybook";
import { oracle } from "../support/index.js";
import { expect, test } from "vitest";
import { allPages } from "./answers.js";
import { brokenMembers } from "../support/random/hostile-history.js";
import { nowMs } from "./settings.js";

const good = (index: number): EventInput => ({ id: `good ${index}`, name: "e", createdAt: new Date(index) });

test.each(Object.entries(brokenMembers))("An event with %s is rejected by its index, and its batch is stored.", async (_, members) => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  const batch = [good(0), { ...good(1), ...members } as EventInput, good(2)];
  const { accepted, duplicates, rejected } = await daybook.ingest(batch);
  expect([accepted, duplicates]).toEqual([2, 0]);
  expect(rejected).toEqual([{ index: 1, code: "invalid_event", message: expect.stringMatching(/./) as string }]);
  expect(await allPages(daybook, {}, 1)).toEqual(oracle(batch, { nowMs }).searchEvents());
});

test("Events without an id are all kept, each under an id of its own.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  const batch: EventInput[] = [{ name: "e" }, { name: "e", id: null }, { name: "e", id: "" }];
  expect(await daybook.ingest(batch)).toEqual({ accepted: 3, duplicates: 0, rejected: [], adjusted: [] });
  const found = await allPages(daybook, {}, 10);
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
  expect(found.map(({ createdAt }) => createdAt)).toEqual(Array(3).fill(new Date(nowMs).toISOString()));
  for (const { id } of found) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
