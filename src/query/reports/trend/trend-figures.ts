/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import type { Extent } from "../../answer/insights/buckets.js";
import type { Measured, SeriesFigures } from "../../answer/insights/trend-answers.js";
import { inPieces } from "../../../core/base/yield.js";
import { firstAtLeast } from "../../../core/base/search.js";
import type { Cells, CellsByUnit } from "../insights/cells.js";
import { KEY_SPAN, valuesOfKey, type RowKeys } from "../insights/row-keys.js";
import { addMoney, majorUnits, ZERO, type Money } from "../../answer/money.js";
import { bothTallies, NO_NUMBERS, numericFigure, tallyOf } from "../../answer/numbers.js";
import { BitSet } from "../../../storage/column/bitmap.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import type { NumericMeasureType } from "../../plan/input.js";
import { numberOf } from "../../plan/filters/number-form.js";

/** Cells read between two pauses. */
const PIECE_COUNT = 1_024;

/** The cells of a trend, sorted by key, then by unit. */
export class CellsOverTime implements Measured {
  readonly #unitPlaces: Uint32Array;
  readonly #items: Uint32Array;
  readonly #counts: Uint32Array;
  /** Reused for all totals: up to a million keys need one each. */
  readonly #total: MeasureTally;

  /**
   * @param units ascending
   * @param starts by key: start of its cells, whose units ascend, and the end of the last key's
   */
  private constructor(
    readonly cells: CellsByUnit,
    readonly tallies: Tallies,
    readonly units: readonly number[],
    private readonly starts: Uint32Array,
    count: number,
  ) {
    this.#unitPlaces = new Uint32Array(count);
    this.#items = new Uint32Array(count);
    this.#counts = new Uint32Array(count);
    this.#total = tallies.tally();
  }

