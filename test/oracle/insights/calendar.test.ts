import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { unitAt, unitBefore, type Calendar } from "../../support/oracle/insights/calendar.js";
import { localMs, offsetMs } from "../../support/oracle/insights/zone.js";
import type { CalendarUnit, WeekDay } from "../../../src/query/plan/input.js";

const calendarOf = (timeZone: string, weekStart: WeekDay = "monday"): Calendar => ({ timeZone, weekStart });
const at = (timeZone: string, unit: CalendarUnit, time: string, weekStart: WeekDay = "monday") => {
  const { startMs, endMs, local } = unitAt(calendarOf(timeZone, weekStart), unit, Date.parse(time));
  return [new Date(startMs).toISOString(), new Date(endMs).toISOString(), local];
};

test("A day lasts 23, 24 or 25 hours.", () => {
  expect(at("Europe/Berlin", "day", "2026-03-29T12:00Z")).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z", "2026-03-29"]);
  expect(at("Europe/Berlin", "day", "2026-10-24T22:00Z")).toEqual(["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z", "2026-10-25"]);
  expect(at("UTC", "day", "2026-03-29T23:59:59.999Z")).toEqual(["2026-03-29T00:00:00.000Z", "2026-03-30T00:00:00.000Z", "2026-03-29"]);
});

test("Where midnight is skipped, a day starts at one o'clock.", () => {
  expect(at("America/Sao_Paulo", "day", "2017-10-15T03:00Z")).toEqual(["2017-10-15T03:00:00.000Z", "2017-10-16T02:00:00.000Z", "2017-10-15"]);
  expect(localMs("America/Sao_Paulo", Date.parse("2017-10-15T03:00Z"))).toBe(Date.UTC(2017, 9, 15, 1));
  expect(at("America/Sao_Paulo", "day", "2017-10-15T02:59:59.999Z")[2]).toBe("2017-10-14");
});

test("A clock that is set back over midnight does not return to the day before; its hours come again.", () => {
  expect(at("America/St_Johns", "day", "2006-10-29T02:45Z")).toEqual(["2006-10-29T02:30:00.000Z", "2006-10-30T03:30:00.000Z", "2006-10-29"]);
  expect(["01:30", "02:30", "02:31", "03:30"].map((time) => at("America/St_Johns", "hour", `2006-10-29T${time}Z`))).toEqual([
    ["2006-10-29T01:30:00.000Z", "2006-10-29T02:30:00.000Z", "2006-10-28T23:00-02:30"],
    ["2006-10-29T02:30:00.000Z", "2006-10-29T02:31:00.000Z", "2006-10-29T00:00-02:30"],
    ["2006-10-29T02:31:00.000Z", "2006-10-29T03:30:00.000Z", "2006-10-28T23:00-03:30"],
    ["2006-10-29T03:30:00.000Z", "2006-10-29T04:30:00.000Z", "2006-10-29T00:00-03:30"],
  ]);
});

test("A day that a zone skipped does not exist; the week that would begin with it begins a day later.", () => {
  expect(at("Pacific/Apia", "day", "2011-12-30T10:00Z")).toEqual(["2011-12-30T10:00:00.000Z", "2011-12-31T10:00:00.000Z", "2011-12-31"]);
  const day = unitAt(calendarOf("Pacific/Apia"), "day", Date.parse("2011-12-30T10:00Z"));
  expect(unitBefore(calendarOf("Pacific/Apia"), "day", day)).toEqual({ startMs: Date.parse("2011-12-29T10:00Z"), endMs: day.startMs, local: "2011-12-29" });
  expect(at("Pacific/Apia", "week", "2011-12-30T10:00Z", "friday")).toEqual(["2011-12-30T10:00:00.000Z", "2012-01-05T10:00:00.000Z", "2011-12-30"]);
  expect(at("Pacific/Apia", "hour", "2011-12-30T10:00Z")).toEqual(["2011-12-30T10:00:00.000Z", "2011-12-30T11:00:00.000Z", "2011-12-31T00:00+14:00"]);
});

