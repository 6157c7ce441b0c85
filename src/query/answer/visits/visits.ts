/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import type { Scratch } from "../../../core/base/scratch.js";
import type { Range, TouchDimension } from "../../plan/plan.js";
import type { Extent } from "../insights/buckets.js";
import { rateOf, secondsOf, percentilesOf, type Durations } from "../numbers.js";
import { countBefore } from "../../../core/base/search.js";
import { compareCodePoints } from "../../../core/base/text-order.js";
import { runYielding, inPieces, type Steps } from "../../../core/base/yield.js";
import { combinationsOf, type KeyGroups } from "../insights/combinations.js";
import { firstPlaces } from "../ranked-items.js";
import type { SessionFigures, WebFigures, WebVisits } from "../../plan/insights/answers.js";

export interface VisitFacts {
  /** Epoch ms of the first event. */
  readonly starts: Float64Array;
  /** Ms from the first event to the last. */
  readonly lengths: Durations;
  /** The identity of each session, from 1. */
  readonly identities: Uint32Array;
  readonly eventCounts: Uint32Array;
  readonly pageviewCounts: Uint32Array;
}

export interface VisitView {
  readonly facts: VisitFacts;
  /** Identities are below it. */
  readonly identityEnd: number;
}

/** Index of the first session that starts at or after an instant; sessions are ordered by start. */
export function firstStartAt(sessions: Uint32Array, starts: Float64Array, ms: number): number {
  return countBefore(sessions.length, (at) => starts[sessions[at]!]! < ms);
}

export interface VisitCounting {
  readonly scratch: Scratch;
  readonly pause: () => Promise<void>;
}

/** The sessions of a query, ordered by start. */
export class Visits<View extends VisitView = VisitView> {
  constructor(
    readonly view: View,
    readonly sessions: Uint32Array,
  ) {}

  get count(): number {
    return this.sessions.length;
  }

  /** Of the starts; null without sessions. */
  get extent(): Extent | null {
    return this.count === 0 ? null : { firstMs: this.startOf(0), lastMs: this.startOf(this.count - 1) };
  }

  startOf(at: number): number {
    return this.view.facts.starts[this.sessions[at]!]!;
  }

  within({ fromMs, toMs }: Range): Visits<View> {
    return new Visits(this.view, this.sessions.subarray(this.#firstAt(fromMs), this.#firstAt(toMs)));
  }

  #firstAt(ms: number): number {
    return firstStartAt(this.sessions, this.view.facts.starts, ms);
  }
}

/** Visits grouped by identity. 8 bytes a visit. */
export interface VisitsByIdentity {
  readonly places: Uint32Array;
  /** By index in `places`. */
  readonly identities: Uint32Array;
}

export async function byIdentity({ view, sessions }: Visits, scratch: Scratch, pause: () => Promise<void>): Promise<VisitsByIdentity> {
  const { identities } = view.facts;
  const starts = await scratch.zerosYielding(view.identityEnd + 1, pause);
  const ofVisits = scratch.take(sessions.length);
  await inPieces(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const identity = identities[sessions[at]!]!;
      ofVisits[at] = identity;
      starts[identity + 1]! += 1;
    }
  });
  await inPieces(view.identityEnd, pause, (from, to) => {
    for (let identity = from; identity < to; identity += 1) starts[identity + 1]! += starts[identity]!;
  });
  const found = { places: await scratch.takeTouched(sessions.length, pause), identities: await scratch.takeTouched(sessions.length, pause) };
  await inPieces(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const identity = ofVisits[at]!;
      const place = starts[identity]!;
      found.places[place] = at;
      found.identities[place] = identity;
      starts[identity] = place + 1;
    }
  });
  return found;
}

/** Visits by the value of their key: visitors, then visits, both descending, then value. Cost: about 5 ns a visit. */
export async function visitList(
  { places, identities }: VisitsByIdentity,
  keyOfVisit: Uint32Array,
  groups: KeyGroups,
  limit: number,
  pause: () => Promise<void>,
): Promise<WebVisits[]> {
  const { all, placeOfKey } = await valuesOfKeys(keyOfVisit, groups, pause);
  const [visits, visitors, last] = [new Uint32Array(all.count), new Uint32Array(all.count), new Uint32Array(all.count)];
  await inPieces(places.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const group = placeOfKey[keyOfVisit[places[at]!]!]!;
      visits[group]! += 1;
      if (last[group] === identities[at]) continue;
      last[group] = identities[at]!;
      visitors[group]! += 1;
    }
  });
  const shown = await runYielding(greatest(visitors, visits, (place) => all.valuesOf(place)[0]!, limit), pause);
  return shown.map((place) => ({ value: all.valuesOf(place)[0]!, visitors: visitors[place]!, visits: visits[place]! }));
}

