import { shown } from "../../../core/base/errors.js";
import { hash128, toHex } from "../../../core/base/hash.js";
import { LIMITS } from "../../../core/base/limits.js";
import { WEEK_DAYS, CLOCK_UNIT_MS } from "../../../core/calendar/units.js";
import { zoneOf, type Zone } from "../../../core/calendar/zone.js";
import type { AnyPlan, PlanContext, QueryScope, Range, ReportRules, Where } from "../plan.js";
import { canonicalText } from "../cursor.js";
import { operandsOf } from "../scopes-of.js";
import { planRange } from "../date-range.js";
import { FIELD_OPERANDS } from "../field-names.js";
import { FilterPlanner } from "../filters/filter-groups.js";
import { memberError, readChoice, readMembers, readText, pathOfMember, readBounded, readFlag, readInteger, readList, type InputMembers } from "../members.js";
import type { InsightScope, BreakdownPlan } from "./plan.js";
import { planSegments } from "./segments.js";
import { fieldOf } from "../filters/field-operand.js";
import { axisOf } from "../../../core/calendar/axis.js";
import type { Interval, CalendarUnit, EntityLevel } from "../input.js";
import { isLongerThan } from "../filters/filter-value.js";

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
function both(query: EventSelection, { eventName, where }: EventSelection): EventSelection {
  const joined = product(query.where, where);
  if (query.eventName === null || eventName === null || query.eventName === eventName) return { eventName: query.eventName ?? eventName, where: joined };
  const isNamed = { operand: FIELD_OPERANDS.name, test: { op: "equals", values: [eventName] }, negated: false } as const;
  return { eventName: query.eventName, where: product(joined, [[isNamed]]) };
}

function product(a: Where, b: Where): Where {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  return a.flatMap((group) => b.map((other) => [...group, ...other]));
}

export const BREAKDOWN_FIELD_COUNT_MAX = 2;
export const BREAKDOWN_LIMIT = { min: 1, max: 1_000, default: 25 } as const;

/** The members of `breakdown`, including `extraNames`; null when absent. @throws invalid_parameter, unknown_parameter */
export function readBreakdown(members: InputMembers, extraNames: readonly string[] = []): InputMembers | null {
  const value = members.values.get("breakdown");
  return value === undefined ? null : readMembers(value, pathOfMember(members, "breakdown"), ["fields", "limit", "rest", ...extraNames]);
}

/** Plans a breakdown from its members. @throws invalid_parameter */
export function planBreakdown(breakdown: InputMembers): BreakdownPlan {
  const path = pathOfMember(breakdown, "fields");
  const fields = readList(breakdown, "fields", 1, BREAKDOWN_FIELD_COUNT_MAX).map((field, at) => fieldOf(field, `${path}[${at}]`));
  // Two names may mean the same field.
  if (new Set(fields.map((field) => JSON.stringify(field))).size < fields.length) throw memberError(breakdown, "fields", "expected different fields, got the same field twice");
  return { fields, limit: readBounded(breakdown, "limit", BREAKDOWN_LIMIT), rest: readFlag(breakdown, "rest") };
}

/** Plans a breakdown without extra members; null when absent. @throws invalid_parameter, unknown_parameter */
export function readPlainBreakdown(members: InputMembers): BreakdownPlan | null {
  const breakdown = readBreakdown(members);
  return breakdown === null ? null : planBreakdown(breakdown);
}

/** Rejects more buckets than a result may have, if both dates determine them. @param previous range to compare with @throws invalid_parameter */
export function refuseManyBuckets({ members, zone, scope }: InsightParts, interval: Interval | null, previous: Range | null = null): void {
  const { range, isOpen, calendar } = scope;
  if (interval === null || interval === "total" || isOpen.start || isOpen.end) return;
  for (const { fromMs, toMs } of [range, ...(previous === null ? [] : [previous])]) {
    // Setting a clock back makes a unit up to twice as long. This check avoids counting the minutes of centuries.
    const isFar = (interval === "hour" || interval === "minute") && toMs - fromMs > 2 * (LIMITS.bucketCount + 1) * CLOCK_UNIT_MS[interval];
    if (isFar || axisOf({ zone, unit: interval, weekStart: calendar.weekStart }, fromMs, toMs, LIMITS.bucketCount) === null)
      throw memberError(members, "interval", `expected at most ${LIMITS.bucketCount} buckets, got more for the interval ${interval}`);
  }
}

export const LIST_LIMIT_MAX = 1_000;

export function readListLimit(members: InputMembers, absent: number): number {
  return readInteger(members, "limit", 1, LIST_LIMIT_MAX) ?? absent;
}

export const SHORT_TEXT_CHAR_COUNT_MAX = 200;

export function readShortText(members: InputMembers, name: string): string | null {
  const text = readText(members, name);
  if (text !== null && isLongerThan(text, SHORT_TEXT_CHAR_COUNT_MAX))
    throw memberError(members, name, `expected at most ${SHORT_TEXT_CHAR_COUNT_MAX} characters, got ${text.length}`);
  return text;
}

/** The names that several insights accept. */

export const CALENDAR_UNITS = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const satisfies readonly CalendarUnit[];

export const INTERVALS = [...CALENDAR_UNITS, "total"] as const satisfies readonly Interval[];

/** The units of cohorts, returns and activity. */
export const PERIOD_UNITS = ["day", "week", "month"] as const satisfies readonly CalendarUnit[];

export const LEVELS = ["identity", "account"] as const satisfies readonly EntityLevel[];

/** Incremented when the meaning of plans changes. */
const SEMANTICS = 1;
/** Plan members that the definition leaves out. The rules in use are added as `options`. */
const NOT_IN_DEFINITION: readonly string[] = ["definition", "asOf", "session", "pageviewSlugs", "revenue", "touch"];

type InsightPlan = AnyPlan & InsightScope;

/** Equal plans have equal definitions: these cover the option rules in use, but not the current time, which `canonicalText` omits. */
export function withDefinition<P extends InsightPlan>(plan: P, rules: ReportRules): P {
  const members = Object.entries({ ...plan, semantics: SEMANTICS, options: rulesInUse(plan, rules) }).filter(([name]) => !NOT_IN_DEFINITION.includes(name));
  return { ...plan, definition: `def_${toHex(hash128("definition", canonicalText(Object.fromEntries(members))))}` };
}

function rulesInUse(plan: InsightPlan, { session, pageviewSlugs, revenue, touch }: ReportRules): object {
  const { paymentSlugs, refundSlugs } = revenue;
  const kinds = new Set(operandsOf(plan).map(({ operand: { kind } }) => kind));
  const isOverview = plan.report === "sessionsOverview" || plan.report === "webOverview";
  const ofSessions = isOverview || plan.report === "paths" || (plan.report === "funnel" && plan.level === "session") || measures(plan, "sessions");
  return {
    // Payments that servers send belong to no session.
    ...(ofSessions ? { session, revenue: { paymentSlugs, refundSlugs } } : {}),
    ...(isOverview ? { pageviewSlugs } : {}),
    // The touch that a refund counts for depends on which events are payments.
    ...(measures(plan, "revenue") || kinds.has("paymentTouch") ? { revenue } : {}),
    ...(plan.report === "webOverview" || kinds.has("touch") || kinds.has("paymentTouch") ? { touch } : {}),
  };
}

function measures(plan: InsightPlan, type: "sessions" | "revenue"): boolean {
  return typeof plan.measure === "object" && plan.measure.type === type;
}
