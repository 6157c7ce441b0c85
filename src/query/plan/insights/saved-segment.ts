import { parameterError, shown } from "../../../core/base/errors.js";
import type { Pattern } from "../context.js";
import { FilterPlanner } from "../filters/filter-groups.js";
import { planSegment, SEGMENT_NAME } from "./segments.js";

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
