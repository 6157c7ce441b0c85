/* eslint-disable @typescript-eslint/no-non-null-assertion -- slots stay below the capacity of their part */

/** Bits of a fingerprint below those that name its part. */
const PLACE_BITS = 25;
const PART_COUNT = 2 ** (32 - PLACE_BITS);
const FIRST_CAPACITY = 16;
/** Share of a part's slots in use at which it grows. */
const FULL_SHARE = 0.7;
/** Room is made for some batches at once, as one may be filled while another is written, and for a share of all ids. */
const ROOM_BATCH_COUNT = 16;
const ROOM_BATCH_IDS = 32_768;
const ROOM_SHARE = 1 / 1024;
const GROWTH = 1.3;
/** Ids that are not kept yet for which there is room at first. */
const FIRST_ADDED_COUNT = 1_024;
/** The same that stays once they are kept. */
const KEPT_ROOM_COUNT = 32_768;

/** Slots of a part: the low bits of a fingerprint, 0 for none, and the high ones, which are looked at where the low ones are alike. */
interface FingerprintSlots {
  readonly lows: Uint32Array;
  readonly highs: Uint16Array;
}

/**
 * 48-bit fingerprints of all stored events, of the id and the project that it is unique in: open addressing, 6 bytes a slot, about 10 bytes
 * an id. A wrong match comes about once in 2^48 / ids lookups, and every match is confirmed against the ids themselves. The table is made of
 * parts that grow at different times, by copying: growing the whole would halt everything, half a second at 16 million ids.
 */
export class IdTable {
  readonly #parts: FingerprintSlots[] = Array.from({ length: PART_COUNT }, (_, part) => emptySlots(capacityFor(part, 1)));
  readonly #counts = new Uint32Array(PART_COUNT);
  #count = 0;
  /** Ids that can be added before room is made again. */
  #room = 0;
  /** Part and slot of each that is not kept, as part * 2^32 + slot. */
  #added = new Float64Array(FIRST_ADDED_COUNT);
  #addedCount = 0;
  /** Of the ids looked at last: their fingerprints, and the first slot that is free or theirs. */
  #seenLow = new Uint32Array(0);
  #seenHigh = new Uint16Array(0);
  #seenSlot = new Uint32Array(0);
  #seenCount = 0;
  /** What was in the slot where each would lie if no other did: 0 for nothing. */
  #seenFirst = new Uint32Array(0);

  /** @param seed from a random source, so that nobody can prepare ids that collide */
  constructor(readonly seed: number) {}

