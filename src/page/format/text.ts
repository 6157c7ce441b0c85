import { OPERATORS, takesValue, type Filter } from "../state/filter.js";
import type { TrendBucket } from "../api/answers.js";
import { PERIODS, type DayRange, type Unit } from "../state/period.js";

/** The locales that `Intl` accepts: systems may report others, such as `en-US@posix`. */
export function knownLocales(names: readonly string[]): string[] {
  const supported = names.filter((name) => {
    try {
      return Intl.getCanonicalLocales(name).length === 1;
    } catch {
      return false;
    }
  });
  return supported.length > 0 ? supported : ["en"];
}

export const LOCALES: readonly string[] = knownLocales(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

/** The text of the page is English, so its plurals are too. */
const rules = new Intl.PluralRules("en");

export function noun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === "one" ? one : many;
}

export function plural(count: number, one: string, many = `${one}s`, shown = String(count)): string {
  return `${shown} ${noun(count, one, many)}`;
}

export type ChoiceNames<T extends string> = Readonly<Record<T, string>> | readonly (readonly [T, string])[];

export function pairsOf<T extends string>(names: ChoiceNames<T>): readonly (readonly [T, string])[] {
  return Array.isArray(names) ? (names as readonly (readonly [T, string])[]) : (Object.entries(names) as [T, string][]);
}

/* Values of fields are untrusted: they are only ever rendered as text. */

const countries = new Intl.DisplayNames([...LOCALES], { type: "region", fallback: "code" });
const languages = new Intl.DisplayNames([...LOCALES], { type: "language", fallback: "code" });

export const NOT_SET = "(not set)";

/** The name of a country, by its ISO code, in the user's language; any other text unchanged. */
export function country(code: string): string {
  if (!/^[A-Za-z]{2}$/.test(code)) return code === "" ? NOT_SET : code;
  return countries.of(code.toUpperCase()) ?? code;
}

function language(code: string): string {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code;
  }
}

export function fieldValue(field: string, value: string): string {
  if (value === "") return NOT_SET;
  if (field === "location_country" || field === "country") return country(value);
  if (field === "language") return language(value);
  return value;
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  path: "Page",
  url: "Address",
  hostname: "Site",
  name: "Event",
  touch_source: "Source",
  touch_medium: "Channel",
  touch_campaign: "Campaign",
  referrer: "Referrer",
  referrer_domain: "Referring site",
  location_country: "Country",
  location_region: "Region",
  location_city: "City",
  device: "Device",
  browser: "Browser",
  os: "System",
  screen: "Screen",
  language: "Language",
  user_id: "User",
  anonymous_id: "Visitor id",
  identity_id: "Person",
  company_id: "Company",
  external_id: "Order",
  value: "Value",
  currency: "Currency",
};

export const COMMON_FIELDS = Object.keys(FIELD_NAMES);

export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field;
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

const NONE = "–";

/** A number in two forms: short for display, exact for tooltips and screen readers. */
export interface FormattedNumber {
  readonly short: string;
  readonly exact: string;
}

export const NOTHING: FormattedNumber = { short: NONE, exact: "no value" };

