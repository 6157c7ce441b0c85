import { describe, expect, test } from "vitest";
import { axisOf, unitNumberAt, type TimeCut } from "../../../src/core/calendar/axis.js";
import { zoneOf, type Zone } from "../../../src/core/calendar/zone.js";

const HOUR_MS = 3_600_000;

function zone(name: string): Zone {
  const found = zoneOf(name);
  if (found === null) throw new Error(`there is no zone ${name}`);
  return found;
}

/** Each unit as its name, its start and its length in hours. */
function units(name: string, unit: TimeCut["unit"], from: string, to: string, weekStart = 0): [string, string, number][] {
  const axis = axisOf({ zone: zone(name), unit, weekStart }, Date.parse(from), Date.parse(to), 1_000);
  if (axis === null) throw new Error("too many units");
  return Array.from(axis.bounds.subarray(0, -1), (startMs, at) => [
    axis.nameOf(at),
    new Date(startMs).toISOString().replace(":00.000Z", "Z"),
    ((axis.bounds[at + 1] ?? 0) - startMs) / HOUR_MS,
  ]);
}

describe("days", () => {
  test("have 23 and 25 hours where clocks change.", () => {
    expect(units("Europe/Berlin", "day", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z")).toEqual([
      ["2026-03-28", "2026-03-27T23:00Z", 24],
      ["2026-03-29", "2026-03-28T23:00Z", 23],
      ["2026-03-30", "2026-03-29T22:00Z", 24],
    ]);
    expect(units("Europe/Berlin", "day", "2026-10-25T00:00:00Z", "2026-10-25T00:00:00.001Z")).toEqual([["2026-10-25", "2026-10-24T22:00Z", 25]]);
  });

  test("begin at 01:00 where midnight is skipped.", () => {
    expect(units("America/Havana", "day", "2026-03-08T12:00:00Z", "2026-03-08T13:00:00Z")).toEqual([["2026-03-08", "2026-03-08T05:00Z", 23]]);
  });

  test("do not exist where the zone skipped them.", () => {
    expect(units("Pacific/Apia", "day", "2011-12-29T12:00:00Z", "2011-12-31T00:00:00Z").map(([name, start]) => [name, start])).toEqual([
      ["2011-12-29", "2011-12-29T10:00Z"],
      ["2011-12-31", "2011-12-30T10:00Z"],
    ]);
  });

  test("begin with the first of two midnights, where clocks were put back over it.", () => {
    // St. John's changed at 00:01: the last 59 minutes that show the day before again are of the day that had begun.
    const days = units("America/St_Johns", "day", "2010-11-06T12:00:00Z", "2010-11-07T12:00:00Z");
    expect(days).toEqual([
      ["2010-11-06", "2010-11-06T02:30Z", 24],
      ["2010-11-07", "2010-11-07T02:30Z", 25],
    ]);
    expect(units("America/St_Johns", "day", "2010-11-07T02:45:00Z", "2010-11-07T02:46:00Z")).toEqual(days.slice(1));
  });
});

describe("hours", () => {
  test("that come twice are two, with the offsets that they begin with.", () => {
    expect(units("Europe/Berlin", "hour", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z")).toEqual([
      ["2026-10-25T02:00+02:00", "2026-10-25T00:00Z", 1],
      ["2026-10-25T02:00+01:00", "2026-10-25T01:00Z", 1],
    ]);
  });

  test("that Lord Howe prolongs by half are one, and those that it shortens begin where the clock jumps.", () => {
    expect(units("Australia/Lord_Howe", "hour", "2026-04-04T14:30:00Z", "2026-04-04T15:45:00Z")).toEqual([
      ["2026-04-05T01:00+11:00", "2026-04-04T14:00Z", 1.5],
      ["2026-04-05T02:00+10:30", "2026-04-04T15:30Z", 1],
    ]);
    expect(units("Australia/Lord_Howe", "hour", "2026-10-03T15:00:00Z", "2026-10-03T16:15:00Z")).toEqual([
      ["2026-10-04T01:00+10:30", "2026-10-03T14:30Z", 1],
      ["2026-10-04T02:00+11:00", "2026-10-03T15:30Z", 0.5],
      ["2026-10-04T03:00+11:00", "2026-10-03T16:00Z", 1],
    ]);
  });

  test("name the seconds of an offset that has them.", () => {
    expect(units("Africa/Monrovia", "hour", "1971-06-01T00:00:00Z", "1971-06-01T00:10:00Z")).toEqual([["1971-05-31T23:00-00:44:30", "1971-05-31T23:44:30.000Z", 1]]);
  });
});

describe("longer units", () => {
  test("have their names, and begin on the day that the week begins with.", () => {
    const from = "2026-03-29T12:00:00Z";
    const to = "2026-03-29T13:00:00Z";
    const names = (["week", "month", "quarter", "year"] as const).map((unit) => units("Europe/Berlin", unit, from, to)[0]?.slice(0, 2));
    expect(names).toEqual([["2026-03-23", "2026-03-22T23:00Z"], ["2026-03", "2026-02-28T23:00Z"], ["2026-Q1", "2025-12-31T23:00Z"], ["2026", "2025-12-31T23:00Z"]]);
    expect(units("UTC", "week", from, to, 6)[0]?.[0]).toBe("2026-03-29");
    expect(units("UTC", "week", from, to, 5)[0]?.[0]).toBe("2026-03-28");
  });

  test("are counted from 1970 on, whatever a zone's clocks showed then.", () => {
    expect(units("America/New_York", "day", "1970-01-01T00:00:00Z", "1970-01-01T06:00:00Z").map(([name]) => name)).toEqual(["1969-12-31", "1970-01-01"]);
    expect(units("Pacific/Kiritimati", "year", "9999-12-31T23:00:00Z", "9999-12-31T23:59:59.999Z").map(([name]) => name)).toEqual(["10000"]);
  });

  test("are as many as there may be, or none.", () => {
    const cut = { zone: zone("Asia/Tokyo"), unit: "minute", weekStart: 0 } as const;
    const [fromMs, toMs] = [Date.parse("2026-01-01T00:00:30Z"), Date.parse("2026-01-01T00:10:30Z")];
    expect(axisOf(cut, fromMs, toMs, 11)?.bounds).toHaveLength(12);
    expect(axisOf(cut, fromMs, toMs, 10)).toBeNull();
    expect(axisOf({ ...cut, unit: "day" }, 0, Date.parse("1970-01-11T00:00:00Z"), 10)).toBeNull();
  });
});

test("A unit's number is that of the unit that it lies in.", () => {
  const cut = { zone: zone("Europe/Berlin"), unit: "month", weekStart: 0 } as const;
  expect(unitNumberAt(cut, Date.parse("2026-02-28T22:59:59.999Z")) + 1).toBe(unitNumberAt(cut, Date.parse("2026-02-28T23:00:00Z")));
});
