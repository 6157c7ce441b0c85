import type { FilterGroupInput, FilterInput, EventSelector, InsightInput, PeopleSegment, SegmentCondition } from "../../../src/query/plan/input.js";
import type { History } from "../oracle/history.js";
import { offsetMs } from "../oracle/insights/zone.js";
import type { Random } from "../../../src/testing/random.js";
import {
  allZones, browsers, companyIds, countries, devices, emails, fields, names, numericFields, oddZones, plans, projects, stepNames, systems, urls, usualFields, userIds,
} from "./insight-values.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What queries are drawn from. */
export interface Known {
  readonly random: Random;
  /** When things happened. */
  readonly timesMs: readonly number[];
  readonly nowMs: number;
  /** Values for filters by `identity_id`. */
  readonly identityIds: readonly string[];
}

export function timesOf(history: History): number[] {
  const times: unknown[] = history.map((item) => ("createdAt" in item ? item.createdAt : null));
  return times.filter((time): time is number => Number.isInteger(time) && Number(time) >= 0);
}

/** Most of them need no more than a few fields; each is asked for now and then. */
export function anyField({ random }: Known): string {
  return random.chance(0.6) ? random.pick(usualFields) : random.pick(fields);
}

export function numericField({ random }: Known): string {
  return random.chance(0.9) ? random.pick(numericFields) : random.pick(fields);
}

/** What all insights take: a zone, a first day of weeks, dates, a project, filters, segments. */
export function insightScope(known: Known): InsightInput {
  const { random } = known;
  const segments = random.chance(0.15) ? { one: segment(known), "two-2_": segment(known) } : null;
  return {
    ...(random.chance(0.75) ? { timeZone: timeZone(known) } : {}),
    ...(random.chance(0.3) ? { weekStart: random.pick(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const) } : {}),
    ...dates(known),
    ...(random.chance(0.2) ? { project: random.pick([...projects, "default", "default", random.chance(0.3) ? "none" : "default"]) } : {}),
    ...(random.chance(0.08) ? { eventName: random.pick(names) } : {}),
    ...(segments !== null || random.chance(0.25) ? { filterGroups: filterGroups(known, segments === null ? [] : Object.keys(segments)) } : {}),
    ...(segments === null ? {} : { segments }),
  };
}

/** Mostly one where something is odd, often at just these times. */
function timeZone({ random, timesMs }: Known): string {
  if (random.chance(0.25)) return random.pick(allZones);
  if (timesMs.length === 0 || random.chance(0.7)) return random.pick(oddZones);
  const [firstMs, lastMs] = [Math.min(...timesMs) - DAY_MS, Math.max(...timesMs) + DAY_MS];
  const changing = oddZones.filter((zone) => offsetMs(zone, firstMs) !== offsetMs(zone, lastMs));
  return random.pick(changing.length === 0 ? oddZones : changing);
}

/** Two dates around what happened, in order, or fewer. */
export function dates(known: Known, startShare = 0.5, endShare = 0.5): Pick<InsightInput, "startDate" | "endDate"> {
  const { random, timesMs } = known;
  if (random.chance(0.0003)) return { startDate: "1970-01-01", endDate: random.pick(["1970-01-02", "9999-12-31"]) };
  // Mostly with something between them.
  const edges = [Math.min(...timesMs), Math.max(...timesMs)].filter((ms) => Number.isFinite(ms) && random.chance(0.6));
  const ms = [someMs(known), someMs(known), ...edges].sort((a, b) => a - b);
  const [first = 0, last = 0] = [ms.at(0), ms.at(-1)];
  return {
    ...(random.chance(startShare) ? { startDate: dateOf(random, first) } : {}),
    ...(random.chance(endShare) ? { endDate: dateOf(random, last) } : {}),
  };
}

/** Dates so near each other that hours and minutes between them are few. */
export function narrowDates(known: Known): Pick<InsightInput, "startDate" | "endDate"> {
  const { random } = known;
  const spanMs = random.pick([0, 1, 5, 59, 60, 125, 125]) * MINUTE_MS + random.pick([0, 0, -1, 1, 30_000]);
  const firstMs = Math.max(0, someMs(known) - random.pick([0, 0, 1, spanMs, Math.floor(spanMs / 2)]));
  const lastMs = firstMs + spanMs;
  return { startDate: new Date(firstMs).toISOString(), endDate: new Date(Math.max(firstMs, lastMs)).toISOString() };
}

