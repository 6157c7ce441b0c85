import { instant } from "../../format/date.js";
import { LOCALES } from "../../format/locale.js";
import { duration, number, type Shown } from "../../format/number.js";

interface StatGroup {
  readonly title: string;
  readonly facts: readonly { readonly name: string; readonly shown: Shown }[];
}

/** Figures of the store in groups: those that stand alone, then each object's; names are those of the answer, in words. */
export function statGroups(stats: Readonly<Record<string, unknown>>, zone: string): StatGroup[] {
  const alone = Object.entries(stats).filter(([name, value]) => !isObject(value) && name !== "health");
  const within = Object.entries(stats).flatMap(([name, value]): StatGroup[] =>
    isObject(value) ? [{ title: words(name), facts: factsOf(Object.entries(value), zone) }] : [],
  );
  return [{ title: "In all", facts: factsOf(alone, zone) }, ...within].filter(({ facts }) => facts.length > 0);
}

function factsOf(entries: readonly (readonly [string, unknown])[], zone: string) {
  return entries.map(([name, value]) => ({ name: words(name.replace(/_(?:bytes|ms)$/, "")), shown: shownOf(name, value, zone) }));
}

function shownOf(name: string, value: unknown, zone: string): Shown {
  if (typeof value === "number") return /bytes|byte_length/.test(name) ? bytes(value) : /_ms$/.test(name) ? duration(value / 1000) : number(value);
  if (typeof value === "string") return /^\d{4}-\d{2}-\d{2}T/.test(value) ? same(instant(value, zone)) : same(value);
  if (Array.isArray(value))
    return same(value.length === 0 ? "none" : value.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(", "));
  return same(value === null ? "–" : JSON.stringify(value));
}

function same(text: string): Shown {
  return { short: text, exact: text };
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

function bytes(value: number): Shown {
  const step = value < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(value) / 10));
  const short = new Intl.NumberFormat([...LOCALES], { maximumSignificantDigits: 3 }).format(value / 1024 ** step);
  return { short: `${short} ${SIZES[step] ?? "B"}`, exact: `${number(value).exact} bytes` };
}

function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
