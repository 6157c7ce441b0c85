import { expect, test } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { MS_PER_DAY } from "../../../src/core/base/time.js";
import { reports } from "../../../src/query/reports/reports.js";
import { context, thrown } from "./thrown.js";

const range = (startDate: unknown, endDate?: unknown) => reports.countEvents.plan({ startDate, endDate }, context).range;
const march = Date.UTC(2026, 2, 1);
const noon = march + MS_PER_DAY / 2;

test("without dates the range is all of representable time", () => {
  expect(reports.countEvents.plan({}, context).range).toEqual({ fromMs: 0, toMs: LIMITS.instantMaxMs });
  expect(range(null, null)).toEqual({ fromMs: 0, toMs: LIMITS.instantMaxMs });
});

test("one date leaves the other side open", () => {
  expect(range("2026-03-01")).toEqual({ fromMs: march, toMs: LIMITS.instantMaxMs });
  expect(range(null, "2026-03-01")).toEqual({ fromMs: 0, toMs: march + MS_PER_DAY });
});

test.each<[string, unknown, unknown, number, number]>([
  ["a date-only day holds its whole day", "2026-03-01", "2026-03-01", march, march + MS_PER_DAY],
  ["the end day goes through its last millisecond", "2026-03-01", "2026-03-03", march, march + 3 * MS_PER_DAY],
  ["a timestamp is inclusive on both sides", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", noon, noon + 1],
  ["digits below the millisecond are cut off", "2026-03-01T12:00:00.0009Z", "2026-03-01T12:00:00.0019Z", noon, noon + 2],
  ["an offset is applied", "2026-03-01T14:00:00+02:00", "2026-03-01T07:00:00-05:00", noon, noon + 1],
  ["a Date is an instant", new Date(march), new Date(noon), march, noon + 1],
  ["a timestamp may lie within the end day", "2026-03-01T12:00:00Z", "2026-03-01", noon, march + MS_PER_DAY],
  ["a leap day exists", "2024-02-29", "2024-02-29", Date.UTC(2024, 1, 29), Date.UTC(2024, 2, 1)],
  ["the first day is 1970-01-01", "1970-01-01", "1970-01-01", 0, MS_PER_DAY],
  ["the last day is 9999-12-31", "9999-12-31", "9999-12-31", LIMITS.instantMaxMs - MS_PER_DAY, LIMITS.instantMaxMs],
])("%s", (_, start, end, fromMs, toMs) => {
  expect(range(start, end)).toEqual({ fromMs, toMs });
});

test.each(["", "2026-02-30", "2025-02-29", "2026-13-01", "2026-3-1", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z",
  "1969-12-31", "10000-01-01", "2026-03-01T24:00:00Z", "yesterday", " 2026-03-01", "2026-03-01T12:00Z", "20260301",
  new Date(Number.NaN), new Date(-1), new Date(LIMITS.instantMaxMs)])("%j is an invalid_date on either side", (value) => {
  expect(thrown(() => range(value))).toEqual(["invalid_date", "startDate"]);
  expect(thrown(() => range(null, value))).toEqual(["invalid_date", "endDate"]);
});

test.each([0, 1772323200000, true, {}, ["2026-03-01"]])("%j is of a wrong type for a date", (value) => {
  expect(thrown(() => range(value))).toEqual(["invalid_parameter", "startDate"]);
  expect(thrown(() => range(null, value))).toEqual(["invalid_parameter", "endDate"]);
});

test.each<[unknown, unknown]>([
  ["2026-03-02", "2026-03-01"],
  ["2026-03-01T12:00:00.001Z", "2026-03-01T12:00:00Z"],
  ["2026-03-02T00:00:00Z", "2026-03-01"],
  [new Date(noon), new Date(march)],
])("%j after %j is an invalid_date_range", (start, end) => {
  expect(thrown(() => range(start, end))).toEqual(["invalid_date_range", "startDate"]);
});
