/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the index */
import { dayStartMs } from "../base/time.js";
import { allocateCodes, type Codes } from "../column/codes.js";
import type { Rows } from "../segment/rows.js";
import type { CompareRows } from "./row-order.js";
import type { TouchFacts } from "./touch-facts.js";

/** An event in the order of events. */
export interface Moment {
  readonly ms: number;
  readonly rows: Rows;
  readonly row: number;
}

/** Places by owner need 4 bytes for every owner below the greatest: few touches go by a map of their owners. */
const OWNERS_PER_TOUCH_MAX = 8;

/** The touches of some owners (actors or companies), those of each in order: 4 bytes an owner, 10 to 12 a touch. */
export class TouchIndex {
  /** Number of each owner; null where owners are numbers themselves. */
  readonly #slots: ReadonlyMap<number, number> | null;
  readonly #starts: Uint32Array;
  /** Ms of the day of its part. */
  readonly #times: Uint32Array;
  readonly #labels: Codes;
  readonly #parts: Codes;
  readonly #rows: Uint32Array;
  readonly parts: readonly Rows[];

  /**
   * In order but for events of one day in several segments, or in heads: `sort` follows.
   * @param facts of parts from old to new
   * @param ownersOf owner of each touch of a part; 0 for none
   * @param labelCount numbers of labels are below it
   */
  constructor(facts: readonly TouchFacts[], ownersOf: readonly Uint32Array[], labelCount: number) {
    this.parts = facts.map(({ part }) => part);
    this.#slots = slotsOf(ownersOf);
    const ends = this.#ends(ownersOf);
    this.#starts = ends.slice();
    const count = ends[ends.length - 1]!;
    this.#times = new Uint32Array(count);
    this.#labels = allocateCodes(count, labelCount);
    this.#parts = allocateCodes(count, facts.length);
    this.#rows = new Uint32Array(count);
    facts.forEach((fact, part) => this.#fill(part, fact, ownersOf[part]!, ends));
  }

  #fill(part: number, { rows, times, labels }: TouchFacts, owners: Uint32Array, ends: Uint32Array): void {
    for (let at = 0; at < rows.length; at += 1) {
      const owner = owners[at]!;
      if (owner === 0) continue;
      const slot = this.#slotOf(owner);
      const place = ends[slot]!;
      ends[slot] = place + 1;
      this.#times[place] = times[at]!;
      this.#labels[place] = labels[at]!;
      this.#parts[place] = part;
      this.#rows[place] = rows[at]!;
    }
  }

  has(owner: number): boolean {
    const slot = this.#slotOf(owner);
    return slot >= 0 && slot + 1 < this.#starts.length && this.#starts[slot]! < this.#starts[slot + 1]!;
  }

  /** Cost: the greatest of them, where they are many. */
  owners(): number[] {
    if (this.#slots !== null) return [...this.#slots.keys()];
    const owners: number[] = [];
    for (let owner = 1; owner + 1 < this.#starts.length; owner += 1) if (this.#starts[owner]! < this.#starts[owner + 1]!) owners.push(owner);
    return owners;
  }

  /** Puts the touches of each owner in order. May be called again. */
  sort(compare: CompareRows): void {
    const isLate = (place: number) => this.#msOf(place - 1) >= this.#msOf(place) && this.compare(place - 1, this.momentOf(place), compare) > 0;
    for (let slot = 0; slot + 1 < this.#starts.length; slot += 1) {
      const end = this.#starts[slot + 1]!;
      for (let place = this.#starts[slot]! + 1; place < end; place += 1) {
        if (!isLate(place)) continue;
        this.#sortBetween(this.#starts[slot]!, end, compare);
        break;
      }
    }
  }

  /** Place of the owner's first touch at or after a time; -1 for none. */
  firstSince(owner: number, ms: number): number {
    if (!this.has(owner)) return -1;
    const slot = this.#slotOf(owner);
    const end = this.#starts[slot + 1]!;
    let low = this.#starts[slot]!;
    if (low < end && this.#msOf(low) < ms) {
      let high = end;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#msOf(middle) < ms) low = middle + 1;
        else high = middle;
      }
    }
    return low === end ? -1 : low;
  }

  /** Place of the owner's latest touch at or before a moment; -1 for none. */
  last(owner: number, moment: Moment, compare: CompareRows): number {
    if (!this.has(owner)) return -1;
    const slot = this.#slotOf(owner);
    const start = this.#starts[slot]!;
    let low = start;
    let high = this.#starts[slot + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, moment, compare) <= 0) low = middle + 1;
      else high = middle;
    }
    return low === start ? -1 : low - 1;
  }

  /** The order of a touch and a moment. */
  compare(place: number, { ms, rows, row }: Moment, compare: CompareRows): number {
    return this.#msOf(place) - ms || compare(this.parts[this.#parts[place]!]!, this.#rows[place]!, rows, row);
  }

  momentOf(place: number): Moment {
    return { ms: this.#msOf(place), rows: this.parts[this.#parts[place]!]!, row: this.#rows[place]! };
  }

  labelOf(place: number): number {
    return this.#labels[place]!;
  }

  #msOf(place: number): number {
    return dayStartMs(this.parts[this.#parts[place]!]!.day) + this.#times[place]!;
  }

  #slotOf(owner: number): number {
    return this.#slots === null ? owner : (this.#slots.get(owner) ?? -1);
  }

  /** Where the touches of each owner begin, and of one more behind the last. */
  #ends(ownersOf: readonly Uint32Array[]): Uint32Array {
    let slotCount = this.#slots === null ? 0 : this.#slots.size;
    if (this.#slots === null)
      for (const owners of ownersOf) for (let at = 0; at < owners.length; at += 1) if (owners[at]! >= slotCount) slotCount = owners[at]! + 1;
    const starts = new Uint32Array(slotCount + 1);
    for (const owners of ownersOf) for (let at = 0; at < owners.length; at += 1) if (owners[at]! > 0) starts[this.#slotOf(owners[at]!) + 1]! += 1;
    for (let slot = 1; slot < starts.length; slot += 1) starts[slot]! += starts[slot - 1]!;
    return starts;
  }

  #sortBetween(start: number, end: number, compare: CompareRows): void {
    const places = Array.from({ length: end - start }, (_, at) => start + at).sort((a, b) => this.compare(a, this.momentOf(b), compare));
    for (const column of [this.#times, this.#labels, this.#parts, this.#rows]) {
      const sorted = places.map((place) => column[place]!);
      sorted.forEach((value, at) => (column[start + at] = value));
    }
  }
}

/** Null where there are many owners. */
function slotsOf(ownersOf: readonly Uint32Array[]): Map<number, number> | null {
  let greatest = 0;
  let count = 0;
  for (const owners of ownersOf) {
    count += owners.length;
    for (let at = 0; at < owners.length; at += 1) if (owners[at]! > greatest) greatest = owners[at]!;
  }
  if (greatest <= count * OWNERS_PER_TOUCH_MAX) return null;
  const slots = new Map<number, number>();
  for (const owners of ownersOf) for (const owner of owners) if (owner > 0 && !slots.has(owner)) slots.set(owner, slots.size);
  return slots;
}
