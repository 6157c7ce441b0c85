import { expect, test } from "vitest";
import { DaybookError } from "../../../../src/core/base/errors.js";
import { zoneOf } from "../../../../src/core/calendar/zone.js";
import type { Interval } from "../../../../src/query/plan/input.js";
import { readInsight } from "../../../../src/query/plan/insights/insight-scope.js";
import { readPreviousRange } from "../../../../src/query/plan/insights/previous-range.js";
import { readMembers } from "../../../../src/query/plan/members.js";
import { sliceOf, strideOf } from "../../../oracle/settings.js";
import { ruled } from "../ruled-context.js";

const DAY_MS = 86_400_000;
const [FIRST_YEAR, LAST_YEAR] = [1988, 2027];
/** Far from changes of clocks one day in so many is looked at, each weekday. */
const DAY_STRIDE = 9;
/** Those that skipped a day, and whose clocks change at midnight or by half an hour. */
const oddZones = [
  "Pacific/Apia", "Pacific/Kwajalein", "Asia/Beirut", "America/Havana", "Antarctica/Vostok", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo",
];
const zones = [...sliceOf(oddZones, 4), ...Intl.supportedValuesOf("timeZone").filter((_, at) => at % strideOf(300, 8) === 0)];

/** The days of a zone, by their dates as days since 1970, as `Intl` alone tells them: no code of ours is asked. */
class Days {
  /** Dates that there were, ascending, and when each began. */
  readonly dates: number[] = [];
  readonly #starts = new Map<number, number>();
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    const shown = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone, ...shown });
    const [first, last] = [Date.UTC(FIRST_YEAR - 3, 11, 1), Date.UTC(LAST_YEAR + 1, 1, 1)];
    let latest = Math.floor(this.#clockAt(first) / DAY_MS);
    for (let ms = first; ms < last; ms += DAY_MS) {
      const [ahead, aheadAfter] = [this.#clockAt(ms) - ms, this.#clockAt(ms + DAY_MS) - (ms + DAY_MS)];
      const midnightMs = Math.ceil((ms + ahead) / DAY_MS) * DAY_MS - ahead;
      // On days on which clocks change each minute is looked at. They may change just where a day begins in UTC.
      const looks = ahead === aheadAfter ? [ms, midnightMs] : Array.from({ length: 1_440 }, (_, minute) => ms + minute * 60_000);
      for (const look of looks) {
        const date = Math.floor(this.#clockAt(look) / DAY_MS);
        if (date <= latest) continue;
        latest = date;
        this.dates.push(date);
        this.#starts.set(date, look);
      }
    }
  }

  /** When a date begins; where the zone skipped it, the next one. */
  startOf(date: number): number {
    for (let next = date; next < date + 3; next += 1) {
      const startMs = this.#starts.get(next);
      if (startMs !== undefined) return startMs;
    }
    throw new Error(`no date at ${date}`);
  }

  /** What a clock shows, as the ms at which one in UTC shows it. */
  #clockAt(ms: number): number {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = this.#format.format(ms).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }
}

const dateOf = (year: number, month: number, day = 1) => Date.UTC(year, month, day) / DAY_MS;

function yearBefore(date: number): number {
  const [year, month, day] = new Date(date * DAY_MS).toISOString().slice(0, 10).split("-").map(Number) as [number, number, number];
  return dateOf(year - 1, month - 1, month === 2 && day === 29 ? 28 : day);
}

type Bounds = readonly [fromMs: number, toMs: number];

const insight = readInsight({}, ruled, []);

/** What is compared with; null where that is nothing. */
function given(timeZone: string, compare: string, interval: Interval, [fromMs, toMs]: Bounds): Bounds | null {
  const zone = zoneOf(timeZone);
  if (zone === null) throw new Error(`no zone ${timeZone}`);
  const scope = { ...insight.scope, calendar: { timeZone, weekStart: 0 }, range: { fromMs, toMs }, isOpen: { start: false, end: false } };
  try {
    const previous = readPreviousRange({ ...insight, members: readMembers({ compare }, "", ["compare"]), zone, scope }, interval);
    return previous === null ? null : [previous.fromMs, previous.toMs];
  } catch (error) {
    if (error instanceof DaybookError) return null;
    throw error;
  }
}

test.each(zones)("days, weeks, months, quarters and years of forty years in %s are compared with those before as Intl has them", (timeZone) => {
  const days = new Days(timeZone);
  const { dates } = days;
  const check = (compare: string, interval: Interval, [from, to]: Bounds, expected: Bounds) => {
    const [asked, right] = [[days.startOf(from), days.startOf(to)] as const, [days.startOf(expected[0]), days.startOf(expected[1])] as const];
    const previous = given(timeZone, compare, interval, asked);
    if (String(previous) !== String(right[0] < right[1] ? right : null))
      expect([compare, interval, asked.map((ms) => new Date(ms).toISOString()), previous]).toEqual([compare, interval, null, right]);
  };
  let checkedCount = 0;
  dates.forEach((date, at) => {
    if (date < dateOf(FIRST_YEAR, 0) || at + 40 > dates.length) return;
    const isNearChange = [at, at - 365, at - 366].some((place) => days.startOf((dates[place] ?? 0) + 2) - days.startOf((dates[place] ?? 0) - 1) !== 3 * DAY_MS);
    if (at % DAY_STRIDE !== 0 && !isNearChange) return;
    for (const count of [1, 2, 7, 31]) {
      const [last = 0, next = 0] = dates.slice(at + count - 1, at + count + 1);
      check("previous_period", "day", [date, next], [dates[at - count] ?? 0, date]);
      const isMonths = [date, next].every((each) => new Date(each * DAY_MS).getUTCDate() === 1);
      if (!isMonths) check("previous_year", "day", [date, next], [yearBefore(date), yearBefore(last) + 1]);
      checkedCount += 1;
    }
  });
  for (let month = 0; month < (LAST_YEAR - FIRST_YEAR) * 12; month += 1) {
    for (const [interval, count] of [["month", 1], ["quarter", 3], ["year", 12]] as const) {
      if (month % count !== 0) continue;
      const [former, from, to, next] = [-count, 0, count, 2 * count].map((add) => dateOf(FIRST_YEAR, month + add)) as [number, number, number, number];
      check("previous_period", interval, [from, to], [former, from]);
      check("previous_period", interval, [from, next], [dateOf(FIRST_YEAR, month - 2 * count), from]);
      for (const any of [interval, "day", "total"] as const) check("previous_year", any, [from, to], [dateOf(FIRST_YEAR, month - 12), dateOf(FIRST_YEAR, month + count - 12)]);
    }
  }
  // The first Monday of these years.
  for (let monday = dateOf(FIRST_YEAR, 0, 4); monday < dateOf(LAST_YEAR, 0); monday += 7) {
    check("previous_period", "week", [monday, monday + 7], [monday - 7, monday]);
    check("previous_period", "week", [monday, monday + 21], [monday - 21, monday]);
  }
  expect(checkedCount).toBeGreaterThan(1_000);
});
