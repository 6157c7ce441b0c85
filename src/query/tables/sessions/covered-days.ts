import { dayOf, MS_PER_DAY } from "../../../core/base/time.js";
import type { Range, SessionRule } from "../../plan/plan.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Midnight } from "./midnight.js";

/** Days since 1970, both included; infinite without a bound. */
export interface DaySpan {
  readonly firstDay: number;
  readonly lastDay: number;
}

export const NO_DAYS: DaySpan = { firstDay: Infinity, lastDay: -Infinity };
const ALL_DAYS: DaySpan = { firstDay: -Infinity, lastDay: Infinity };

/** The days for which sessions are built. */
export interface CoveredDays {
  /** All rows of these days are read: every session that begins in one of them exists, with all its events on these days. */
  readonly whole: DaySpan;
  /** The earliest day of which some rows are read; -Infinity when `whole` has no first day. */
  readonly earliestDay: number;
  /** The midnight at which the first day of `whole` begins; null when it has none. */
  readonly midnight: Midnight | null;
}

/**
 * Sessions are cached for whole calendar days: a range that begins or ends within a day needs all sessions of that day. A day has up to 24 hours in
 * each time zone, except when clocks are set back, or a country changes its side of the date line.
 */
const CALENDAR_REACH_MS = 2 * MS_PER_DAY;

/**
 * The days in which all sessions that a query for a range reads begin, and all their events lie. With gaps of a day or more these are all days: a
 * session may continue after a whole day without events.
 */
export function daysFor({ fromMs, toMs }: Range, { gapMs, maxMs }: SessionRule): DaySpan {
  if (gapMs >= MS_PER_DAY) return ALL_DAYS;
  const reachMs = Math.max(maxMs, CALENDAR_REACH_MS);
  return { firstDay: dayOf(fromMs - reachMs), lastDay: dayOf(toMs + reachMs) };
}

export function includesDays(all: DaySpan, some: DaySpan): boolean {
  return all.firstDay <= some.firstDay && all.lastDay >= some.lastDay;
}

/** Days that include both. Widening at least doubles the span: otherwise queries that reach further and further back would each repeat all work. */
export function widenedDays(known: DaySpan, needed: DaySpan): DaySpan {
  if (known === NO_DAYS) return needed;
  const dayCount = known.lastDay - known.firstDay + 1;
  return {
    firstDay: needed.firstDay < known.firstDay ? Math.min(needed.firstDay, known.firstDay - dayCount) : known.firstDay,
    lastDay: needed.lastDay > known.lastDay ? Math.max(needed.lastDay, known.lastDay + dayCount) : known.lastDay,
  };
}

/** The rows of some days. Cost: the number of segments and heads. */
export function rowsOfDays(rows: readonly Rows[], { firstDay, lastDay }: DaySpan): readonly Rows[] {
  return rows.filter(({ day }) => day >= firstDay && day <= lastDay);
}
