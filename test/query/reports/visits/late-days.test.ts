import { expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type EventInput } from "../../../../src/index.js";

const event = (id: string, createdAt: string, userId: string): EventInput => ({ id, name: "pageview", createdAt, userId });

const FIRST = [
  event("a", "2024-01-05T23:50:00Z", "u"), event("b", "2024-01-06T00:10:00Z", "u"),
  event("x", "2024-01-03T01:00:00Z", "v"), event("y", "2024-01-12T01:00:00Z", "v"),
];
const LATE = [event("c", "2024-01-03T12:00:00Z", "u"), event("e", "2024-01-12T12:00:00Z", "u")];
const WINDOW = { startDate: "2024-01-01", endDate: "2024-01-31", interval: "total" } as const;

test("A session over midnight is whole when its person gets events on days before and behind it.", async () => {
  const clock = fixedClock(Date.parse("2024-02-01T00:00:00Z"));
  await using daybook = await openDaybook({ storage: memoryStorage(), clock });
  await daybook.ingest(FIRST);
  await daybook.seal();
  expect((await daybook.sessionsOverview(WINDOW)).total).toMatchObject({ sessions: 3, events: 4, bounces: 2 });
  await daybook.ingest(LATE);
  expect((await daybook.sessionsOverview(WINDOW)).total).toMatchObject({ sessions: 5, events: 6, bounces: 4 });
});