  /** Cost: two reads per cell. 4 bytes per possible key. */
  static async of(cells: CellsByUnit, tallies: Tallies, pause: () => Promise<void>): Promise<CellsOverTime> {
    const units = [...cells.keys()].sort((a, b) => a - b);
    let keyEnd = 0;
    for (const lists of cells.values()) for (const { pairs } of lists) if (pairs.length > 0) keyEnd = Math.max(keyEnd, Math.floor(pairs.at(-1)! / KEY_SPAN) + 1);
    // One entry more: during placement, the start of a key is the index of its next cell.
    const starts = new Uint32Array(keyEnd + 2);
    await eachPiece(cells, units, pause, ({ pairs }, from, to) => {
      eachKey(pairs, from, to, (key, start, end) => (starts[key + 2]! += end - start));
    });
    await inSlices(2, starts.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) starts[at]! += starts[at - 1]!;
    });
    const made = new CellsOverTime(cells, tallies, units, starts.subarray(0, keyEnd + 1), starts.at(-1)!);
    await eachPiece(cells, units, pause, (list, from, to, unit) => made.#put(list, from, to, unit, starts));
    return made;
  }

  #put({ pairs, counts }: Cells, from: number, to: number, unit: number, next: Uint32Array): void {
    const [unitPlaces, items, ownCounts] = [this.#unitPlaces, this.#items, this.#counts];
    eachKey(pairs, from, to, (key, start, end) => {
      const firstPair = key * KEY_SPAN;
      let place = next[key + 1]!;
      for (let at = start; at < end; at += 1, place += 1) {
        unitPlaces[place] = unit;
        items[place] = pairs[at]! - firstPair;
        ownCounts[place] = counts[at]!;
      }
      next[key + 1] = place;
    });
  }

  /** Ascending. */
  get keys(): Iterable<number> {
    return this.#keys();
  }

  *#keys(): Generator<number> {
    const { starts } = this;
    for (let key = 0; key + 1 < starts.length; key += 1) if (starts[key]! < starts[key + 1]!) yield key;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  get items(): Uint32Array {
    return this.#items;
  }

  async extent(pause: () => Promise<void>): Promise<Extent | null> {
    const firstMs = await this.#firstCounted(this.units, pause);
    const lastMs = firstMs === null ? null : await this.#firstCounted([...this.units].reverse(), pause);
    return firstMs === null || lastMs === null ? null : { firstMs, lastMs };
  }

  /** Cost: the cells of the keys. */
  async totalOf(keys: Float64Array, pause: () => Promise<void>): Promise<number | null> {
    this.#total.clear();
    await this.#addAll(this.#total, keys, pause);
    return this.#total.figure();
  }

  /** Cost: one or two reads of the cells of the keys, and the cost of a figure per unit. */
  async figuresOf(keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures> {
    const tally = this.tallies.tally();
    const parts = isCumulative || tally.join === undefined ? null : this.tallies.tally();
    const total = parts ?? this.tallies.tally();
    if (parts === null) await this.#addAll(total, keys, pause);
    await pause();
    const { starts, places } = keys.length === 1 ? this.#placesOfOne(keys[0]!) : await this.#placesByUnit(keys, pause);
    let own = 0;
    let countedBefore = 0;
    const [countedByUnit, data]: [number[], (number | null)[]] = [[], []];
    for (const unitMs of units) {
      await pause();
      while (own < this.units.length && this.units[own]! < unitMs) own += 1;
      if (!isCumulative) {
        tally.clear();
        countedBefore = 0;
      }
      if (this.units[own] === unitMs) await inSlices(starts[own]!, starts[own + 1]!, pause, (from, to) => {
        for (let at = from; at < to; at += 1) this.#add(tally, places === null ? at : places[at]!);
      });
      countedByUnit.push(tally.counted - countedBefore);
      countedBefore = tally.counted;
      data.push(tally.figure());
      parts?.join?.(tally);
    }
    return { counted: total.counted, total: total.figure(), data, countedByUnit };
  }

  /** The first of some units in which anything counts. */
  async #firstCounted(units: readonly number[], pause: () => Promise<void>): Promise<number | null> {
    for (const unitMs of units)
      for (const { pairs, counts } of this.cells.get(unitMs)!) {
        const tally = this.tallies.tally();
        for (let from = 0; from < pairs.length; from += PIECE_COUNT) {
          for (let at = from; at < Math.min(from + PIECE_COUNT, pairs.length) && tally.counted === 0; at += 1) tally.add(pairs[at]! % KEY_SPAN, counts[at]!);
          if (tally.counted > 0) return unitMs;
          await pause();
        }
      }
    return null;
  }

  /** The cells of one key are sorted by unit: the start of each unit's cells. */
  #placesOfOne(key: number): { readonly starts: Uint32Array; readonly places: null } {
    const [from, to] = [this.starts[key] ?? 0, this.starts[key + 1] ?? 0];
    const own = this.#unitPlaces.subarray(from, to);
    return { starts: Uint32Array.from({ length: this.units.length + 1 }, (_, unit) => from + firstAtLeast(own, unit)), places: null };
  }

  /** Indexes of the cells of some keys, unit by unit. */
  async #placesByUnit(keys: Float64Array, pause: () => Promise<void>): Promise<{ readonly starts: Uint32Array; readonly places: Uint32Array }> {
    const ends = new Uint32Array(this.units.length + 2);
    await this.#ofKeys(keys, pause, (from, to) => {
      for (let place = from; place < to; place += 1) ends[this.#unitPlaces[place]! + 2]! += 1;
    });
    for (let unit = 1; unit < ends.length; unit += 1) ends[unit]! += ends[unit - 1]!;
    const places = new Uint32Array(ends.at(-1)!);
    await this.#ofKeys(keys, pause, (from, to) => {
      for (let place = from; place < to; place += 1) {
        const unit = this.#unitPlaces[place]! + 1;
        places[ends[unit]!] = place;
        ends[unit]! += 1;
      }
    });
    return { starts: ends, places };
  }

  async #addAll(tally: MeasureTally, keys: Float64Array, pause: () => Promise<void>): Promise<void> {
    await this.#ofKeys(keys, pause, (from, to) => {
      for (let place = from; place < to; place += 1) this.#add(tally, place);
    });
  }

  /** Visits index ranges of the cells of some keys, a bounded number at a time. */
  async #ofKeys(keys: Float64Array, pause: () => Promise<void>, act: (from: number, to: number) => void): Promise<void> {
    let count = 0;
    for (const key of keys) {
      const [from, to] = [this.starts[key] ?? 0, this.starts[key + 1] ?? 0];
      count += to - from;
      if (count <= PIECE_COUNT) act(from, to);
      else {
        await inSlices(from, to, pause, act);
        count = 0;
      }
    }
  }

  #add(tally: MeasureTally, place: number): void {
    tally.add(this.#items[place]!, this.#counts[place]!);
  }
}

/** Calls `visit` with the cells of each key in an index range. Pairs ascend. */
function eachKey(pairs: Float64Array, from: number, to: number, visit: (key: number, start: number, end: number) => void): void {
  for (let start = from; start < to; ) {
    const key = Math.floor(pairs[start]! / KEY_SPAN);
    const endPair = (key + 1) * KEY_SPAN;
    let end = start + 1;
    while (end < to && pairs[end]! < endPair) end += 1;
    visit(key, start, end);
    start = end;
  }
}

/** Calls `act` with chunks of each list, unit by unit. */
async function eachPiece(
  cells: CellsByUnit,
  units: readonly number[],
  pause: () => Promise<void>,
  act: (list: Cells, from: number, to: number, unit: number) => void,
): Promise<void> {
  for (const [unit, unitMs] of units.entries())
    for (const list of cells.get(unitMs)!) await inSlices(0, list.pairs.length, pause, (from, to) => act(list, from, to, unit));
}

