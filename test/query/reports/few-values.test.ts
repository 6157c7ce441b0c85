import { memoryStorage, openDaybook, type EventInput } from "daybook";
import { seededRandom } from "daybook/testing";
import { oracle } from "../../support/index.js";
import { expect, test } from "vitest";
import { baseSeed } from "../../oracle/settings.js";

const DAY_COUNT = 6;
const nowMs = Date.UTC(2026, 2, 10);

test("An aggregate of few of many stored values is in order, whatever was asked before and arrives meanwhile.", async () => {
  const random = seededRandom(baseSeed);
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const history: EventInput[] = [];
  const arrive = async (day: number, count: number, userCount: number) => {
    const events = Array.from({ length: count }, () => ({ name: "a", userId: `u${random.below(userCount).toString(36)}`, createdAt: Date.UTC(2026, 2, day) + random.below(86_400_000) }));
    history.push(...events);
    await daybook.ingest(events);
  };
  await arrive(1, 1_500, 1_000);
  await daybook.seal();
  for (let day = 2; day <= DAY_COUNT; day += 1) {
    await arrive(day, 60, day % 2 === 0 ? 1_000 : 100_000);
    if (random.chance(0.5)) await daybook.seal();
    for (const startDate of ["2026-03-02", `2026-03-0${day}`]) {
      const input = { field: "user_id", startDate } as const;
      expect(await daybook.aggregate(input)).toEqual(oracle(history, { nowMs }).aggregate(input));
    }
  }
});
