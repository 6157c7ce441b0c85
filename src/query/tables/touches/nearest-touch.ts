/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import type { EventPlace } from "../../../storage/derived/event-ids.js";
import { areOfOneLabel, firstTouchAt, touchesAtOnce } from "./touch-labels.js";
import type { Touches } from "./touches.js";

/** Stands for a label when ids must be read first. */
export const UNKNOWN = -1;

/** Receives events whose ids must be read. */
export interface UnreadIds {
  push(...events: EventPlace[]): unknown;
}

/** The order of a touch, by its position, and an event of the same millisecond; null when their ids must be read first, which it reports. */
export type OrderAtOnce = (place: number) => number | null;

/** A label that holds for all events of an owner within `[fromMs, toMs)`. */
export interface LabelStep {
  readonly label: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Finds the touch that an event is attributed to under one model: the first, or the latest, that is not after it and within the lookback. */
export class NearestTouch {
  readonly #lookbackMs: number;

  /** @param lookbackMs Infinity for touches of any age */
  constructor(
    readonly touches: Touches,
    readonly isFirst: boolean,
    lookbackMs: number,
  ) {
    // Times are whole milliseconds.
    this.#lookbackMs = Math.floor(lookbackMs);
  }

  /** The label of the touch for an event; 0 for none, UNKNOWN when ids must be read first. @param lists positions of touches, each list in order */
  labelOf(lists: readonly ArrayLike<number>[], ms: number, orderAtOnce: OrderAtOnce, unread: UnreadIds): number {
    const runs: number[][] = [];
    for (const list of lists) {
      const run = this.isFirst ? this.#firstRun(list, ms, orderAtOnce) : this.#lastRun(list, ms, orderAtOnce);
      if (run === null) return UNKNOWN;
      if (run.length > 0) runs.push(run);
    }
    return this.#labelOfRuns(runs, unread);
  }

  /**
   * The label at a time, and how long it holds; null when a touch of this millisecond decides, for then it depends on the event. Cost: one or two
   * binary searches in each list.
   */
  stepAt(lists: readonly ArrayLike<number>[], ms: number, unread: UnreadIds): LabelStep | null {
    return this.isFirst ? this.#firstStep(lists, ms, unread) : this.#lastStep(lists, ms, unread);
  }

  #firstStep(lists: readonly ArrayLike<number>[], ms: number, unread: UnreadIds): LabelStep | null {
    let [tooOldMs, firstMs] = [-Infinity, Infinity];
    for (const list of lists) {
      const at = firstTouchAt(this.touches, list, ms - this.#lookbackMs);
      if (at > 0) tooOldMs = Math.max(tooOldMs, this.touches.msOf(list[at - 1]!));
      if (at < list.length) firstMs = Math.min(firstMs, this.touches.msOf(list[at]!));
    }
    if (firstMs === ms) return null;
    const fromMs = this.#endOf(tooOldMs);
    if (firstMs > ms) return { label: 0, fromMs, toMs: firstMs };
    return { label: this.#labelAt(lists, firstMs, unread), fromMs: Math.max(firstMs + 1, fromMs), toMs: this.#endOf(firstMs) };
  }

  #lastStep(lists: readonly ArrayLike<number>[], ms: number, unread: UnreadIds): LabelStep | null {
    let [lastMs, nextMs] = [-Infinity, Infinity];
    for (const list of lists) {
      const at = firstTouchAt(this.touches, list, ms);
      if (at > 0) lastMs = Math.max(lastMs, this.touches.msOf(list[at - 1]!));
      if (at < list.length) nextMs = Math.min(nextMs, this.touches.msOf(list[at]!));
    }
    if (nextMs === ms) return null;
    const endMs = this.#endOf(lastMs);
    if (endMs <= ms) return { label: 0, fromMs: endMs, toMs: nextMs };
    return { label: this.#labelAt(lists, lastMs, unread), fromMs: lastMs + 1, toMs: Math.min(nextMs, endMs) };
  }

  /** First ms at which a touch no longer counts. */
  #endOf(ms: number): number {
    return ms === -Infinity ? ms : ms + this.#lookbackMs + 1;
  }

  /** The label of the touches of a millisecond. */
  #labelAt(lists: readonly ArrayLike<number>[], ms: number, unread: UnreadIds): number {
    const runs = lists.map((list) => {
      const at = firstTouchAt(this.touches, list, ms);
      return at < list.length && this.touches.msOf(list[at]!) === ms ? touchesAtOnce(this.touches, list, at) : [];
    });
    return this.#labelOfRuns(runs.filter((run) => run.length > 0), unread);
  }

  /** @param runs touches of one millisecond from each list, in order */
  #labelOfRuns(runs: readonly (readonly number[])[], unread: UnreadIds): number {
    const { touches, isFirst } = this;
    const msOf = ([place]: readonly number[]) => touches.msOf(place!);
    const nearest = runs.reduce((ms, run) => (isFirst ? Math.min(ms, msOf(run)) : Math.max(ms, msOf(run))), isFirst ? Infinity : -Infinity);
    const [run = [], ...others] = runs.filter((some) => msOf(some) === nearest);
    let best = isFirst ? run[0] : run.at(-1);
    if (best === undefined) return 0;
    const all = [...run, ...others.flat()];
    // Touches of one label are interchangeable; those of one owner are in order.
    if (others.length === 0 || areOfOneLabel(touches, all)) return touches.labelOf(best);
    for (const place of all) {
      const order = touches.order(place, best);
      if (order === null) {
        unread.push(...all.map((other) => touches.eventAt(other)));
        return UNKNOWN;
      }
      if (isFirst ? order < 0 : order > 0) best = place;
    }
    return touches.labelOf(best);
  }

  /** The first touches of a list within the lookback that share a millisecond and are not after the event; null when ids must be read first. */
  #firstRun(list: ArrayLike<number>, ms: number, orderAtOnce: OrderAtOnce): number[] | null {
    const { touches } = this;
    return this.#notAfter(touchesAtOnce(touches, list, firstTouchAt(touches, list, ms - this.#lookbackMs)), ms, orderAtOnce);
  }

  /** The same for the latest touches. */
  #lastRun(list: ArrayLike<number>, ms: number, orderAtOnce: OrderAtOnce): number[] | null {
    const { touches } = this;
    const atOnce = firstTouchAt(touches, list, ms);
    const last = this.#notAfter(touchesAtOnce(touches, list, atOnce), ms, orderAtOnce);
    if (last === null || last.length > 0 || atOnce === 0) return last;
    const lastMs = touches.msOf(list[atOnce - 1]!);
    return lastMs < ms - this.#lookbackMs ? [] : touchesAtOnce(touches, list, firstTouchAt(touches, list, lastMs));
  }

  /** The touches of a run that are not after an event; null when ids must be read first. */
  #notAfter(run: readonly number[], ms: number, orderAtOnce: OrderAtOnce): number[] | null {
    const orders = run.map((place) => this.touches.msOf(place) - ms || orderAtOnce(place));
    return orders.includes(null) ? null : run.filter((_, at) => orders[at]! <= 0);
  }
}
