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

/** The text of charts is English, so its plurals are too. */
const rules = new Intl.PluralRules("en");

export function noun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === "one" ? one : many;
}

export function plural(count: number, one: string, many = `${one}s`, shown = String(count)): string {
  return `${shown} ${noun(count, one, many)}`;
}

export const NOT_SET = "(not set)";

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

export const NONE = "–";

/** A number in two forms: short for display, exact for tooltips and screen readers. */
export interface FormattedNumber {
  readonly short: string;
  readonly exact: string;
}

export const NOTHING: FormattedNumber = { short: NONE, exact: "no value" };

export interface NumberChange extends FormattedNumber {
  readonly direction: "up" | "down" | "same";
}

/** A unit of the calendar, as answers of insights name it. */
export interface NamedBucket {
  readonly local: string | null;
}

/** Numbers from `LONG` are abbreviated, numbers from `FAR` are in scientific notation. */
const LONG = 10_000;
const FAR = 1e15;
/** Below this, the exact form is in scientific notation. */
const TINY = 1e-3;

const UTC = { timeZone: "UTC" } as const;
const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

/** Numbers and names of values as text. */
function numberFormats(locales: readonly string[]) {
  const names = [...locales];
  const whole = new Intl.NumberFormat(names, { maximumFractionDigits: 20 });
  const small = new Intl.NumberFormat(names, { maximumFractionDigits: 2 });
  const compact = new Intl.NumberFormat(names, { notation: "compact", maximumSignificantDigits: 3 });
  const percents = new Intl.NumberFormat(names, { style: "percent", maximumFractionDigits: 1 });
  const exactPercents = new Intl.NumberFormat(names, { style: "percent", maximumFractionDigits: 4 });
  const far = new Intl.NumberFormat(names, { notation: "scientific", maximumSignificantDigits: 3 });
  const tiny = new Intl.NumberFormat(names, { notation: "scientific", maximumSignificantDigits: 17 });

  const number = (value: number | null): FormattedNumber => {
    if (value === null) return NOTHING;
    const size = Math.abs(value);
    const short = size >= FAR ? far.format(value) : size >= LONG ? compact.format(value) : small.format(value);
    return { short, exact: size > 0 && size < TINY ? tiny.format(value) : whole.format(value) };
  };

  /** A share, where 1 is 100 %. */
  const percent = (value: number | null): FormattedNumber =>
    value === null ? NOTHING : { short: percents.format(value), exact: exactPercents.format(value) };

  /** Money in major units, with its currency; as a plain number if there is none. */
  const money = (value: number | null, currency: string | null): FormattedNumber => {
    if (value === null) return NOTHING;
    if (currency === null) return number(value);
    const style = { style: "currency", currency } as const;
    const size = Math.abs(value);
    const notation = size >= FAR ? "scientific" : "compact";
    const length = size >= LONG ? ({ notation, maximumSignificantDigits: 3 } as const) : size >= 100 || size === 0 ? { maximumFractionDigits: 0 } : {};
    const short = new Intl.NumberFormat(names, { ...style, ...length });
    return { short: short.format(value), exact: new Intl.NumberFormat(names, style).format(value) };
  };

  /** Seconds as `1 min 5 s`, `2 h 3 min`, `4 d 1 h`. */
  const duration = (seconds: number | null): FormattedNumber => {
    if (seconds === null) return NOTHING;
    const exact = `${whole.format(seconds)} s`;
    if (seconds < 10) return { short: `${small.format(Math.round(seconds * 10) / 10)} s`, exact };
    const total = Math.round(seconds);
    const [days, hours, minutes] = [Math.floor(total / 86_400), Math.floor(total / 3_600) % 24, Math.floor(total / 60) % 60];
    if (days > 0) return { short: `${whole.format(days)} d ${hours} h`, exact };
    if (hours > 0) return { short: `${hours} h ${minutes} min`, exact };
    return { short: minutes > 0 ? `${minutes} min ${total % 60} s` : `${total} s`, exact };
  };

  /** The change of a number as a share of the earlier one; null if either is missing or the earlier one is not positive. */
  const change = (now: number | null, before: number | null): NumberChange | null => {
    if (now === null || before === null || before <= 0) return null;
    const share = (now - before) / before;
    const direction = share > 0 ? "up" : share < 0 ? "down" : "same";
    const size = Math.abs(share);
    const short = size >= 10 ? `×${small.format(Math.round(now / before))}` : percents.format(size);
    return { short, exact: `${exactPercents.format(share)}, was ${whole.format(before)}`, direction };
  };

  return { number, percent, money, duration, change };
}

/* Values of fields are untrusted: they are only ever rendered as text. */

function valueFormats(locales: readonly string[]) {
  const countries = new Intl.DisplayNames([...locales], { type: "region", fallback: "code" });
  const languages = new Intl.DisplayNames([...locales], { type: "language", fallback: "code" });

  /** The name of a country, by its ISO code, in the reader's language; any other text unchanged. */
  const country = (code: string): string => {
    if (!/^[A-Za-z]{2}$/.test(code)) return code === "" ? NOT_SET : code;
    return countries.of(code.toUpperCase()) ?? code;
  };

  const language = (code: string): string => {
    try {
      return languages.of(code) ?? code;
    } catch {
      return code;
    }
  };

  const fieldValue = (field: string, value: string): string => {
    if (value === "") return NOT_SET;
    if (field === "location_country" || field === "country") return country(value);
    if (field === "language") return language(value);
    return value;
  };

  return { country, fieldValue };
}

/* `local` of a bucket is a date in its zone. Parse and format it as UTC, so that it does not shift. */

export function atMidnight(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

function isWhole(local: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(local);
}

function dateFormats(locales: readonly string[]) {
  const formats = new Map<string, Intl.DateTimeFormat>();

  const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
    const key = JSON.stringify(options);
    const cached = formats.get(key) ?? new Intl.DateTimeFormat([...locales], options);
    formats.set(key, cached);
    return cached;
  };

  const bucketShort = ({ local }: NamedBucket): string => {
    if (local === null) return "";
    if (local.includes("T")) return local.slice(11, 16);
    if (/^\d{4}-\d{2}$/.test(local)) return dateFormat({ ...UTC, month: "short", year: "2-digit" }).format(atMidnight(`${local}-01`));
    return isWhole(local) ? dateFormat({ ...UTC, day: "numeric", month: "short" }).format(atMidnight(local)) : local;
  };

  const longDay = (text: string): string => dateFormat({ ...UTC, ...DAY, weekday: "short" }).format(atMidnight(text));

  /** @param unit of the calendar; weeks are named by their first day */
  const bucketLong = ({ local }: NamedBucket, unit: string): string => {
    if (local === null) return "";
    if (local.includes("T")) return `${longDay(local.slice(0, 10))}, ${local.slice(11, 16)}`;
    if (/^\d{4}-\d{2}$/.test(local)) return dateFormat({ ...UTC, month: "long", year: "numeric" }).format(atMidnight(`${local}-01`));
    if (!isWhole(local)) return local;
    return unit === "week" ? `Week of ${longDay(local)}` : longDay(local);
  };

  return { dateFormat, bucketShort, bucketLong };
}

/** How one reader reads numbers, values of fields and dates. */
export type Formats = ReturnType<typeof formatsFor>;

/** @param locales in the order of preference, all known to `Intl` */
export function formatsFor(locales: readonly string[]) {
  return { ...numberFormats(locales), ...valueFormats(locales), ...dateFormats(locales) };
}
