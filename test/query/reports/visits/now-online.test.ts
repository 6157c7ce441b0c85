import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";

const NOW = Date.UTC(2026, 2, 10, 12);
const FIVE_MINUTES_MS = 300_000;

test("Online is who has an event at or after five minutes ago, later than now too, whatever is asked.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  const online = async (input: object = {}) => (await daybook.webOverview(input)).nowOnline;
  await daybook.ingest([{ name: "a", userId: "before", createdAt: NOW - FIVE_MINUTES_MS - 1 }, { name: "a", createdAt: NOW }]);
  expect(await online()).toBe(0);
  await daybook.ingest([{ name: "a", userId: "edge", createdAt: NOW - FIVE_MINUTES_MS }]);
  expect(await online()).toBe(1);
  await daybook.ingest([{ name: "a", userId: "now", anonymousId: "d1", createdAt: NOW }, { name: "a", anonymousId: "d1", createdAt: NOW - 1 }, { name: "a", userId: "later", createdAt: NOW + 1_000 }]);
  expect(await online()).toBe(3);
  expect(await online({ eventName: "b", startDate: "2026-01-01", endDate: "2026-01-02", filterGroups: [{ filters: [{ fieldName: "device", operator: "is_set" }] }] })).toBe(3);
  await daybook.seal();
  expect(await online({ project: "default" })).toBe(3);
});
