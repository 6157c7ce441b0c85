import { afterEach, expect, test, vi } from "vitest";
import type { Daybook } from "daybook";
import { StretchCache } from "../../src/query/tables/sessions/stretch-cache.js";
import { DAY_COUNT, dayText, events, ninetyDays, openMeasured } from "./ninety-days.js";

const asked = { startDate: dayText(0), endDate: dayText(DAY_COUNT - 1), interval: "day" } as const;

afterEach(() => vi.restoreAllMocks());

/** Asks, and counts the lists of sessions that were looked at: of each day three, for its sums and its pages. */
async function madeBy(daybook: Daybook): Promise<number> {
  let madeCount = 0;
  const { derive } = StretchCache.prototype;
  vi.spyOn(StretchCache.prototype, "derive").mockImplementation(function (this: StretchCache, name, stretch, count, make, byteLength) {
    const counted = () => {
      madeCount += 1;
      return make();
    };
    return derive.call(this, name, stretch, count, counted, byteLength);
  });
  await daybook.sessionsOverview(asked);
  vi.restoreAllMocks();
  return madeCount;
}

test("a sessions overview looks again only at sessions of days at which some changed", async () => {
  const { daybook } = await openMeasured(await ninetyDays());
  expect(await madeBy(daybook)).toBe(DAY_COUNT * 3);
  expect(await madeBy(daybook)).toBe(0);
  const known = events.find(({ createdAt, userId }) => typeof userId === "string" && Number(createdAt) > Date.parse(dayText(30)));
  await daybook.ingest([{ ...known, name: "pageview", id: "late", createdAt: Number(known?.createdAt) + 1 }]);
  const madeCount = await madeBy(daybook);
  // Neighbours of a few sessions are made anew with them.
  expect([madeCount > 0, madeCount <= 5 * 3]).toEqual([true, true]);
  expect(await madeBy(daybook)).toBe(0);
  await daybook.ingest([{ name: "pageview", createdAt: Date.parse(dayText(40)), userId: "nobody before" }]);
  expect(await madeBy(daybook)).toBe(0);
});
