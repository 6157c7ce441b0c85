import type { CalendarUnit, EntityLevel, Interval } from "./input.js";

/** The names that several insights accept. */

export const CALENDAR_UNITS = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const satisfies readonly CalendarUnit[];

export const INTERVALS = [...CALENDAR_UNITS, "total"] as const satisfies readonly Interval[];

/** The units of cohorts, returns and activity. */
export const PERIOD_UNITS = ["day", "week", "month"] as const satisfies readonly CalendarUnit[];

export const LEVELS = ["identity", "account"] as const satisfies readonly EntityLevel[];
