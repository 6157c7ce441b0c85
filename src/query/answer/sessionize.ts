/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the counts */
import type { SessionRule } from "../plan/plan.js";

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