/** Keys are below it. */
export async function keyEndOf(keys: Uint32Array, pause: () => Promise<void>): Promise<number> {
  let keyEnd = 0;
  await inPieces(keys.length, pause, (from, to) => {
    let end = keyEnd;
    for (let at = from; at < to; at += 1) if (keys[at]! >= end) end = keys[at]! + 1;
    keyEnd = end;
  });
  return keyEnd;
}

/** The values of some keys, one each, and by key the index of its value. */
async function valuesOfKeys(keys: Uint32Array, groups: KeyGroups, pause: () => Promise<void>) {
  const placeOfKey = new Uint32Array(await keyEndOf(keys, pause));
  await inPieces(keys.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) placeOfKey[keys[at]!] = 1;
  });
  const all = await runYielding(combinationsOf(keysThere(placeOfKey), groups, false), pause);
  await inPieces(all.count, pause, (from, to) => {
    for (let place = from; place < to; place += 1) for (const key of all.keysOf(place)) placeOfKey[key] = place;
  });
  return { all, placeOfKey };
}

export function* keysThere(marks: Uint32Array): Generator<number> {
  for (let key = 0; key < marks.length; key += 1) if (marks[key] !== 0) yield key;
}

/** The positions with the greatest figures; ties are decided by `seconds`, then by value. */
export function greatest(figures: Uint32Array, seconds: Uint32Array, valueOf: (place: number) => string, limit: number): Steps<number[]> {
  return firstPlaces(figures.length, limit, (a, b) => figures[b]! - figures[a]! || seconds[b]! - seconds[a]! || compareCodePoints(valueOf(a), valueOf(b)));
}

export class ListedSessions implements RequestedSessions {
  readonly #users: UserCounter;

  constructor(
    readonly listed: Visits,
    readonly pageKeys: (end: "entry" | "exit") => Uint32Array | Promise<Uint32Array>,
    readonly counting: VisitCounting,
  ) {
    this.#users = new UserCounter(counting.scratch);
  }

  get extent(): Extent | null {
    return this.listed.extent;
  }

  figuresOf(range: Range): Promise<SessionFigures> {
    return sessionFigures(this.listed.within(range), this.#users, this.counting.pause);
  }

  async pagesAt(end: "entry" | "exit"): Promise<PageCounts> {
    const { listed: { view, sessions }, counting: { scratch, pause } } = this;
    const { eventCounts } = view.facts;
    const keys = await this.pageKeys(end);
    const keyEnd = await keyEndOf(keys, pause);
    const [counts, bounces] = [scratch.takeZeros(keyEnd), scratch.takeZeros(keyEnd)];
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        counts[keys[at]!]! += 1;
        if (eventCounts[sessions[at]!] === 1) bounces[keys[at]!]! += 1;
      }
    });
    return { sessions: counts, bounces };
  }

  visits(): Promise<Visits> {
    return Promise.resolve(this.listed);
  }
}

/** By the key of a page: the sessions that begin, or end, there, and those of them with a single event. */
export interface PageCounts {
  readonly sessions: Uint32Array;
  readonly bounces: Uint32Array;
}

export interface RequestedSessions {
  /** Of their starts; null without sessions. */
  readonly extent: Extent | null;
  /** All figures of the sessions that start in a range, which must lie within that of the query. */
  figuresOf(range: Range): Promise<SessionFigures>;
  /** By the page of the first event, or of the last one with a url. */
  pagesAt(end: "entry" | "exit"): Promise<PageCounts>;
  /** One by one, ordered by start. */
  visits(): Promise<Visits>;
}

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
  await inPieces(sessions.length, pause, (from, to) => {
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
    await inPieces(sessions.length, pause, (from, to) => {
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

/** An entity counts as online for this long after its last event. */
export const ONLINE_MS = 5 * 60_000;

/** The figures of a website: visitors and views of its events, and the visits. */
export function webFigures(visitors: number, views: number, visits: SessionSums): WebFigures {
  return {
    visitors,
    views,
    visits: visits.sessions,
    viewsPerVisit: rateOf(visits.pageviews, visits.sessions),
    bounceRate: rateOf(visits.bounces, visits.sessions),
    durationAvgSec: averageOf(visits),
  };
}

/** The names for visits without a touch. */
export const NO_TOUCH: Readonly<Record<TouchDimension, string>> = { source: "(direct)", medium: "(none)", campaign: "(none)" };
/** The name for visits whose touch lacks the dimension. */
export const NOT_SET = "(not set)";
