import { parameterError, shown } from "../../base/errors.js";
import type { Pattern } from "../context.js";
import { FilterPlanner } from "../filters/filter-groups.js";
import { planSegment, SEGMENT_NAME } from "./segments.js";

/**
 * Checks a segment that is to be saved as one of a question is checked. What it means is settled when it is asked for: in the zone, and of
 * the project, of the question.
 * @returns its regular expressions, measured and not yet compiled
 * @throws invalid_parameter (the name), and what `planSegment` throws, with paths from its own members on
 */
export function checkSavedSegment(name: unknown, segment: unknown): readonly Pattern[] {
  if (typeof name !== "string" || !SEGMENT_NAME.test(name))
    throw parameterError("invalid_parameter", "name", `expected 1 to 64 letters, digits, _ and -, got ${shown(name)}`);
  const patterns: Pattern[] = [];
  planSegment(segment, "", { project: null, zone: null, nowMs: 0, filters: new FilterPlanner(patterns) });
  return patterns;
}