  /** Ids that were added, those that are stored no more too. */
  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#parts.reduce((sum, { lows, highs }) => sum + lows.byteLength + highs.byteLength, 0);
  }

  /** Whether `count` more ids can be added without moving any. */
  hasRoom(count: number): boolean {
    return count <= this.#room;
  }

  /** Makes room for `count` more ids. All are kept: those that are not could not be taken back. */
  reserve(count: number): void {
    if (this.hasRoom(count)) return;
    this.#room = Math.max(count, Math.min(count * ROOM_BATCH_COUNT, ROOM_BATCH_IDS), Math.ceil(this.#count * ROOM_SHARE));
    // Eight standard deviations above what is to be expected of one part, and what a full one has left beside.
    const mean = this.#room / PART_COUNT;
    const most = Math.min(this.#room, Math.ceil(mean + 8 * Math.sqrt(mean) + 8));
    for (let part = 0; part < PART_COUNT; part += 1) {
      const needed = this.#counts[part]! + most;
      if (needed > this.#parts[part]!.lows.length * FULL_SHARE) this.#grow(part, needed);
    }
  }

  /**
   * Looks at the first `count` ids, for `hasSeen` and `addSeen`: all wait for memory together. None may be moved or taken back meanwhile.
   * @param projectOf by row
   */
  look(ids: Uint8Array, count: number, projectOf: (row: number) => string): void {
    if (this.#seenLow.length < count) {
      this.#seenLow = new Uint32Array(count);
      this.#seenHigh = new Uint16Array(count);
      this.#seenSlot = new Uint32Array(count);
      this.#seenFirst = new Uint32Array(count);
    }
    this.#seenCount = count;
    const [lows, highs, slots, parts] = [this.#seenLow, this.#seenHigh, this.#seenSlot, this.#parts];
    const seedOf = projectSeeds(this.seed, projectOf);
    fingerprints(wordsOf(ids, count), seedOf, lows, highs, count);
    const firsts = this.#seenFirst;
    // No branch waits for memory while the slots are sent for.
    for (let index = 0; index < count; index += 1) {
      const part = parts[partOf(lows[index]!)]!.lows;
      const slot = homeOf(part, lows[index]!);
      slots[index] = slot;
      firsts[index] = part[slot]!;
    }
    for (let index = 0; index < count; index += 1) if (firsts[index] !== 0) this.hasSeen(index);
  }

  /** Whether an id with the fingerprint of one that was looked at is in the table by now. */
  hasSeen(index: number): boolean {
    const low = this.#seenLow[index]!;
    const slots = this.#parts[partOf(low)]!;
    const slot = slotOf(slots, this.#seenSlot[index]!, low, this.#seenHigh[index]!);
    this.#seenSlot[index] = slot;
    return slots.lows[slot] !== 0;
  }

  /** Adds an id that was looked at; where no room was reserved, some may have to be moved. */
  addSeen(index: number): void {
    this.#place(this.#seenSlot[index]!, this.#seenLow[index]!, this.#seenHigh[index]!);
  }

  /** The oldest `count` ids that are not kept yet stay. */
  keep(count = this.#addedCount): void {
    const kept = Math.min(count, this.#addedCount);
    this.#added.copyWithin(0, kept, this.#addedCount);
    this.#addedCount -= kept;
    // Room for many at once, as at the opening of a store, is given back.
    if (this.#addedCount === 0 && this.#added.length > KEPT_ROOM_COUNT) this.#added = new Float64Array(FIRST_ADDED_COUNT);
  }

  /** Takes back the ids that are not kept, newest first, so that every probe chain is as it was. */
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

  /** Adds a fingerprint in the first free slot from one on. */
  #place(first: number, low: number, high: number): void {
    const part = partOf(low);
    if (this.#counts[part]! + 1 === this.#parts[part]!.lows.length) {
      this.#growUnkept(part);
      return this.#place(homeOf(this.#parts[part]!.lows, low), low, high);
    }
    const slot = placeIn(this.#parts[part]!, first, low, high);
    this.#counts[part]! += 1;
    this.#count += 1;
    this.#room -= 1;
    if (this.#addedCount === this.#added.length) this.#added = lengthened(this.#added);
    this.#added[this.#addedCount] = part * 2 ** 32 + slot;
    this.#addedCount += 1;
  }

  /** Grows a part that more ids came to than could be expected. Those that are not kept move behind the others, so that they can be taken back. */
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
      if (partOf(this.#seenLow[index]!) === part) this.#seenSlot[index] = homeOf(next.lows, this.#seenLow[index]!);
  }

  #grow(part: number, needed: number): void {
    const { lows, highs } = this.#parts[part]!;
    const next = emptySlots(capacityFor(part, needed / FULL_SHARE));
    for (let slot = 0; slot < lows.length; slot += 1)
      if (lows[slot] !== 0) placeIn(next, homeOf(next.lows, lows[slot]!), lows[slot]!, highs[slot]!);
    this.#parts[part] = next;
  }
}

/**
 * The least of a part's sizes that is enough. Those of the next part lie a little above: parts grow one after the other, and
 * what each leaves lies beside what the one before has left, where the next find room.
 */
function capacityFor(part: number, needed: number): number {
  const first = FIRST_CAPACITY * GROWTH ** (part / PART_COUNT);
  return Math.ceil(first * GROWTH ** Math.max(0, Math.ceil(Math.log(needed / first) / Math.log(GROWTH))));
}

function emptySlots(capacity: number): FingerprintSlots {
  return { lows: new Uint32Array(capacity), highs: new Uint16Array(capacity) };
}

/** The part that a fingerprint belongs to, by the topmost of its bits; the slot is chosen by those below. */
function partOf(low: number): number {
  return low >>> PLACE_BITS;
}

function homeOf(lows: Uint32Array, low: number): number {
  return ((low & (2 ** PLACE_BITS - 1)) * 2 ** -PLACE_BITS * lows.length) | 0;
}

/** The slot from `first` on that holds a fingerprint, or else the first that is free. */
function slotOf({ lows, highs }: FingerprintSlots, first: number, low: number, high: number): number {
  let slot = first;
  while (lows[slot] !== 0 && (lows[slot] !== low || highs[slot] !== high)) slot = slot + 1 === lows.length ? 0 : slot + 1;
  return slot;
}

/** Puts a fingerprint into the first free slot from `first` on, and says which. */
function placeIn({ lows, highs }: FingerprintSlots, first: number, low: number, high: number): number {
  let slot = first;
  while (lows[slot] !== 0) slot = slot + 1 === lows.length ? 0 : slot + 1;
  lows[slot] = low;
  highs[slot] = high;
  return slot;
}

/** Ids that are looked at together where many are added. */
const PART_IDS = 4_096;

/**
 * Many ids in parts that are looked at one after the other, each with the row of its first. Bytes at the end that are no whole id are left
 * out: they are of a damaged block.
 */
export function* idParts(ids: Uint8Array): Generator<{ readonly part: Uint8Array; readonly first: number }> {
  const end = ids.length - (ids.length % 16);
  for (let from = 0; from < end; from += PART_IDS * 16) yield { part: ids.subarray(from, Math.min(from + PART_IDS * 16, end)), first: from / 16 };
}

/** Numbers of four bytes that an id is read as. */
const ID_WORDS = 4;

/** The first `count` ids in numbers of four bytes: read in place where they lie at a multiple of four. */
function wordsOf(ids: Uint8Array, count: number): Uint32Array {
  // Not by `slice`, which of a `Buffer` would be a view of the same place.
  const aligned = ids.byteOffset % 4 === 0 ? ids : new Uint8Array(ids.subarray(0, count * 16));
  return new Uint32Array(aligned.buffer, aligned.byteOffset, count * ID_WORDS);
}

/** The seed of each row: its project's own. Most rows have the project of the row before. */
function projectSeeds(seed: number, projectOf: (row: number) => string): (row: number) => number {
  let last: string | null = null;
  let lastSeed = seed;
  return (row) => {
    const project = projectOf(row);
    if (project === last) return lastSeed;
    last = project;
    lastSeed = seed;
    for (let at = 0; at < project.length; at += 1) lastSeed = Math.imul(lastSeed ^ project.charCodeAt(at), 0x01000193);
    return lastSeed;
  };
}

/** Two rounds of multiply and shift over the four words of each id (the finalizer of MurmurHash3); a low part of 0 means an empty slot. */
function fingerprints(words: Uint32Array, seedOf: (row: number) => number, lows: Uint32Array, highs: Uint16Array, count: number): void {
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
    lows[index] = a >>> 0 || 1;
    highs[index] = b >>> 16;
  }
}

function lengthened(values: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(values.length * 2);
  longer.set(values);
  return longer;
}
