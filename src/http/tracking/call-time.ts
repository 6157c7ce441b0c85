import { LIMITS } from "../../core/base/limits.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { instantOf, isInstant } from "../../core/schema/instant.js";

/** Converts seconds, which some clients send, to epoch ms; null if they are no instant. */
export function instantOfSeconds(seconds: number): number | null {
  return isInstant(seconds * 1_000) ? Math.floor(seconds * 1_000) : null;
}

/** Lower numbers are seconds, up to the year 5138; others are milliseconds, from 1973 on. */
const SECONDS_MAX = 100_000_000_000;

/** Epoch ms of seconds, milliseconds or text; null for anything else. */
export function instantOfAny(time: unknown): number | null {
  return typeof time === "number" && time < SECONDS_MAX ? instantOfSeconds(time) : instantOf(time);
}

/**
 * Time of a call in epoch ms by our clock; null if it has none. It is corrected only if the sender's clock is wrong by more than the limit.
 * @param clockOffsetMs our clock minus the sender's; null: unknown
 */
export function callTimeMs(timestamp: unknown, clockOffsetMs: number | null): number | null {
  const timestampMs = instantOf(timestamp);
  if (timestampMs === null || clockOffsetMs === null || Math.abs(clockOffsetMs) <= SERVER_LIMITS.clockOffsetMs) return timestampMs;
  return Math.min(Math.max(timestampMs + clockOffsetMs, 0), LIMITS.instantMaxMs - 1);
}
