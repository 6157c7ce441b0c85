import type { CalendarUnit, EntityLevel, Interval } from "./input.js";

/** The names that several insights take. */

export const CALENDAR_UNITS = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const satisfies readonly CalendarUnit[];

export const INTERVALS = [...CALENDAR_UNITS, "total"] as const satisfies readonly Interval[];

/** How people and their returns are counted. */
export const PERIOD_UNITS = ["day", "week", "month"] as const satisfies readonly CalendarUnit[];

export const LEVELS = ["identity", "account"] as const satisfies readonly EntityLevel[];