/** At something that happened, at a full day or unit near it, and beside both. */
function someMs({ random, timesMs, nowMs }: Known): number {
  const near = timesMs.length > 0 && random.chance(0.95) ? random.pick(timesMs) : nowMs;
  const unit = random.pick([1, 1, HOUR_MS, DAY_MS, DAY_MS]);
  const ms = near - (near % unit) + random.pick([0, 0, 0, -1, 1, -DAY_MS, DAY_MS, -7 * DAY_MS, 30 * DAY_MS]);
  return Math.min(Math.max(ms, 0), Date.UTC(9999, 11, 31));
}

function dateOf(random: Random, ms: number): string | Date {
  const text = new Date(ms).toISOString();
  const shifted = `${new Date(ms + 330 * MINUTE_MS).toISOString().slice(0, -1)}+05:30`;
  return random.pick<() => string | Date>([() => text.slice(0, 10), () => text.slice(0, 10), () => text, () => text.replace("Z", "9Z"), () => shifted, () => new Date(ms)])();
}

/** An event's name, a filter, both, and where it may be neither, that too. */
export function selector(known: Known, isFree: boolean): EventSelector {
  const { random } = known;
  const eventName = random.pick([...stepNames, ...stepNames, ...stepNames, "x", "Pageview", "none"]);
  const kind = random.next();
  if (isFree && kind < 0.2) return random.pick([{}, { eventName: null, filterGroups: null }, { filterGroups: [] }]);
  if (kind < 0.75) return { eventName };
  return { ...(random.chance(0.5) ? { eventName } : {}), filterGroups: [{ filters: [filter(known)] }] };
}

export function filterGroups(known: Known, segmentNames: readonly string[]): FilterGroupInput[] {
  const { random } = known;
  const one = (): FilterInput => {
    if (segmentNames.length === 0 || random.chance(0.2)) return filter(known);
    return { fieldName: random.pick(["identity_id", "identityId"]), operator: random.pick(["in_segment", "not_in_segment", " IN_SEGMENT "]), value: random.pick(segmentNames) };
  };
  return Array.from({ length: random.pick([1, 1, 1, 2]) }, () => ({ filters: Array.from({ length: random.pick([1, 1, 1, 2, segmentNames.length === 0 ? 0 : 2]) }, one) }));
}

const OPERATORS = {
  equal: ["=", "=", "!=", "eq", "==", "is", "is_not", "<>", "ne", "not_equals", " EQ "],
  text: ["contains", "not_contains", "icontains", "starts_with", "not_starts_with", "ends_with", "not_ends_with"],
  list: ["in", "not_in", "one_of", "none_of"],
  order: [">", ">=", "<", "<=", "gt", "gte", "lt", "lte"],
  between: ["between", "not_between"],
  pattern: ["regex", "not_regex", "matches", "not_matches"],
  set: ["is_set", "is_not_set", "exists", "not_exists"],
} as const;

/** A filter of any field and operator; all may be asked of any value. */
export function filter(known: Known): FilterInput {
  const fieldName = anyField(known);
  return { fieldName, ...comparison(known, fieldName) };
}

function comparison(known: Known, fieldName: string): Pick<FilterInput, "operator" | "value"> {
  const { random } = known;
  const kind = random.pick(["equal", "equal", "equal", "text", "list", "order", "order", "between", "pattern", "set"] as const);
  const operator = random.pick<string>(OPERATORS[kind]);
  const value = () => (random.chance(0.7) ? valueOf(known, fieldName) : someValue(known));
  if (kind === "set") return { operator };
  if (kind === "pattern") return { operator, value: random.pick(["^/", "a$", "[A-Z]", "(?i)^PRO", "\\d", "o|e", "^.$", "^$", "mail"]) };
  if (kind === "order") return { operator, value: someBound(known) };
  if (kind === "list") return { operator, value: random.pick<() => unknown>([() => [value(), value()], () => JSON.stringify([value(), value(), ""]), () => [value()]])() };
  if (kind === "between") {
    const [low, high] = random.chance(0.7) ? [random.pick(["-3", "0", "0.1", 1]), random.pick([1, "2.5", "1e3"])] : [timestamp(known), timestamp(known)];
    return { operator, value: [low, high] };
  }
  return { operator, value: value() };
}

