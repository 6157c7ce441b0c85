import { addDays, dayCount, dayIn, isDay, isZone, offsetMs } from "../../charts/days.js";
import type { AddressCodec } from "./codecs.js";

export { addDays, dayCount, dayIn, isDay, isZone };

/** The first instant of a day in a zone, ISO 8601 in UTC: for routes that count days in UTC. */
export function startOfDay(day: string, zone: string): string {
  const utcMidnight = Date.parse(`${day}T00:00:00Z`);
  const first = utcMidnight - offsetMs(zone, utcMidnight);
  const second = utcMidnight - offsetMs(zone, first);
  // If the clock skips midnight, the later candidate is the first instant of the day.
  const start = dayIn(zone, second) < day ? Math.max(first, second) : second;
  return new Date(start).toISOString();
}

export function endOfDay(day: string, zone: string): string {
  return new Date(Date.parse(startOfDay(addDays(day, 1), zone)) - 1).toISOString();
}

export const PERIODS = {
  today: "Today",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  month: "Month to date",
  year: "Year to date",
  all: "All time",
} as const;

export type PeriodName = keyof typeof PERIODS;

export type Period = PeriodName | FixedPeriod;
type FixedPeriod = { readonly from: string; readonly to: string };

/** Days, both included; null: open. */
export interface DayRange {
  readonly from: string | null;
  readonly to: string | null;
}

const DAYS_BACK: Partial<Record<PeriodName, number>> = { today: 0, "7d": 6, "30d": 29, "90d": 89 };

function isName(text: string): text is PeriodName {
  return Object.hasOwn(PERIODS, text);
}

export function rangeOf(period: Period, today: string): DayRange {
  if (typeof period !== "string") return period;
  if (period === "all") return { from: null, to: null };
  if (period === "month") return { from: `${today.slice(0, 7)}-01`, to: today };
  if (period === "year") return { from: `${today.slice(0, 4)}-01-01`, to: today };
  return { from: addDays(today, -(DAYS_BACK[period] ?? 29)), to: today };
}

/** Parses `7d`, one day, or two days: `2026-03-01..2026-03-31`. Days in the wrong order are swapped. */
function parsePeriod([given = ""]: readonly string[]): Period {
  const text = given.trim().toLowerCase();
  if (isName(text)) return text;
  const [first = "", second = first] = text.split(/\s*(?:\.\.|,|\/)\s*/);
  return daysOf(first, second) ?? "30d";
}

export function daysOf(first: string, second: string): FixedPeriod | null {
  if (!isDay(first) || !isDay(second)) return null;
  return first <= second ? { from: first, to: second } : { from: second, to: first };
}

export const period: AddressCodec<Period> = {
  initial: "30d",
  parse: parsePeriod,
  // Always printed: without a period in the URL, the page chooses one with events.
  print: (value) => [typeof value === "string" ? value : `${value.from}..${value.to}`],
};

export const INTERVALS = ["auto", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Unit = Exclude<(typeof INTERVALS)[number], "auto">;

/** The unit that gives a plot a few dozen points. */
export function unitFor({ from, to }: DayRange): Unit {
  if (from === null || to === null) return "month";
  const days = dayCount(from, to);
  return days <= 2 ? "hour" : days <= 120 ? "day" : days <= 740 ? "week" : days <= 3_700 ? "month" : "quarter";
}
