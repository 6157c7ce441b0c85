/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import type { Scratch } from "../../../core/base/scratch.js";
import type { Range } from "../../plan/plan.js";
import type { Extent } from "../insights/buckets.js";
import type { Durations } from "../numbers/durations.js";

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
