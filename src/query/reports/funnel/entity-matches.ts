/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import type { Scratch } from "../../../core/base/scratch.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { byTime, movedList, type MatchList } from "./match-list.js";
import type { Mask, Matches } from "../../answer/insights/chains.js";
import { LIMITS } from "../../../core/base/limits.js";
import { firstAtLeast } from "../../../core/base/search.js";
import type { CountedEntities } from "../insights/counted-entities.js";

/** Step bits of events that match the first step and nothing else. */
const FIRST_STEP_ONLY = 1;

// What is known of an entity of the batch, as bits: `#find` decides without branches.
/** It has an event that can start a chain. */
const CAN_START = 1 << 0;
/** It has an event of the second step. Equals the mask bit of that step, so it is copied from `MatchList.steps` without a test. */
const HAS_SECOND_STEP = 1 << 1;
/** A chain of it may still continue. */
const MAY_CONTINUE = 1 << 2;

/** Which matches and entities are not read, because they cannot change the result. */
export interface Pruning {
  /** Whether entities without an event of the second step are counted instead of read. False for a breakdown, which needs their values. */
  readonly countsFirstOnly: boolean;
  /** From when on a chain that starts may still continue. */
  readonly lateMs: number;
}

/** Null unless steps follow each other and nothing is excluded. */
export function pruningOf(plan: Pick<FunnelPlan, "steps" | "order" | "exclusions" | "windowMs" | "nowMs" | "breakdown">, entries: Range): Pruning | null {
  if (plan.order !== "sequential" || plan.exclusions.length > 0 || plan.steps.length === 1) return null;
  return { countsFirstOnly: plan.breakdown === null, lateMs: Math.max(entries.fromMs, plan.nowMs - plan.windowMs) };
}

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
const LENGTH_MAX = 2 ** 16;
/** Slot of an entity without an event that can start a chain. */
const NOWHERE = 0xffffffff;

export interface MatchPlace {
  readonly list: MatchList;
  readonly at: number;
}

