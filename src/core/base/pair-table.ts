/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */

const FIRST_PAIR_SLOT_COUNT = 256;
/** Slots of the former table moved with each new pair: it is empty long before the next one is full. */
const MOVED_SLOT_COUNT = 8;

/** For integers below 2^32, 24 to 72 bytes a pair. Grows step by step: no pair waits until a million others have moved, as in a `Map`. */
export class PairTable {
  #slots = new Slots(FIRST_PAIR_SLOT_COUNT);
  /** The table whose pairs are being moved: those in slots from `#moved` on are only here. */
  #former: Slots | null = null;
  #moved = 0;
  #count = 0;

  /** The number of a pair; 0 if it has none. */
  numberOf(first: number, second: number): number {
    return this.#slots.numberOf(first, second) || (this.#former?.numberOf(first, second) ?? 0);
  }

  /** The number of a pair; a new pair gets `next`, at least 1. */
  of(first: number, second: number, next: number): number {
    const known = this.numberOf(first, second);
    if (known !== 0) return known;
    const slots = this.#slots;
    slots.set(slots.slotOf(first, second), first, second, next);
    this.#count += 1;
    if (this.#former !== null) this.#move(this.#former);
    if (this.#count * 2 > slots.length) this.#grow();
    return next;
  }

  #grow(): void {
    while (this.#former !== null) this.#move(this.#former);
    [this.#former, this.#moved] = [this.#slots, 0];
    this.#slots = new Slots(this.#slots.length * 2);
  }

  #move(former: Slots): void {
    const end = Math.min(this.#moved + MOVED_SLOT_COUNT, former.length);
    for (; this.#moved < end; this.#moved += 1) {
      const number = former.numbers[this.#moved]!;
      if (number === 0) continue;
      const [first, second] = [former.firsts[this.#moved]!, former.seconds[this.#moved]!];
      this.#slots.set(this.#slots.slotOf(first, second), first, second, number);
    }
    if (this.#moved === former.length) this.#former = null;
  }
}

class Slots {
  readonly firsts: Uint32Array;
  readonly seconds: Uint32Array;
  /** 0: the slot is free. */
  readonly numbers: Uint32Array;

  /** @param length a power of two */
  constructor(readonly length: number) {
    this.firsts = new Uint32Array(length);
    this.seconds = new Uint32Array(length);
    this.numbers = new Uint32Array(length);
  }

  /** The slot of a pair, or the free one where it belongs. */
  slotOf(first: number, second: number): number {
    const mask = this.length - 1;
    let slot = hashOfPair(first, second) & mask;
    while (this.numbers[slot] !== 0 && (this.firsts[slot] !== first || this.seconds[slot] !== second)) slot = (slot + 1) & mask;
    return slot;
  }

  numberOf(first: number, second: number): number {
    return this.numbers[this.slotOf(first, second)]!;
  }

  set(slot: number, first: number, second: number, number: number): void {
    this.firsts[slot] = first;
    this.seconds[slot] = second;
    this.numbers[slot] = number;
  }
}

export function hashOfPair(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second + 1, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
