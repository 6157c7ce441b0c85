/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import type { Scratch } from "../../../core/base/scratch.js";
import type { Range } from "../../plan/plan.js";
import type { Extent } from "../insights/buckets.js";
import type { Durations } from "../numbers.js";
import { compareCodePoints } from "../../../core/base/text-order.js";
import { inTurns, inChunks, type Steps } from "../../../core/base/yield.js";
import { combinationsOf, type KeyGroups } from "../insights/combinations.js";
import { firstPlaces } from "../ranked-items.js";
import type { WebVisits, SessionFigures } from "../../plan/insights/answers.js";
import { sessionFigures, UserCounter } from "./session-figures.js";
import type { RequestedSessions, PageCounts } from "./sessions-answer.js";

/** The facts of sessions that results are computed from, by session number. */
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

/** Sessions of one snapshot. */
export interface VisitView {
  readonly facts: VisitFacts;
  /** Identities are below it. */
  readonly identityEnd: number;
}

/** Index of the first session that starts at or after an instant; sessions are ordered by start. */
export function firstStartAt(sessions: Uint32Array, starts: Float64Array, ms: number): number {
  let [low, high] = [0, sessions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[sessions[middle]!]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Working memory of a query, and its way to yield. */
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

  /** The sessions that start in a range. */
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
  const starts = await scratch.zerosInTurns(view.identityEnd + 1, pause);
  const ofVisits = scratch.take(sessions.length);
  await inChunks(sessions.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const identity = identities[sessions[at]!]!;
      ofVisits[at] = identity;
      starts[identity + 1]! += 1;
    }
  });
  await inChunks(view.identityEnd, pause, (from, to) => {
    for (let identity = from; identity < to; identity += 1) starts[identity + 1]! += starts[identity]!;
  });
  const found = { places: await scratch.takeTouched(sessions.length, pause), identities: await scratch.takeTouched(sessions.length, pause) };
  await inChunks(sessions.length, pause, (from, to) => {
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
  await inChunks(places.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const group = placeOfKey[keyOfVisit[places[at]!]!]!;
      visits[group]! += 1;
      if (last[group] === identities[at]) continue;
      last[group] = identities[at]!;
      visitors[group]! += 1;
    }
  });
  const shown = await inTurns(greatest(visitors, visits, (place) => all.valuesOf(place)[0]!, limit), pause);
  return shown.map((place) => ({ value: all.valuesOf(place)[0]!, visitors: visitors[place]!, visits: visits[place]! }));
}

/** The values of some keys, one each, and by key the index of its value. */
async function valuesOfKeys(keys: Uint32Array, groups: KeyGroups, pause: () => Promise<void>) {
  let end = 0;
  await inChunks(keys.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) if (keys[at]! >= end) end = keys[at]! + 1;
  });
  const placeOfKey = new Uint32Array(end);
  await inChunks(keys.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) placeOfKey[keys[at]!] = 1;
  });
  const all = await inTurns(combinationsOf(keysThere(placeOfKey), groups, false), pause);
  await inChunks(all.count, pause, (from, to) => {
    for (let place = from; place < to; place += 1) for (const key of all.keysOf(place)) placeOfKey[key] = place;
  });
  return { all, placeOfKey };
}

/** The marked keys, ascending. */
export function* keysThere(marks: Uint32Array): Generator<number> {
  for (let key = 0; key < marks.length; key += 1) if (marks[key] !== 0) yield key;
}

/** The positions with the greatest figures; ties are decided by `seconds`, then by value. */
export function greatest(figures: Uint32Array, seconds: Uint32Array, valueOf: (place: number) => string, limit: number): Steps<number[]> {
  return firstPlaces(figures.length, limit, (a, b) => figures[b]! - figures[a]! || seconds[b]! - seconds[a]! || compareCodePoints(valueOf(a), valueOf(b)));
}

/** Sessions in a list: each figure reads the sessions it covers. */
export class ListedSessions implements RequestedSessions {
  readonly #users: UserCounter;

  constructor(
    readonly listed: Visits,
    /** The keys of the pages on which sessions begin, or end. */
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
    let keyEnd = 0;
    await inChunks(keys.length, pause, (from, to) => {
      let end = keyEnd;
      for (let at = from; at < to; at += 1) if (keys[at]! >= end) end = keys[at]! + 1;
      keyEnd = end;
    });
    const [counts, bounces] = [scratch.takeZeros(keyEnd), scratch.takeZeros(keyEnd)];
    await inChunks(keys.length, pause, (from, to) => {
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
