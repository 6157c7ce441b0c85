// A test of code that stores events: each test has a store of its own, in memory, at a time that stands still.
import { fixedClock, memoryStorage, openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { afterEach, beforeEach, expect, test } from "vitest";

async function signUp(analytics: Daybook, user: string): Promise<void> {
  await analytics.ingest([{ name: "signup", userId: user }]);
}

let analytics: Daybook;
beforeEach(async () => {
  analytics = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.parse("2026-03-01T09:00:00Z")) });
});
afterEach(() => analytics.close());

test("a signup is counted on its day", async () => {
  await signUp(analytics, "ada");
  expect(await analytics.countEventsPerDay({ eventName: "signup" })).toEqual([{ day: "2026-03-01T00:00:00.000Z", count: 1 }]);
});

test("a store knows nothing of the test before", async () => {
  expect(await analytics.countEvents()).toBe(0);
});
