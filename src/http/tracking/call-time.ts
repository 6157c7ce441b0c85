import { LIMITS } from "../../base/limits.js";
import { instantOf, isInstant } from "../../schema/moment.js";

/** Epoch ms of seconds, as some clients send them; null where they are no instant. */
export function instantOfSeconds(seconds: number): number | null {
  return isInstant(seconds * 1_000) ? Math.floor(seconds * 1_000) : null;
}

/**
 * When a call happened, epoch ms by our clock; null where it does not say. Sender's clocks are off: by how much shows in
 * `sentAt`, which is theirs, against the time of receipt. A `sentAt` that cannot be read corrects nothing.
 */
export function callTimeMs(timestamp: unknown, sentAt: unknown, receivedAtMs: number): number | null {
  const timestampMs = instantOf(timestamp);
  const sentAtMs = instantOf(sentAt);
  if (timestampMs === null || sentAtMs === null) return timestampMs;
  const correctedMs = receivedAtMs - (sentAtMs - timestampMs);
  return Math.min(Math.max(correctedMs, 0), LIMITS.instantMaxMs - 1);
}
