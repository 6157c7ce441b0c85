import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { seededRandom } from "daybook/testing";
import { expect, test, vi } from "vitest";
import { Touches } from "../../../src/query/tables/touches/touches.js";
import { baseSeed } from "../../oracle/settings.js";

const NOW = Date.UTC(2026, 2, 31);
const EVENT_COUNT = 600;

/** Visits of one person from many places, now and then several at once, and what they bought. @param browserOf the browser of a visit; null: none is known */
function visits(browserOf: (at: number) => string | null): EventInput[] {
  const random = seededRandom(baseSeed);
  return Array.from({ length: EVENT_COUNT }, (_, at): EventInput => ({
    id: `visit-${at}`,
    project: "shop",
    name: random.chance(0.2) ? "Payment" : "page",
    userId: "ann",
    anonymousId: browserOf(at),
    createdAt: NOW - 20 * 86_400_000 + random.below(400) * 3_600_000,
    url: random.chance(0.6) ? `https://shop.example/?utm_source=s${random.below(7)}&utm_campaign=c${random.below(3)}` : "https://shop.example/",
    ...(random.chance(0.2) ? { value: 1 + random.below(9), currency: "EUR", externalId: `order-${at}` } : {}),
  }));
}

async function answersOf(events: readonly EventInput[]) {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), currency: "EUR" });
  await daybook.ingest(events);
  return await Promise.all(queries.map((ask) => ask(daybook)));
}

const queries: readonly ((daybook: Daybook) => Promise<unknown>)[] = [
  ...(["first_touch", "last_touch"] as const).map((model) => (daybook: Daybook) => daybook.revenueByAttribution({ project: "shop", model, level: "identity", dimension: "source", startDate: "2026-03-01" })),
  ...(["first_touch", "last_touch"] as const).flatMap((model) => ["source", "campaign"].map((dimension) => (daybook: Daybook) => daybook.trend({ breakdown: { fields: [`${model}.${dimension}`] }, interval: "day" }))),
];

test("A visit of somebody with hundreds of ids is owed to whom it would be owed if they had one; each list of touches is looked up once.", async () => {
  const one = await answersOf(visits(() => null));
  const lookUps = vi.spyOn(Touches.prototype, "placesOf");
  const many = await answersOf(visits((at) => `browser-${at}`));
  expect(many).toEqual(one);
  // Of each query at most once for each id, and not for each event.
  expect(lookUps.mock.calls.length).toBeLessThan(queries.length * (EVENT_COUNT + 1) * 3);
  expect(lookUps.mock.calls.length).toBeGreaterThan(EVENT_COUNT);
  lookUps.mockRestore();
});
