import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays, dayCount, dayIn, endOfDay, isDay, isZone, startOfDay } from "../../src/page/state/period.js";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut"];
const day = fc.date({ min: new Date("1990-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));

test("a day begins with its first instant in the zone, also where midnight is skipped, and ends before the next", () => {
  const holds = (zone: string, date: string) => {
    const start = Date.parse(startOfDay(date, zone));
    expect(dayIn(zone, start)).toBe(date);
    expect(dayIn(zone, start - 1) < date).toBe(true);
    expect(Date.parse(endOfDay(date, zone)) + 1).toBe(Date.parse(startOfDay(addDays(date, 1), zone)));
  };
  fc.assert(fc.property(fc.constantFrom(...ZONES), day, holds), { numRuns: 300 });
  holds("America/Sao_Paulo", "2018-11-04");
  holds("Asia/Beirut", "2021-03-28");
  expect(startOfDay("2026-03-29", "Europe/Berlin")).toBe("2026-03-28T23:00:00.000Z");
});

test("days and zones are told from what only looks like them", () => {
  expect(["2026-02-28", "2026-02-29", "2024-02-29", "1969-12-31", "2026-3-1", "", "2026-03-01T00:00"].filter(isDay)).toEqual([
    "2026-02-28",
    "2024-02-29",
  ]);
  expect(["UTC", "Europe/Berlin", "+01:00", "", "Nowhere"].filter(isZone)).toEqual(["UTC", "Europe/Berlin"]);
  expect(dayCount("2026-02-28", "2026-03-01")).toBe(2);
});
