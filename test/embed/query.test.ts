import { expect, test } from "vitest";
import { placedInput, readDateRange, readQuery } from "../../src/embed/query.js";

const NOW = Date.parse("2026-03-10T23:30:00Z");

function problem(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
}

test("a query is JSON or an object, with the one name that the element draws", () => {
  expect(readQuery('{"trend":{"interval":"day"}}', "trend")).toEqual({ interval: "day" });
  expect(readQuery({ funnel: { steps: [] } }, "funnel")).toEqual({ steps: [] });
  expect(problem(() => readQuery({ trend: {}, funnel: {} }, "trend"))).toBe('invalid_attribute: query: expected {"trend": {…}}, got "trend", "funnel".');
  expect(problem(() => readQuery([1], "trend"))).toBe('invalid_attribute: query: expected {"trend": {…}}, got [1].');
  expect(problem(() => readQuery({ trend: null }, "trend"))).toBe("invalid_attribute: query.trend: expected an object, got null.");
});

test("days end with today in the zone of the query, or of the element", () => {
  const place = { dateRange: null, timeZone: null, nowMs: NOW };
  expect(placedInput({ lastDays: 7 }, place)).toEqual({ startDate: "2026-03-04", endDate: "2026-03-10" });
  expect(placedInput({ lastDays: 1, timeZone: "Europe/Berlin" }, place)).toEqual({ startDate: "2026-03-11", endDate: "2026-03-11", timeZone: "Europe/Berlin" });
  expect(placedInput({ lastDays: 1, timeZone: "Europe/Berlin" }, { ...place, timeZone: "America/New_York" })).toEqual({
    startDate: "2026-03-10",
    endDate: "2026-03-10",
    timeZone: "America/New_York",
  });
  expect(placedInput({ startDate: "2020-01-01", interval: "week" }, place)).toEqual({ startDate: "2020-01-01", interval: "week" });
  expect(placedInput({ lastDays: 7, interval: "week" }, { ...place, dateRange: "2026-03-01" })).toEqual({ startDate: "2026-03-01", endDate: "2026-03-01", interval: "week" });
  expect(problem(() => placedInput({ lastDays: 7, endDate: "2026-03-01" }, place))).toBe("invalid_attribute: query: expected either lastDays or dates, got both.");
});

test.each([
  ["30d", { startDate: "2026-02-09", endDate: "2026-03-10" }],
  [" 2026-03-01..2026-03-31 ", { startDate: "2026-03-01", endDate: "2026-03-31" }],
])("a range may be %j", (text, days) => {
  expect(readDateRange(text, "UTC", NOW)).toEqual(days);
});

test.each(["", "0d", "3661d", "2026-02-30", "2026-03-31..2026-03-01", "2026-03-01..2026-03-02..2026-03-03", "30 days"])("but not %j", (text) => {
  expect(problem(() => readDateRange(text, "UTC", NOW))).toMatch(/^invalid_attribute: date-range: expected/);
});
