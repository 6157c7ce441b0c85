import { dayOf, dayStartMs, MS_PER_DAY } from "../../../core/base/time.js";
import { startOfUnit, unitNumberAt, type DateCut } from "../../../core/calendar/axis.js";
import { DATE_UNITS, type DateUnit } from "../../../core/calendar/units.js";
import { memberError, readChoice } from "../members.js";
import type { Range } from "../plan.js";
import type { Interval } from "../input.js";
import type { InsightParts } from "./insight-scope.js";

const COMPARISONS = ["previous_period", "previous_year"] as const;

/** The range that `compare` selects; null when absent. @throws invalid_parameter (a date is missing; it is empty, or begins before 1970) */
export function readPreviousRange({ members, zone, scope }: InsightParts, interval: Interval | null): Range | null {
  const compare = readChoice(members, "compare", COMPARISONS);
  if (compare === null) return null;
  const { range, isOpen, calendar: { weekStart } } = scope;
  if (isOpen.start || isOpen.end) throw memberError(members, "compare", "needs both startDate and endDate");
  const previous = compare === "previous_year" ? yearBefore({ zone, weekStart }, range) : periodBefore({ zone, weekStart }, interval, range);
  if (previous.fromMs < 0 || previous.fromMs >= previous.toMs)
    throw memberError(members, "compare", `expected dates whose ${compare} begins in 1970 or later, got dates whose ${compare} is empty or earlier`);
  return previous;
}

/** As many whole units of the interval, where it is a week or longer; else as many days; else as many ms. */
function periodBefore(calendar: Omit<DateCut, "unit">, interval: Interval | null, { fromMs, toMs }: Range): Range {
  const unit = DATE_UNITS.find((each) => each === interval) ?? "day";
  for (const each of new Set<DateUnit>([unit, "day"])) {
    const cut = { ...calendar, unit: each };
    if (!isStart(cut, fromMs) || !isStart(cut, toMs)) continue;
    const [from, to] = [unitNumberAt(cut, fromMs), unitNumberAt(cut, toMs)];
    return { fromMs: each === "day" ? daysBefore(cut, fromMs, dayCount(fromMs, toMs)) : startOfUnit(cut, 2 * from - to), toMs: fromMs };
  }
  return { fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
}

/** Days between the starts of two days. A day that the zone skipped has a number but no 24 hours, so it does not count. */
function dayCount(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) / MS_PER_DAY);
}

function daysBefore(cut: DateCut, ms: number, count: number): number {
  let number = unitNumberAt(cut, ms) - count;
  let startMs = startOfUnit(cut, number);
  for (let missing = count - dayCount(startMs, ms); missing > 0; missing = count - dayCount(startMs, ms)) {
    number -= missing;
    startMs = startOfUnit(cut, number);
  }
  return startMs;
}

const MONTHS_PER_YEAR = 12;

/** The same months, if the range is whole months; else each side at its date, if a day begins there; else at its local time. */
function yearBefore({ zone, weekStart }: Omit<DateCut, "unit">, { fromMs, toMs }: Range): Range {
  const [days, months]: [DateCut, DateCut] = [{ zone, weekStart, unit: "day" }, { zone, weekStart, unit: "month" }];
  if ([fromMs, toMs].every((ms) => isStart(months, ms))) {
    const monthBefore = (ms: number) => startOfUnit(months, unitNumberAt(months, ms) - MONTHS_PER_YEAR);
    return { fromMs: monthBefore(fromMs), toMs: monthBefore(toMs) };
  }
  const dateBefore = (ms: number) => dayOf(lessOneYear(dayStartMs(unitNumberAt(days, ms))));
  const localBefore = (ms: number) => lessOneYear(ms + zone.offsetMsAt(ms));
  return {
    fromMs: isStart(days, fromMs) ? startOfUnit(days, dateBefore(fromMs)) : zone.firstAt(localBefore(fromMs)),
    toMs: isStart(days, toMs) ? startOfUnit(days, dateBefore(toMs - 1) + 1) : zone.firstAt(localBefore(toMs - 1) + 1),
  };
}

function isStart(cut: DateCut, ms: number): boolean {
  return startOfUnit(cut, unitNumberAt(cut, ms)) === ms;
}

function lessOneYear(localMs: number): number {
  const date = new Date(localMs);
  const isLeapDay = date.getUTCMonth() === 1 && date.getUTCDate() === 29;
  return date.setUTCFullYear(date.getUTCFullYear() - 1, date.getUTCMonth(), isLeapDay ? 28 : date.getUTCDate());
}