const whole = new Intl.NumberFormat([...LOCALES], { maximumFractionDigits: 20 });
const small = new Intl.NumberFormat([...LOCALES], { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat([...LOCALES], { notation: "compact", maximumSignificantDigits: 3 });
const percents = new Intl.NumberFormat([...LOCALES], { style: "percent", maximumFractionDigits: 1 });
const exactPercents = new Intl.NumberFormat([...LOCALES], { style: "percent", maximumFractionDigits: 4 });

const far = new Intl.NumberFormat([...LOCALES], { notation: "scientific", maximumSignificantDigits: 3 });
const tiny = new Intl.NumberFormat([...LOCALES], { notation: "scientific", maximumSignificantDigits: 17 });

/** Numbers from `LONG` are abbreviated, numbers from `FAR` are in scientific notation. */
const LONG = 10_000;
const FAR = 1e15;
/** Below this, the exact form is in scientific notation. */
const TINY = 1e-3;

export function number(value: number | null): FormattedNumber {
  if (value === null) return NOTHING;
  const size = Math.abs(value);
  const short = size >= FAR ? far.format(value) : size >= LONG ? compact.format(value) : small.format(value);
  return { short, exact: size > 0 && size < TINY ? tiny.format(value) : whole.format(value) };
}

/** A share, where 1 is 100 %. */
export function percent(value: number | null): FormattedNumber {
  return value === null ? NOTHING : { short: percents.format(value), exact: exactPercents.format(value) };
}

/** Money in major units, with its currency; as a plain number if there is none. */
export function money(value: number | null, currency: string | null): FormattedNumber {
  if (value === null) return NOTHING;
  if (currency === null) return number(value);
  const style = { style: "currency", currency } as const;
  const size = Math.abs(value);
  const notation = size >= FAR ? "scientific" : "compact";
  const length = size >= LONG ? ({ notation, maximumSignificantDigits: 3 } as const) : size >= 100 || size === 0 ? { maximumFractionDigits: 0 } : {};
  const short = new Intl.NumberFormat([...LOCALES], { ...style, ...length });
  return { short: short.format(value), exact: new Intl.NumberFormat([...LOCALES], style).format(value) };
}

/** Seconds as `1 min 5 s`, `2 h 3 min`, `4 d 1 h`. */
export function duration(seconds: number | null): FormattedNumber {
  if (seconds === null) return NOTHING;
  const exact = `${whole.format(seconds)} s`;
  if (seconds < 10) return { short: `${small.format(Math.round(seconds * 10) / 10)} s`, exact };
  const total = Math.round(seconds);
  const [days, hours, minutes] = [Math.floor(total / 86_400), Math.floor(total / 3_600) % 24, Math.floor(total / 60) % 60];
  if (days > 0) return { short: `${whole.format(days)} d ${hours} h`, exact };
  if (hours > 0) return { short: `${hours} h ${minutes} min`, exact };
  return { short: minutes > 0 ? `${minutes} min ${total % 60} s` : `${total} s`, exact };
}

export interface NumberChange extends FormattedNumber {
  readonly direction: "up" | "down" | "same";
}

/** The change of a number as a share of the earlier one; null if either is missing or the earlier one is not positive. */
export function change(now: number | null, before: number | null): NumberChange | null {
  if (now === null || before === null || before <= 0) return null;
  const share = (now - before) / before;
  const direction = share > 0 ? "up" : share < 0 ? "down" : "same";
  const size = Math.abs(share);
  const short = size >= 10 ? `×${small.format(Math.round(now / before))}` : percents.format(size);
  return { short, exact: `${exactPercents.format(share)}, was ${whole.format(before)}`, direction };
}

/* `local` of a bucket is a date in its zone. Parse and format it as UTC, so that it does not shift. */

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const cached = formats.get(key) ?? new Intl.DateTimeFormat([...LOCALES], options);
  formats.set(key, cached);
  return cached;
}

const UTC = { timeZone: "UTC" } as const;
const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

function atMidnight(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function day(text: string): string {
  return format({ ...UTC, ...DAY }).format(atMidnight(text));
}

export function range({ from, to }: DayRange): string {
  if (from === null || to === null) return PERIODS.all;
  if (from === to) return day(from);
  return format({ ...UTC, ...DAY }).formatRange(atMidnight(from), atMidnight(to));
}

export function bucketShort({ local }: Pick<TrendBucket, "local">): string {
  if (local === null) return "";
  if (local.includes("T")) return local.slice(11, 16);
  if (/^\d{4}-\d{2}$/.test(local)) return format({ ...UTC, month: "short", year: "2-digit" }).format(atMidnight(`${local}-01`));
  return isWhole(local) ? format({ ...UTC, day: "numeric", month: "short" }).format(atMidnight(local)) : local;
}

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
  return format({ ...UTC, ...DAY, weekday: "short" }).format(atMidnight(text));
}

export function instant(text: string | null, zone: string): string {
  return text === null ? NONE : format({ timeZone: zone, ...DAY, ...TIME }).format(new Date(text));
}

export function instantShort(text: string, zone: string): string {
  return format({ timeZone: zone, day: "numeric", month: "short", ...TIME }).format(new Date(text));
}

export function instantDay(text: string | null, zone: string): string {
  return text === null ? NONE : format({ timeZone: zone, ...DAY }).format(new Date(text));
}

export function clock(text: string, zone: string): string {
  return format({ timeZone: zone, ...TIME }).format(new Date(text));
}

/** A month given as `YYYY-MM`. */
export function month(text: string): string {
  return format({ ...UTC, month: "short", year: "numeric" }).format(atMidnight(`${text}-01`));
}
