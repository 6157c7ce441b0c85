import { expect, test } from "vitest";
import { planned, refusal } from "./planned.js";

const refused = ["invalid_parameter", "interval"];

test("10,000 buckets are answered, one more is refused", () => {
  // 27 years with 7 leap days, and 137 days more.
  expect(refusal("trend", { startDate: "1998-10-14", endDate: "2026-02-28" })).toBeNull();
  expect(refusal("trend", { startDate: "1998-10-13", endDate: "2026-02-28" })).toEqual(refused);
  expect(refusal("webOverview", { startDate: "2026-03-01", endDate: "2026-03-07T22:39:59.999Z", interval: "minute" })).toBeNull();
  expect(refusal("webOverview", { startDate: "2026-03-01", endDate: "2026-03-07T22:40:00Z", interval: "minute" })).toEqual(refused);
});

test("units that are cut by the range count as well", () => {
  const endDate = "2027-04-22T15:00:00Z";
  expect(refusal("sessionsOverview", { startDate: "2026-03-01T23:59:59Z", endDate, interval: "hour" })).toEqual(refused);
  expect(refusal("sessionsOverview", { startDate: "2026-03-02T00:00:00Z", endDate: "2027-04-22T15:59:59Z", interval: "hour" })).toBeNull();
});

test.each(["trend", "funnel", "retention", "lifecycle"] as const)("%s is refused before anything is looked at", (report) => {
  expect(refusal(report, { startDate: "1970-01-01", endDate: "2026-03-01", interval: "day" })).toEqual(refused);
});

test("open sides are left to the data, and so is what has one bucket or none", () => {
  expect(planned("trend", { startDate: "1970-01-01" }).isOpen.end).toBe(true);
  expect(planned("trend", { startDate: "1970-01-01", endDate: "9999-12-31", interval: "total" }).interval).toBe("total");
  expect(planned("funnel", { startDate: "1970-01-01", endDate: "9999-12-31" }).interval).toBeNull();
  expect(planned("stickiness", { startDate: "1970-01-01", endDate: "9999-12-31", interval: "year" }).interval).toBe("year");
});

test("what is compared with is counted by itself", () => {
  const dates = { startDate: "2000-01-01T12:00:00Z", endDate: "2013-09-11T12:00:00Z", interval: "day" };
  expect(refusal("trend", { ...dates, compare: "previous_period" })).toBeNull();
});

test("the minutes of thousands of years are refused without counting them", () => {
  for (const timeZone of ["UTC", "Europe/Berlin", "Australia/Lord_Howe"])
    expect(refusal("trend", { startDate: "1970-01-01", endDate: "9999-12-31", interval: "minute", timeZone })).toEqual(refused);
});
