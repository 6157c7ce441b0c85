/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by their lists */
import type { Mask, Matches } from "../../answer/insights/chain.js";
import { LIMITS } from "../../base/limits.js";
import type { Scratch } from "../../base/scratch.js";
import { firstAtLeast } from "../../column/search.js";
import type { Goers } from "./goers.js";
import { byTime, movedList } from "./joined-lists.js";
import type { MatchList } from "./match-list.js";

/** Matches that are looked at at once, about. */
const PIECE = 16_384;
/** Entities that are looked at at once, at most: they are numbers of a range. */
const LENGTH_MAX = 2 ** 16;
/** Matches of one entity that are put in order one by one. */
const FEW_MATCHES = 32;
const EXACT_MAX = 2 ** 53;
/** Of an entity that has no event with which a chain may begin. */
const NOWHERE = 0xffffffff;

/** An event among those that may go through steps. */
export interface MatchPlace {
  readonly list: MatchList;
  readonly at: number;
}

/** Whose matches are whose, and when a chain may begin. */
export type Whose = Pick<Goers, "entityOf" | "moves" | "entries">;

/**
 * The matches of one entity after the other, each by time: some entities at once, and then the next ones. Only of entities that have an event with
 * which a chain may begin. 16 bytes for each match that is looked at at once.
 */
export class EntityMatches implements Matches {
  ms: Float64Array = new Float64Array(0);
  masks: Uint32Array = new Uint32Array(0);
  /** The matches of an entity lie from its start to that of the next one. */
  readonly starts = new Uint32Array(LENGTH_MAX + 1);
  #entityCount = 0;
  /** By time. */
  readonly #lists: readonly MatchList[];
  /** Of lists: the subject that comes next. */
  readonly #next: Uint32Array;
  /** Numbers of matches over all lists, and of the first of each list. */
  #numbers: Uint32Array = new Uint32Array(0);
  readonly #firstNumbers: Uint32Array;
  /** By entity of the range: how many matches it has, then where the next one goes. */
  readonly #ends = new Uint32Array(LENGTH_MAX);
  readonly #isEntering = new Uint8Array(LENGTH_MAX);
  /** By entity of the range: the number of those before it; and by that whether its matches are not in order by their times alone. */
  readonly #ranks = new Uint32Array(LENGTH_MAX);
  readonly #isUnsure = new Uint8Array(LENGTH_MAX);
  #from = 0;
  #length: number = LIMITS.firstGoerCount;
  readonly #end: number;

  /** @param isEntry bits of which one is needed for a chain to begin with an event @param scratch lives as long as this */
  constructor(
    unordered: readonly MatchList[],
    readonly whose: Whose,
    readonly isEntry: Mask,
    readonly scratch: Scratch,
  ) {
    const moved = whose.moves === "none" ? [] : unordered.flatMap((list) => movedList(list, whose) ?? []);
    this.#lists = [...unordered, ...moved].sort(byTime);
    this.#next = new Uint32Array(this.#lists.length);
    this.#firstNumbers = new Uint32Array(this.#lists.length);
    this.#lists.slice(1).forEach((_, at) => (this.#firstNumbers[at + 1] = this.#firstNumbers[at]! + this.#lists[at]!.times.length));
    this.#end = Math.max(0, ...this.#lists.map(({ subjects }) => (subjects.at(-1) ?? -1) + 1));
  }

  get entityCount(): number {
    return this.#entityCount;
  }

  /** Goes back before the first entities. */
  rewind(): void {
    this.#next.fill(0);
    this.#from = 0;
    this.#length = LIMITS.firstGoerCount;
  }

