/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the counts */
import type { SessionRule, Range } from "../plan/plan.js";
import type { IdentityProfile } from "../plan/answers.js";

/** Sessions in the order of their first events. Events are numbered by their index in the input. */
export interface Sessions {
  readonly count: number;
  /** First and last event, and number of events, by session. */
  readonly firsts: Uint32Array;
  readonly lasts: Uint32Array;
  readonly eventCounts: Uint32Array;
  /** Session by event; -1 for none. */
  readonly sessionOf: Int32Array;
}

/**
 * Divides the events of one identity into sessions, project by project: a session ends before a pause of more than `gapMs`, and before an event more
 * than `maxMs` after its start. One pass.
 * @param times epoch ms in order
 * @param projects any number per project, by event
 * @param leftOut 1 for events that belong to no session; null: none
 */
export function sessionize(
  times: Float64Array,
  projects: ArrayLike<number>,
  leftOut: Uint8Array | null,
  { gapMs, maxMs }: SessionRule,
): Sessions {
  const total = times.length;
  const firsts = new Uint32Array(total);
  const lasts = new Uint32Array(total);
  const eventCounts = new Uint32Array(total);
  const sessionOf = new Int32Array(total).fill(-1);
  const newestOf = new Map<number, number>();
  let count = 0;
  let project = Number.NaN;
  let session = -1;
  for (let at = 0; at < total; at += 1) {
    if (leftOut !== null && leftOut[at] === 1) continue;
    if (projects[at] !== project) {
      if (session !== -1) newestOf.set(project, session);
      project = projects[at]!;
      session = newestOf.get(project) ?? -1;
    }
    const ms = times[at]!;
    if (session === -1 || ms - times[lasts[session]!]! > gapMs || ms - times[firsts[session]!]! > maxMs) {
      session = count;
      firsts[session] = at;
      count += 1;
    }
    lasts[session] = at;
    eventCounts[session]! += 1;
    sessionOf[at] = session;
  }
  return {
    count,
    firsts: firsts.subarray(0, count),
    lasts: lasts.subarray(0, count),
    eventCounts: eventCounts.subarray(0, count),
    sessionOf,
  };
}

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
