import type { CalendarUnit, WeekDay } from "../../../../src/query/plan/input.js";
import { DAY_MS } from "../instant.js";
import { firstInstant, localMs, offsetMs, stretches } from "./zone.js";

/** By which clock and which weeks time is cut. */
export interface Calendar {
  readonly timeZone: string;
  readonly weekStart: WeekDay;
}

/** A whole unit of a calendar, half-open. */
export interface Unit {
  readonly startMs: number;
  readonly endMs: number;
  readonly local: string;
}

/** Monday first. */
export const WEEK_DAYS: readonly [WeekDay, ...WeekDay[]] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const CLOCK_MS: Readonly<Partial<Record<CalendarUnit, number>>> = { minute: 60_000, hour: 3_600_000 };

/** The unit in which an instant lies. */
export function unitAt(calendar: Calendar, unit: CalendarUnit, ms: number): Unit {
  const lengthMs = CLOCK_MS[unit];
  return lengthMs === undefined ? dateUnitAt(calendar, unit, ms) : clockUnitAt(calendar.timeZone, lengthMs, ms);
}

/** The unit before another one. */
export function unitBefore(calendar: Calendar, unit: CalendarUnit, { startMs }: Unit): Unit {
  return unitAt(calendar, unit, startMs - 1);
}

/** An hour or minute: it starts where the clock shows a full one, or jumps into another one. None is as long as two. */
function clockUnitAt(timeZone: string, lengthMs: number, ms: number): Unit {
  const around = stretches(timeZone, ms - 2 * lengthMs, ms + 2 * lengthMs);
  const starts = around.flatMap((stretch, index) => {
    const before = around[index - 1];
    const number = (atMs: number, aheadMs: number) => Math.floor((atMs + aheadMs) / lengthMs);
    const isJump = before !== undefined && number(stretch.startMs, stretch.offsetMs) !== number(stretch.startMs - 1, before.offsetMs);
    const firstFullMs = Math.ceil((stretch.startMs + stretch.offsetMs) / lengthMs) * lengthMs - stretch.offsetMs;
    const count = Math.max(0, Math.ceil((stretch.endMs - firstFullMs) / lengthMs));
    const full = Array.from({ length: count }, (_, at) => firstFullMs + at * lengthMs);
    return isJump && firstFullMs !== stretch.startMs ? [stretch.startMs, ...full] : full;
  });
  const startMs = starts.filter((start) => start <= ms).at(-1) ?? NaN;
  const endMs = starts.find((start) => start > ms) ?? NaN;
  const shown = Math.floor(localMs(timeZone, startMs) / lengthMs) * lengthMs;
  const { year, month, day } = dateOf(Math.floor(shown / DAY_MS));
  const [hour, minute] = [Math.floor(shown / 3_600_000) % 24, Math.floor(shown / 60_000) % 60];
  return { startMs, endMs, local: `${year}-${month}-${day}T${two(hour)}:${two(minute)}${offsetText(offsetMs(timeZone, startMs))}` };
}

/** A unit that begins on a date starts at the first instant on that date or a later one. */
function dateUnitAt({ timeZone, weekStart }: Calendar, unit: CalendarUnit, ms: number): Unit {
  const startOf = (day: number) => firstInstant(timeZone, day * DAY_MS);
  let day = Math.floor(localMs(timeZone, ms) / DAY_MS);
  // A clock that is set back over midnight shows the day before again.
  while (startOf(day + 1) <= ms) day += 1;
  const first = firstDayOf(unit, day, WEEK_DAYS.indexOf(weekStart));
  return { startMs: startOf(first), endMs: startOf(firstDayAfter(unit, first)), local: dateUnitName(unit, first) };
}

/** The number, since 1970, of the day on which the unit of a day begins. */
function firstDayOf(unit: CalendarUnit, day: number, weekStart: number): number {
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === "day") return day;
  if (unit === "week") return day - ((date.getUTCDay() - 1 - weekStart + 14) % 7);
  if (unit === "month") return Date.UTC(year, month, 1) / DAY_MS;
  if (unit === "quarter") return Date.UTC(year, month - (month % 3), 1) / DAY_MS;
  if (unit === "year") return Date.UTC(year, 0, 1) / DAY_MS;
  throw new TypeError(`expected a unit of the calendar, got ${unit}`);
}

function firstDayAfter(unit: CalendarUnit, first: number): number {
  const date = new Date(first * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === "day") return first + 1;
  if (unit === "week") return first + 7;
  return Date.UTC(year, month + (unit === "month" ? 1 : unit === "quarter" ? 3 : 12), 1) / DAY_MS;
}

function dateUnitName(unit: CalendarUnit, first: number): string {
  const { year, month, day } = dateOf(first);
  if (unit === "year") return year;
  if (unit === "quarter") return `${year}-Q${Math.ceil(Number(month) / 3)}`;
  return unit === "month" ? `${year}-${month}` : `${year}-${month}-${day}`;
}

function dateOf(day: number): { readonly year: string; readonly month: string; readonly day: string } {
  const date = new Date(day * DAY_MS);
  return { year: String(date.getUTCFullYear()).padStart(4, "0"), month: two(date.getUTCMonth() + 1), day: two(date.getUTCDate()) };
}

function offsetText(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1_000;
  const [hour, minute, second] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${aheadMs < 0 ? "-" : "+"}${two(hour)}:${two(minute)}${second === 0 ? "" : `:${two(second)}`}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
