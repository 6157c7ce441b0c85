import type { TrendBucket } from "../ask/answers.js";
import { PERIODS, type DayRange, type Unit } from "../state/period.js";
import { LOCALES } from "./value.js";

/* `local` of a bucket is a date in its zone. Parse and format it as UTC, so that it does not shift. */

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const cached = formats.get(key) ?? new Intl.DateTimeFormat([...LOCALES], options);
  formats.set(key, cached);
  return cached;
}

const UTC = { timeZone: "UTC" } as const;

function atMidnight(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function day(text: string): string {
  return format({ ...UTC, day: "numeric", month: "short", year: "numeric" }).format(atMidnight(text));
}

/** The days of a range, in short: "1 – 31 Mar 2026". */
export function range({ from, to }: DayRange): string {
  if (from === null || to === null) return PERIODS.all;
  if (from === to) return day(from);
  return format({ ...UTC, day: "numeric", month: "short", year: "numeric" }).formatRange(atMidnight(from), atMidnight(to));
}

/** The axis label of a bucket, as short as possible. The form of `local` shows its unit. */
export function bucketShort({ local }: Pick<TrendBucket, "local">): string {
  if (local === null) return "";
  if (local.includes("T")) return local.slice(11, 16);
  if (/^\d{4}-\d{2}$/.test(local)) return format({ ...UTC, month: "short", year: "2-digit" }).format(atMidnight(`${local}-01`));
  return isWhole(local) ? format({ ...UTC, day: "numeric", month: "short" }).format(atMidnight(local)) : local;
}

/** The full label of a bucket. */
export function bucketLong({ local }: Pick<TrendBucket, "local">, unit: Unit): string {
  if (local === null) return "";
  if (local.includes("T")) return `${longDay(local.slice(0, 10))}, ${local.slice(11, 16)}`;
  if (/^\d{4}-\d{2}$/.test(local)) return format({ ...UTC, month: "long", year: "numeric" }).format(atMidnight(`${local}-01`));
  if (!isWhole(local)) return local;
  return unit === "week" ? `Week of ${longDay(local)}` : longDay(local);
}

function isWhole(local: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(local);
}

function longDay(text: string): string {
  return format({ ...UTC, weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(atMidnight(text));
}

/** An instant in the zone, to the second. */
export function instant(text: string | null, zone: string): string {
  if (text === null) return "–";
  return format({
    timeZone: zone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(new Date(text));
}

/** An instant without the year, for lists. */
export function instantShort(text: string, zone: string): string {
  return format({ timeZone: zone, day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(
    new Date(text),
  );
}

/** The day of an instant. */
export function instantDay(text: string | null, zone: string): string {
  if (text === null) return "–";
  return format({ timeZone: zone, day: "numeric", month: "short", year: "numeric" }).format(new Date(text));
}

/** The time of day of an instant. */
export function clock(text: string, zone: string): string {
  return format({ timeZone: zone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(new Date(text));
}

/** A month given as `YYYY-MM`. */
export function month(text: string): string {
  return format({ ...UTC, month: "short", year: "numeric" }).format(atMidnight(`${text}-01`));
}
