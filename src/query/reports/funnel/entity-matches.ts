/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by their lists */
import type { Mask, Matches } from "../../answer/insights/chain.js";
import { LIMITS } from "../../../core/base/limits.js";
import type { Scratch } from "../../../core/base/scratch.js";
import { firstAtLeast } from "../../../storage/column/search.js";
import type { FunnelEntities } from "./funnel-entities.js";
import { byTime, movedList } from "./joined-lists.js";
import type { MatchList } from "./match-list.js";
import type { ChainPruner } from "./chain-pruner.js";

/** Up to this many matches, an entity is sorted by insertion. */
const FEW_MATCHES = 32;
const LENGTH_MIN = 32 * 1024;
const EXACT_MAX = 2 ** 53;

/** Matches in reading order, entity by entity: 16 bytes each. */
class PlacedMatches implements Matches {
  ms: Float64Array = new Float64Array(0);
  masks: Uint32Array = new Uint32Array(0);
  /** Counted over all lists. */
  numbers: Uint32Array = new Uint32Array(0);

  constructor(readonly scratch: Scratch) {}

  /** Makes room for this many matches; earlier contents are lost. */
  reserve(count: number): void {
    if (count <= this.masks.length) return;
    const length = 2 ** Math.ceil(Math.log2(Math.max(count, LENGTH_MIN)));
    this.ms = this.scratch.takeFloats(length);
    this.masks = this.scratch.take(length);
    this.numbers = this.scratch.take(length);
  }

  /** Sorts the matches `[from, to)` of one entity by time. */
  sortByTime(from: number, to: number): void {
    const { ms } = this;
    for (let slot = from + 1; slot < to; slot += 1) {
      if (ms[slot]! >= ms[slot - 1]!) continue;
      if (to - from > FEW_MATCHES) return this.reorder(from, orderOf(ms.subarray(from, to)));
      for (let at = slot; at > from && ms[at - 1]! > ms[at]!; at -= 1) this.#swap(at - 1, at);
    }
  }

  /** Reorders the matches from an index on. @param order indexes relative to `from` */
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

/** Indexes sorted by time; equal times keep their order. */
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

/** Approximate number of matches read at once. */
const PIECE = 16_384;
/** Maximum number of entities read at once; their numbers form a range. */
export const LENGTH_MAX = 2 ** 16;
/** Slot of an entity without an event that can start a chain. */
const NOWHERE = 0xffffffff;

/** The position of a match. */
export interface MatchPlace {
  readonly list: MatchList;
  readonly at: number;
}

/** Maps subjects to entities, and bounds the time at which a chain may start. */
export type EntityResolver = Pick<FunnelEntities, "entityOf" | "moves" | "entries">;

/**
 * Iterates over the matches of entities, a batch of entities at a time, each entity's matches by time.
 * Skips entities without an event that can start a chain. Takes 16 bytes per match of a batch.
 */
export class EntityMatches {
  readonly placed: PlacedMatches;
  /** Range of each entity's matches in `placed`. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  #entityCount = 0;
  /** Decides which matches can be skipped; null: none. */
  #whole: ChainPruner | null = null;
  #firstOnlyCount = 0;
  #firstOnlyPendingCount = 0;
  #lookedCount = 0;
  /** Sorted by time. */
  readonly #lists: readonly MatchList[];
  /** By list: the next subject, the first one beyond the batch, and the next long run. */
  readonly #next: Uint32Array;
  readonly #nextEnd: Uint32Array;
  readonly #nextLong: Uint32Array;
  /** By list: the number of its first match, counted over all lists. */
  readonly #firstNumbers: Uint32Array;
  /** By entity of the batch: its number of matches, then the slot of its next match. */
  readonly #slots: Uint32Array;
  readonly #isEntering: Uint32Array;
  /** Entities of the batch to read. */
  readonly #found: Uint32Array;
  /** The rank of each entity of the batch in `#found`; and by rank, whether its matches need more than their times to be in order. */
  readonly #ranks: Uint32Array;
  readonly #isUnsure: Uint32Array;
  /** By rank: the time of the last match that counts. */
  readonly #lastMs: Float64Array;
  #from = 0;
  #length: number = LIMITS.firstGoerCount;
  readonly #end: number;

  /** @param isEntry bits of which an event needs one to start a chain @param scratch must outlive this object */
  constructor(
    unordered: readonly MatchList[],
    readonly whose: EntityResolver,
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

  /** Entities skipped so far because they get no further than the first step. */
  get firstOnlyCount(): number {
    return this.#firstOnlyCount;
  }

  /** Those of them that may still continue. */
  get firstOnlyPendingCount(): number {
    return this.#firstOnlyPendingCount;
  }

  /** Restarts before the first entity. @param whole decides which matches and entities are skipped; null: none */
  rewind(whole: ChainPruner | null): void {
    this.#whole = whole;
    this.#firstOnlyCount = 0;
    this.#firstOnlyPendingCount = 0;
    this.#next.fill(0);
    this.#nextLong.fill(0);
    this.#from = 0;
    this.#length = LIMITS.firstGoerCount;
  }

  /** Advances to the next entities; false if there are none. Cost: two reads of each of their matches. */
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

  /** Whether an entity has matches that share a time or are out of order. */
  isUnsure(entity: number): boolean {
    return this.#isUnsure[entity] === 1;
  }

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

  /** Variant of `#count` that skips matches. */
  #countWhole(whole: ChainPruner, list: MatchList, number: number): void {
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

  /** Variant for a list in which the entry range starts or ends. @param decisive as returned by `decisiveOf` */
  #countAcross(whole: ChainPruner, list: MatchList, number: number, decisive: "first" | "last" | null): void {
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

  /** Subtracts matches of long runs that cannot change the result. */
  #countLong(whole: ChainPruner, list: MatchList, number: number): void {
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

  /** Assigns slots to the entities to read; returns the maximum number of matches. */
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

  /** Lists the entities to read in `#found`; returns their number. */
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
