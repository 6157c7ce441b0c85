import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { UsersOverTime } from "../../../../src/query/reports/trend/trend.js";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 31);

test.each(["events", "unique_users", "sessions"] as const)("%s over more minutes than an answer has are refused, however far events lie apart", async (type) => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await daybook.ingest([
    { name: "a", userId: "ann", createdAt: NOW - 19_000 * DAY_MS },
    { name: "a", userId: "ann", createdAt: NOW - DAY_MS },
  ]);
  await expect(daybook.trend({ measure: { type }, interval: "minute" })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "interval" } });
});

test("as many units as no call has arguments have a first and a last one", async () => {
  const cells = [{ pairs: Float64Array.of(1), counts: Uint32Array.of(1) }];
  const events = new Map(Array.from({ length: 200_000 }, (_, unit) => [unit, cells]));
  // It looks at counts alone.
  const nobody = {} as never;
  expect(await new UsersOverTime(new Map(), events, nobody, nobody).extent()).toEqual({ firstMs: 0, lastMs: 199_999 });
});
