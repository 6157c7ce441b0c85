import { LIMITS } from "../../base/limits.js";
import { parseTimestamp } from "../../base/time.js";

/** Epoch ms of RFC 3339 text or a number of ms; null for anything else. */
export function instantOf(value: unknown): number | null {
  if (typeof value === "string") return parseTimestamp(value);
  return typeof value === "number" && value >= 0 && value < LIMITS.instantMaxMs ? Math.floor(value) : null;
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
