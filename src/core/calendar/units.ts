import { dayOf, MS_PER_DAY } from "../base/time.js";

/** Units that start at a date. */
export const DATE_UNITS = ["day", "week", "month", "quarter", "year"] as const;
export type DateUnit = (typeof DATE_UNITS)[number];

/** Units that start when the clock shows a full minute or hour. */
export type ClockUnit = "minute" | "hour";

export const WEEK_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

export const CLOCK_UNIT_MS: Readonly<Record<ClockUnit, number>> = { minute: 60_000, hour: 3_600_000 };

/** 1970-01-01 was a Thursday, day 3 of a week that starts on Monday as day 0. */
const EPOCH_WEEK_DAY = 3;

/** Consecutive units have consecutive numbers. @param date days since 1970-01-01 @param weekStart 0 for Monday */
export function unitOfDate(unit: DateUnit, date: number, weekStart: number): number {
  if (unit === "day") return date;
  if (unit === "week") return Math.floor((date + EPOCH_WEEK_DAY - weekStart) / 7);
  const at = new Date(date * MS_PER_DAY);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return unit === "year" ? year : unit === "quarter" ? year * 4 + Math.floor(month / 3) : year * 12 + month;
}

/** The first date of a unit, as days since 1970-01-01. */
export function firstDateOf(unit: DateUnit, number: number, weekStart: number): number {
  if (unit === "day") return number;
  if (unit === "week") return number * 7 - EPOCH_WEEK_DAY + weekStart;
  const monthsPerUnit = unit === "year" ? 12 : unit === "quarter" ? 3 : 1;
  const month = number * monthsPerUnit;
  return dayOf(Date.UTC(Math.floor(month / 12), month % 12, 1));
}

/** The name of a date unit: `2026-03-29` (for a week, its first day), `2026-03`, `2026-Q1` or `2026`. */
export function nameOfUnit(unit: DateUnit, number: number, weekStart: number): string {
  const at = new Date(firstDateOf(unit, number, weekStart) * MS_PER_DAY);
  const [year, month] = [`${at.getUTCFullYear()}`, at.getUTCMonth()];
  if (unit === "year") return year;
  if (unit === "quarter") return `${year}-Q${Math.floor(month / 3) + 1}`;
  return unit === "month" ? `${year}-${two(month + 1)}` : `${year}-${two(month + 1)}-${two(at.getUTCDate())}`;
}

/** The name of a clock unit, the local time at which it starts: `2026-10-25T02:00+01:00`. */
export function nameOfClockUnit(localMs: number, offsetMs: number): string {
  const at = new Date(localMs);
  const date = nameOfUnit("day", dayOf(localMs), 0);
  return `${date}T${two(at.getUTCHours())}:${two(at.getUTCMinutes())}${offsetText(offsetMs)}`;
}

/** `+01:00`, or `-00:44:30` for offsets with seconds. */
function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000;
  const rest = seconds % 60;
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}${rest === 0 ? "" : `:${two(rest)}`}`;
  return `${offsetMs < 0 ? "-" : "+"}${text}`;
}

function two(value: number): string {
  return `${value}`.padStart(2, "0");
}
