/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by their lists */
import type { Mask, Matches } from "../../answer/insights/chain.js";
import { LIMITS } from "../../base/limits.js";
import type { Scratch } from "../../base/scratch.js";
import { firstAtLeast } from "../../column/search.js";
import type { Goers } from "./goers.js";
import { byTime, movedList } from "./joined-lists.js";
import type { MatchList } from "./match-list.js";
import type { WholeChains } from "./whole-chains.js";

/** Matches of one entity that are put in order one by one. */
const FEW_MATCHES = 32;
const LENGTH_MIN = 32 * 1024;
const EXACT_MAX = 2 ** 53;

/** Matches in the places where they are looked at, one entity after the other: 16 bytes each. */
class PlacedMatches implements Matches {
  ms: Float64Array = new Float64Array(0);
  masks: Uint32Array = new Uint32Array(0);
  /** Over all lists. */
  numbers: Uint32Array = new Uint32Array(0);

  constructor(readonly scratch: Scratch) {}

  /** Makes room for so many; what was there is gone. */
  reserve(count: number): void {
    if (count <= this.masks.length) return;
    const length = 2 ** Math.ceil(Math.log2(Math.max(count, LENGTH_MIN)));
    this.ms = this.scratch.takeFloats(length);
    this.masks = this.scratch.take(length);
    this.numbers = this.scratch.take(length);
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
    for (const values of [this.ms, this.masks, this.numbers]) {
      const before = values.slice(from, from + order.length);
      for (let at = 0; at < order.length; at += 1) values[from + at] = before[order[at]!]!;
    }
  }

  #swap(slot: number, other: number): void {
    for (const values of [this.ms, this.masks, this.numbers]) {
      const before = values[slot]!;
      values[slot] = values[other]!;
      values[other] = before;
    }
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

/** Matches that are looked at at once, about. */
const PIECE = 16_384;
/** Entities that are looked at at once, at most: they are numbers of a range. */
export const LENGTH_MAX = 2 ** 16;
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
export class EntityMatches {
  readonly placed: PlacedMatches;
  /** Where the matches of an entity lie. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  #entityCount = 0;
  /** Says what need not be looked at; null: all is. */
  #whole: WholeChains | null = null;
  #firstOnlyCount = 0;
  #firstOnlyPendingCount = 0;
  #lookedCount = 0;
  /** By time. */
  readonly #lists: readonly MatchList[];
  /** Of lists: the subject that comes next, and the first behind the range; and the long run that comes next. */
  readonly #next: Uint32Array;
  readonly #nextEnd: Uint32Array;
  readonly #nextLong: Uint32Array;
  /** Of lists: the number of the first match, over all lists. */
  readonly #firstNumbers: Uint32Array;
  /** By entity of the range: how many matches it has, then where the next one goes. */
  readonly #slots: Uint32Array;
  readonly #isEntering: Uint32Array;
  /** Entities of the range that are looked at. */
  readonly #found: Uint32Array;
  /** By entity of the range: the number of those before it; and by that whether its matches are not in order by their times alone. */
  readonly #ranks: Uint32Array;
  readonly #isUnsure: Uint32Array;
  /** And when the last match of it is that counts. */
  readonly #lastMs: Float64Array;
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
    this.#nextEnd = new Uint32Array(this.#lists.length);
    this.#nextLong = new Uint32Array(this.#lists.length);
    this.#firstNumbers = new Uint32Array(this.#lists.length);
    this.#lists.slice(1).forEach((_, at) => (this.#firstNumbers[at + 1] = this.#firstNumbers[at]! + this.#lists[at]!.times.length));
    this.placed = new PlacedMatches(scratch);
    this.starts = scratch.take(LENGTH_MAX);
    this.ends = scratch.take(LENGTH_MAX);
    this.#slots = scratch.take(LENGTH_MAX);
    this.#isEntering = scratch.take(LENGTH_MAX);
    this.#found = scratch.take(LENGTH_MAX + 1);
    this.#ranks = scratch.take(LENGTH_MAX);
    this.#isUnsure = scratch.take(LENGTH_MAX);
    this.#lastMs = scratch.takeFloats(LENGTH_MAX);
    this.#end = Math.max(0, ...this.#lists.map(({ subjects }) => (subjects.at(-1) ?? -1) + 1));
  }

  get entityCount(): number {
    return this.#entityCount;
  }

  /** Entities so far that were left out, as they got no further than the first step. */
  get firstOnlyCount(): number {
    return this.#firstOnlyCount;
  }

