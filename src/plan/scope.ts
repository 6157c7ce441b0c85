import { planRange } from "./date-range.js";
import { planWhere } from "./filter-groups.js";
import { readMembers, readText, type Members } from "./members.js";
import type { Scope } from "./plan.js";

const SCOPE_NAMES = ["project", "eventName", "startDate", "endDate", "filterGroups"];

/** The members of a report's input; an absent input is an empty one. @throws invalid_parameter, unknown_parameter */
export function readInput(input: unknown, extraNames: readonly string[]): Members {
  return readMembers(input ?? {}, "", [...SCOPE_NAMES, ...extraNames]);
}

/**
 * The part of a plan that all event questions share. `userId` counts where the report takes it.
 * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, too_many_filters, invalid_operator,
 * invalid_filter_value, invalid_regex
 */
export function planScope(members: Members): Scope {
  return {
    project: readText(members, "project"),
    eventName: readText(members, "eventName"),
    userId: readText(members, "userId"),
    range: planRange(members),
    where: planWhere(members),
  };
}
