// The same under jest, as a module: `npm test` starts it with --experimental-vm-modules.
import { fixedClock, memoryStorage, openDaybook } from "daybook";

async function signUp(analytics, user) {
  await analytics.ingest([{ name: "signup", userId: user }]);
}

let analytics;
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
