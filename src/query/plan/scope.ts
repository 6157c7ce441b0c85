import { shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { WEEK_DAYS } from "../../core/calendar/units.js";
import { zoneOf, type Zone } from "../../core/calendar/zone.js";
import { readDate } from "./date-range.js";
import { fieldOf } from "./filters/field-operand.js";
import { FilterPlanner } from "./filters/filter-groups.js";
import type { DateInput, FilterGroupInput, WeekDay } from "./input.js";
import { LAST_DAYS_MAX } from "./insights/segments.js";
import { memberError, pathOfMember, readChoice, readInteger, readList, readMembers, readText, type InputMembers } from "./members.js";
import type { Operand, Pattern, Range, Where } from "./plan.js";

/** What its holder may see and ask: plain data, which JSON carries. `null` is the same as absent. */
export interface Scope {
  /** Only events that pass: at most 100 filters, by any field but `identity_id`, or by metadata. Absent: all events. */
  readonly filterGroups?: readonly FilterGroupInput[] | null | undefined;
  /** Only events of these projects, 1 to 100. Absent: of all. */
  readonly projects?: readonly string[] | null | undefined;
  /** The first day, or millisecond; a date without a time is that day in `timeZone`. Default: open. */
  readonly from?: DateInput | null | undefined;
  /** The last day, or millisecond, inclusive. Default: open. */
  readonly to?: DateInput | null | undefined;
  /** This many days up to today, 1 to 3,660, by the clocks of `timeZone`: 1 is today alone. Not together with `from` and `to`. */
  readonly lastDays?: number | null | undefined;
  /** Methods that may be called. Absent: those that show neither events nor people, companies or revenue. */
  readonly queries?: readonly string[] | null | undefined;
  /** What queries may name and answers show. Absent: every field of an event but its ids and those of people; of metadata nothing. */
  readonly fields?: readonly string[] | null | undefined;
  /** Saved segments that filters may name. Absent: none. */
  readonly segments?: readonly string[] | null | undefined;
  /** The time zone of all queries, and of the dates of this scope. Absent: that of each query, and for the dates that of an outer scope, or UTC. */
  readonly timeZone?: string | null | undefined;
  /** The first day of a week in all queries. Absent: that of each query. */
  readonly weekStart?: WeekDay | null | undefined;
}

/** Which events a scope lets through. */
export interface ScopeRows {
  readonly where: Where;
  /** Null: all. */
  readonly projects: readonly string[] | null;
  /** Without the bounds of `lastDays`. */
  readonly range: Range;
  /** The day's zone decides where the first of them begins. */
  readonly lastDays: { readonly count: number; readonly zone: Zone } | null;
}

/** A scope whose members are settled. */
export interface ScopePlan {
  readonly rows: ScopeRows;
  /** Null: those that are open to every scope. */
  readonly queries: readonly string[] | null;
  /** Null: those that are open to every scope. */
  readonly fields: readonly Operand[] | null;
  readonly segments: readonly string[];
  /** Null: that of the query. */
  readonly timeZone: string | null;
  /** Null: that of the query. */
  readonly weekStart: WeekDay | null;
  /** Regular expressions of its filters, which are not compiled yet. */
  readonly patterns: readonly Pattern[];
}

const NAMES = ["filterGroups", "projects", "from", "to", "lastDays", "queries", "fields", "segments", "timeZone", "weekStart"];
const LIST_LENGTH_MAX = 100;
/** Values of people and companies, and those that other events decide. */
const NOT_OF_EVENTS: ReadonlySet<Operand["kind"]> = new Set(["identityId", "person", "company", "paymentTouch", "touch", "segment"]);

/**
 * Plans a scope. @param queryNames every method that `queries` may list @param outerZone the zone of its dates if it sets none
 * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, and what `FilterPlanner.where` throws; paths begin with `scope.`
 */
export function planScope(scope: unknown, queryNames: readonly string[], outerZone = "UTC"): ScopePlan {
  const members = readMembers(scope, "scope", NAMES);
  const zone = readScopeZone(members, outerZone);
  const patterns: Pattern[] = [];
  const where = new FilterPlanner(patterns).where(members, null);
  refuseOthers(members, where);
  refuseEmpty(members);
  return {
    rows: { where, projects: readTexts(members, "projects"), ...readWindow(members, zone) },
    queries: readTexts(members, "queries", queryNames),
    fields: readTexts(members, "fields")?.map((name, at) => fieldOf(name, `${pathOfMember(members, "fields")}[${at}]`)) ?? null,
    segments: readTexts(members, "segments") ?? [],
    timeZone: members.values.has("timeZone") ? zone.name : null,
    weekStart: readChoice(members, "weekStart", WEEK_DAYS),
    patterns,
  };
}

/** Whether a value for `timeZone` or `weekStart` is the one that a scope sets, which may be another name of the zone. */
export function isSameSetting(value: unknown, fixed: string): boolean {
  const id = zoneOf(fixed)?.id;
  return value === fixed || (id !== undefined && typeof value === "string" && zoneOf(value)?.id === id);
}

function readScopeZone(members: InputMembers, outerZone: string): Zone {
  const name = readText(members, "timeZone") ?? outerZone;
  const zone = zoneOf(name);
  if (zone === null) throw memberError(members, "timeZone", `expected the IANA name of a time zone, got ${shown(name)}`);
  return zone;
}

function readWindow(members: InputMembers, zone: Zone): Pick<ScopeRows, "range" | "lastDays"> {
  const from = readDate(members, "from", zone);
  const to = readDate(members, "to", zone);
  const range = { fromMs: from?.fromMs ?? 0, toMs: to?.toMs ?? LIMITS.instantMaxMs };
  if (range.fromMs >= range.toMs)
    throw memberError(members, "from", `expected a start not after to, got ${shown(members.values.get("from"))} .. ${shown(members.values.get("to"))}`, "invalid_date_range");
  const count = readInteger(members, "lastDays", 1, LAST_DAYS_MAX);
  if (count !== null && (from !== null || to !== null)) throw memberError(members, "lastDays", "expected either lastDays, or from and to, got both");
  return { range, lastDays: count === null ? null : { count, zone } };
}

/** Null when absent. @param known the texts that may be listed; absent: any */
function readTexts(members: InputMembers, name: string, known?: readonly string[]): readonly string[] | null {
  if (!members.values.has(name)) return null;
  const items = readList(members, name, 1, LIST_LENGTH_MAX);
  items.forEach((item, at) => {
    const path = `${name}[${at}]`;
    if (typeof item !== "string" || item === "" || !item.isWellFormed()) throw memberError(members, path, `expected a text, got ${shown(item)}`);
    if (known?.includes(item) === false) throw memberError(members, path, `expected one of ${known.join(", ")}, got ${shown(item)}`);
  });
  return [...new Set(items as readonly string[])];
}

/** A scope that was made of an empty customer must not open all events. */
function refuseEmpty(members: InputMembers): void {
  const groups = readList(members, "filterGroups", 0, LIMITS.filterGroupCount) as readonly { readonly filters: readonly { readonly value?: unknown }[] }[];
  if (members.values.has("filterGroups") && groups.length === 0) throw memberError(members, "filterGroups", "expected at least one group, got none; leave it out for all events");
  groups.forEach(({ filters }, at) => {
    if (filters.length === 0) throw memberError(members, `filterGroups[${at}].filters`, "expected at least one filter, got none");
    filters.forEach(({ value }, place) => {
      if (value === "" || (Array.isArray(value) && value.includes("")))
        throw memberError(members, `filterGroups[${at}].filters[${place}].value`, "expected at least one character, got an empty text; is_not_set selects events without a value");
    });
  });
}

function refuseOthers(members: InputMembers, where: Where): void {
  where.forEach((group, at) =>
    group.forEach(({ operand }, place) => {
      if (NOT_OF_EVENTS.has(operand.kind))
        throw memberError(members, `filterGroups[${at}].filters[${place}].fieldName`, "expected a field or a metadata key of the event itself, got a value that other events decide");
    }),
  );
}
