import { OPERATORS, takesValue, type Filter } from "../state/filter.js";
import { LOCALES } from "./locale.js";

/* Values of fields, which strangers choose: here they become text, and nothing but text. */

const countries = new Intl.DisplayNames([...LOCALES], { type: "region", fallback: "code" });
const languages = new Intl.DisplayNames([...LOCALES], { type: "language", fallback: "code" });

const NOT_SET = "(not set)";

/** A country by its ISO code in the reader's language; anything else as it stands. */
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

/** A value as a reader sees it. */
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

/** Fields of every event, as choices of filters and breakdowns. */
export const COMMON_FIELDS = Object.keys(FIELD_NAMES);

/** What a field is called; other names stand for themselves. */
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

/** An address that may be followed; null for everything but http and https, so that nothing planted runs. */
export function followable(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return null;
  try {
    const { protocol, href } = new URL(text);
    return protocol === "https:" || protocol === "http:" ? href : null;
  } catch {
    return null;
  }
}
