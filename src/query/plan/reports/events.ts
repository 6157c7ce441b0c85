import { parameterError, shown } from "../../../core/base/errors.js";
import type { AggregatePlan, CountPlan, Measure, Operand, PerDayPlan, PlanContext, QueryScope, SearchEventsPlan } from "../plan.js";
import { isFieldName } from "../field-names.js";
import { operandOf } from "../filters/field-operand.js";
import { memberError, readChoice, readInteger, readText, readFlag, readMembers, type InputMembers } from "../members.js";
import { hash128, toHex } from "../../../core/base/hash.js";
import { LIMITS } from "../../../core/base/limits.js";
import { canonicalText, readCursor } from "../cursor.js";
import { planRange } from "../date-range.js";
import { FilterPlanner } from "../filters/filter-groups.js";
import { planSegments } from "../insights/segments.js";

const SCOPE_NAMES = ["project", "eventName", "startDate", "endDate", "filterGroups", "segments"];

/** What planning a scope needs. */
export type ScopeContext = Pick<PlanContext, "nowMs" | "patterns" | "savedSegments">;

/** Reads the members of a report's input; an absent input is an empty one. @throws invalid_parameter, unknown_parameter */
export function readEventsInput(input: unknown, extraNames: readonly string[]): InputMembers {
  return readMembers(input ?? {}, "", [...SCOPE_NAMES, ...extraNames]);
}

/**
 * Plans the part that all event queries share. `userId` applies if the report accepts it.
 * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, exactly_one_required, too_many_filters, invalid_operator,
 * invalid_filter_value, invalid_regex (too long)
 */
export function planScope(members: InputMembers, { nowMs, patterns, savedSegments }: ScopeContext): QueryScope {
  const project = readText(members, "project");
  const eventName = readText(members, "eventName");
  const userId = readText(members, "userId");
  const range = planRange(members);
  const filters = new FilterPlanner(patterns);
  const segments = planSegments(members, savedSegments, { project, zone: null, nowMs, filters });
  return { project, eventName, userId, range, where: filters.where(members, segments) };
}

/** Planners of counts. @param names of members beyond those of the scope */
const countPlanner = <R extends string>(report: R, ...names: readonly string[]) =>
  (input: unknown, context: PlanContext): CountPlan<R> => ({ report, ...planScope(readEventsInput(input, names), context) });

const perDayPlanner = <R extends string>(report: R, ...names: readonly string[]) =>
  (input: unknown, context: PlanContext): PerDayPlan<R> => {
    const members = readEventsInput(input, [...names, "fill"]);
    return { report, ...planScope(members, context), fill: readFlag(members, "fill") };
  };

export const planCountEvents = countPlanner("countEvents", "userId");
export const planCountEventsPerDay = perDayPlanner("countEventsPerDay", "userId");
export const planCountEventsRunningTotalPerDay = perDayPlanner("countEventsRunningTotalPerDay", "userId");
export const planCountUniqueUsers = countPlanner("countUniqueUsers");
export const planCountUniqueUsersPerDay = perDayPlanner("countUniqueUsersPerDay");

/** What an aggregate can count per value. */
export const MEASURES = ["events", "unique_users"] as const satisfies readonly Measure[];

/** Plans an `aggregate` query. @throws exactly_one_required, and what `planScope` throws */
export function planAggregate(input: unknown, context: PlanContext): AggregatePlan {
  const members = readEventsInput(input, ["field", "metadataField", "measure", "limit"]);
  return {
    report: "aggregate",
    ...planScope(members, context),
    by: planBy(members),
    measure: readChoice(members, "measure", MEASURES) ?? "events",
    limit: readInteger(members, "limit", 1, Number.MAX_SAFE_INTEGER),
  };
}

function planBy(members: InputMembers): Operand {
  const name = members.values.get("field");
  const path = readText(members, "metadataField");
  if ((name === undefined) === (path === null)) {
    const came = path === null ? "neither" : "both";
    throw parameterError("exactly_one_required", "field", `expected exactly one of field and metadataField, got ${came}`);
  }
  if (path !== null) return { kind: "metadataPath", path };
  const operand = typeof name === "string" && name.isWellFormed() ? operandOf(name) : null;
  // A bare name may be a typo, which nothing distinguishes from a metadata key.
  if (operand !== null && (operand.kind !== "metadataKey" || isFieldName(String(name)))) return operand;
  throw memberError(members, "field", `expected the name of a field (a metadata key is metadata.KEY, or metadataField), got ${shown(name)}`);
}

/** Plans a `searchEvents` query. @throws invalid_cursor, cursor_mismatch, and what `planScope` throws */
export function planSearchEvents(input: unknown, context: PlanContext): SearchEventsPlan {
  const members = readEventsInput(input, ["userId", "cursor", "allFields", "limit"]);
  const scope = planScope(members, context);
  const fingerprint = fingerprintOf(scope);
  const limit = readInteger(members, "limit", LIMITS.searchLimitMin, LIMITS.searchLimitMax);
  const cursor = readCursor("searchEvents", members, fingerprint, context.cursorKey);
  const { fromMs, toMs } = scope.range;
  return {
    report: "searchEvents",
    ...scope,
    // Earlier pages have shown what is newer.
    range: cursor === null ? scope.range : { fromMs, toMs: Math.min(toMs, cursor.createdAtMs + 1) },
    allFields: readFlag(members, "allFields", true),
    limit: limit ?? LIMITS.searchLimitDefault,
    cursor,
    fingerprint,
  };
}

function fingerprintOf({ project, eventName, userId, range, where }: QueryScope): string {
  const query = [project, eventName, userId, range.fromMs, range.toMs, where];
  // A segment may have a thousand conditions, and a hundred filters may name it.
  const namesSegment = where.some((group) => group.some(({ operand }) => operand.kind === "segment"));
  return toHex(hash128("searchEvents", namesSegment ? canonicalText(query) : JSON.stringify(query)));
}
