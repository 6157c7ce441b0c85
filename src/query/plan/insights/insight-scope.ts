import { shown } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { WEEK_DAYS } from "../../../core/calendar/units.js";
import { zoneOf, type Zone } from "../../../core/calendar/zone.js";
import type { PlanContext } from "../context.js";
import { planRange } from "../date-range.js";
import { FIELD_OPERANDS } from "../field-names.js";
import { FilterPlanner } from "../filters/filter-groups.js";
import { memberError, readChoice, readMembers, readText, type InputMembers } from "../members.js";
import type { QueryScope, Where } from "../plan.js";
import type { InsightScope } from "./plan.js";
import { planSegments } from "./segments.js";

const SCOPE_NAMES = ["project", "eventName", "filterGroups", "startDate", "endDate", "timeZone", "weekStart", "segments", "asOf"];
const EVER = { fromMs: 0, toMs: LIMITS.instantMaxMs };

/** The planned part that all insights share, and what is needed to plan the rest. */
export interface InsightParts {
  readonly members: InputMembers;
  readonly zone: Zone;
  /** Its definition is empty until `defined` sets it, once the plan is complete. */
  readonly scope: InsightScope;
  /** What another part of the query selects by `eventName` and `filterGroups`. @throws what `FilterPlanner.where` throws */
  selectionOf(part: InputMembers): EventSelection;
  /** The all-time events that match both the query and one of its parts. */
  eventsOf(selection: EventSelection): QueryScope;
}

/** Without a name and without filters: any event. */
export type EventSelection = Pick<QueryScope, "eventName" | "where">;

/**
 * Reads an insight query; an absent input is an empty one. @param names of members beyond those of all insights
 * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, and what `planSegments` throws
 */
export function readInsight(input: unknown, { nowMs, savedSegments, patterns }: PlanContext, names: readonly string[]): InsightParts {
  const members = readMembers(input ?? {}, "", [...SCOPE_NAMES, ...names]);
  const project = readText(members, "project");
  const eventName = readText(members, "eventName");
  const zone = readZone(members);
  const weekStart = WEEK_DAYS.indexOf(readChoice(members, "weekStart", WEEK_DAYS) ?? "monday");
  const range = planRange(members, zone);
  const filters = new FilterPlanner(patterns);
  const segments = planSegments(members, savedSegments, { project, zone, nowMs, filters });
  const where = filters.where(members, segments);
  const scope: InsightScope = {
    project,
    eventName,
    userId: null,
    range,
    where,
    calendar: { timeZone: zone.name, weekStart },
    isOpen: { start: !members.values.has("startDate"), end: !members.values.has("endDate") },
    nowMs,
    asOf: readAsOf(members),
    definition: "",
  };
  return {
    members,
    zone,
    scope,
    selectionOf: (part) => ({ eventName: readText(part, "eventName"), where: filters.where(part, segments) }),
    eventsOf: (selection) => ({ project, userId: null, range: EVER, ...both(scope, selection) }),
  };
}

/** The executor checks whether the sequence was reached. @throws invalid_parameter */
function readAsOf(members: InputMembers): InsightScope["asOf"] {
  const asOf = members.values.get("asOf");
  if (asOf === undefined) return null;
  if (asOf === "latest") return asOf;
  // The addition turns -0 into 0.
  if (typeof asOf === "number" && Number.isInteger(asOf) && asOf >= 0) return asOf + 0;
  throw memberError(members, "asOf", `expected a sequence (an integer of at least 0) or "latest", got ${shown(asOf)}`);
}

function readZone(members: InputMembers): Zone {
  const name = readText(members, "timeZone") ?? "UTC";
  const zone = zoneOf(name);
  if (zone === null) throw memberError(members, "timeZone", `expected the IANA name of a time zone, got ${shown(name)}`);
  return zone;
}

/** Both selections at once. Filters stay the same objects, so that each is compiled once, in however many scopes it occurs. */
function both(question: EventSelection, { eventName, where }: EventSelection): EventSelection {
  const joined = product(question.where, where);
  if (question.eventName === null || eventName === null || question.eventName === eventName) return { eventName: question.eventName ?? eventName, where: joined };
  const isNamed = { operand: FIELD_OPERANDS.name, test: { op: "equals", values: [eventName] }, negated: false } as const;
  return { eventName: question.eventName, where: product(joined, [[isNamed]]) };
}

function product(a: Where, b: Where): Where {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  return a.flatMap((group) => b.map((other) => [...group, ...other]));
}
