/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the counts */
import type { IdentityProfile } from "../plan/answers.js";
import type { Range } from "../plan/plan.js";
import type { Sessions } from "./sessionize.js";

type ProfileFigures = Pick<IdentityProfile, "sessions" | "durationAvgSec" | "durationP90Sec" | "bounceRate">;

/** Figures of the sessions that start in the range. */
export function sessionFigures(
  { count, firsts, lasts, eventCounts }: Sessions,
  times: Float64Array,
  { fromMs, toMs }: Range,
): ProfileFigures {
  const durationsMs = new Float64Array(count);
  let sessions = 0;
  let bounces = 0;
  let sumMs = 0;
  for (let session = 0; session < count; session += 1) {
    const startMs = times[firsts[session]!]!;
    if (startMs < fromMs || startMs >= toMs) continue;
    const durationMs = times[lasts[session]!]! - startMs;
    durationsMs[sessions] = durationMs;
    sessions += 1;
    sumMs += durationMs;
    if (eventCounts[session] === 1) bounces += 1;
  }
  if (sessions === 0) return { sessions, durationAvgSec: null, durationP90Sec: null, bounceRate: null };
  return {
    sessions,
    durationAvgSec: Math.round(sumMs / sessions) / 1000,
    durationP90Sec: percentile90(durationsMs.subarray(0, sessions).sort()) / 1000,
    bounceRate: Math.round((bounces / sessions) * 10_000) / 10_000,
  };
}

/**
 * The 90th percentile of ascending ms, in whole ms: interpolated between the closest ranks (Hyndman and Fan 1996, type 7). In tenths of a rank, so
 * that no fraction is rounded before the end.
 */
export function percentile90(ordered: Float64Array): number {
  const tenths = (ordered.length - 1) * 9;
  const low = Math.floor(tenths / 10);
  const rest = tenths % 10;
  const high = ordered[low + 1] ?? ordered[low]!;
  return Math.round((ordered[low]! * (10 - rest) + high * rest) / 10);
}
