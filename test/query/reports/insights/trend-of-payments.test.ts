import { fixedClock, memoryStorage, openDaybook, type EventInput } from "daybook";
import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { baseSeed, caseCount, nowMs } from "../../../oracle/settings.js";

const HOUR_MS = 3_600_000;
const HOUR_COUNT = 14 * 24;
const NOON_MS = Math.floor(nowMs / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;

/** Whole hours, so that events lie at the bounds of units and ranges too. */
const hourAgo = (count: number) => NOON_MS - count * HOUR_MS;

/** Payments are all events of one name, so that a filter for it finds the same payments by reading rows. */
test("Revenue of all events, which needs no rows, is that of the rows with the only name that payments have.", async () => {
  const historyCount = caseCount(6, 60);
  for (let seed = baseSeed; seed < baseSeed + historyCount; seed += 1) {
    const random = seededRandom(seed);
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs), rates: (from) => (from === "EUR" ? 1.5 : undefined) });
    const event = (): EventInput => ({
      name: random.pick(["Payment", "Payment", "Visit"]),
      userId: "ann",
      project: random.pick(["default", "other"]),
      createdAt: hourAgo(random.below(HOUR_COUNT)),
      externalId: random.pick([null, "A", "B", "C"]),
    });
    const paid = (made: EventInput): EventInput =>
      made.name === "Visit" ? made : { ...made, value: random.between(-9, 99), currency: random.pick([null, "EUR", "CHF"]) };
    for (let batch = 0; batch < 3; batch += 1) {
      await daybook.ingest(Array.from({ length: random.below(40) }, () => paid(event())));
      if (random.chance(0.5)) await daybook.seal();
      const [first, last] = [random.below(HOUR_COUNT), random.below(HOUR_COUNT)].sort((a, b) => b - a) as [number, number];
      const query = {
        ...(random.chance(0.5) ? { project: random.pick(["default", "other", "none"]) } : {}),
        ...(random.chance(0.5) ? { startDate: new Date(hourAgo(first)), endDate: new Date(hourAgo(last) - random.below(2)) } : {}),
        timeZone: random.pick(["UTC", "America/New_York"]),
        interval: random.pick(["hour", "day", "week", "month", "total"] as const),
        cumulative: random.chance(0.3),
        fill: random.chance(0.5),
        measure: { type: "revenue" as const },
      };
      const [ofAll, ofRows] = [await daybook.trend(query), await daybook.trend({ ...query, eventName: "Payment" })];
      expect([seed, batch, { ...ofAll, definition: "" }]).toEqual([seed, batch, { ...ofRows, definition: "" }]);
    }
  }
});

test("explain says that a trend of all revenue depends on all rows", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 2, 10)) });
  await daybook.ingest([1, 2, 3].map((value) => ({ name: "Payment", userId: "ann", value, createdAt: Date.UTC(2026, 2, value) })));
  const { segments, rowCount } = await daybook.explain("trend", { measure: { type: "revenue" }, startDate: "2026-03-01", endDate: "2026-03-09" });
  expect([segments.map(({ access }) => access), rowCount]).toEqual([["all", "all", "all"], 3]);
});

test("A range ends before the midnight after its last day.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 2, 20)) });
  const midnights = [2, 3, 4].map((day) => Date.UTC(2026, 2, day));
  await daybook.ingest(midnights.map((createdAt, at) => ({ name: "Payment", userId: "ann", value: 10 ** at, createdAt })));
  const { series } = await daybook.trend({ measure: { type: "revenue" }, startDate: "2026-03-02", endDate: "2026-03-03" });
  expect(series[0]).toMatchObject({ data: [1, 10], total: 11 });
});