test("The hour that comes twice is two; the one that is skipped is none.", () => {
  expect(at("Europe/Berlin", "hour", "2026-10-25T00:59Z")).toEqual(["2026-10-25T00:00:00.000Z", "2026-10-25T01:00:00.000Z", "2026-10-25T02:00+02:00"]);
  expect(at("Europe/Berlin", "hour", "2026-10-25T01:00Z")).toEqual(["2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000Z", "2026-10-25T02:00+01:00"]);
  expect(at("Europe/Berlin", "hour", "2026-03-29T01:00Z")[2]).toBe("2026-03-29T03:00+02:00");
  expect(at("Europe/Berlin", "hour", "2026-03-29T00:59Z")[2]).toBe("2026-03-29T01:00+01:00");
});

test("Lord Howe prolongs an hour by half, and shortens another to half.", () => {
  expect(at("Australia/Lord_Howe", "hour", "2026-04-04T15:10Z")).toEqual(["2026-04-04T14:00:00.000Z", "2026-04-04T15:30:00.000Z", "2026-04-05T01:00+11:00"]);
  expect(at("Australia/Lord_Howe", "hour", "2026-04-04T15:30Z")[2]).toBe("2026-04-05T02:00+10:30");
  expect(at("Australia/Lord_Howe", "hour", "2026-10-03T15:30Z")).toEqual(["2026-10-03T15:30:00.000Z", "2026-10-03T16:00:00.000Z", "2026-10-04T02:00+11:00"]);
  expect(at("Australia/Lord_Howe", "minute", "2026-04-04T15:00:30Z")).toEqual(["2026-04-04T15:00:00.000Z", "2026-04-04T15:01:00.000Z", "2026-04-05T01:30+10:30"]);
  expect(at("Australia/Lord_Howe", "day", "2026-04-04T15:00Z")).toEqual(["2026-04-04T13:00:00.000Z", "2026-04-05T13:30:00.000Z", "2026-04-05"]);
});

test("Offsets have seconds where clocks had them, and quarters of an hour.", () => {
  expect(offsetMs("Africa/Monrovia", 0)).toBe(-(44 * 60 + 30) * 1_000);
  expect(at("Africa/Monrovia", "day", "1970-01-02T12:00Z")).toEqual(["1970-01-02T00:44:30.000Z", "1970-01-03T00:44:30.000Z", "1970-01-02"]);
  expect(at("Africa/Monrovia", "hour", "1970-01-02T00:44:30Z")).toEqual(["1970-01-02T00:44:30.000Z", "1970-01-02T01:44:30.000Z", "1970-01-02T00:00-00:44:30"]);
  expect(at("Africa/Monrovia", "minute", "1970-01-02T00:44:29Z")).toEqual(["1970-01-02T00:43:30.000Z", "1970-01-02T00:44:30.000Z", "1970-01-01T23:59-00:44:30"]);
  expect(at("Africa/Monrovia", "hour", "1972-01-07T00:50Z")).toEqual(["1972-01-07T00:44:30.000Z", "1972-01-07T01:00:00.000Z", "1972-01-07T00:00+00:00"]);
  expect(at("Asia/Kathmandu", "hour", "1985-12-31T18:30Z")).toEqual(["1985-12-31T18:30:00.000Z", "1985-12-31T19:15:00.000Z", "1986-01-01T00:00+05:45"]);
});

test("Offsets are those of a clock that is read at the very second.", () => {
  const random = seededRandom(1);
  for (const timeZone of Intl.supportedValuesOf("timeZone")) {
    const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    for (let count = 0; count < 10; count += 1) {
      const ms = random.below(Date.UTC(2040, 0, 1) / 1_000) * 1_000;
      expect(localMs(timeZone, ms), timeZone).toBe(Date.parse(`${clock.format(ms)}Z`));
    }
  }
});

