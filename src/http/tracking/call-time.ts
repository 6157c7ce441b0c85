import { LIMITS } from "../../base/limits.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { instantOf, isInstant } from "../../schema/moment.js";

/** Epoch ms of seconds, as some clients send them; null where they are no instant. */
export function instantOfSeconds(seconds: number): number | null {
  return isInstant(seconds * 1_000) ? Math.floor(seconds * 1_000) : null;
}

/** What is less is seconds, what is more milliseconds: the year 5138, and 1973. */
const SECONDS_MAX = 100_000_000_000;

/** Epoch ms of seconds, milliseconds or text; null for anything else. */
export function instantOfAny(time: unknown): number | null {
  return typeof time === "number" && time < SECONDS_MAX ? instantOfSeconds(time) : instantOf(time);
}

/**
 * When a call happened, epoch ms by our clock; null where it does not say. A time that is told stays, unless the sender's clock is wrong.
 * @param clockOffsetMs our clock less the sender's; null: not known
 */
export function callTimeMs(timestamp: unknown, clockOffsetMs: number | null): number | null {
  const timestampMs = instantOf(timestamp);
  if (timestampMs === null || clockOffsetMs === null || Math.abs(clockOffsetMs) <= SERVER_LIMITS.clockOffsetMs) return timestampMs;
  return Math.min(Math.max(timestampMs + clockOffsetMs, 0), LIMITS.instantMaxMs - 1);
}
