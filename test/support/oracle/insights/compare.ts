import { parameterError } from "../../../../src/core/base/errors.js";
import type { CalendarUnit, Comparison, Interval } from "../../../../src/query/plan/input.js";
import { DAY_MS, type Span } from "../instant.js";
import { unitAt, unitBefore, type Calendar } from "./calendar.js";
import { oneOf } from "./one-of.js";
import { firstInstant, localMs } from "./zone.js";

/** The range that one is compared with. @throws invalid_parameter (it is open, empty or before 1970) */
export function comparedRange(calendar: Calendar, interval: Interval | null, range: Span, compare: Comparison): Span {
  if (range.fromMs === -Infinity || range.toMs === Infinity) throw parameterError("invalid_parameter", "compare", "expected both dates");
  const comparison = oneOf("compare", compare, ["previous_period", "previous_year"]);
  const compared = comparison === "previous_period" ? previousPeriod(calendar, interval, range) : previousYear(calendar, range);
  if (compared.fromMs < 0 || compared.fromMs >= compared.toMs) {
    throw parameterError("invalid_parameter", "compare", "expected something after 1970 to compare with");
  }
  return compared;
}

/** As many whole units of the interval, else as many days, else as many ms. */
function previousPeriod(calendar: Calendar, interval: Interval | null, { fromMs, toMs }: Span): Span {
  const isLong = interval === "week" || interval === "month" || interval === "quarter" || interval === "year";
  for (const unit of isLong ? [interval, "day" as const] : ["day" as const]) {
    if (![fromMs, toMs].every((ms) => unitAt(calendar, unit, ms).startMs === ms)) continue;
    return { fromMs: stepsBack(calendar, unit, fromMs, countBetween(calendar, unit, fromMs, toMs)), toMs: fromMs };
  }
  return { fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
}

function countBetween(calendar: Calendar, unit: CalendarUnit, fromMs: number, toMs: number): number {
  let count = 0;
  for (let ms = fromMs; ms < toMs; ms = unitAt(calendar, unit, ms).endMs) count += 1;
  return count;
}

function stepsBack(calendar: Calendar, unit: CalendarUnit, fromMs: number, count: number): number {
  let at = unitAt(calendar, unit, fromMs);
  for (let step = 0; step < count; step += 1) at = unitBefore(calendar, unit, at);
  return at.startMs;
}

/** Whole months: the same months. Else each side by itself: at the date a year before, where a day begins there, or at the local time. */
function previousYear(calendar: Calendar, { fromMs, toMs }: Span): Span {
  const { timeZone } = calendar;
  const startOf = (date: Date) => firstInstant(timeZone, date.getTime());
  const begins = (unit: CalendarUnit, ms: number) => unitAt(calendar, unit, ms).startMs === ms;
  if (begins("month", fromMs) && begins("month", toMs)) {
    const monthBefore = (ms: number) => lessOneYear(Date.parse(`${unitAt(calendar, "month", ms).local}-01`));
    const last = monthBefore(toMs - 1);
    return { fromMs: startOf(monthBefore(fromMs)), toMs: startOf(new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + 1))) };
  }
  const dateOf = (ms: number) => Date.parse(unitAt(calendar, "day", ms).local);
  return {
    fromMs: startOf(lessOneYear(begins("day", fromMs) ? dateOf(fromMs) : localMs(timeZone, fromMs))),
    toMs: startOf(new Date(begins("day", toMs) ? lessOneYear(dateOf(toMs - 1)).getTime() + DAY_MS : lessOneYear(localMs(timeZone, toMs - 1)).getTime() + 1)),
  };
}

/** The same date and time of the year before; 28 February for the 29th. */
function lessOneYear(local: number): Date {
  const date = new Date(local);
  const isLeapDay = date.getUTCMonth() === 1 && date.getUTCDate() === 29;
  date.setUTCFullYear(date.getUTCFullYear() - 1, date.getUTCMonth(), isLeapDay ? 28 : date.getUTCDate());
  return date;
}