  /** Those of them that may still go on. */
  get firstOnlyPendingCount(): number {
    return this.#firstOnlyPendingCount;
  }

  /** Goes back before the first entities. @param whole by what matches are left out, and entities where it may be; null: none */
  rewind(whole: WholeChains | null): void {
    this.#whole = whole;
    this.#firstOnlyCount = 0;
    this.#firstOnlyPendingCount = 0;
    this.#next.fill(0);
    this.#nextLong.fill(0);
    this.#from = 0;
    this.#length = LIMITS.firstGoerCount;
  }

  /** Goes on to the next entities; false where there are none. Cost: two looks at each of their matches. */
  next(): boolean {
    if (this.#from >= this.#end) return false;
    const to = Math.min(this.#from + this.#length, this.#end);
    this.#slots.fill(0, 0, to - this.#from);
    this.#isEntering.fill(0, 0, to - this.#from);
    this.#whole?.begin(to - this.#from);
    this.#lookedCount = 0;
    for (const [number, list] of this.#lists.entries()) {
      this.#findEnd(list, number, to);
      if (this.#whole === null) this.#count(list, number);
      else this.#countWhole(this.#whole, list, number);
    }
    const count = this.#place(to - this.#from);
    this.placed.reserve(count);
    for (const [number, list] of this.#lists.entries()) this.#put(list, number, this.#whole?.isBehind(list) === true);
    this.#next.set(this.#nextEnd);
    this.#from = to;
    this.#length = Math.ceil(Math.min(LENGTH_MAX, this.#length * 4, Math.max(1, (this.#length * PIECE) / Math.max(this.#lookedCount, 1))));
    return true;
  }

  /** Whether two matches of an entity are of one time, or not in order. */
  isUnsure(entity: number): boolean {
    return this.#isUnsure[entity] === 1;
  }

  /** Where a match comes from. */
  placeOf(slot: number): MatchPlace {
    const number = this.placed.numbers[slot]!;
    const list = firstAtLeast(this.#firstNumbers, number + 1) - 1;
    return { list: this.#lists[list]!, at: number - this.#firstNumbers[list]! };
  }

  #isMoved(subject: number): boolean {
    const { moves, entityOf } = this.whose;
    return moves !== "none" && (moves === "all" || (subject & 1) === 1) && entityOf(subject) !== subject;
  }

  #findEnd({ subjects, starts }: MatchList, number: number, to: number): void {
    const first = this.#next[number]!;
    let end = first;
    while (end < subjects.length && subjects[end]! < to) end += 1;
    this.#nextEnd[number] = end;
    this.#lookedCount += starts[end]! - starts[first]!;
  }

  #count({ startMs, subjects, starts, times, masks }: MatchList, number: number): void {
    const { isEntry, whose: { entries, moves } } = this;
    const [slots, isEntering, low, placeEnd] = [this.#slots, this.#isEntering, this.#from, this.#nextEnd[number]!];
    const [fromMs, toMs] = [entries.fromMs - startMs, entries.toMs - startMs];
    for (let place = this.#next[number]!; place < placeEnd; place += 1) {
      if (moves !== "none" && this.#isMoved(subjects[place]!)) continue;
      const entity = subjects[place]! - low;
      const end = starts[place + 1]!;
      slots[entity]! += end - starts[place]!;
      for (let at = starts[place]!; at < end && isEntering[entity] === 0; at += 1)
        if ((masks[at]! & isEntry) !== 0 && times[at]! >= fromMs && times[at]! < toMs) isEntering[entity] = 1;
    }
  }

  /** The same where some matches are left out. */
  #countWhole(whole: WholeChains, list: MatchList, number: number): void {
    const { subjects, starts, firstSteps } = list;
    const { moves } = this.whose;
    const [slots, low, to] = [this.#slots, this.#from, this.#nextEnd[number]!];
    const isBehind = whole.isBehind(list);
    const decisive = isBehind ? "any" : whole.decisiveOf(list);
    if (decisive !== "any") return this.#countAcross(whole, list, number, decisive);
    const counted = isBehind ? 2 : 3;
    for (let place = this.#next[number]!; place < to; place += 1) {
      if (moves !== "none" && this.#isMoved(subjects[place]!)) continue;
      const entity = subjects[place]! - low;
      whole.note(entity, firstSteps[place]! & counted);
      slots[entity]! += starts[place + 1]! - starts[place]!;
    }
    this.#countLong(whole, list, number);
  }

  /** The same of a list that the entries begin or end in. @param decisive as `decisiveOf` has it */
  #countAcross(whole: WholeChains, list: MatchList, number: number, decisive: "first" | "last" | null): void {
    const { startMs, subjects, starts, times, firstSteps } = list;
    const { entries, moves } = this.whose;
    const [fromMs, toMs] = [entries.fromMs - startMs, entries.toMs - startMs];
    for (let place = this.#next[number]!; place < this.#nextEnd[number]!; place += 1) {
      if (moves !== "none" && this.#isMoved(subjects[place]!)) continue;
      const entity = subjects[place]! - this.#from;
      if (decisive === null || firstSteps[place] !== 1) {
        this.#slots[entity]! += whole.look(entity, list, place);
        continue;
      }
      const ms = times[decisive === "first" ? starts[place]! : starts[place + 1]! - 1]!;
      whole.note(entity, ms >= fromMs && ms < toMs ? 1 : 0);
      this.#slots[entity]! += starts[place + 1]! - starts[place]!;
    }
  }

  /** Leaves out what of long runs says nothing more. */
  #countLong(whole: WholeChains, list: MatchList, number: number): void {
    const { subjects, starts, longRuns } = list;
    const to = this.#nextEnd[number]!;
    let long = this.#nextLong[number]!;
    for (; long < longRuns.length && longRuns[long]! < to; long += 1) {
      const place = longRuns[long]!;
      if (this.whose.moves !== "none" && this.#isMoved(subjects[place]!)) continue;
      const entity = subjects[place]! - this.#from;
      this.#slots[entity]! += whole.look(entity, list, place) - (starts[place + 1]! - starts[place]!);
    }
    this.#nextLong[number] = long;
  }

  /** Gives places to the entities that are to be looked at; answers how many matches there are at most. */
  #place(length: number): number {
    const slots = this.#slots;
    const found = this.#find(length);
    let count = 0;
    for (let rank = 0; rank < found; rank += 1) {
      const entity = this.#found[rank]!;
      this.starts[rank] = this.ends[rank] = count;
      this.#ranks[entity] = rank;
      this.#isUnsure[rank] = 0;
      this.#lastMs[rank] = this.#whole?.endMsOf(entity) ?? Infinity;
      count += slots[entity]!;
    }
    slots.fill(NOWHERE, 0, length);
    for (let rank = 0; rank < found; rank += 1) slots[this.#found[rank]!] = this.starts[rank]!;
    this.#entityCount = found;
    return count;
  }

  /** Finds which entities are to be looked at; answers how many. */
  #find(length: number): number {
    if (this.#whole !== null) {
      const { count, firstOnlyCount, pendingCount } = this.#whole.find(length, this.#found);
      this.#firstOnlyCount += firstOnlyCount;
      this.#firstOnlyPendingCount += pendingCount;
      return count;
    }
    let count = 0;
    for (let entity = 0; entity < length; entity += 1) {
      this.#found[count] = entity;
      count += this.#isEntering[entity]!;
    }
    return count;
  }

  /** Puts matches where they belong. */
  #put({ startMs, subjects, starts, times, masks, firstSteps, isAscending }: MatchList, number: number, isBehind: boolean): void {
    const { starts: firstSlots, ends, whose: { moves } } = this;
    const { ms, masks: ownMasks, numbers } = this.placed;
    const [slots, ranks, lastMsByRank, low] = [this.#slots, this.#ranks, this.#lastMs, this.#from];
    const [firstNumber, placeEnd] = [this.#firstNumbers[number]!, this.#nextEnd[number]!];
    for (let place = this.#next[number]!; place < placeEnd; place += 1) {
      const entity = subjects[place]! - low;
      let slot = slots[entity]!;
      if (slot === NOWHERE || (isBehind && firstSteps[place] === 1)) continue;
      if (moves !== "none" && this.#isMoved(subjects[place]!)) continue;
      const rank = ranks[entity]!;
      const endMs = lastMsByRank[rank]!;
      if (startMs > endMs) continue;
      let lastMs = slot === firstSlots[rank] ? -Infinity : ms[slot - 1]!;
      let isUnsure = false;
      for (let at = starts[place]!, end = starts[place + 1]!; at < end; at += 1) {
        const ownMs = startMs + times[at]!;
        if (ownMs > endMs) {
          if (isAscending) break;
          continue;
        }
        if (ownMs <= lastMs) isUnsure = true;
        ms[slot] = lastMs = ownMs;
        ownMasks[slot] = masks[at]!;
        numbers[slot] = firstNumber + at;
        slot += 1;
      }
      if (isUnsure) this.#isUnsure[rank] = 1;
      slots[entity] = ends[rank] = slot;
    }
  }
}
