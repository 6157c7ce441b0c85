import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test, vi } from "vitest";
import { Missing } from "../../src/derived/missing.js";
import type { Range } from "../../src/plan/plan.js";
import { MemoryBudget } from "../../src/segment/memory-budget.js";
import { SessionTable } from "../../src/table/sessions/session-table.js";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 5);
const daysFrom = (day: number, count: number): Range => ({ fromMs: START_MS + day * DAY_MS, toMs: START_MS + (day + count) * DAY_MS });
const visit = (userId: string, day: number) => ({ name: "pageview", project: "p", userId, createdAt: START_MS + day * DAY_MS });

/** A table over one event at noon of each of 90 days and some more, and how many rows it looks at. */
async function tableOver(more: readonly ReturnType<typeof visit>[]) {
  const at = vi.spyOn(SessionTable.prototype, "at");
  try {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(START_MS + 100 * DAY_MS) });
    await daybook.ingest([...Array.from({ length: 90 }, (_, day) => visit(`user ${day}`, day + 0.5)), ...more]);
    await daybook.sessionsOverview({ project: "p" });
    const [{ source, rule }] = at.mock.contexts as [SessionTable];
    const [[moment]] = at.mock.calls as [Parameters<SessionTable["at"]>];
    const table = new SessionTable(new MemoryBudget(1e9), { readerCount: 0 }, source, rule);
    let rowCount = 0;
    return async (range: Range) => {
      const missing = new Missing();
      rowCount = 0;
      const asked = { ...moment, looked: (count: number) => (rowCount += count) };
      table.at(asked, range, missing);
      await missing.load();
      expect(table.at(asked, range, new Missing())).not.toBeNull();
      return rowCount;
    };
  } finally {
    at.mockRestore();
  }
}

test("Sessions of some days are made of the rows of these days and of two on each side.", async () => {
  const ask = await tableOver([]);
  expect(await ask(daysFrom(40, 3))).toBe(8);
  expect(await ask(daysFrom(41, 1))).toBe(0);
});

test("Of days before, those are looked at over whose midnights somebody goes on.", async () => {
  const overMidnight = [visit("late", 38 - 1 / DAY_MS), visit("late", 38 + 1 / DAY_MS)];
  expect(await (await tableOver(overMidnight))(daysFrom(40, 3))).toBe(8 + 1 + 4);
  const nights = Array.from({ length: 48 * 3 }, (_, at) => visit("never pauses", 35.5 + at / 48));
  expect(await (await tableOver(nights))(daysFrom(40, 3))).toBeGreaterThan(8 + 48 * 3);
});

test("Who asks for more and more days has twice as many made each time.", async () => {
  const ask = await tableOver([]);
  expect(await ask(daysFrom(60, 3))).toBe(8);
  expect(await ask(daysFrom(58, 3))).toBe(8);
  expect(await ask(daysFrom(52, 3))).toBe(0);
  expect(await ask(daysFrom(49, 3))).toBe(16);
  expect(await ask({ fromMs: -Infinity, toMs: Infinity })).toBe(90 - 32);
});