/** Maps entity keys to entities, and bounds the time at which a chain may start. */
interface EntityResolver extends Pick<CountedEntities, "entityOf" | "moved"> {
  /** When the first event of a chain may occur. */
  readonly entries: Range;
}

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
  /** Null: every match is read. */
  #pruning: Pruning | null = null;
  #firstOnlyCount = 0;
  #firstOnlyPendingCount = 0;
  #lookedCount = 0;
  /** Sorted by time. */
  readonly #lists: readonly MatchList[];
  /** By list: the next entity key, and the first one beyond the batch. */
  readonly #next: Uint32Array;
  readonly #nextEnd: Uint32Array;
  /** By list: the number of its first match, counted over all lists. */
  readonly #firstNumbers: Uint32Array;
  /** By entity of the batch: its number of matches, then the slot of its next match. */
  readonly #slots: Uint32Array;
  readonly #states: Uint32Array;
  /** Entities of the batch to read. */
  readonly #found: Uint32Array;
  /** The rank of each entity of the batch in `#found`; and by rank, whether its matches need more than their times to be in order. */
  readonly #ranks: Uint32Array;
  readonly #needsSort: Uint32Array;
  #from = 0;
  #length: number = LIMITS.firstEntityCount;
  readonly #end: number;

  /** @param isEntry bits of which an event needs one to start a chain @param scratch must outlive this object */
  constructor(
    unordered: readonly MatchList[],
    readonly resolver: EntityResolver,
    readonly isEntry: Mask,
    readonly scratch: Scratch,
  ) {
    const moved = resolver.moved === "none" ? [] : unordered.flatMap((list) => movedList(list, resolver) ?? []);
    this.#lists = [...unordered, ...moved].sort(byTime);
    this.#next = new Uint32Array(this.#lists.length);
    this.#nextEnd = new Uint32Array(this.#lists.length);
    this.#firstNumbers = new Uint32Array(this.#lists.length);
    this.#lists.slice(1).forEach((_, at) => (this.#firstNumbers[at + 1] = this.#firstNumbers[at]! + this.#lists[at]!.times.length));
    this.placed = new PlacedMatches(scratch);
    this.starts = scratch.take(LENGTH_MAX);
    this.ends = scratch.take(LENGTH_MAX);
    this.#slots = scratch.take(LENGTH_MAX);
    this.#states = scratch.take(LENGTH_MAX);
    this.#found = scratch.take(LENGTH_MAX + 1);
    this.#ranks = scratch.take(LENGTH_MAX);
    this.#needsSort = scratch.take(LENGTH_MAX);
    this.#end = Math.max(0, ...this.#lists.map(({ entityKeys }) => (entityKeys.at(-1) ?? -1) + 1));
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

  /** Restarts before the first entity. @param pruning null: every match is read */
  rewind(pruning: Pruning | null): void {
    this.#pruning = pruning;
    this.#firstOnlyCount = 0;
    this.#firstOnlyPendingCount = 0;
    this.#next.fill(0);
    this.#from = 0;
    this.#length = LIMITS.firstEntityCount;
  }

  /** Advances to the next entities; false if there are none. Cost: two reads of each of their matches. */
  next(): boolean {
    if (this.#from >= this.#end) return false;
    const to = Math.min(this.#from + this.#length, this.#end);
    this.#slots.fill(0, 0, to - this.#from);
    this.#states.fill(0, 0, to - this.#from);
    this.#lookedCount = 0;
    for (const [number, list] of this.#lists.entries()) {
      this.#findEnd(list, number, to);
      this.#count(list, number);
    }
    const count = this.#place(to - this.#from);
    this.placed.reserve(count);
    for (const [number, list] of this.#lists.entries()) this.#put(list, number);
    this.#next.set(this.#nextEnd);
    this.#from = to;
    this.#length = Math.ceil(Math.min(LENGTH_MAX, this.#length * 4, Math.max(1, (this.#length * PIECE) / Math.max(this.#lookedCount, 1))));
    return true;
  }

  /** Whether an entity has matches that share a time or are out of order. */
  needsSort(entity: number): boolean {
    return this.#needsSort[entity] === 1;
  }

  placeOf(slot: number): MatchPlace {
    const number = this.placed.numbers[slot]!;
    const list = firstAtLeast(this.#firstNumbers, number + 1) - 1;
    return { list: this.#lists[list]!, at: number - this.#firstNumbers[list]! };
  }

  #isMoved(entityKey: number): boolean {
    const { moved, entityOf } = this.resolver;
    return moved !== "none" && (moved === "all" || (entityKey & 1) === 1) && entityOf(entityKey) !== entityKey;
  }

  #findEnd({ entityKeys, starts }: MatchList, number: number, to: number): void {
    const first = this.#next[number]!;
    let end = first;
    while (end < entityKeys.length && entityKeys[end]! < to) end += 1;
    this.#nextEnd[number] = end;
    this.#lookedCount += starts[end]! - starts[first]!;
  }

  #count({ startMs, endMs, entityKeys, starts, times, masks, steps }: MatchList, number: number): void {
    const { isEntry, resolver: { entries, moved } } = this;
    const [slots, states, low, placeEnd] = [this.#slots, this.#states, this.#from, this.#nextEnd[number]!];
    const lateMs = this.#pruning?.lateMs ?? Infinity;
    const [fromMs, toMs, ownLateMs] = [entries.fromMs - startMs, entries.toMs - startMs, lateMs - startMs];
    const mayBeLate = endMs > lateMs;
    // Where all matches may start a chain, or none, they are not read one by one.
    const isInside = startMs >= entries.fromMs && endMs <= entries.toMs && !mayBeLate;
    const isBehind = startMs >= entries.toMs;
    for (let place = this.#next[number]!; place < placeEnd; place += 1) {
      if (moved !== "none" && this.#isMoved(entityKeys[place]!)) continue;
      const entity = entityKeys[place]! - low;
      const end = starts[place + 1]!;
      slots[entity]! += end - starts[place]!;
      let state = states[entity]! | (steps[place]! & HAS_SECOND_STEP);
      if (isInside) state |= (steps[place]! & isEntry) === 0 ? 0 : CAN_START;
      else if (!isBehind && (steps[place]! & isEntry) !== 0)
        for (let at = starts[place]!; at < end && (mayBeLate || (state & CAN_START) === 0); at += 1)
          if ((masks[at]! & isEntry) !== 0 && times[at]! >= fromMs && times[at]! < toMs) state |= times[at]! >= ownLateMs ? CAN_START | MAY_CONTINUE : CAN_START;
      states[entity] = state;
    }
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
      this.#needsSort[rank] = 0;
      count += slots[entity]!;
    }
    slots.fill(NOWHERE, 0, length);
    for (let rank = 0; rank < found; rank += 1) slots[this.#found[rank]!] = this.starts[rank]!;
    this.#entityCount = found;
    return count;
  }

  /**
   * Lists the entities to read in `#found`; returns their number. Without branches, which would be mispredicted: each entity is written at `count`,
   * which advances by 0 or 1.
   */
  #find(length: number): number {
    const isFirstRead = this.#pruning?.countsFirstOnly === true ? 0 : 1;
    let [count, firstOnlyCount, pendingCount] = [0, 0, 0];
    for (let entity = 0; entity < length; entity += 1) {
      const state = this.#states[entity]!;
      const canStart = state & CAN_START;
      const hasSecondStep = (state & HAS_SECOND_STEP) >>> 1;
      const mayContinue = (state & MAY_CONTINUE) >>> 2;
      const isFound = canStart & (hasSecondStep | isFirstRead);
      const isFirstOnly = canStart ^ isFound;
      this.#found[count] = entity;
      count += isFound;
      firstOnlyCount += isFirstOnly;
      pendingCount += isFirstOnly & mayContinue;
    }
    this.#firstOnlyCount += firstOnlyCount;
    this.#firstOnlyPendingCount += pendingCount;
    return count;
  }

  #put({ startMs, entityKeys, starts, times, masks, steps }: MatchList, number: number): void {
    const { starts: firstSlots, ends, resolver: { moved, entries } } = this;
    const { ms, masks: ownMasks, numbers } = this.placed;
    const [slots, ranks, low] = [this.#slots, this.#ranks, this.#from];
    const [firstNumber, placeEnd] = [this.#firstNumbers[number]!, this.#nextEnd[number]!];
    // Behind the entries, matches of the first step alone change nothing.
    const skipped = this.#pruning !== null && startMs >= entries.toMs ? FIRST_STEP_ONLY : NOWHERE;
    for (let place = this.#next[number]!; place < placeEnd; place += 1) {
      const entity = entityKeys[place]! - low;
      let slot = slots[entity]!;
      if (slot === NOWHERE || steps[place] === skipped) continue;
      if (moved !== "none" && this.#isMoved(entityKeys[place]!)) continue;
      const rank = ranks[entity]!;
      let lastMs = slot === firstSlots[rank] ? -Infinity : ms[slot - 1]!;
      let needsSort = false;
      for (let at = starts[place]!, end = starts[place + 1]!; at < end; at += 1) {
        const ownMs = startMs + times[at]!;
        if (ownMs <= lastMs) needsSort = true;
        ms[slot] = lastMs = ownMs;
        ownMasks[slot] = masks[at]!;
        numbers[slot] = firstNumber + at;
        slot += 1;
      }
      if (needsSort) this.#needsSort[rank] = 1;
      slots[entity] = ends[rank] = slot;
    }
  }
}
