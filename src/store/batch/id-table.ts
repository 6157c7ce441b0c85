/* eslint-disable @typescript-eslint/no-non-null-assertion -- slots stay below the capacity of their part */
import { grown } from "../../core/base/arrays.js";
import { runAtOnce, type Steps } from "../../core/base/yield.js";
import { projectSalt } from "../../storage/segment/event-order.js";

/** Bits of a fingerprint's first word that choose the slot in a part; the others choose the part. */
const PLACE_BITS = 25;
const PART_COUNT = 2 ** (32 - PLACE_BITS);
const FIRST_CAPACITY = 16;
/** Share of used slots at which a part grows. */
const FULL_SHARE = 0.7;
/** Room is made for several batches, as one may be filled while another is written, and for a share of all ids. */
const ROOM_BATCH_COUNT = 16;
const ROOM_BATCH_IDS = 32_768;
const ROOM_SHARE = 1 / 1024;
const GROWTH = 1.3;
/** Initial capacity for ids that are not kept yet. */
const FIRST_ADDED_COUNT = 1_024;
/** Capacity up to which that list is retained once its ids are kept. */
const KEPT_ROOM_COUNT = 32_768;

/** Slots of a part: a first word of the fingerprint, 0 for an empty slot, and further bits, compared only if that matches. */
interface FingerprintSlots {
  readonly lows: Uint32Array;
  readonly highs: Uint16Array;
}

/**
 * 55-bit fingerprints, of which the part stands for seven: about 10 bytes an id. The caller confirms each match: among a hundred million ids, one new
 * id in 360 million matches. Parts grow at different times: a whole table would block for 0.5 s.
 */
export class IdTable {
  readonly #parts: FingerprintSlots[] = Array.from({ length: PART_COUNT }, (_, part) => emptySlots(capacityFor(part, 1)));
  readonly #counts = new Uint32Array(PART_COUNT);
  #count = 0;
  /** Ids that can be added before parts must grow. */
  #room = 0;
  /** Ids that are not kept yet, oldest first, as part * 2^32 + slot. */
  #added = new Float64Array(FIRST_ADDED_COUNT);
  #addedCount = 0;
  /** The ids of the last `probe`: parts, fingerprints, and the first slot that is free or contains them. */
  #seenPart = new Uint8Array(0);
  #seenLow = new Uint32Array(0);
  #seenHigh = new Uint16Array(0);
  #seenSlot = new Uint32Array(0);
  #seenCount = 0;
  /** The content of each id's home slot; 0 if empty. */
  #seenFirst = new Uint32Array(0);

  /** @param seed from a random source, so that no one can craft ids that collide */
  constructor(readonly seed: number) {}

