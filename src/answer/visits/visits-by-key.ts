/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys are below their end */
import { inPieces } from "../../base/in-pieces.js";
import { Visits } from "./visits.js";

/** Visits by a key that each of them has. */
export class VisitsByKey {
  /**
   * @param keys ascending, each once
   * @param placeOfKey which of them a key is
   * @param starts where the places of each key begin, and where those of the last end
   * @param places of the visits, key by key, in their order
   */
  private constructor(
    readonly visits: Visits,
    readonly keys: Uint32Array,
    private readonly placeOfKey: ReadonlyMap<number, number>,
    private readonly starts: Uint32Array,
    private readonly places: Uint32Array,
  ) {}

  /** Cost: some 50 ns a visit where keys are few, some 600 where each sixth has its own, in pieces. @param pause gives others a turn */
  static async of(visits: Visits, keyOfVisit: Uint32Array, pause: () => Promise<void>): Promise<VisitsByKey> {
    const counts = new Map<number, number>();
    await inPieces(keyOfVisit.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) counts.set(keyOfVisit[at]!, (counts.get(keyOfVisit[at]!) ?? 0) + 1);
    });
    const keys = Uint32Array.from(counts.keys()).sort();
    const placeOfKey = new Map<number, number>();
    const starts = new Uint32Array(keys.length + 1);
    await inPieces(keys.length, pause, (from, to) => {
      for (let place = from; place < to; place += 1) {
        placeOfKey.set(keys[place]!, place);
        starts[place + 1] = starts[place]! + counts.get(keys[place]!)!;
      }
    });
    const next = starts.slice();
    const places = new Uint32Array(keyOfVisit.length);
    await inPieces(keyOfVisit.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        const place = placeOfKey.get(keyOfVisit[at]!)!;
        places[next[place]!] = at;
        next[place]! += 1;
      }
    });
    return new VisitsByKey(visits, keys, placeOfKey, starts, places);
  }

  /** How many visits have one of some keys. */
  countOf(keys: readonly number[]): number {
    return keys.reduce((sum, key) => sum + this.#placesOf(key).length, 0);
  }

  /** The visits that have one of some keys, in no order. */
  having(keys: readonly number[]): Visits {
    const { view, sessions } = this.visits;
    const own = new Uint32Array(this.countOf(keys));
    let end = 0;
    for (const key of keys) for (const at of this.#placesOf(key)) own[end++] = sessions[at]!;
    return new Visits(view, own);
  }

  #placesOf(key: number): Uint32Array {
    const place = this.placeOfKey.get(key);
    return place === undefined ? this.places.subarray(0, 0) : this.places.subarray(this.starts[place]!, this.starts[place + 1]!);
  }
}
