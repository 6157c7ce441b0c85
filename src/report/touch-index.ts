/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the index */
import { compareIds } from "../base/uuid.js";
import type { Rows } from "../segment/rows.js";
import type { TouchFacts } from "./touch-facts.js";

/** A moment in the order of events. */
export interface Moment {
  readonly ms: number;
  readonly ids: Uint8Array;
  readonly idAt: number;
}

/** The touches of some owners (actors or companies) in order of time: 4 bytes an owner, 24 a touch. */
export class TouchIndex {
  readonly #starts: Uint32Array;
  readonly #times: Float64Array;
  readonly #labels: Uint32Array;
  readonly #parts: Uint32Array;
  readonly #rows: Uint32Array;

  /**
   * @param parts with their ids loaded
   * @param ownerOf owner of each touch of a part; 0 for none
   */
  constructor(
    readonly parts: readonly Rows[],
    facts: readonly TouchFacts[],
    ownersOf: readonly Uint32Array[],
    msOf: (part: number, row: number) => number,
  ) {
    let greatest = 0;
    let count = 0;
    for (const owners of ownersOf)
      for (let at = 0; at < owners.length; at += 1) {
        if (owners[at]! > greatest) greatest = owners[at]!;
        if (owners[at]! > 0) count += 1;
      }
    this.#starts = new Uint32Array(greatest + 2);
    for (const owners of ownersOf) for (let at = 0; at < owners.length; at += 1) if (owners[at]! > 0) this.#starts[owners[at]! + 1]! += 1;
    for (let owner = 1; owner < this.#starts.length; owner += 1) this.#starts[owner]! += this.#starts[owner - 1]!;
    this.#times = new Float64Array(count);
    this.#labels = new Uint32Array(count);
    this.#parts = new Uint32Array(count);
    this.#rows = new Uint32Array(count);
    const ends = this.#starts.slice();
    facts.forEach(({ rows, labels }, part) => {
      const owners = ownersOf[part]!;
      for (let at = 0; at < rows.length; at += 1) {
        const owner = owners[at]!;
        if (owner === 0) continue;
        const place = ends[owner]!;
        ends[owner] = place + 1;
        this.#times[place] = msOf(part, rows[at]!);
        this.#labels[place] = labels[at]!;
        this.#parts[place] = part;
        this.#rows[place] = rows[at]!;
      }
    });
    for (let owner = 0; owner + 1 < this.#starts.length; owner += 1) this.#order(this.#starts[owner]!, this.#starts[owner + 1]!);
  }

  /** Place of the owner's earliest touch; -1 for none. */
  first(owner: number): number {
    if (owner + 1 >= this.#starts.length) return -1;
    return this.#starts[owner]! < this.#starts[owner + 1]! ? this.#starts[owner]! : -1;
  }

  /** Place of the owner's latest touch at or before a moment; -1 for none. */
  last(owner: number, moment: Moment): number {
    if (owner + 1 >= this.#starts.length) return -1;
    const start = this.#starts[owner]!;
    let low = start;
    let high = this.#starts[owner + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, moment) <= 0) low = middle + 1;
      else high = middle;
    }
    return low === start ? -1 : low - 1;
  }

  /** Place of the owner's first touch at or after a time; -1 for none. */
  firstSince(owner: number, ms: number): number {
    if (owner + 1 >= this.#starts.length) return -1;
    const end = this.#starts[owner + 1]!;
    let low = this.#starts[owner]!;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! < ms) low = middle + 1;
      else high = middle;
    }
    return low === end ? -1 : low;
  }

  /** The order of a touch and a moment. */
  compare(place: number, { ms, ids, idAt }: Moment): number {
    return this.#times[place]! - ms || compareIds(this.parts[this.#parts[place]!]!.ids(), this.#rows[place]! * 16, ids, idAt);
  }

  momentOf(place: number): Moment {
    return { ms: this.#times[place]!, ids: this.parts[this.#parts[place]!]!.ids(), idAt: this.#rows[place]! * 16 };
  }

  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  /** Segments come in no order within a day, heads in none at all: what is out of order is sorted. */
  #order(start: number, end: number): void {
    for (let place = start + 1; place < end; place += 1)
      if (this.compare(place - 1, this.momentOf(place)) > 0) return this.#sort(start, end);
  }

  #sort(start: number, end: number): void {
    const places = Array.from({ length: end - start }, (_, at) => start + at).sort((a, b) => this.compare(a, this.momentOf(b)));
    for (const column of [this.#times, this.#labels, this.#parts, this.#rows]) {
      const sorted = places.map((place) => column[place]!);
      sorted.forEach((value, at) => (column[start + at] = value));
    }
  }
}
