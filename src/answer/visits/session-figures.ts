/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import { rateOf, secondsOf } from "../numbers/shown.js";
import type { Scratch } from "../../base/scratch.js";
import { percentilesOf } from "../sessions-percentiles.js";
import type { SessionFigures } from "../../plan/insights/answers.js";
import type { Visits } from "./visits.js";

/** What sessions add up to. */
export interface SessionSums {
  readonly sessions: number;
  readonly events: number;
  readonly pageviews: number;
  readonly bounces: number;
  readonly durationMs: number;
}

export function sumsOf({ view, sessions }: Visits): SessionSums {
  const { eventCounts, pageviewCounts, lengths } = view.facts;
  let [events, pageviews, bounces, durationMs] = [0, 0, 0, 0];
  for (let at = 0; at < sessions.length; at += 1) {
    const session = sessions[at]!;
    const eventCount = eventCounts[session]!;
    events += eventCount;
    if (eventCount === 1) bounces += 1;
    pageviews += pageviewCounts[session]!;
    durationMs += lengths[session]!;
  }
  return { sessions: sessions.length, events, pageviews, bounces, durationMs };
}

/** Mean length of a session; null of none. */
export function averageOf({ sessions, durationMs }: SessionSums): number | null {
  return sessions === 0 ? null : secondsOf(durationMs, sessions);
}

/** Counts distinct identities, of one list of sessions after the other. 4 bytes for each that there may be. */
export class UserCounter {
  #stamps: Uint32Array = new Uint32Array(0);
  #stamp = 0;

  constructor(readonly scratch: Scratch) {}

  countOf({ view, sessions }: Visits): number {
    const { identities } = view.facts;
    this.#stamp += 1;
    if (this.#stamps.length < view.identityEnd) this.#stamps = this.scratch.takeZeros(view.identityEnd);
    const [stamps, stamp] = [this.#stamps, this.#stamp];
    let count = 0;
    for (let at = 0; at < sessions.length; at += 1) {
      const identity = identities[sessions[at]!]!;
      if (stamps[identity] === stamp) continue;
      stamps[identity] = stamp;
      count += 1;
    }
    return count;
  }
}

/** All figures of some sessions. Cost: some 15 ns a session. */
export async function sessionFigures(visits: Visits, users: UserCounter, pause: () => Promise<void>): Promise<SessionFigures> {
  const sums = sumsOf(visits);
  const { sessions, events, pageviews, bounces } = sums;
  await pause();
  const [durationMedianSec = null, durationP90Sec = null] = percentilesOf(visits.view.facts.lengths, visits.sessions, [50, 90]);
  await pause();
  const userCount = users.countOf(visits);
  await pause();
  return {
    sessions,
    users: userCount,
    events,
    pageviews,
    bounces,
    bounceRate: rateOf(bounces, sessions),
    durationAvgSec: averageOf(sums),
    durationMedianSec,
    durationP90Sec,
    pagesPerSession: rateOf(pageviews, sessions),
  };
}