function inSlices(start: number, end: number, pause: () => Promise<void>, act: (from: number, to: number) => void): Promise<void> {
  return inPieces(end - start, pause, (from, to) => act(start + from, start + to), PIECE_COUNT);
}

/** Computes a figure from events, which are added by item. */
interface MeasureTally {
  /** Number of added events that contribute to the figure. */
  readonly counted: number;
  add(item: number, count: number): void;
  figure(): number | null;
  clear(): void;
  /** Adds another tally of the same query; absent if the events themselves have to be added. */
  join?(other: MeasureTally): void;
}

export interface Tallies {
  tally(): MeasureTally;
}

export const eventTallies: Tallies = {
  tally: () => {
    let count = 0;
    return {
      get counted() {
        return count;
      },
      add: (_item, more) => (count += more),
      figure: () => count,
      clear: () => (count = 0),
    };
  },
};

/** Counts distinct identities; items are actors, 0 for none. */
export function userTallies(identities: IdentityView): Tallies {
  return { tally: () => distinctTally((actor) => (actor === 0 ? NOBODY : [identities.identityOf(actor)])) };
}

const NOBODY: readonly number[] = [];

/** Counts distinct values except `""`; items are keys of the measured field. */
export function valueTallies(field: RowKeys): Tallies {
  const numbers = new Map<string, number>();
  const known = new Map<number, readonly number[]>();
  const numbersOf = (key: number) => {
    let own = known.get(key);
    if (own === undefined) {
      const texts = valuesOfKey(field, key).map(([text = ""]) => text).filter((text) => text !== "");
      own = texts.map((text) => {
        let number = numbers.get(text);
        if (number === undefined) numbers.set(text, (number = numbers.size));
        return number;
      });
      known.set(key, own);
    }
    return own;
  };
  return { tally: () => distinctTally(numbersOf) };
}

/** Counts distinct things. @param thingsOf what an item adds; if empty, its events do not count */
function distinctTally(thingsOf: (item: number) => readonly number[]): MeasureTally {
  let things = new BitSet(1_024);
  let added: number[] = [];
  let counted = 0;
  return {
    get counted() {
      return counted;
    },
    add: (item, count) => {
      const own = thingsOf(item);
      if (own.length === 0) return;
      counted += count;
      for (const thing of own) if (things.add(thing)) added.push(thing);
    },
    figure: () => added.length,
    clear: () => {
      if (added.length > FEW_THINGS) things = new BitSet(1_024);
      else for (const thing of added) things.remove(thing);
      added = [];
      counted = 0;
    },
  };
}

/** Up to this many things are removed from the set one by one; beyond, a new set is created. */
const FEW_THINGS = 4_096;

/** A figure of numbers, exact and rounded once; items are keys of the measured field, each of which stands for one text. */
export function numberTallies(field: RowKeys, type: NumericMeasureType): Tallies {
  const known = new Map<number, number | null>();
  const numberOfKey = (key: number) => {
    let own = known.get(key);
    if (own === undefined) known.set(key, (own = numberOf(valuesOfKey(field, key)[0]?.[0] ?? "")));
    return own;
  };
  return { tally: () => numberTally(numberOfKey, type) };
}

function numberTally(numberOfKey: (key: number) => number | null, type: NumericMeasureType): MeasureTally {
  // Only what was added since the last figure is sorted, then merged: running figures read each number once per bucket.
  let known = NO_NUMBERS;
  const added = new Map<number, number>();
  let counted = 0;
  return {
    get counted() {
      return counted;
    },
    add: (key, count) => {
      const number = numberOfKey(key);
      if (number === null) return;
      counted += count;
      added.set(number, (added.get(number) ?? 0) + count);
    },
    figure: () => {
      known = bothTallies(known, tallyOf(Float64Array.from(added.keys()), Float64Array.from(added.values())));
      added.clear();
      return numericFigure(known, type);
    },
    clear: () => {
      known = NO_NUMBERS;
      added.clear();
      counted = 0;
    },
  };
}

/** Sums net revenue in a currency; items are numbers of payments. @param amountOf null for a payment that does not count */
export function revenueTallies(amountOf: (payment: number) => Money | null, currency: string): Tallies {
  return { tally: () => new RevenueTally(amountOf, currency) };
}

class RevenueTally implements MeasureTally {
  #sum = ZERO;
  counted = 0;

  constructor(
    readonly amountOf: (payment: number) => Money | null,
    readonly currency: string,
  ) {}

  add(payment: number): void {
    const amount = this.amountOf(payment);
    if (amount === null) return;
    this.counted += 1;
    this.#sum = addMoney(this.#sum, amount);
  }

  figure(): number {
    return majorUnits(this.#sum, this.currency);
  }

  clear(): void {
    this.#sum = ZERO;
    this.counted = 0;
  }

  join(other: RevenueTally): void {
    this.#sum = addMoney(this.#sum, other.#sum);
    this.counted += other.counted;
  }
}
