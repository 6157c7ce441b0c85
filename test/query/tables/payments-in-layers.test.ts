import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { expect, test } from "vitest";

const NOW = Date.UTC(2026, 2, 10, 12);
const project = "default";

/** What orders of three keys brought, layer by layer: later layers have earlier payments, duplicates, refunds and payments without an order. */
const layers: readonly (readonly EventInput[])[] = [
  [pay("a", 10, 50), pay("b", 20, 50), pay(null, 1, 50)],
  [pay("a", 100, 60), pay("c", 40, 30), pay("b", 200, 40), pay(null, 2, 50)],
  [pay("a", 1_000, 55), refund("b", 5, 10), pay("c", 400, 31), pay(null, 4, 50)],
  [pay("a", 10_000, 70), refund("b", 50, 20), pay(null, 8, 50)],
];

function pay(externalId: string | null, value: number, minutesAgo: number): EventInput {
  return { name: "Payment", userId: "ann", value, externalId, createdAt: NOW - minutesAgo * 60_000 };
}

function refund(externalId: string, value: number, minutesAgo: number): EventInput {
  return { ...pay(externalId, value, minutesAgo), name: "Refund" };
}

/** Of each order the earliest payment counts, and every refund; of what has no order, all. By number of layers. */
const sums = [0, 31, 163, 522, 10_380];

async function revenue(daybook: Daybook): Promise<number[]> {
  const [cohort] = (await daybook.ltvCohorts({ project, level: "identity" })).cohorts;
  const rows = (await daybook.revenueByAttribution({ project, startDate: "2026-01-01", endDate: "2026-12-31" })).rows;
  const profile = await daybook.identityProfile({ userId: "ann", startDate: "2026-01-01", endDate: "2026-12-31" });
  return [cohort?.revenue ?? 0, rows.reduce((sum, row) => sum + row.revenue, 0), profile.revenue];
}

/** How many of the layers lie in segments; the rest lie in a head. */
test.each([0, 1, 2, 3, 4])("Payments of four layers, %i of them segments, count once for each order, the earliest first, and refunds all, asked after each layer or in the end.", async (sealedCount) => {
  await using asked = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await using late = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  for (const [at, layer] of layers.entries()) {
    for (const daybook of [asked, late]) {
      await daybook.ingest(layer);
      if (at < sealedCount) await daybook.seal();
    }
    expect(await revenue(asked)).toEqual([sums[at + 1], sums[at + 1], sums[at + 1]]);
  }
  expect((await asked.stats()).segmentCount).toBe(sealedCount);
  expect(await revenue(late)).toEqual([10_380, 10_380, 10_380]);
});