/** A value that the field may have. */
function valueOf(known: Known, fieldName: string): unknown {
  const { random, identityIds } = known;
  if (fieldName.startsWith("identity")) return random.pick([...identityIds, ...identityIds, "idn_"]);
  const key = fieldName.replace(/^(?:metadata|person|company|first_touch|last_touch)\./, "").replace(/_./g, (letters) => letters.slice(1).toUpperCase());
  const values = Object.hasOwn(VALUES, key) ? VALUES[key] : undefined;
  return values === undefined ? someValue(known) : random.pick(values);
}

const touched = ["news", "mail", "(direct)", "google.com", "partner.example", "spring", "organic", "cpc", "(none)"];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  device: devices, country: countries, locationCountry: countries, path: ["/", "/a", "/b"], url: urls, plan: plans, x: [1, 2, "3", "0.1", true, "abc", 2.5], tags: ["p", "q", 3, "\uFF5E"], email: ["ann@x.io", "bob@x.io"],
  companyId: companyIds, userId: userIds, anonymousId: ["d1", "d2"], name: names, project: projects, source: touched, medium: touched, campaign: touched, touchSource: touched, touchMedium: touched, touchCampaign: touched,
  browser: browsers, os: systems, value: [10, "20", 0.1],
};

function someValue({ random, identityIds }: Known): unknown {
  return random.pick<unknown>([
    ...plans, random.pick(devices), random.pick(countries), random.pick(userIds), random.pick(companyIds), random.pick(urls), random.pick(emails).trim(), "p", "q", "3", 3, "0.1", 1, true, "true", "news", "(direct)", "google.com",
    random.pick([...identityIds, "idn_"]), random.pick(names), "/a", "/",
  ]);
}

function someBound(known: Known): unknown {
  return known.random.pick<() => unknown>([() => 0, () => "0.1", () => "2", () => 2.5, () => -3, () => "1e3", () => timestamp(known)])();
}

/** Dates in filters are those of UTC. */
function timestamp(known: Known): string {
  const text = new Date(someMs(known)).toISOString();
  return known.random.chance(0.4) ? text.slice(0, 10) : text;
}

/** People by one to three conditions. */
export function segment(known: Known): PeopleSegment {
  const { random } = known;
  const group = () => ({ conditions: Array.from({ length: random.pick([1, 1, 2]) }, () => condition(known)) });
  return { groups: Array.from({ length: random.pick([1, 1, 2]) }, group) };
}

function condition(known: Known): SegmentCondition {
  const { random } = known;
  const window = random.pick([() => ({}), () => dates(known), () => dates(known, 1, 1), () => lastDays(random)]);
  const required = () => random.pick([() => dates(known, 1, 0), () => dates(known, 0, 1), () => dates(known, 1, 1), () => lastDays(random)])();
  const trait = (field: string): SegmentCondition => ({ type: "trait", field, ...comparison(known, field) });
  const company = (field: string | null): SegmentCondition => ({ type: "company", ...(field === null ? {} : { field }), ...comparison(known, field ?? "companyId") });
  const atLeast = random.pick([{}, {}, { atLeast: random.between(1, 3) }]);
  return random.pick<() => SegmentCondition>([
    () => ({ type: "did", ...selector(known, true), ...window(), ...atLeast, ...(random.chance(0.3) ? { atMost: (atLeast.atLeast ?? 1) + random.below(3) } : {}) }),
    () => ({ type: "did", ...selector(known, true), ...window(), ...atLeast }),
    () => ({ type: "did_not", ...selector(known, true), ...window() }),
    () => ({ type: "first_seen", ...required() }),
    () => ({ type: "last_seen", ...required() }),
    () => trait(random.pick(["plan", "x", "tags", "a.b", "email", "missing"])),
    () => company(random.pick([null, "plan", "x", "tags", "missing"])),
  ])();
}

function lastDays(random: Random): { readonly lastDays: number } {
  return { lastDays: random.pick([1, 2, 7, 9, 10, 40, 3_660]) };
}
