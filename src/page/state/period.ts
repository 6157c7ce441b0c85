import type { AddressCodec } from "./codecs.js";
import { addDays, dayCount, isDay } from "./dates.js";

/** The named periods and their labels. */
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

/** A named period, which moves with the current day, or two fixed days. */
export type Period = PeriodName | { readonly from: string; readonly to: string };

/** Days, both included; null: open. */
export interface DayRange {
  readonly from: string | null;
  readonly to: string | null;
}

const DAYS_BACK: Partial<Record<PeriodName, number>> = { today: 0, "7d": 6, "30d": 29, "90d": 89 };

function isName(text: string): text is PeriodName {
  return Object.hasOwn(PERIODS, text);
}

/** The days of a period as of today. */
export function rangeOf(period: Period, today: string): DayRange {
  if (typeof period !== "string") return period;
  if (period === "all") return { from: null, to: null };
  if (period === "month") return { from: `${today.slice(0, 7)}-01`, to: today };
  if (period === "year") return { from: `${today.slice(0, 4)}-01-01`, to: today };
  return { from: addDays(today, -(DAYS_BACK[period] ?? 29)), to: today };
}

/** `7d`, or two days: `2026-03-01..2026-03-31`; the wrong order is corrected, and one day stands for itself. */
function parsePeriod([given = ""]: readonly string[]): Period {
  const text = given.trim().toLowerCase();
  if (isName(text)) return text;
  const [first = "", second = first] = text.split(/\s*(?:\.\.|,|\/)\s*/);
  if (!isDay(first) || !isDay(second)) return "30d";
  return first <= second ? { from: first, to: second } : { from: second, to: first };
}

export const period: AddressCodec<Period> = {
  initial: "30d",
  parse: parsePeriod,
  // Always printed: without a period in the address, the page chooses one that has events.
  print: (value) => [typeof value === "string" ? value : `${value.from}..${value.to}`],
};

export const INTERVALS = ["auto", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Unit = Exclude<(typeof INTERVALS)[number], "auto">;

/** A unit for which a plot has a few dozen points. */
export function unitFor({ from, to }: DayRange): Unit {
  if (from === null || to === null) return "month";
  const days = dayCount(from, to);
  return days <= 2 ? "hour" : days <= 120 ? "day" : days <= 740 ? "week" : days <= 3_700 ? "month" : "quarter";
}
