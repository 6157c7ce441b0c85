import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";

const NOW = Date.UTC(2026, 2, 31);

test("What stands under several values that are not shown is in the rest once.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  const seen = (userId: string, tags: readonly string[]) => ({ name: "page", userId, metadata: { tags }, createdAt: NOW - 3_600_000 });
  // a: ann, bob, cat. b and c, which are not shown: ann, under both.
  await daybook.ingest([seen("ann", ["a", "b", "c"]), seen("bob", ["a"]), seen("cat", ["a"])]);
  const breakdown = { fields: ["metadata.tags"], limit: 1, rest: true };
  const trend = await daybook.trend({ breakdown, interval: "total" });
  expect([trend.series.map(({ values, total }) => [values, total]), trend.rest?.total, trend.valueCount]).toEqual([[[["a"], 3]], 1, 3]);
  const sessions = await daybook.sessionsOverview({ breakdown });
  expect([sessions.rows?.map(({ figures }) => figures.sessions), sessions.rest?.sessions]).toEqual([[3], 1]);
  const retention = await daybook.retention({ breakdown, startDate: "2026-03-30", endDate: "2026-03-30" });
  expect([retention.rows?.map(({ size }) => size), retention.rest?.[0]?.of]).toEqual([[3], 1]);
  const funnel = await daybook.funnel({ breakdown, steps: [{ eventName: "page" }, { eventName: "none" }] });
  expect([funnel.rows?.map(({ steps }) => steps[0]?.entities), funnel.rest?.[0]?.entities]).toEqual([[3], 1]);
});
