/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by their lists */
import type { Mask, Matches } from "../../answer/insights/chain.js";
import { dayStartMs, MS_PER_DAY } from "../../base/time.js";
import { BitSet } from "../../column/bit-set.js";
import { RankedBits } from "../../column/ranked-bits.js";
import type { Range } from "../../plan/plan.js";
import type { MatchList } from "./match-list.js";

/** Matches that are looked at between two turns: each may be the first to touch a page of memory in four places. */
const PIECE = 2_048;
/** Matches of one entity and day that are put in order one by one. */
const FEW_MATCHES = 32;
const PLACE_SPAN = 2 ** 26;

/** An event among those that may go through steps. */
export interface MatchPlace {
  readonly list: MatchList;
  readonly at: number;
}

/** The matches of one entity after the other, each by time. Only of entities that have an event with which a chain may begin. */
export class EntityMatches implements Matches {
  readonly ms: Float64Array;
  readonly masks: Uint32Array;
  /** The matches of an entity lie from its start to that of the next one. */
  readonly starts: Uint32Array;
  /** Numbers of matches, over all lists. */
  readonly #numbers: Uint32Array;
  readonly #listStarts: Uint32Array;

  private constructor(
    readonly lists: readonly MatchList[],
    starts: Uint32Array,
  ) {
    const count = starts.at(-1) ?? 0;
    this.starts = starts;
    this.ms = new Float64Array(count);
    this.masks = new Uint32Array(count);
    this.#numbers = new Uint32Array(count);
    this.#listStarts = new Uint32Array(lists.length + 1);
    lists.forEach(({ subjects }, at) => (this.#listStarts[at + 1] = this.#listStarts[at]! + subjects.length));
  }

  /** @param isEntry bits of which one is needed for a chain to begin with an event @param entries when one may begin */
  static async of(
    unordered: readonly MatchList[],
    entityOf: (subject: number) => number,
    isEntry: Mask,
    entries: Range,
    pause: () => Promise<void>,
  ): Promise<EntityMatches> {
    const lists = [...unordered].sort((a, b) => a.day - b.day);
    const entering = new BitSet(1_024);
    await inPieces(lists, pause, (list, from, to) => addEntering(list, from, to, entityOf, isEntry, entries, entering));
    const ranks = new RankedBits(entering.words);
    const ends = new Uint32Array(ranks.count + 2);
    // By list and match, the rank of its entity and one; 0 for the others.
    const entities = lists.map(({ subjects }) => new Uint32Array(subjects.length));
    await inPieces(lists, pause, (list, from, to, place) => addRanks(list, from, to, entityOf, entering, ranks, entities[place]!, ends));
    for (let entity = 1; entity < ends.length; entity += 1) ends[entity]! += ends[entity - 1]!;
    const matches = new EntityMatches(lists, ends.slice(0, -1));
    await inPieces(lists, pause, (list, from, to, place) => matches.#put(list, from, to, entities[place]!, ends, matches.#listStarts[place]!));
    return matches;
  }

  get entityCount(): number {
    return this.starts.length - 1;
  }

  /** Where a match comes from. */
  placeOf(slot: number): MatchPlace {
    const list = this.listOf(slot);
    return { list: this.lists[list]!, at: this.#numbers[slot]! - this.#listStarts[list]! };
  }

  /** The place of its list. */
  listOf(slot: number): number {
    const number = this.#numbers[slot]!;
    let [low, high] = [0, this.lists.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#listStarts[middle]! <= number) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Puts the matches `[from, to)` of one entity in the order of their times. Only of days with several lists some may not be. */
  sortByTime(from: number, to: number): void {
    const { ms } = this;
    for (let slot = from + 1; slot < to; slot += 1) {
      if (ms[slot]! >= ms[slot - 1]!) continue;
      const startMs = Math.floor(ms[slot]! / MS_PER_DAY) * MS_PER_DAY;
      let [first, end] = [slot, slot + 1];
      while (first > from && ms[first - 1]! >= startMs) first -= 1;
      while (end < to && ms[end]! < startMs + MS_PER_DAY) end += 1;
      if (end - first <= FEW_MATCHES) this.#insertAll(first, end);
      else this.reorder(first, sortedOrder(ms.subarray(first, end), startMs));
      slot = end - 1;
    }
  }

  /** Puts the matches from a place on in another order. @param order places within them */
  reorder(from: number, order: ArrayLike<number>): void {
    for (const values of [this.ms, this.masks, this.#numbers]) {
      const before = values.slice(from, from + order.length);
      for (let at = 0; at < order.length; at += 1) values[from + at] = before[order[at]!]!;
    }
  }

  #put(list: MatchList, from: number, to: number, entities: Uint32Array, ends: Uint32Array, listStart: number): void {
    const { ms, masks } = this;
    const numbers = this.#numbers;
    const startMs = dayStartMs(list.day);
    for (let at = from; at < to; at += 1) {
      const entity = entities[at]!;
      if (entity === 0) continue;
      const slot = ends[entity - 1]!;
      ends[entity - 1] = slot + 1;
      ms[slot] = startMs + list.times[at]!;
      masks[slot] = list.masks[at]!;
      numbers[slot] = listStart + at;
    }
  }

  #insertAll(from: number, to: number): void {
    const { ms, masks } = this;
    const numbers = this.#numbers;
    for (let slot = from + 1; slot < to; slot += 1) {
      const [time, mask, number] = [ms[slot]!, masks[slot]!, numbers[slot]!];
      let into = slot;
      for (; into > from && ms[into - 1]! > time; into -= 1) {
        ms[into] = ms[into - 1]!;
        masks[into] = masks[into - 1]!;
        numbers[into] = numbers[into - 1]!;
      }
      ms[into] = time;
      masks[into] = mask;
      numbers[into] = number;
    }
  }
}

function addEntering(
  { day, subjects, times, masks }: MatchList, from: number, to: number,
  entityOf: (subject: number) => number, isEntry: Mask, { fromMs, toMs }: Range, entering: BitSet,
): void {
  const startMs = dayStartMs(day);
  const [first, end] = [fromMs - startMs, toMs - startMs];
  for (let at = from; at < to; at += 1)
    if ((masks[at]! & isEntry) !== 0 && times[at]! >= first && times[at]! < end) entering.add(entityOf(subjects[at]!));
}

function addRanks(
  { subjects }: MatchList, from: number, to: number,
  entityOf: (subject: number) => number, entering: BitSet, ranks: RankedBits, entities: Uint32Array, ends: Uint32Array,
): void {
  for (let at = from; at < to; at += 1) {
    const entity = entityOf(subjects[at]!);
    if (!entering.has(entity)) continue;
    const rank = ranks.rankOf(entity);
    entities[at] = rank + 1;
    ends[rank + 1]! += 1;
  }
}

async function inPieces(lists: readonly MatchList[], pause: () => Promise<void>, act: (list: MatchList, from: number, to: number, place: number) => void): Promise<void> {
  let count = 0;
  for (const [place, list] of lists.entries())
    for (let from = 0; from < list.subjects.length; from += PIECE) {
      const to = Math.min(from + PIECE, list.subjects.length);
      act(list, from, to, place);
      count += to - from;
      if (count < PIECE) continue;
      count = 0;
      await pause();
    }
}

/** Places by time, of one day. */
function sortedOrder(ms: Float64Array, startMs: number): Uint32Array {
  const keys = Float64Array.from(ms, (time, place) => (time - startMs) * PLACE_SPAN + place).sort();
  return Uint32Array.from(keys, (key) => key % PLACE_SPAN);
}