  /** Goes on to the next entities; false where there are none. Cost: two looks at each of their matches. */
  next(): boolean {
    if (this.#from >= this.#end) return false;
    const to = Math.min(this.#from + this.#length, this.#end);
    this.#ends.fill(0, 0, to - this.#from);
    this.#isEntering.fill(0, 0, to - this.#from);
    for (const [number, list] of this.#lists.entries()) this.#count(list, this.#next[number]!, to);
    const count = this.#place(to - this.#from);
    this.#reserve(count);
    for (const [number, list] of this.#lists.entries()) this.#next[number] = this.#put(list, number, to);
    this.#from = to;
    this.#length = Math.ceil(Math.min(LENGTH_MAX, this.#length * 4, Math.max(1, (this.#length * PIECE) / Math.max(count, 1))));
    return true;
  }

  /** Whether two matches of an entity are of one time, or not in order. */
  isUnsure(entity: number): boolean {
    return this.#isUnsure[entity] === 1;
  }

  /** Where a match comes from. */
  placeOf(slot: number): MatchPlace {
    const list = firstAtLeast(this.#firstNumbers, this.#numbers[slot]! + 1) - 1;
    return { list: this.#lists[list]!, at: this.#numbers[slot]! - this.#firstNumbers[list]! };
  }

  /** Puts the matches `[from, to)` of one entity in the order of their times. */
  sortByTime(from: number, to: number): void {
    const { ms } = this;
    for (let slot = from + 1; slot < to; slot += 1) {
      if (ms[slot]! >= ms[slot - 1]!) continue;
      if (to - from > FEW_MATCHES) return this.reorder(from, orderOf(ms.subarray(from, to)));
      for (let at = slot; at > from && ms[at - 1]! > ms[at]!; at -= 1) this.#swap(at - 1, at);
    }
  }

  /** Puts the matches from a place on in another order. @param order places within them */
  reorder(from: number, order: ArrayLike<number>): void {
    for (const values of [this.ms, this.masks, this.#numbers]) {
      const before = values.slice(from, from + order.length);
      for (let at = 0; at < order.length; at += 1) values[from + at] = before[order[at]!]!;
    }
  }

  #swap(slot: number, other: number): void {
    for (const values of [this.ms, this.masks, this.#numbers]) {
      const before = values[slot]!;
      values[slot] = values[other]!;
      values[other] = before;
    }
  }

  #isMoved(subject: number): boolean {
    const { moves, entityOf } = this.whose;
    return moves !== "none" && (moves === "all" || (subject & 1) === 1) && entityOf(subject) !== subject;
  }

  #count({ startMs, subjects, starts, times, masks }: MatchList, first: number, to: number): void {
    const { isEntry, whose: { entries, moves } } = this;
    const [ends, isEntering, low] = [this.#ends, this.#isEntering, this.#from];
    const [fromMs, toMs] = [entries.fromMs - startMs, entries.toMs - startMs];
    for (let place = first; place < subjects.length && subjects[place]! < to; place += 1) {
      if (moves !== "none" && this.#isMoved(subjects[place]!)) continue;
      const entity = subjects[place]! - low;
      const end = starts[place + 1]!;
      ends[entity]! += end - starts[place]!;
      for (let at = starts[place]!; at < end && isEntering[entity] === 0; at += 1)
        if ((masks[at]! & isEntry) !== 0 && times[at]! >= fromMs && times[at]! < toMs) isEntering[entity] = 1;
    }
  }

  /** Gives places to the entities that may begin; answers how many matches there are. */
  #place(length: number): number {
    const [ends, starts] = [this.#ends, this.starts];
    let [count, entityCount] = [0, 0];
    for (let entity = 0; entity < length; entity += 1) {
      if (this.#isEntering[entity] === 0) {
        ends[entity] = NOWHERE;
        continue;
      }
      starts[entityCount] = count;
      this.#ranks[entity] = entityCount;
      this.#isUnsure[entityCount] = 0;
      entityCount += 1;
      const own = ends[entity]!;
      ends[entity] = count;
      count += own;
    }
    starts[entityCount] = count;
    this.#entityCount = entityCount;
    return count;
  }

  #reserve(count: number): void {
    if (count <= this.masks.length) return;
    const length = 2 ** Math.ceil(Math.log2(Math.max(count, 2 * PIECE)));
    const { buffer, byteOffset } = this.scratch.take(length * 2);
    this.ms = new Float64Array(buffer, byteOffset, length);
    this.masks = this.scratch.take(length);
    this.#numbers = this.scratch.take(length);
  }

  /** Puts matches where they belong; answers which subject comes next. */
  #put({ startMs, subjects, starts, times, masks }: MatchList, number: number, to: number): number {
    const { ms, masks: ownMasks, whose: { moves } } = this;
    const [ends, low, numbers, firstNumber] = [this.#ends, this.#from, this.#numbers, this.#firstNumbers[number]!];
    let place = this.#next[number]!;
    for (; place < subjects.length && subjects[place]! < to; place += 1) {
      const entity = subjects[place]! - low;
      let slot = ends[entity]!;
      if (slot === NOWHERE || (moves !== "none" && this.#isMoved(subjects[place]!))) continue;
      const rank = this.#ranks[entity]!;
      let lastMs = slot === this.starts[rank] ? -Infinity : ms[slot - 1]!;
      let isUnsure = false;
      for (let at = starts[place]!, end = starts[place + 1]!; at < end; at += 1, slot += 1) {
        const ownMs = startMs + times[at]!;
        if (ownMs <= lastMs) isUnsure = true;
        ms[slot] = lastMs = ownMs;
        ownMasks[slot] = masks[at]!;
        numbers[slot] = firstNumber + at;
      }
      if (isUnsure) this.#isUnsure[rank] = 1;
      ends[entity] = slot;
    }
    return place;
  }
}

/** Places by time; those of one time stay in their order. */
function orderOf(ms: Float64Array): Uint32Array {
  const { length } = ms;
  let [first, last] = [Infinity, -Infinity];
  for (let at = 0; at < length; at += 1) {
    first = Math.min(first, ms[at]!);
    last = Math.max(last, ms[at]!);
  }
  if ((last - first + 1) * length > EXACT_MAX) return Uint32Array.from(ms.keys()).sort((a, b) => ms[a]! - ms[b]! || a - b);
  const keys = Float64Array.from(ms, (time, place) => (time - first) * length + place).sort();
  return Uint32Array.from(keys, (key) => key % length);
}

