import { addMoney, ZERO, type Money } from "../../answer/money.js";
import type { Extent } from "../../answer/insights/buckets.js";
import type { Measured, SeriesFigures } from "../../answer/insights/measured.js";

/** Things that count, each under one key: lists of one length. */
export interface Things {
  readonly keys: ArrayLike<number>;
  /** Epoch ms. */
  readonly ms: ArrayLike<number>;
  /** What each comes to. */
  readonly amounts: ArrayLike<Money>;
  /** Of how many each is the sum. */
  readonly counts: ArrayLike<number>;
}

/** Sums of things that came one by one, or as sums of several of one unit. */
export class ThingsOverTime implements Measured {
  readonly #placesOfKey = new Map<number, number[]>();

  /** @param keys all that something stands under, whether or not it counts @param shown what a sum is shown as */
  constructor(
    readonly things: Things,
    keys: Iterable<number>,
    readonly shown: (sum: Money) => number,
  ) {
    for (const key of keys) this.#placesOfKey.set(key, []);
    for (let at = 0; at < things.keys.length; at += 1) this.#placesOfKey.get(things.keys[at] ?? 0)?.push(at);
  }

  get keys(): Iterable<number> {
    return this.#placesOfKey.keys();
  }

  get isEmpty(): boolean {
    return this.#placesOfKey.size === 0;
  }

  extent(): Promise<Extent | null> {
    const { ms } = this.things;
    let [firstMs, lastMs] = [Infinity, -Infinity];
    for (let at = 0; at < ms.length; at += 1) [firstMs, lastMs] = [Math.min(firstMs, ms[at] ?? firstMs), Math.max(lastMs, ms[at] ?? lastMs)];
    return Promise.resolve(firstMs === Infinity ? null : { firstMs, lastMs });
  }

  totalOf(keys: Float64Array): Promise<number> {
    return Promise.resolve(this.shown(this.#sumOf(this.#placesOf(keys))));
  }

  figuresOf(keys: Float64Array, units: readonly number[], isCumulative: boolean): Promise<SeriesFigures> {
    const places = this.#placesOf(keys);
    const byUnit = units.map((): number[] => []);
    for (const at of places) byUnit[lastAtMost(units, this.things.ms[at] ?? 0)]?.push(at);
    let sum: Money = ZERO;
    const data = byUnit.map((own) => {
      sum = isCumulative ? addMoney(sum, this.#sumOf(own)) : this.#sumOf(own);
      return this.shown(sum);
    });
    const countedByUnit = byUnit.map((own) => this.#countOf(own));
    return Promise.resolve({ counted: this.#countOf(places), total: this.shown(this.#sumOf(places)), data, countedByUnit });
  }

  #placesOf(keys: Float64Array): number[] {
    return [...keys].flatMap((key) => this.#placesOfKey.get(key) ?? []);
  }

  #countOf(places: readonly number[]): number {
    return places.reduce((count, at) => count + (this.things.counts[at] ?? 0), 0);
  }

  #sumOf(places: readonly number[]): Money {
    return places.reduce<Money>((sum, at) => addMoney(sum, this.things.amounts[at] ?? ZERO), ZERO);
  }
}

/** Place of the last of some ascending numbers that is no greater than another; -1 for none. */
function lastAtMost(ascending: readonly number[], number: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Infinity) <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
