/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import type { Scratch } from "../../base/scratch.js";
import type { Range } from "../../plan/plan.js";
import type { Extent } from "../insights/buckets.js";
import type { Durations } from "../numbers/durations.js";

/** What answers need of sessions, by their number. */
export interface VisitFacts {
  /** Epoch ms of the first event. */
  readonly starts: Float64Array;
  /** Ms from the first event to the last one. */
  readonly lengths: Durations;
  /** Whose they are, from 1. */
  readonly identities: Uint32Array;
  readonly eventCounts: Uint32Array;
  readonly pageviewCounts: Uint32Array;
}

/** Sessions of one moment. */
export interface VisitView {
  readonly facts: VisitFacts;
  /** Identities are below it. */
  readonly identityEnd: number;
}

/** Place of the first of some sessions, which are by start, that starts at or after an instant. */
export function firstStartAt(sessions: Uint32Array, starts: Float64Array, ms: number): number {
  let [low, high] = [0, sessions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[sessions[middle]!]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a question counts with, and how others have a turn meanwhile. */
export interface VisitCounting {
  readonly scratch: Scratch;
  readonly pause: () => Promise<void>;
}

/** The sessions that a question is about, by their starts. */
export class Visits<View extends VisitView = VisitView> {
  constructor(
    readonly view: View,
    readonly sessions: Uint32Array,
  ) {}

  get count(): number {
    return this.sessions.length;
  }

  /** Of the starts; null where there are none. */
  get extent(): Extent | null {
    return this.count === 0 ? null : { firstMs: this.startOf(0), lastMs: this.startOf(this.count - 1) };
  }

  startOf(at: number): number {
    return this.view.facts.starts[this.sessions[at]!]!;
  }

  /** Those that start in a range. */
  within({ fromMs, toMs }: Range): Visits<View> {
    return new Visits(this.view, this.sessions.subarray(this.#firstAt(fromMs), this.#firstAt(toMs)));
  }

  #firstAt(ms: number): number {
    return firstStartAt(this.sessions, this.view.facts.starts, ms);
  }
}
