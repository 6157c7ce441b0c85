// Tests of code that stores events. Each test has its own store in memory, and a fixed clock.
import { fixedClock, memoryStorage, openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { afterEach, beforeEach, expect, test } from "vitest";

async function signUp(analytics: Daybook, user: string, createdAt?: string): Promise<void> {
  await analytics.ingest([{ name: "signup", userId: user, createdAt }]);
}

let analytics: Daybook;
beforeEach(async () => {
  analytics = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.parse("2026-03-01T09:00:00Z")), futureEvents: "keep" });
});
afterEach(() => analytics.close());

test("a signup is counted on its day", async () => {
  await signUp(analytics, "ada");
  expect(await analytics.countEventsPerDay({ eventName: "signup" })).toEqual([{ day: "2026-03-01T00:00:00.000Z", count: 1 }]);
});

test("signups are counted on their own days", async () => {
  for (const day of ["01", "02", "08"]) await signUp(analytics, `user ${day}`, `2026-03-${day}T12:00:00Z`);
  expect((await analytics.countEventsPerDay()).map(({ day }) => day.slice(0, 10))).toEqual(["2026-03-01", "2026-03-02", "2026-03-08"]);
});

test("a store contains no events of the previous test", async () => {
  expect(await analytics.countEvents()).toBe(0);
});
