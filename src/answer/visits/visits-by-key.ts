/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys are below their end */
import { Visits } from "./visits.js";

/** Visits by a key that each of them has. */
export class VisitsByKey {
  /** Ascending, each once. */
  readonly keys: Uint32Array;
  readonly #starts: Uint32Array;
  /** Places of the visits, key by key, in their order. */
  readonly #places: Uint32Array;
  readonly #placeOfKey: Map<number, number>;

  constructor(
    readonly visits: Visits,
    keyOfVisit: Uint32Array,
  ) {
    const counts = new Map<number, number>();
    for (let at = 0; at < keyOfVisit.length; at += 1) counts.set(keyOfVisit[at]!, (counts.get(keyOfVisit[at]!) ?? 0) + 1);
    this.keys = Uint32Array.from(counts.keys()).sort();
    this.#starts = new Uint32Array(this.keys.length + 1);
    this.#placeOfKey = new Map();
    for (let place = 0; place < this.keys.length; place += 1) {
      this.#placeOfKey.set(this.keys[place]!, place);
      this.#starts[place + 1] = this.#starts[place]! + counts.get(this.keys[place]!)!;
    }
    const next = this.#starts.slice();
    this.#places = new Uint32Array(keyOfVisit.length);
    for (let at = 0; at < keyOfVisit.length; at += 1) {
      const place = this.#placeOfKey.get(keyOfVisit[at]!)!;
      this.#places[next[place]!] = at;
      next[place]! += 1;
    }
  }

  /** How many visits have one of some keys. */
  countOf(keys: readonly number[]): number {
    return keys.reduce((sum, key) => sum + this.#placesOf(key).length, 0);
  }

  /** The visits that have one of some keys, in no order. */
  of(keys: readonly number[]): Visits {
    const { view, sessions } = this.visits;
    const own = new Uint32Array(this.countOf(keys));
    let end = 0;
    for (const key of keys) for (const at of this.#placesOf(key)) own[end++] = sessions[at]!;
    return new Visits(view, own);
  }

  #placesOf(key: number): Uint32Array {
    const place = this.#placeOfKey.get(key);
    return place === undefined ? this.#places.subarray(0, 0) : this.#places.subarray(this.#starts[place]!, this.#starts[place + 1]!);
  }
}
