import { expect, test } from "vitest";
import { seededRandom } from "daybook/testing";
import { DaybookError } from "../../../src/base/errors.js";
import type { Interval } from "../../../src/plan/insights/input.js";
import type { Range } from "../../../src/plan/plan.js";
import { comparedRange } from "../../../src/testing/oracle/insights/compare.js";
import { zonedRange } from "../../../src/testing/oracle/insights/range.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";
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

test("the year before has the same local times; 29 February the 28th", () => {
  const yearBefore = { compare: "previous_year" };
  expect(before("2024-02-29", "2024-02-29", yearBefore)).toEqual(["2023-02-28T00:00:00.000Z", "2023-03-01T00:00:00.000Z"]);
  expect(before("2026-03-01", "2026-03-31", { ...yearBefore, interval: "month" })).toEqual(["2025-03-01T00:00:00.000Z", "2025-04-01T00:00:00.000Z"]);
  expect(before("2027-03-28T02:30:00+02:00", "2027-03-28T12:00:00Z", { ...yearBefore, timeZone: "Europe/Berlin" }))
    .toEqual(["2026-03-28T00:30:00.000Z", "2026-03-28T13:00:00.001Z"]);
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
