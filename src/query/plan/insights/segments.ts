import { parameterError, shown } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { MS_PER_DAY } from "../../../core/base/time.js";
import type { Zone } from "../../../core/calendar/zone.js";
import { planRange } from "../date-range.js";
import { FIELD_OPERANDS } from "../field-names.js";
import { fieldOf } from "../filters/field-operand.js";
import { FilterPlanner, type SegmentNames } from "../filters/filter-groups.js";
import { valueError } from "../filters/filter-value.js";
import { memberError, pathOfMember, readChoice, readInteger, readList, readMembers, readText, type InputMembers } from "../members.js";
import type { Operand, QueryScope, Pattern, Range, ConditionPlan, PeopleSegmentPlan, SegmentWindow } from "../plan.js";

export const SEGMENT_COUNT_MAX = 10;
export const GROUP_COUNT_MAX = 20;
export const CONDITION_COUNT_MAX = 50;
export const EVENT_COUNT_MAX = 1_000_000;
export const LAST_DAYS_MAX = 3_660;
const SEGMENT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const WINDOW = ["startDate", "endDate", "lastDays"];
const CONDITIONS = {
  did: ["eventName", "filterGroups", "atLeast", "atMost", ...WINDOW],
  did_not: ["eventName", "filterGroups", ...WINDOW],
  first_seen: WINDOW,
  last_seen: WINDOW,
  trait: ["field", "operator", "value"],
  company: ["field", "operator", "value"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type ConditionType = keyof typeof CONDITIONS;
const TYPES = Object.keys(CONDITIONS) as readonly ConditionType[];
const MEMBERS = [...new Set(["type", ...Object.values(CONDITIONS).flat()])];

export interface SegmentScope {
  readonly project: string | null;
  /** The time zone of dates without a time; null: UTC. */
  readonly zone: Zone | null;
  /** Epoch ms at which the query was made, from which last days count. */
  readonly nowMs: number;
  /** The planner of the query: filters of segments count together with its own. */
  readonly filters: FilterPlanner;
}

/**
 * Plans the segments of the member `segments`, and saved ones when a filter first names them.
 * @param saved by name, as they were given
 * @throws exactly_one_required, invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, and what `FilterPlanner.where` throws
 */
export function planSegments(members: InputMembers, saved: ReadonlyMap<string, unknown>, scope: SegmentScope): SegmentNames {
  const operands = new Map<string, Operand>();
  const path = pathOfMember(members, "segments");
  const given = inlineSegments(members, path);
  for (const [name, segment] of given) {
    if (!SEGMENT_NAME.test(name))
      throw parameterError("invalid_parameter", path, `expected names of 1 to 64 letters, digits, _ and -, got ${shown(name)}`);
    if (saved.has(name)) throw parameterError("invalid_parameter", `${path}.${name}`, "expected a new name, got the name of a saved segment");
    operands.set(name, { kind: "segment", segment: planSegment(segment, `${path}.${name}`, scope), nowMs: scope.nowMs });
  }
  return {
    operandOf(filter) {
      const name = filter.values.get("value");
      const known = typeof name === "string" ? operands.get(name) : undefined;
      if (known !== undefined) return known;
      if (typeof name !== "string" || !saved.has(name)) throw valueError(filter, `expected the name of a segment, got ${shown(name ?? null)}`);
      const operand: Operand = { kind: "segment", segment: planSegment(saved.get(name), `${path}.${name}`, scope), nowMs: scope.nowMs };
      operands.set(name, operand);
      return operand;
    },
  };
}

function inlineSegments(members: InputMembers, path: string): readonly (readonly [name: string, segment: unknown])[] {
  const value = members.values.get("segments");
  if (value === undefined) return [];
  if (Object.prototype.toString.call(value) !== "[object Object]")
    throw parameterError("invalid_parameter", path, `expected an object of segments by name, got ${shown(value)}`);
  const given = Object.entries(value as object).filter(([, segment]) => segment !== null && segment !== undefined);
  if (given.length > SEGMENT_COUNT_MAX) throw parameterError("invalid_parameter", path, `expected at most ${SEGMENT_COUNT_MAX} segments, got ${given.length}`);
  return given;
}

/** Windows of last days stay relative: they move with the query. @param path of the segment @throws as `planSegments` does */
function planSegment(value: unknown, path: string, scope: SegmentScope): PeopleSegmentPlan {
  const members = readMembers(value, path, ["groups"]);
  return readList(members, "groups", 1, GROUP_COUNT_MAX).map((item, at) => {
    const group = readMembers(item, `${pathOfMember(members, "groups")}[${at}]`, ["conditions"]);
    const conditions = pathOfMember(group, "conditions");
    return readList(group, "conditions", 1, CONDITION_COUNT_MAX).map((condition, place) => planCondition(condition, `${conditions}[${place}]`, scope));
  });
}

function planCondition(value: unknown, path: string, scope: SegmentScope): ConditionPlan {
  const any = readMembers(value, path, MEMBERS);
  const type = readChoice(any, "type", TYPES);
  if (type === null) throw memberError(any, "type", `expected one of ${TYPES.join(", ")}, got none`);
  const members = readMembers(value, path, ["type", ...CONDITIONS[type]]);
  switch (type) {
    case "did":
      return { type, scope: planEvents(members, scope), window: planWindow(members, scope.zone), ...planCounts(members) };
    case "did_not":
      return { type: "did", scope: planEvents(members, scope), window: planWindow(members, scope.zone), atLeast: 0, atMost: 0 };
    case "first_seen":
      return { type: "firstSeen", project: scope.project, window: planGivenWindow(members, scope.zone) };
    case "last_seen":
      return { type: "lastSeen", project: scope.project, window: planGivenWindow(members, scope.zone) };
    case "trait":
    case "company":
      return { type: "is", comparison: scope.filters.alone(members, planKnown(members, type)) };
  }
}

function planEvents(members: InputMembers, { project, filters }: SegmentScope): QueryScope {
  const range = { fromMs: 0, toMs: LIMITS.instantMaxMs };
  return { project, eventName: readText(members, "eventName"), userId: null, range, where: filters.where(members, null) };
}

function planCounts(members: InputMembers): { readonly atLeast: number; readonly atMost: number | null } {
  const atLeast = readInteger(members, "atLeast", 1, EVENT_COUNT_MAX) ?? 1;
  return { atLeast, atMost: readInteger(members, "atMost", atLeast, Number.MAX_SAFE_INTEGER) };
}

function planWindow(members: InputMembers, zone: Zone | null): SegmentWindow {
  const days = readInteger(members, "lastDays", 1, LAST_DAYS_MAX);
  if (days === null) return { kind: "range", range: planRange(members, zone) };
  if (members.values.has("startDate") || members.values.has("endDate"))
    throw memberError(members, "lastDays", "expected either dates or lastDays, got both", "exactly_one_required");
  return { kind: "lastDays", days };
}

/** The range that a window covers at a time. */
export function rangeOf(window: SegmentWindow, nowMs: number): Range {
  return window.kind === "range" ? window.range : { fromMs: nowMs - window.days * MS_PER_DAY, toMs: nowMs + 1 };
}

function planGivenWindow(members: InputMembers, zone: Zone | null): SegmentWindow {
  if (WINDOW.every((name) => !members.values.has(name))) throw memberError(members, "startDate", "expected startDate, endDate or lastDays, got none");
  return planWindow(members, zone);
}

function planKnown(members: InputMembers, type: "trait" | "company"): Operand {
  const field = readText(members, "field");
  if (field !== null) return fieldOf(`${type === "trait" ? "person" : "company"}.${field}`, pathOfMember(members, "field"));
  if (type === "trait") throw memberError(members, "field", "expected the name of a trait, got none");
  return FIELD_OPERANDS.company_id;
}

/**
 * Checks a segment to be saved, as a segment in a query is checked. Each query that names it plans it with its own time zone and project.
 * @returns its regular expressions, checked for length and not yet compiled
 * @throws invalid_parameter (the name), and what `planSegment` throws, with paths relative to the segment
 */
export function checkSavedSegment(name: unknown, segment: unknown): readonly Pattern[] {
  if (typeof name !== "string" || !SEGMENT_NAME.test(name))
    throw parameterError("invalid_parameter", "name", `expected 1 to 64 letters, digits, _ and -, got ${shown(name)}`);
  const patterns: Pattern[] = [];
  planSegment(segment, "", { project: null, zone: null, nowMs: 0, filters: new FilterPlanner(patterns) });
  return patterns;
}
