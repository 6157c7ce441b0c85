import type { PlanContext, QueryScope } from "./plan.js";
import { planRange } from "./date-range.js";
import { FilterPlanner } from "./filters/filter-groups.js";
import { planSegments } from "./insights/segments.js";
import { readMembers, readText, type InputMembers } from "./members.js";

const SCOPE_NAMES = ["project", "eventName", "startDate", "endDate", "filterGroups", "segments"];

/** Reads the members of a report's input; an absent input is an empty one. @throws invalid_parameter, unknown_parameter */
export function readInput(input: unknown, extraNames: readonly string[]): InputMembers {
  return readMembers(input ?? {}, "", [...SCOPE_NAMES, ...extraNames]);
}

/**
 * Plans the part that all event queries share. `userId` applies if the report accepts it.
 * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, exactly_one_required, too_many_filters, invalid_operator,
 * invalid_filter_value, invalid_regex (too long)
 */
export function planScope(members: InputMembers, { nowMs, patterns, savedSegments }: PlanContext): QueryScope {
  const project = readText(members, "project");
  const eventName = readText(members, "eventName");
  const userId = readText(members, "userId");
  const range = planRange(members);
  const filters = new FilterPlanner(patterns);
  const segments = planSegments(members, savedSegments, { project, zone: null, nowMs, filters });
  return { project, eventName, userId, range, where: filters.where(members, segments) };
}