test("Weeks begin on any day; months, quarters and years on their first day.", () => {
  expect(at("UTC", "week", "2026-03-01T00:00Z")).toEqual(["2026-02-23T00:00:00.000Z", "2026-03-02T00:00:00.000Z", "2026-02-23"]);
  expect(at("UTC", "week", "2026-03-01T00:00Z", "sunday")[2]).toBe("2026-03-01");
  expect(at("UTC", "week", "2026-03-01T00:00Z", "wednesday")[2]).toBe("2026-02-25");
  expect(at("Europe/Berlin", "month", "2026-03-31T21:59Z")).toEqual(["2026-02-28T23:00:00.000Z", "2026-03-31T22:00:00.000Z", "2026-03"]);
  expect(at("UTC", "quarter", "2026-05-31T00:00Z")).toEqual(["2026-04-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z", "2026-Q2"]);
  expect(at("UTC", "year", "2026-12-31T00:00Z")).toEqual(["2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "2026"]);
});

test("Units follow one another without gap in every zone.", () => {
  for (const timeZone of ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Monrovia", "Africa/Casablanca", "Asia/Kathmandu", "America/Havana"]) {
    for (const [unit, span] of [["hour", 40], ["day", 12], ["week", 4], ["month", 3]] as const) {
      for (const time of ["2026-03-20T00:00Z", "2026-10-20T00:00Z", "2011-12-29T00:00Z", "1972-01-01T00:00Z", "1985-12-29T00:00Z", "2006-10-27T00:00Z"]) {
        let current = unitAt(calendarOf(timeZone), unit, Date.parse(time));
        for (let count = 0; count < span; count += 1) {
          const next = unitAt(calendarOf(timeZone), unit, current.endMs);
          expect(next.startMs).toBe(current.endMs);
          expect(unitAt(calendarOf(timeZone), unit, next.endMs - 1)).toEqual(next);
          current = next;
        }
      }
    }
  }
});

test("Days and hours start where a look at the clock of each minute says so.", () => {
  const changes = [
    ["Europe/Berlin", "2026-03-28"], ["Europe/Berlin", "2026-10-24"], ["America/Sao_Paulo", "2017-10-14"], ["America/Sao_Paulo", "2018-02-17"], ["America/St_Johns", "2006-10-28"],
    ["America/St_Johns", "2006-04-01"], ["Australia/Lord_Howe", "2026-04-04"], ["Australia/Lord_Howe", "2026-10-03"], ["Pacific/Apia", "2011-12-29"], ["Asia/Kathmandu", "1985-12-31"],
    ["America/Havana", "2026-11-01"], ["Asia/Beirut", "2026-03-28"], ["Africa/Casablanca", "2026-02-14"], ["Antarctica/Troll", "2026-03-28"], ["Asia/Pyongyang", "2015-08-14"], ["Asia/Gaza", "2026-10-23"],
  ] as const;
  for (const [timeZone, date] of changes) {
    const firstMs = Date.parse(`${date}T00:00Z`) - 12 * 3_600_000;
    const clock = Array.from({ length: 3 * 24 * 60 }, (_, minute) => ({ ms: firstMs + minute * 60_000, shown: localMs(timeZone, firstMs + minute * 60_000) }));
    const dayOf = (shown: number) => Math.floor(shown / 86_400_000);
    const days = [...new Set(clock.map(({ shown }) => dayOf(shown)))].sort((a, b) => a - b).slice(1);
    const dayStarts = days.map((day) => clock.find(({ shown }) => dayOf(shown) >= day)?.ms ?? NaN);
    expect(dayStarts.map((ms) => unitAt(calendarOf(timeZone), "day", ms).startMs), timeZone).toEqual(dayStarts);
    const hourOf = (shown: number | undefined) => Math.floor((shown ?? NaN) / 3_600_000);
    const hourStarts = clock.filter(({ shown }, index) => index > 0 && (shown % 3_600_000 === 0 || hourOf(shown) !== hourOf(clock[index - 1]?.shown))).map(({ ms }) => ms);
    for (const [index, start] of hourStarts.slice(0, -1).entries()) {
      expect(unitAt(calendarOf(timeZone), "hour", start), timeZone).toMatchObject({ startMs: start, endMs: hourStarts[index + 1] });
    }
    const day = unitAt(calendarOf(timeZone), "day", dayStarts[0] ?? NaN);
    expect(day.endMs, timeZone).toBe(dayStarts[1]);
  }
});