  /** Number of added ids, including those no longer stored. */
  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#parts.reduce((sum, { lows, highs }) => sum + lows.byteLength + highs.byteLength, 0);
  }

  /** Whether `count` more ids can be added without moving others. */
  hasRoom(count: number): boolean {
    return count <= this.#room;
  }

  /** Makes room for `count` more ids. All ids must be kept: moved ones could not be undone. */
  reserve(count: number): void {
    runAtOnce(this.reserving(count));
  }

  /** As `reserve`, part by part. */
  *reserving(count: number): Steps<void> {
    if (this.hasRoom(count)) return;
    this.#room = Math.max(count, Math.min(count * ROOM_BATCH_COUNT, ROOM_BATCH_IDS), Math.ceil(this.#count * ROOM_SHARE));
    // Eight standard deviations above the mean per part; a full part has spare slots besides.
    const mean = this.#room / PART_COUNT;
    const most = Math.min(this.#room, Math.ceil(mean + 8 * Math.sqrt(mean) + 8));
    for (let part = 0; part < PART_COUNT; part += 1) {
      const needed = this.#counts[part]! + most;
      if (needed <= this.#parts[part]!.lows.length * FULL_SHARE) continue;
      this.#grow(part, needed);
      yield;
    }
  }

  /** Finds the slots of the ids at once, so that their memory accesses overlap. A later `reserve` or `undo` makes them wrong. */
  probe(ids: Uint8Array, count: number, projectOf: (row: number) => string): void {
    if (this.#seenLow.length < count) {
      this.#seenPart = new Uint8Array(count);
      this.#seenLow = new Uint32Array(count);
      this.#seenHigh = new Uint16Array(count);
      this.#seenSlot = new Uint32Array(count);
      this.#seenFirst = new Uint32Array(count);
    }
    this.#seenCount = count;
    const [lows, highs, slots, parts] = [this.#seenLow, this.#seenHigh, this.#seenSlot, this.#parts];
    const seedOf = projectSeeds(this.seed, projectOf);
    fingerprints(wordsOf(ids, count), seedOf, this.#seenPart, lows, highs, count);
    const firsts = this.#seenFirst;
    // No branch waits for memory while the slots are being fetched.
    for (let index = 0; index < count; index += 1) {
      const part = parts[this.#seenPart[index]!]!.lows;
      const slot = homeOf(part, lows[index]!);
      slots[index] = slot;
      firsts[index] = part[slot]!;
    }
    for (let index = 0; index < count; index += 1) if (firsts[index] !== 0) this.hasSeen(index);
  }

  /** Whether the fingerprint of an id of the last `probe` is in the table by now. */
  hasSeen(index: number): boolean {
    const slots = this.#parts[this.#seenPart[index]!]!;
    const slot = slotOf(slots, this.#seenSlot[index]!, this.#seenLow[index]!, this.#seenHigh[index]!);
    this.#seenSlot[index] = slot;
    return slots.lows[slot] !== 0;
  }

  /** Adds an id of the last `probe`; without reserved room, others may be moved. */
  addSeen(index: number): void {
    this.#place(this.#seenPart[index]!, this.#seenSlot[index]!, this.#seenLow[index]!, this.#seenHigh[index]!);
  }

  /** Keeps the oldest `count` ids that are not kept yet. */
  keep(count = this.#addedCount): void {
    const kept = Math.min(count, this.#addedCount);
    this.#added.copyWithin(0, kept, this.#addedCount);
    this.#addedCount -= kept;
    // Free the memory of a large list, as from opening a store.
    if (this.#addedCount === 0 && this.#added.length > KEPT_ROOM_COUNT) this.#added = new Float64Array(FIRST_ADDED_COUNT);
  }

  /** Removes the ids that are not kept, newest first, which restores every probe chain. */
  undo(): void {
    while (this.#addedCount > 0) {
      this.#addedCount -= 1;
      const place = this.#added[this.#addedCount]!;
      const part = Math.floor(place / 2 ** 32);
      this.#parts[part]!.lows[place % 2 ** 32] = 0;
      this.#counts[part]! -= 1;
      this.#count -= 1;
      this.#room += 1;
    }
  }

  #place(part: number, first: number, low: number, high: number): void {
    if (this.#counts[part]! + 1 === this.#parts[part]!.lows.length) {
      this.#growUnkept(part);
      return this.#place(part, homeOf(this.#parts[part]!.lows, low), low, high);
    }
    const slot = placeIn(this.#parts[part]!, first, low, high);
    this.#counts[part]! += 1;
    this.#count += 1;
    this.#room -= 1;
    if (this.#addedCount === this.#added.length) this.#added = grown(this.#added, this.#added.length * 2);
    this.#added[this.#addedCount] = part * 2 ** 32 + slot;
    this.#addedCount += 1;
  }

  /** Grows a part that received more ids than expected. Ids not kept are inserted last, so that they can be undone. */
  #growUnkept(part: number): void {
    const slots = this.#parts[part]!;
    const own = Array.from({ length: this.#addedCount }, (_, at) => at).filter((at) => Math.floor(this.#added[at]! / 2 ** 32) === part);
    const fingerprints = own.map((at) => {
      const slot = this.#added[at]! % 2 ** 32;
      return { low: slots.lows[slot]!, high: slots.highs[slot]! };
    });
    for (const at of own) slots.lows[this.#added[at]! % 2 ** 32] = 0;
    this.#grow(part, this.#counts[part]! + 1);
    const next = this.#parts[part]!;
    fingerprints.forEach(({ low, high }, index) => (this.#added[own[index]!] = part * 2 ** 32 + placeIn(next, homeOf(next.lows, low), low, high)));
    for (let index = 0; index < this.#seenCount; index += 1)
      if (this.#seenPart[index] === part) this.#seenSlot[index] = homeOf(next.lows, this.#seenLow[index]!);
  }

  #grow(part: number, needed: number): void {
    const { lows, highs } = this.#parts[part]!;
    const next = emptySlots(capacityFor(part, needed / FULL_SHARE));
    for (let slot = 0; slot < lows.length; slot += 1)
      if (lows[slot] !== 0) placeIn(next, homeOf(next.lows, lows[slot]!), lows[slot]!, highs[slot]!);
    this.#parts[part] = next;
  }
}

/** Capacities differ slightly between parts, so that these grow at different times, and the memory freed by some fits the next. */
function capacityFor(part: number, needed: number): number {
  const first = FIRST_CAPACITY * GROWTH ** (part / PART_COUNT);
  return Math.ceil(first * GROWTH ** Math.max(0, Math.ceil(Math.log(needed / first) / Math.log(GROWTH))));
}

function emptySlots(capacity: number): FingerprintSlots {
  return { lows: new Uint32Array(capacity), highs: new Uint16Array(capacity) };
}

function homeOf(lows: Uint32Array, low: number): number {
  return ((low & (2 ** PLACE_BITS - 1)) * 2 ** -PLACE_BITS * lows.length) | 0;
}

/** The first slot from `first` on that contains a fingerprint or is free. */
function slotOf({ lows, highs }: FingerprintSlots, first: number, low: number, high: number): number {
  let slot = first;
  while (lows[slot] !== 0 && (lows[slot] !== low || highs[slot] !== high)) slot = slot + 1 === lows.length ? 0 : slot + 1;
  return slot;
}

function placeIn({ lows, highs }: FingerprintSlots, first: number, low: number, high: number): number {
  let slot = first;
  while (lows[slot] !== 0) slot = slot + 1 === lows.length ? 0 : slot + 1;
  lows[slot] = low;
  highs[slot] = high;
  return slot;
}

const PART_IDS = 4_096;

/** Splits many ids for `probe`, without trailing bytes that are no whole id, which a damaged block may have. */
export function* idParts(ids: Uint8Array): Generator<{ readonly part: Uint8Array; readonly first: number }> {
  const end = ids.length - (ids.length % 16);
  for (let from = 0; from < end; from += PART_IDS * 16) yield { part: ids.subarray(from, Math.min(from + PART_IDS * 16, end)), first: from / 16 };
}

/** 32-bit words per id. */
const ID_WORDS = 4;

/** The first `count` ids as 32-bit words, without a copy if they are aligned to four bytes. */
function wordsOf(ids: Uint8Array, count: number): Uint32Array {
  // Not `slice`: on a `Buffer` it returns a view of the same memory.
  const aligned = ids.byteOffset % 4 === 0 ? ids : new Uint8Array(ids.subarray(0, count * 16));
  return new Uint32Array(aligned.buffer, aligned.byteOffset, count * ID_WORDS);
}

/** The seed of each row, by project. Consecutive rows mostly have the same project. */
function projectSeeds(seed: number, projectOf: (row: number) => string): (row: number) => number {
  let last: string | null = null;
  let lastSeed = seed;
  return (row) => {
    const project = projectOf(row);
    if (project === last) return lastSeed;
    last = project;
    lastSeed = projectSalt(project, seed);
    return lastSeed;
  };
}

/** Two rounds of multiply and shift over the four words of each id, then the finalizer of MurmurHash3; low bits are never 0 (an empty slot). */
function fingerprints(words: Uint32Array, seedOf: (row: number) => number, parts: Uint8Array, lows: Uint32Array, highs: Uint16Array, count: number): void {
  for (let index = 0, at = 0; index < count; index += 1) {
    let a = seedOf(index);
    let b = ~a;
    for (const end = at + ID_WORDS; at < end; at += 1) {
      const word = words[at]!;
      a = Math.imul(a ^ word, 0x85ebca6b);
      a = (a ^ (a >>> 13)) + b;
      b = Math.imul(b ^ word, 0xc2b2ae35);
      b = (b ^ (b >>> 16)) + a;
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul(b ^ (b >>> 15), 0xc2b2ae35);
    b ^= b >>> 16;
    parts[index] = a >>> PLACE_BITS;
    // All in a part share its bits, so others take their place.
    lows[index] = ((a & (2 ** PLACE_BITS - 1)) | (b << PLACE_BITS)) >>> 0 || 1;
    highs[index] = b >>> 16;
  }
}
