import { LIMITS } from "../base/limits.js";
import { parseTimestamp } from "../base/time.js";

export const EXPECTED_MOMENT = "expected an RFC 3339 timestamp with a zone, or epoch ms, of the years 1970 to 9999";

/**
 * When something happened, epoch ms: RFC 3339 text, a number of ms or a `Date`; null or what lies more than five minutes
 * ahead is the receive time. Null for anything else.
 */
export function momentOf(value: unknown, nowMs: number): number | null {
  const ms = value === null || value === undefined ? nowMs : instantOf(value);
  return ms !== null && ms > nowMs + LIMITS.futureSkewMs ? nowMs : ms;
}

function instantOf(value: unknown): number | null {
  if (typeof value === "string") return parseTimestamp(value);
  const ms = typeof value === "number" ? value : value instanceof Date ? value.getTime() : Number.NaN;
  return Number.isFinite(ms) && ms >= 0 && ms < LIMITS.instantMaxMs ? Math.floor(ms) : null;
}
