import { atMidnight, fieldName, formatsFor, knownLocales, NONE } from "../../charts/format.js";
import { OPERATORS, takesValue, type Filter } from "../state/filter.js";
import { PERIODS, type DayRange } from "../state/period.js";

export { COMMON_FIELDS, fieldName, knownLocales, noun, plural, NOT_SET, NOTHING, type FormattedNumber, type NumberChange } from "../../charts/format.js";

export const LOCALES: readonly string[] = knownLocales(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

/** How the reader of the page reads numbers, values and dates. */
export const FORMATS = formatsFor(LOCALES);
export const { number, percent, money, duration, change, country, fieldValue, bucketShort, bucketLong } = FORMATS;
const { dateFormat } = FORMATS;

export type ChoiceNames<T extends string> = Readonly<Record<T, string>> | readonly (readonly [T, string])[];

export function pairsOf<T extends string>(names: ChoiceNames<T>): readonly (readonly [T, string])[] {
  return Array.isArray(names) ? (names as readonly (readonly [T, string])[]) : (Object.entries(names) as [T, string][]);
}

export function sentence({ field, operator, value }: Filter): string {
  const verb = `${fieldName(field)} ${OPERATORS[operator]}`;
  if (!takesValue(operator)) return verb;
  const values = operator === "in" || operator === "not_in" ? value.split(",").map((item) => item.trim()) : [value];
  return `${verb} ${values.map((item) => fieldValue(field, item)).join(", ")}`;
}

/** A URL that is safe to link; null for schemes other than http and https, which could run code. */
export function followable(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return null;
  try {
    const { protocol, href } = new URL(text);
    return protocol === "https:" || protocol === "http:" ? href : null;
  } catch {
    return null;
  }
}

const UTC = { timeZone: "UTC" } as const;
const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

export function day(text: string): string {
  return dateFormat({ ...UTC, ...DAY }).format(atMidnight(text));
}

export function range({ from, to }: DayRange): string {
  if (from === null || to === null) return PERIODS.all;
  if (from === to) return day(from);
  return dateFormat({ ...UTC, ...DAY }).formatRange(atMidnight(from), atMidnight(to));
}

export function instant(text: string | null, zone: string): string {
  return text === null ? NONE : dateFormat({ timeZone: zone, ...DAY, ...TIME }).format(new Date(text));
}

export function instantShort(text: string, zone: string): string {
  return dateFormat({ timeZone: zone, day: "numeric", month: "short", ...TIME }).format(new Date(text));
}

export function instantDay(text: string | null, zone: string): string {
  return text === null ? NONE : dateFormat({ timeZone: zone, ...DAY }).format(new Date(text));
}

export function clock(text: string, zone: string): string {
  return dateFormat({ timeZone: zone, ...TIME }).format(new Date(text));
}

/** A month given as `YYYY-MM`. */
export function month(text: string): string {
  return dateFormat({ ...UTC, month: "short", year: "numeric" }).format(atMidnight(`${text}-01`));
}
