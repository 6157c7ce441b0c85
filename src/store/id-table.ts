/* eslint-disable @typescript-eslint/no-non-null-assertion -- slots stay below the capacity */

const FIRST_CAPACITY = 1 << 12;
/** Share of slots in use at which the table grows by half. */
const FULL_SHARE = 0.7;

/**
 * 48-bit fingerprints of all stored event ids: open addressing, 6 bytes a slot, about 10 bytes an id. A wrong match comes
 * about once in 2^48 / ids lookups, and every match is confirmed against the ids themselves.
 */
export class IdTable {
  #low = new Uint32Array(FIRST_CAPACITY);
  #high = new Uint16Array(FIRST_CAPACITY);
  #count = 0;
  #added: number[] = [];
  /** Of the ids looked at last: their fingerprints, and the first slot that is free or theirs. */
  #seenLow = new Uint32Array(0);
  #seenHigh = new Uint16Array(0);
  #seenSlot = new Uint32Array(0);

  /** @param seed from a random source, so that nobody can prepare ids that collide */
  constructor(readonly seed: number) {}

  get byteLength(): number {
    return this.#low.byteLength + this.#high.byteLength;
  }

  /** Whether `count` more ids can be added without moving any. */
  hasRoom(count: number): boolean {
    return this.#count + count <= this.#low.length * FULL_SHARE;
  }

  /** Makes room for `count` more ids. All are kept: those that are not could not be taken back. */
  reserve(count: number): void {
    if (this.hasRoom(count)) return;
    const needed = this.#count + count;
    const capacity = Math.ceil(Math.max(needed / FULL_SHARE, this.#low.length * 1.5));
    const low = this.#low;
    const high = this.#high;
    this.#low = new Uint32Array(capacity);
    this.#high = new Uint16Array(capacity);
    this.#count = 0;
    for (let slot = 0; slot < low.length; slot += 1)
      if (low[slot] !== 0) this.#place(low[slot]!, high[slot]!);
  }

  /** Whether an id with this fingerprint is in the table. */
  matches(ids: Uint8Array, offset: number): boolean {
    const [low, high] = fingerprint(ids, offset, this.seed);
    for (let slot = this.#home(low); this.#low[slot] !== 0; slot = this.#next(slot))
      if (this.#low[slot] === low && this.#high[slot] === high) return true;
    return false;
  }

  /** Adds an id; room was reserved. */
  add(ids: Uint8Array, offset: number): void {
    const [low, high] = fingerprint(ids, offset, this.seed);
    this.#added.push(this.#place(low, high));
  }

  /** Looks at the first `count` ids, for `hasSeen` and `addSeen`: all wait for memory together. None may be moved or taken back meanwhile. */
  look(ids: Uint8Array, count: number): void {
    if (this.#seenLow.length < count) {
      this.#seenLow = new Uint32Array(count);
      this.#seenHigh = new Uint16Array(count);
      this.#seenSlot = new Uint32Array(count);
    }
    for (let index = 0; index < count; index += 1) {
      const [low, high] = fingerprint(ids, index * 16, this.seed);
      this.#seenLow[index] = low;
      this.#seenHigh[index] = high;
      this.#seenSlot[index] = this.#home(low);
    }
    for (let index = 0; index < count; index += 1) this.hasSeen(index);
  }

  /** Whether an id with the fingerprint of one that was looked at is in the table by now. */
  hasSeen(index: number): boolean {
    const [low, high] = [this.#seenLow[index]!, this.#seenHigh[index]!];
    let slot = this.#seenSlot[index]!;
    while (this.#low[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = this.#next(slot);
    this.#seenSlot[index] = slot;
    return this.#low[slot] !== 0;
  }

  /** Adds an id that was looked at; room was reserved. */
  addSeen(index: number): void {
    this.#added.push(this.#placeFrom(this.#seenSlot[index]!, this.#seenLow[index]!, this.#seenHigh[index]!));
  }

  /** The oldest `count` ids that are not kept yet stay. */
  keep(count = this.#added.length): void {
    this.#added = count >= this.#added.length ? [] : this.#added.slice(count);
  }

  /** Takes back the ids that are not kept, newest first, so that every probe chain is as it was. */
  undo(): void {
    for (let slot = this.#added.pop(); slot !== undefined; slot = this.#added.pop()) {
      this.#low[slot] = 0;
      this.#high[slot] = 0;
      this.#count -= 1;
    }
  }

  #home(low: number): number {
    return Math.floor((low / 2 ** 32) * this.#low.length);
  }

  #next(slot: number): number {
    return slot + 1 === this.#low.length ? 0 : slot + 1;
  }

  #place(low: number, high: number): number {
    return this.#placeFrom(this.#home(low), low, high);
  }

  #placeFrom(first: number, low: number, high: number): number {
    let slot = first;
    while (this.#low[slot] !== 0) slot = this.#next(slot);
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#count += 1;
    return slot;
  }
}

// One result for all calls: read before the next call.
const scratch: [low: number, high: number] = [0, 0];

/** Two rounds of multiply and shift over the four words (the finalizer of MurmurHash3); a low part of 0 means an empty slot. */
function fingerprint(ids: Uint8Array, offset: number, seed: number): [low: number, high: number] {
  let a = seed;
  let b = ~seed;
  for (let at = offset; at < offset + 16; at += 4) {
    const word = ids[at]! | (ids[at + 1]! << 8) | (ids[at + 2]! << 16) | (ids[at + 3]! << 24);
    a = Math.imul(a ^ word, 0x85ebca6b);
    a = (a ^ (a >>> 13)) + b;
    b = Math.imul(b ^ word, 0xc2b2ae35);
    b = (b ^ (b >>> 16)) + a;
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
  a ^= a >>> 13;
  scratch[0] = a >>> 0 || 1;
  scratch[1] = (b ^ (b >>> 15)) & 0xffff;
  return scratch;
}
