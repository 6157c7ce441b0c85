import type { Random } from "daybook/testing";

/** One event of the heavy user: when, and in the how many-th visit. */
export interface HeavyEvent {
  readonly createdAt: number;
  readonly visit: number;
}

export const HEAVY_USER_ID = "heavy-user";

const dayMs = 86_400_000;
const slotCount = 6;
const slotMs = dayMs / slotCount;
const startMsMax = 3_600_000;
const visitEventCountMax = 15;
const pauseMsMax = 300_000;
const eventsPerDailyVisit = 20_000;

/**
 * About 4,300 events in up to six visits a day, fewer in small traffic. A visit begins in the first hour of its four and
 * lasts 75 minutes at most: pauses between visits exceed half an hour, and no session comes near to 24 hours.
 */
export function* heavyEvents(firstMs: number, dayCount: number, eventCount: number, random: Random): Generator<HeavyEvent> {
  const dailyVisitCount = Math.max(1, Math.min(slotCount, Math.floor(eventCount / eventsPerDailyVisit)));
  for (let visit = 0; visit < dayCount * dailyVisitCount; visit += 1) {
    const day = Math.floor(visit / dailyVisitCount);
    let createdAt = firstMs + day * dayMs + (visit % dailyVisitCount) * slotMs + random.below(startMsMax);
    for (let left = 1 + random.below(visitEventCountMax); left > 0; left -= 1) {
      yield { createdAt, visit };
      createdAt += 1 + random.below(pauseMsMax);
    }
  }
}
