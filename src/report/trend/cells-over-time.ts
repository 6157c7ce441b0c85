/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import type { Extent } from "../../answer/insights/buckets.js";
import { KEY_SPAN } from "../insights/row-keys.js";
import type { CellsByUnit } from "../insights/cells-by-unit.js";
import type { Measured, SeriesFigures } from "./measured.js";
import type { Tallies, Tally } from "./tallies.js";

/** What a trend is about as cells, put by key and then by unit. */
export class CellsOverTime implements Measured {
  /** Ascending. */
  readonly #units: readonly number[];
  /** Places of the cells of each key, units ascending. */
  readonly #placesOfKey: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  readonly #unitPlaces: Uint32Array;
  readonly #items: Uint32Array;
  readonly #counts: Uint32Array;

  constructor(
    readonly cells: CellsByUnit,
    readonly tallies: Tallies,
  ) {
    this.#units = [...cells.keys()].sort((a, b) => a - b);
    const sizes = new Map<number, number>();
    for (const lists of cells.values())
      for (const { pairs } of lists) for (let at = 0; at < pairs.length; at += 1) {
        const key = Math.floor(pairs[at]! / KEY_SPAN);
        sizes.set(key, (sizes.get(key) ?? 0) + 1);
      }
    const places = new Map<number, { from: number; to: number }>();
    let end = 0;
    for (const [key, size] of sizes) {
      places.set(key, { from: end, to: end });
      end += size;
    }
    this.#placesOfKey = places;
    this.#unitPlaces = new Uint32Array(end);
    this.#items = new Uint32Array(end);
    this.#counts = new Uint32Array(end);
    this.#units.forEach((unitMs, unit) => {
      for (const { pairs, counts } of cells.get(unitMs)!)
        for (let at = 0; at < pairs.length; at += 1) {
          const key = Math.floor(pairs[at]! / KEY_SPAN);
          const place = places.get(key)!;
          this.#unitPlaces[place.to] = unit;
          this.#items[place.to] = pairs[at]! - key * KEY_SPAN;
          this.#counts[place.to] = counts[at]!;
          place.to += 1;
        }
    });
  }

  get keys(): Iterable<number> {
    return this.#placesOfKey.keys();
  }

  get isEmpty(): boolean {
    return this.#placesOfKey.size === 0;
  }

  /** The items of all cells. */
  get items(): Uint32Array {
    return this.#items;
  }

  get extent(): Extent | null {
    const first = this.#units.find((unitMs) => this.#hasCounted(unitMs));
    const last = this.#units.findLast((unitMs) => this.#hasCounted(unitMs));
    return first === undefined || last === undefined ? null : { firstMs: first, lastMs: last };
  }

  /** Cost: the cells of the keys. */
  totalOf(keys: readonly number[]): number | null {
    const tally = this.tallies.tally();
    for (const key of keys) this.#addAll(tally, key);
    return tally.figure();
  }

  /** Cost: twice the cells of the keys, and what a figure costs for each unit. */
  async figuresOf(keys: readonly number[], units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures> {
    const total = this.tallies.tally();
    for (const key of keys) this.#addAll(total, key);
    await pause();
    const { starts, places } = this.#placesByUnit(keys);
    const tally = this.tallies.tally();
    let own = 0;
    let countedBefore = 0;
    const [countedByUnit, data]: [number[], (number | null)[]] = [[], []];
    for (const unitMs of units) {
      await pause();
      while (own < this.#units.length && this.#units[own]! < unitMs) own += 1;
      if (!isCumulative) {
        tally.clear();
        countedBefore = 0;
      }
      if (this.#units[own] === unitMs) for (let at = starts[own]!; at < starts[own + 1]!; at += 1) this.#add(tally, places[at]!);
      countedByUnit.push(tally.counted - countedBefore);
      countedBefore = tally.counted;
      data.push(tally.figure());
    }
    return { counted: total.counted, total: total.figure(), data, countedByUnit };
  }

  #hasCounted(unitMs: number): boolean {
    const tally = this.tallies.tally();
    for (const { pairs, counts } of this.cells.get(unitMs)!)
      for (let at = 0; at < pairs.length; at += 1) {
        tally.add(pairs[at]! % KEY_SPAN, counts[at]!);
        if (tally.counted > 0) return true;
      }
    return false;
  }

  /** Places of the cells of some keys, unit by unit. */
  #placesByUnit(keys: readonly number[]): { readonly starts: Uint32Array; readonly places: Uint32Array } {
    const ranges = keys.flatMap((key) => this.#placesOfKey.get(key) ?? []);
    const ends = new Uint32Array(this.#units.length + 2);
    for (const { from, to } of ranges) for (let place = from; place < to; place += 1) ends[this.#unitPlaces[place]! + 2]! += 1;
    for (let unit = 1; unit < ends.length; unit += 1) ends[unit]! += ends[unit - 1]!;
    const places = new Uint32Array(ends.at(-1)!);
    for (const { from, to } of ranges)
      for (let place = from; place < to; place += 1) {
        const unit = this.#unitPlaces[place]! + 1;
        places[ends[unit]!] = place;
        ends[unit]! += 1;
      }
    return { starts: ends, places };
  }

  #addAll(tally: Tally, key: number): void {
    const range = this.#placesOfKey.get(key);
    if (range !== undefined) for (let place = range.from; place < range.to; place += 1) this.#add(tally, place);
  }

  #add(tally: Tally, place: number): void {
    tally.add(this.#items[place]!, this.#counts[place]!);
  }
}
