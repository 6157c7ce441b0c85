import { byCodePoint, canonicalJsonOf, isSet, memberOf } from "./json.js";

interface WithTraits {
  readonly createdAtMs: number;
  readonly traits: Readonly<Record<string, unknown>>;
}

const CHANGES = ["$set_once", "$add", "$append", "$union", "$remove"];

/** What records say of each key: they apply one after the other. @param records by time and id */
export function traitsOf(records: readonly WithTraits[]): Record<string, unknown> {
  const keys = new Set(records.flatMap(({ traits }) => [...Object.keys(traits), ...CHANGES.flatMap((change) => Object.keys(changesIn(traits, change)))]));
  const known = [...keys].map((key) => [key, valueOf(records, key)] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

/** Text that was told last of a key, else text that was set once first; null for none. @param records by time and id */
export function newestText(records: readonly WithTraits[], key: string): string | null {
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  const once = records.map(({ traits }) => memberOf(changesIn(traits, "$set_once"), key)).find(isText);
  return records.map(({ traits }) => memberOf(traits, key)).filter(isText).at(-1) ?? once ?? null;
}

function valueOf(records: readonly WithTraits[], key: string): unknown {
  let value: unknown;
  let newest: { readonly ms: number; readonly told: unknown } | null = null;
  for (const { createdAtMs: ms, traits } of records) {
    const change = (kind: string) => memberOf(changesIn(traits, kind), key);
    if (!isSet(value) && isSet(change("$set_once"))) value = change("$set_once");
    const told = memberOf(traits, key);
    // Of equal times the greater canonical JSON holds.
    const isNewer = newest === null || ms > newest.ms || byCodePoint(canonicalJsonOf(told ?? null), canonicalJsonOf(newest.told)) > 0;
    if (told !== undefined && !isChange(key, told) && isNewer) {
      newest = { ms, told };
      value = told;
    }
    value = removed(union(appended(added(value, change("$add")), change("$append")), change("$union")), change("$remove"));
  }
  return value;
}

function added(value: unknown, by: unknown): unknown {
  if (typeof by !== "number") return value;
  if (!isSet(value)) return by;
  return typeof value === "number" && Number.isFinite(value + by) ? value + by : value;
}

function appended(value: unknown, by: unknown): unknown {
  return isSet(by) ? [...listOf(value), ...listOf(by)] : value;
}

function union(value: unknown, by: unknown): unknown {
  return isSet(by) ? listOf(by).reduce<unknown[]>((list, item) => (list.some((each) => isSame(each, item)) ? list : [...list, item]), listOf(value)) : value;
}

function removed(value: unknown, by: unknown): unknown {
  if (!isSet(by) || !Array.isArray(value)) return value;
  return value.filter((each) => !listOf(by).some((item) => isSame(each, item)));
}

function listOf(value: unknown): unknown[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isSet);
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJsonOf(a) === canonicalJsonOf(b);
}

function changesIn(traits: object, kind: string): object {
  const changes = memberOf(traits, kind);
  return isChange(kind, changes) ? (changes as object) : {};
}

function isChange(key: string, value: unknown): boolean {
  return CHANGES.includes(key) && typeof value === "object" && value !== null && !Array.isArray(value);
}
