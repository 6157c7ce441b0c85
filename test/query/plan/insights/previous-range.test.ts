import { expect, test } from "vitest";
import { seededRandom } from "daybook/testing";
import { DaybookError } from "../../../../src/core/base/errors.js";
import type { Interval } from "../../../../src/query/plan/input.js";
import type { Range } from "../../../../src/query/plan/plan.js";
import { comparedRange } from "../../../support/oracle/insights/compare.js";
import { zonedRange } from "../../../support/oracle/insights/range.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { planned, refusal } from "./planned.js";

const before = (startDate: string, endDate: string, rest: object = {}) => {
  const { previous } = planned("trend", { compare: "previous_period", interval: "total", ...rest, startDate, endDate });
  return previous === null ? null : [new Date(previous.fromMs).toISOString(), new Date(previous.toMs).toISOString()];
};

test("whole days are compared with as many days, whatever their length", () => {
  expect(before("2026-03-03", "2026-03-04")).toEqual(["2026-03-01T00:00:00.000Z", "2026-03-03T00:00:00.000Z"]);
  expect(before("2026-03-30", "2026-03-30", { timeZone: "Europe/Berlin" })).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
});

test("whole units are compared with as many of them where the interval is a week or longer", () => {
  expect(before("2026-03-01", "2026-03-31", { interval: "month" })).toEqual(["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
  expect(before("2026-03-01", "2026-03-31", { interval: "week" })).toEqual(["2026-01-29T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
  expect(before("2026-03-01", "2026-03-14", { interval: "week", weekStart: "sunday" })).toEqual(["2026-02-15T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
  expect(before("2026-04-01", "2026-06-30", { interval: "quarter" })).toEqual(["2026-01-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z"]);
  expect(before("2026-03-01", "2026-03-31", { interval: "hour" })).toEqual(["2026-01-29T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
});

test("other ranges are compared with as many ms", () => {
  expect(before("2026-03-01T12:00:00Z", "2026-03-01T12:59:59.999Z")).toEqual(["2026-03-01T11:00:00.000Z", "2026-03-01T12:00:00.000Z"]);
  expect(before("2026-03-01", "2026-03-01T12:00:00Z")).toEqual(["2026-02-28T11:59:59.999Z", "2026-03-01T00:00:00.000Z"]);
});

test("a day that the zone skipped is not counted", () => {
  const timeZone = "Pacific/Apia";
  expect(before("2012-01-01", "2012-01-02", { timeZone })).toEqual([new Date("2011-12-29T00:00-10:00").toISOString(), new Date("2012-01-01T00:00+14:00").toISOString()]);
  expect(before("2011-12-29", "2011-12-31", { timeZone })).toEqual([new Date("2011-12-27T00:00-10:00").toISOString(), new Date("2011-12-29T00:00-10:00").toISOString()]);
});

const yearBefore = (startDate: string, endDate: string, timeZone = "UTC", interval: Interval = "total") =>
  before(startDate, endDate, { compare: "previous_year", timeZone, interval });

test("the year before has the same local times; 29 February the 28th", () => {
  expect(yearBefore("2024-02-29", "2024-02-29")).toEqual(["2023-02-28T00:00:00.000Z", "2023-03-01T00:00:00.000Z"]);
  expect(yearBefore("2025-02-28", "2025-02-28")).toEqual(["2024-02-28T00:00:00.000Z", "2024-02-29T00:00:00.000Z"]);
  expect(yearBefore("2024-02-10", "2024-02-29")).toEqual(["2023-02-10T00:00:00.000Z", "2023-03-01T00:00:00.000Z"]);
  expect(yearBefore("2025-02-10", "2025-02-28")).toEqual(["2024-02-10T00:00:00.000Z", "2024-02-29T00:00:00.000Z"]);
  expect(yearBefore("2026-03-01", "2026-03-31")).toEqual(["2025-03-01T00:00:00.000Z", "2025-04-01T00:00:00.000Z"]);
  expect(yearBefore("2027-03-28T02:30:00+02:00", "2027-03-28T12:00:00Z", "Europe/Berlin")).toEqual(["2026-03-28T00:30:00.000Z", "2026-03-28T13:00:00.001Z"]);
});

test("the year before whole months is the same months as a whole, whatever the interval", () => {
  for (const interval of ["day", "week", "month", "quarter", "year", "total"] as const) {
    expect(yearBefore("2025-02-01", "2025-02-28", "UTC", interval)).toEqual(["2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z"]);
    expect(yearBefore("2024-02-01", "2024-02-29", "UTC", interval)).toEqual(["2023-02-01T00:00:00.000Z", "2023-03-01T00:00:00.000Z"]);
    expect(yearBefore("2025-01-01", "2025-02-28", "Europe/Berlin", interval)).toEqual(["2023-12-31T23:00:00.000Z", "2024-02-29T23:00:00.000Z"]);
    expect(yearBefore("2025-01-01", "2025-12-31", "UTC", interval)).toEqual(["2024-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"]);
  }
});

test("weeks are compared with the weeks before, the 53rd of a year too, and in the year before with the same dates", () => {
  expect(before("2026-12-28", "2027-01-03", { interval: "week" })).toEqual(["2026-12-21T00:00:00.000Z", "2026-12-28T00:00:00.000Z"]);
  expect(before("2027-01-04", "2027-01-10", { interval: "week" })).toEqual(["2026-12-28T00:00:00.000Z", "2027-01-04T00:00:00.000Z"]);
  expect(yearBefore("2026-12-28", "2027-01-03", "UTC", "week")).toEqual(["2025-12-28T00:00:00.000Z", "2026-01-04T00:00:00.000Z"]);
});

test("the year before a day is that whole day, where clocks change at midnight or the zone has no such day", () => {
  // Samoa had no 30 December 2011: there is nothing to compare with that day alone, and of two days one.
  expect(refusal("trend", { startDate: "2012-12-30", endDate: "2012-12-30", timeZone: "Pacific/Apia", compare: "previous_year" })).toEqual(["invalid_parameter", "compare"]);
  expect(yearBefore("2012-12-29", "2012-12-30", "Pacific/Apia")).toEqual(["2011-12-29T10:00:00.000Z", "2011-12-30T10:00:00.000Z"]);
  expect(yearBefore("2012-12-30", "2012-12-31", "Pacific/Apia")).toEqual(["2011-12-30T10:00:00.000Z", "2011-12-31T10:00:00.000Z"]);
  expect(yearBefore("1994-08-20", "1994-08-22", "Pacific/Kwajalein")).toEqual(["1993-08-20T12:00:00.000Z", "1993-08-22T12:00:00.000Z"]);
  // Beirut's 27 March 2022 begins at 01:00; a year before it began at midnight, and a year later too.
  expect(yearBefore("2022-03-27", "2022-03-27", "Asia/Beirut")).toEqual(["2021-03-26T22:00:00.000Z", "2021-03-27T22:00:00.000Z"]);
  expect(yearBefore("2023-03-27", "2023-03-27", "Asia/Beirut")).toEqual(["2022-03-26T22:00:00.000Z", "2022-03-27T21:00:00.000Z"]);
  // Its 29 October 2022 has 25 hours: at midnight clocks show 23:00 again.
  expect(yearBefore("2023-10-29", "2023-10-29", "Asia/Beirut")).toEqual(["2022-10-28T21:00:00.000Z", "2022-10-29T22:00:00.000Z"]);
});

test("the year before of hours ends where they end: a skipped hour is nothing, and one that came twice is whole", () => {
  const [start, end] = ["2026-03-30T02:10:00+02:00", "2026-03-30T02:49:59.999+02:00"];
  expect(refusal("trend", { startDate: start, endDate: end, timeZone: "Europe/Berlin", compare: "previous_year" })).toEqual(["invalid_parameter", "compare"]);
  expect(yearBefore("2026-10-26T00:00:00+01:00", "2026-10-26T02:59:59.999+01:00", "Europe/Berlin")).toEqual(["2025-10-25T22:00:00.000Z", "2025-10-26T02:00:00.000Z"]);
});

test("what lies before 1970 is not compared with, in no time at all for thousands of years", () => {
  const refused = ["invalid_parameter", "compare"];
  expect(refusal("trend", { startDate: "1970-01-02", endDate: "1970-01-03", compare: "previous_period" })).toEqual(refused);
  expect(refusal("trend", { startDate: "1970-12-31", endDate: "1970-12-31", compare: "previous_year" })).toEqual(refused);
  expect(before("5985-01-01", "9998-12-31", { timeZone: "Europe/Berlin" })?.[1]).toBe("5984-12-31T23:00:00.000Z");
});

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Pacific/Kiritimati", "Australia/Lord_Howe", "Africa/Cairo", "America/Sao_Paulo", "Asia/Kathmandu", "Asia/Beirut"];
const anchors = ["2026-03-29", "2026-10-25", "2024-02-29", "2011-12-30", "2011-12-31", "1995-01-01", "2018-11-04", "2026-01-01", "2021-03-28"];
const intervals = ["minute", "hour", "day", "week", "month", "quarter", "year", "total"] as const satisfies readonly Interval[];

/** Null where there is none. */
function range(run: () => Range | null): Range | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof DaybookError) return null;
    throw error;
  }
}

test("it is the oracle's, in zones that skip hours, midnights and days", () => {
  let comparedCount = 0;
  for (let at = 0; at < caseCount(100, 3_000); at += 1) {
    const random = seededRandom(baseSeed + at);
    const date = (addMs: number) => new Date(Date.parse(random.pick(anchors)) + addMs).toISOString().slice(0, random.chance(0.8) ? 10 : undefined);
    const DAY_MS = 86_400_000;
    const [timeZone, interval, compare] = [random.pick(zones), random.pick(intervals), random.pick(["previous_period", "previous_period", "previous_year"] as const)];
    const startDate = date(random.between(-3, 3) * DAY_MS);
    const endDate = new Date(Date.parse(startDate) + random.pick([0, 1, 2, 6, 13, 27, 30, 89, 364, 365]) * DAY_MS).toISOString().slice(0, random.chance(0.8) ? 10 : undefined);
    const calendar = { timeZone, weekStart: "monday" } as const;
    const expected = range(() => comparedRange(calendar, interval, zonedRange({ startDate, endDate }, timeZone), compare));
    // The overview has no bound on buckets where it has no chart, and then days are what is compared.
    const input = { startDate, endDate, timeZone, compare };
    const given = range(() => interval === "minute" || interval === "hour" ? planned("webOverview", input).previous : planned("trend", { ...input, interval }).previous);
    expect(given, `With the seed ${baseSeed + at}: ${JSON.stringify({ ...input, interval })}`).toEqual(expected);
    comparedCount += expected === null ? 0 : 1;
  }
  expect(comparedCount).toBeGreaterThan(0);
});
