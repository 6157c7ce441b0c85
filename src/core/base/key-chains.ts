/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the keys, slots by their list */

const FIRST_SLOT_COUNT = 64;

/** Finds keys in a list that grows at its end: places whose keys share a slot form a chain, the latest first. 8 to 16 bytes a place. */
export class KeyChains {
  #keys = new Uint32Array(0);
  #count = 0;
  /** Place + 1 of the latest key in a slot, and by place of the former one in its slot; 0 for none. */
  #latest = new Uint32Array(FIRST_SLOT_COUNT);
  #former = new Uint32Array(FIRST_SLOT_COUNT);

  /** Adds the keys that came since. @param keys the same as before, then more */
  follow(keys: Uint32Array<ArrayBuffer>, count: number): this {
    if (count > this.#latest.length) {
      this.#latest = new Uint32Array(2 ** Math.ceil(Math.log2(count)));
      this.#former = new Uint32Array(this.#latest.length);
      this.#count = 0;
    }
    this.#keys = keys;
    for (; this.#count < count; this.#count += 1) {
      const slot = this.#slotOf(keys[this.#count]!);
      this.#former[this.#count] = this.#latest[slot]!;
      this.#latest[slot] = this.#count + 1;
    }
    return this;
  }

  /** The latest place of a key; -1 for none. */
  placeOf(key: number): number {
    let next = this.#latest[this.#slotOf(key)]!;
    while (next !== 0 && this.#keys[next - 1] !== key) next = this.#former[next - 1]!;
    return next - 1;
  }

  /** All places of a key, the latest first. */
  placesOf(key: number): number[] {
    const places: number[] = [];
    for (let next = this.#latest[this.#slotOf(key)]!; next !== 0; next = this.#former[next - 1]!) if (this.#keys[next - 1] === key) places.push(next - 1);
    return places;
  }

  #slotOf(key: number): number {
    return (Math.imul(key, 0x9e3779b1) >>> 7) & (this.#latest.length - 1);
  }
}
