import { rateOf, secondsOf, percentilesOf } from "../numbers.js";
import { inChunks } from "../../../core/base/yield.js";
import type { Scratch } from "../../../core/base/scratch.js";
import type { SessionFigures, WebFigures } from "../../plan/insights/answers.js";
import type { Visits } from "./visits.js";
import type { TouchDimension } from "../../plan/plan.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
/** Sums over sessions. */
export interface SessionSums {
  readonly sessions: number;
  readonly events: number;
  readonly pageviews: number;
  readonly bounces: number;
  readonly durationMs: number;
}

/** The percents of `durationMedianSec` and `durationP90Sec`. */
export const DURATION_PERCENTS: readonly number[] = [50, 90];

/** Sums up sessions. Cost: about 5 ns a session. */
export async function sumsOf({ view, sessions }: Visits, pause: () => Promise<void>): Promise<SessionSums> {
  const { eventCounts, pageviewCounts, lengths } = view.facts;
  const all = { sessions: sessions.length, events: 0, pageviews: 0, bounces: 0, durationMs: 0 };
  await inChunks(sessions.length, pause, (from, to) => {
    let [events, pageviews, bounces, durationMs] = [0, 0, 0, 0];
    for (let at = from; at < to; at += 1) {
      const session = sessions[at]!;
      const eventCount = eventCounts[session]!;
      events += eventCount;
      if (eventCount === 1) bounces += 1;
      pageviews += pageviewCounts[session]!;
      durationMs += lengths[session]!;
    }
    all.events += events;
    all.pageviews += pageviews;
    all.bounces += bounces;
    all.durationMs += durationMs;
  });
  return all;
}

/** Mean duration of a session in seconds; null without sessions. */
export function averageOf({ sessions, durationMs }: SessionSums): number | null {
  return sessions === 0 ? null : secondsOf(durationMs, sessions);
}

/** Counts the distinct identities of one list of sessions after the other. 4 bytes for every possible identity. */
export class UserCounter {
  #stamps: Uint32Array = new Uint32Array(0);
  #stamp = 0;

  constructor(readonly scratch: Scratch) {}

  async countOf({ view, sessions }: Visits, pause: () => Promise<void>): Promise<number> {
    const { identities } = view.facts;
    this.#stamp += 1;
    if (this.#stamps.length < view.identityEnd) this.#stamps = this.scratch.takeZeros(view.identityEnd);
    const [stamps, stamp] = [this.#stamps, this.#stamp];
    let all = 0;
    await inChunks(sessions.length, pause, (from, to) => {
      let count = 0;
      for (let at = from; at < to; at += 1) {
        const identity = identities[sessions[at]!]!;
        if (stamps[identity] === stamp) continue;
        stamps[identity] = stamp;
        count += 1;
      }
      all += count;
    });
    return all;
  }
}

/** All figures of some sessions. Cost: about 15 ns a session. */
export async function sessionFigures(visits: Visits, users: UserCounter, pause: () => Promise<void>): Promise<SessionFigures> {
  const sums = await sumsOf(visits, pause);
  const percentiles = await percentilesOf(visits.view.facts.lengths, visits.sessions, DURATION_PERCENTS, pause);
  return figuresOf(sums, await users.countOf(visits, pause), percentiles);
}

/** The figures for some sums. @param percentiles of the lengths in seconds, in the order of `DURATION_PERCENTS` */
export function figuresOf(sums: SessionSums, users: number, [durationMedianSec = null, durationP90Sec = null]: readonly (number | null)[]): SessionFigures {
  const { sessions, events, pageviews, bounces } = sums;
  return {
    sessions,
    users,
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
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** An entity counts as online for this long after its last event. */
export const ONLINE_MS = 5 * 60_000;

/** The figures of a website: visitors and views of its events, and the visits. */
export async function webFigures(visitors: number, views: number, visits: Visits, pause: () => Promise<void>): Promise<WebFigures> {
  const sums = await sumsOf(visits, pause);
  return {
    visitors,
    views,
    visits: sums.sessions,
    viewsPerVisit: rateOf(sums.pageviews, sums.sessions),
    bounceRate: rateOf(sums.bounces, sums.sessions),
    durationAvgSec: averageOf(sums),
  };
}

/** The names for visits without a touch. */
export const NO_TOUCH: Readonly<Record<TouchDimension, string>> = { source: "(direct)", medium: "(none)", campaign: "(none)" };
/** The name for visits whose touch lacks the dimension. */
export const NOT_SET = "(not set)";
