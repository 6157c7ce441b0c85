import { hash128, toHex } from "../../../core/base/hash.js";
import { LIMITS } from "../../../core/base/limits.js";
import { canonicalText } from "../canonical-text.js";
import type { PlanContext } from "../context.js";
import { readCursor } from "../cursor.js";
import { readFlag, readInteger } from "../members.js";
import type { Plan, QueryScope } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** Plans a `searchEvents` query. @throws invalid_cursor, cursor_mismatch, and what `planScope` throws */
export function planSearchEvents(input: unknown, context: PlanContext): Plan<"searchEvents"> {
  const members = readInput(input, ["userId", "cursor", "allFields", "limit"]);
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
