import { dayOf, MS_PER_DAY } from "../../base/time.js";
import type { Range, SessionRule } from "../../plan/plan.js";
import type { Rows } from "../../segment/rows.js";
import type { Midnight } from "./midnight.js";

/** Days since 1970, both included; infinite where there is no bound. */
export interface DaySpan {
  readonly firstDay: number;
  readonly lastDay: number;
}

export const NO_DAYS: DaySpan = { firstDay: Infinity, lastDay: -Infinity };
const ALL_DAYS: DaySpan = { firstDay: -Infinity, lastDay: Infinity };

/** For which days sessions are made. */
export interface CoveredDays {
  /** All rows of these days are looked at: whatever session begins in one of them is there, with all its events that lie in them. */
  readonly whole: DaySpan;
  /** The earliest day of which some rows are looked at; none where `whole` has no first day. */
  readonly earliestDay: number;
  /** The one with which the first day of `whole` begins; null where it has none. */
  readonly midnight: Midnight | null;
}

/**
 * Sessions are kept for whole days of a calendar: where a range begins or ends within one, all sessions of that day are looked at. A day has up to 24
 * hours in each zone, but where clocks are put back, or a country changes the side of the date line that it is on.
 */
const CALENDAR_REACH_MS = 2 * MS_PER_DAY;

/**
 * The days in which all sessions that a question about a range looks at begin, and all their events lie. Of longer gaps these are all days: a
 * session may go on there where a whole day has none of its events.
 */
export function daysFor({ fromMs, toMs }: Range, { gapMs, maxMs }: SessionRule): DaySpan {
  if (gapMs >= MS_PER_DAY) return ALL_DAYS;
  const reachMs = Math.max(maxMs, CALENDAR_REACH_MS);
  return { firstDay: dayOf(fromMs - reachMs), lastDay: dayOf(toMs + reachMs) };
}

export function includesDays(all: DaySpan, some: DaySpan): boolean {
  return all.firstDay <= some.firstDay && all.lastDay >= some.lastDay;
}

/** Days that include both. Whoever looks further and further back has twice as many days each time, or all work would be done as often as asked. */
export function widenedDays(known: DaySpan, needed: DaySpan): DaySpan {
  if (known === NO_DAYS) return needed;
  const dayCount = known.lastDay - known.firstDay + 1;
  return {
    firstDay: needed.firstDay < known.firstDay ? Math.min(needed.firstDay, known.firstDay - dayCount) : known.firstDay,
    lastDay: needed.lastDay > known.lastDay ? Math.max(needed.lastDay, known.lastDay + dayCount) : known.lastDay,
  };
}

/** The rows of some days. Cost: a look at each segment and head. */
export function rowsOfDays(rows: readonly Rows[], { firstDay, lastDay }: DaySpan): readonly Rows[] {
  return rows.filter(({ day }) => day >= firstDay && day <= lastDay);
}
