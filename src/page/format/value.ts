import { OPERATORS, takesValue, type Filter } from "../state/filter.js";

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

/** The user's locales, which determine the format of numbers, dates and countries. */
export const LOCALES: readonly string[] = knownLocales(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

/** The text of the page is English, so its plurals are too. */
const rules = new Intl.PluralRules("en");

/** "visit" or "visits": the word that matches a number. */
export function noun(count: number, one: string, many = `${one}s`): string {
  return rules.select(count) === "one" ? one : many;
}

/** "1 visit", "2 visits": the number as text, and the matching word. */
export function plural(count: number, one: string, many = `${one}s`, shown = String(count)): string {
  return `${shown} ${noun(count, one, many)}`;
}

/* Values of fields are untrusted: they are only ever rendered as text. */

const countries = new Intl.DisplayNames([...LOCALES], { type: "region", fallback: "code" });
const languages = new Intl.DisplayNames([...LOCALES], { type: "language", fallback: "code" });

const NOT_SET = "(not set)";

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

/** The display text of a value. */
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

/** Fields of every event, offered in filters and breakdowns. */
export const COMMON_FIELDS = Object.keys(FIELD_NAMES);

/** The display name of a field; unknown fields keep their name. */
export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field;
}

/** A filter as a sentence: "Country is Germany". */
export function sentence({ field, operator, value }: Filter): string {
  const verb = `${fieldName(field)} ${OPERATORS[operator]}`;
  if (!takesValue(operator)) return verb;
  const isList = operator === "in" || operator === "not_in";
  return `${verb} ${
    isList
      ? value
          .split(",")
          .map((item) => fieldValue(field, item.trim()))
          .join(", ")
      : fieldValue(field, value)
  }`;
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
