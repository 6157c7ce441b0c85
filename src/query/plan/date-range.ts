import { shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { MS_PER_DAY, parseDateOnly, parseTimestamp } from "../../core/base/time.js";
import type { Zone } from "../../core/calendar/zone.js";
import { memberError, type InputMembers } from "./members.js";
import type { Range, WindowedScope } from "./plan.js";

/**
 * The half-open span, in epoch ms, of a date (its whole day) or a timestamp (one millisecond); null for other text.
 * @param zone of the day, which is cut to representable time; null: UTC
 */
export function spanOf(text: string, zone: Zone | null = null): Range | null {
  const dayMs = parseDateOnly(text);
  if (dayMs !== null) return zone === null ? { fromMs: dayMs, toMs: dayMs + MS_PER_DAY } : dayOfZone(dayMs, zone);
  const ms = parseTimestamp(text);
  return ms === null ? null : { fromMs: ms, toMs: ms + 1 };
}

/** Empty for a day that the zone skipped. */
function dayOfZone(localMs: number, zone: Zone): Range {
  return { fromMs: Math.max(0, zone.firstAt(localMs)), toMs: Math.min(zone.firstAt(localMs + MS_PER_DAY), LIMITS.instantMaxMs) };
}

/**
 * The range from `startDate` to `endDate`, both inclusive; an absent side reaches to the edge of representable time.
 * @param zone of dates without a time; null: UTC
 * @throws invalid_date, invalid_date_range (empty), invalid_parameter
 */
export function planRange(members: InputMembers, zone: Zone | null = null): Range {
  const start = readDate(members, "startDate", zone);
  const end = readDate(members, "endDate", zone);
  const fromMs = start?.fromMs ?? 0;
  const toMs = end?.toMs ?? LIMITS.instantMaxMs;
  if (fromMs >= toMs) {
    const came = `${shown(members.values.get("startDate"))} .. ${shown(members.values.get("endDate"))}`;
    // The range is also empty if it is a day that the zone skipped.
    const isReversed = zone === null || start?.fromMs !== toMs;
    const where = isReversed ? "" : `, on a day that exists in ${zone.name}`;
    throw memberError(members, "startDate", `expected a start not after endDate${where}, got ${came}`, "invalid_date_range");
  }
  return { fromMs, toMs };
}

/** The span of a date member; null when absent. @throws invalid_date, invalid_parameter */
export function readDate(members: InputMembers, name: string, zone: Zone | null): Range | null {
  const value = members.values.get(name);
  if (value === undefined) return null;
  if (typeof value !== "string" && !(value instanceof Date)) {
    throw memberError(members, name, `expected a date as text or a Date, got ${shown(value)}`);
  }
  const span = typeof value === "string" ? spanOf(value, zone) : spanOfDate(value);
  if (span === null) {
    const expected = "expected YYYY-MM-DD or an RFC 3339 timestamp with a zone, of the years 1970 to 9999";
    throw memberError(members, name, `${expected}, got ${shown(value)}`, "invalid_date");
  }
  return span;
}

function spanOfDate(date: Date): Range | null {
  const ms = date.getTime();
  return ms >= 0 && ms < LIMITS.instantMaxMs ? { fromMs: ms, toMs: ms + 1 } : null;
}

const DEFAULT_DAY_COUNT = 30;

/**
 * The window from `startDate` to `endDate`, both inclusive; the defaults are 30 days before now, and now. A date beyond the default of the other
 * gives an empty window. @throws invalid_date, invalid_date_range, invalid_parameter
 */
export function planWindow(members: InputMembers, nowMs: number): Range {
  const given = planRange(members);
  const fromMs = members.values.has("startDate") ? given.fromMs : Math.max(0, nowMs - DEFAULT_DAY_COUNT * MS_PER_DAY);
  const toMs = members.values.has("endDate") ? given.toMs : nowMs + 1;
  return { fromMs: Math.min(fromMs, toMs), toMs };
}

/** The window of the last `dayCount` days before now, inclusive on both sides. */
export function windowOfDays(dayCount: number, nowMs: number): Range {
  return { fromMs: Math.max(0, nowMs - dayCount * MS_PER_DAY), toMs: nowMs + 1 };
}

/** The scope of a query that reads all rows, whatever its window. */
export function windowed(window: Range): WindowedScope {
  return { project: null, eventName: null, userId: null, range: { fromMs: 0, toMs: LIMITS.instantMaxMs }, where: [], window };
}
