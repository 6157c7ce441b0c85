/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and owners are bounded by the arrays */

/** The order of two places; those of one owner are kept in it. */
export type ComparePlaces = (a: number, b: number) => number;

/**
 * Places by owner (an actor or a company), those of each in order: 4 bytes a place and 4 for every owner below the greatest.
 * What comes later is kept beside, with all places of its owner: 8 bytes each.
 */
export class OwnerIndex {
  #starts: Uint32Array = new Uint32Array(1);
  #places: Uint32Array = new Uint32Array(0);
  /** Owners who got or lost places since. */
  readonly #changed = new Map<number, number[]>();

  get byteLength(): number {
    let changed = 0;
    for (const places of this.#changed.values()) changed += places.length;
    return this.#starts.byteLength + this.#places.byteLength + changed * 8 + this.#changed.size * 100;
  }

  /**
   * Begins anew with places from 0 to before `count`. Owner 0 is nobody.
   * Cost: the places, and a sort of the owners whose places are out of order.
   */
  build(count: number, ownerOf: (place: number) => number, compare: ComparePlaces): void {
    this.#changed.clear();
    let greatest = 0;
    for (let place = 0; place < count; place += 1) greatest = Math.max(greatest, ownerOf(place));
    const starts = new Uint32Array(greatest + 2);
    for (let place = 0; place < count; place += 1) if (ownerOf(place) !== 0) starts[ownerOf(place) + 1]! += 1;
    for (let owner = 1; owner < starts.length; owner += 1) starts[owner]! += starts[owner - 1]!;
    const ends = starts.slice();
    this.#places = new Uint32Array(starts.at(-1)!);
    for (let place = 0; place < count; place += 1) {
      const owner = ownerOf(place);
      if (owner === 0) continue;
      this.#places[ends[owner]!] = place;
      ends[owner]! += 1;
    }
    this.#starts = starts;
    for (let owner = 1; owner <= greatest; owner += 1) this.#sortIfNeeded(starts[owner]!, starts[owner + 1]!, compare);
  }

  /** Not to be changed; valid until the next change of the owner's places. */
  of(owner: number): ArrayLike<number> {
    const changed = this.#changed.size === 0 ? undefined : this.#changed.get(owner);
    if (changed !== undefined) return changed;
    return owner + 1 < this.#starts.length ? this.#places.subarray(this.#starts[owner]!, this.#starts[owner + 1]!) : NO_PLACES;
  }

  /** Cost: the owner's places once, then what lies behind the place. */
  add(owner: number, place: number, compare: ComparePlaces): void {
    const places = this.#own(owner);
    let at = places.length;
    while (at > 0 && compare(places[at - 1]!, place) > 0) at -= 1;
    places.splice(at, 0, place);
  }

  /** Cost: the owner's places. */
  remove(owner: number, place: number): void {
    const places = this.#own(owner);
    const at = places.indexOf(place);
    if (at !== -1) places.splice(at, 1);
  }

  /** Puts the places of an owner in order again. */
  sort(owner: number, compare: ComparePlaces): void {
    this.#own(owner).sort(compare);
  }

  #own(owner: number): number[] {
    let places = this.#changed.get(owner);
    if (places === undefined) {
      places = Array.from(this.of(owner));
      this.#changed.set(owner, places);
    }
    return places;
  }

  #sortIfNeeded(start: number, end: number, compare: ComparePlaces): void {
    for (let at = start + 1; at < end; at += 1) {
      if (compare(this.#places[at - 1]!, this.#places[at]!) <= 0) continue;
      const sorted = Array.from(this.#places.subarray(start, end)).sort(compare);
      this.#places.set(sorted, start);
      return;
    }
  }
}

const NO_PLACES = new Uint32Array(0);
