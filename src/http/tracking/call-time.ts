import { LIMITS } from "../../base/limits.js";
import { instantOf, isInstant } from "../../schema/moment.js";

/** Epoch ms of seconds, as some clients send them; null where they are no instant. */
export function instantOfSeconds(seconds: number): number | null {
  return isInstant(seconds * 1_000) ? Math.floor(seconds * 1_000) : null;
}

/**
 * When a call happened, epoch ms by our clock; null where it does not say. A time that is told stays, unless the sender's clock is wrong.
 * @param clockOffsetMs our clock less the sender's; null: not known
 */
export function callTimeMs(timestamp: unknown, clockOffsetMs: number | null): number | null {
  const timestampMs = instantOf(timestamp);
  if (timestampMs === null || clockOffsetMs === null || Math.abs(clockOffsetMs) <= LIMITS.clockOffsetMs) return timestampMs;
  return Math.min(Math.max(timestampMs + clockOffsetMs, 0), LIMITS.instantMaxMs - 1);
}
