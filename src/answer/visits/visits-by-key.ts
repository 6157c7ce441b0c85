/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys are below their end */
import { inPieces } from "../../base/in-pieces.js";
import { Visits } from "./visits.js";

/** Visits by a key that each of them has. */
export class VisitsByKey {
  /**
   * @param starts by key: where the places of its visits begin, and where those of the last key end
   * @param places of the visits, key by key, in their order
   */
  private constructor(
    readonly visits: Visits,
    private readonly starts: Uint32Array,
    private readonly places: Uint32Array,
  ) {}

  /** Cost: some 20 ns a visit, in pieces; 4 bytes for each key that there may be. @param pause gives others a turn */
  static async of(visits: Visits, keyOfVisit: Uint32Array, pause: () => Promise<void>): Promise<VisitsByKey> {
    let keyEnd = 0;
    await inPieces(keyOfVisit.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) if (keyOfVisit[at]! >= keyEnd) keyEnd = keyOfVisit[at]! + 1;
    });
    // A place further: while visits are put, the start of a key is where its next visit goes.
    const starts = new Uint32Array(keyEnd + 2);
    await inPieces(keyOfVisit.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) starts[keyOfVisit[at]! + 2]! += 1;
    });
    await inPieces(keyEnd, pause, (from, to) => {
      for (let key = from; key < to; key += 1) starts[key + 2]! += starts[key + 1]!;
    });
    const places = new Uint32Array(keyOfVisit.length);
    await inPieces(keyOfVisit.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        const next = keyOfVisit[at]! + 1;
        places[starts[next]!] = at;
        starts[next]! += 1;
      }
    });
    return new VisitsByKey(visits, starts.subarray(0, keyEnd + 1), places);
  }

  /** Those that visits have, ascending. */
  *keys(): Generator<number> {
    for (let key = 0; key + 1 < this.starts.length; key += 1) if (this.countOf(key) > 0) yield key;
  }

  /** How many visits have a key. */
  countOf(key: number): number {
    return (this.starts[key + 1] ?? 0) - (this.starts[key] ?? 0);
  }

  /** The visits that have one of some keys, in no order. */
  async having(keys: Float64Array, pause: () => Promise<void>): Promise<Visits> {
    const { view, sessions } = this.visits;
    let count = 0;
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) count += this.countOf(keys[at]!);
    });
    const own = new Uint32Array(count);
    let end = 0;
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) for (let place = this.starts[keys[at]!]!; place < this.starts[keys[at]! + 1]!; place += 1) own[end++] = sessions[this.places[place]!]!;
    });
    return new Visits(view, own);
  }
}
