/* eslint-disable @typescript-eslint/no-non-null-assertion -- slots and rows are bounded by the sizes computed here */
/** Up to this many texts stay in a `Map`, which is faster while it fits in the processor's cache. */
const FEW_COUNT = 512;
/** A small cache of codes by some characters of the text: a `Map` hashes the whole of each new string object. */
const AT_HAND_SHIFT = 22;
const AT_HAND_COUNT = 2 ** (32 - AT_HAND_SHIFT);
/** Slots of a bucket, a code and a hash each: one cache line of the processor. */
const BUCKET_SLOTS = 8;
const SLOT_WORDS = 2;
const BUCKET_WORDS = BUCKET_SLOTS * SLOT_WORDS;
/** Average codes per bucket from which on their number doubles: one code in a hundred then finds its bucket full. */
const BUCKET_CODES_MAX = 4;
/** Former buckets moved with each new text: all are moved long before the new ones are full. */
const MOVED_BUCKET_COUNT = 4;
/** A text of up to this length is hashed whole; of a longer one, the last characters and a spread of those before. */
const HASHED_CHARS_MAX = 32;
const LAST_CHARS = 16;
const SPREAD_CHARS = 16;

// Shared by all look-ups, which are synchronous.
let hashes = new Int32Array(256);
let setRows = new Uint32Array(256);

/** Texts by code that are in no array. */
export interface OtherTexts {
  valueOf(code: number): string;
  hasValue(code: number, value: string): boolean;
}

/** Look-ups of many rows wait for memory together: half the time of a `Map`. Texts of full buckets go to a `Map`, against crafted texts. */
export class TextTable {
  /** All texts of a small table; in a large one, those whose bucket is full. */
  #map = new Map<string, number>();
  /** Cache of a small table, for the texts looked up last. Created on first use. */
  #atHand = new Int32Array(0);
  /** Code, hash, code, hash; a code of 0 means free, and no used slot follows it in its bucket. Empty in a small table. */
  #slots = new Int32Array(0);
  #bucketMask = 0;
  /** The former slots, half as many: those from `#movedEnd` on exist only here. Empty once all are moved. */
  #former = new Int32Array(0);
  #movedEnd = 0;
  #size = 0;

  /** @param texts by code, which do not change while they are in the table; missing or `""`: one of `others` */
  constructor(
    readonly texts: readonly string[],
    readonly others?: OtherTexts,
  ) {}

  get byteLength(): number {
    return this.#slots.byteLength + this.#former.byteLength + this.#atHand.byteLength;
  }

  /** The code of a text; -1 if it has none. */
  codeOf(text: string): number {
    return this.#slots.length === 0 ? (this.#map.get(text) ?? -1) : this.#find(text, hashOf(text));
  }

  /** The codes of one field of many rows, whose texts and codes begin at `start`: 0 for not set, -1 and a mark in `hasNew` for unknown texts. */
  codesOf(texts: readonly string[], codes: Int32Array, start: number, hasNew: Uint8Array, rowCount: number): void {
    if (this.#slots.length === 0) this.#codesOfFew(texts, codes, start, hasNew, rowCount);
    else this.#codesOfMany(texts, codes, start, hasNew, rowCount);
  }

  /** Gives a text its code, which is not 0. @returns false if it already has one */
  add(text: string, code: number): boolean {
    if (this.#slots.length === 0 && this.#size < FEW_COUNT) {
      if (this.#map.has(text)) return false;
      this.#map.set(text, code);
    } else {
      if (this.#size >= (this.#bucketMask + 1) * BUCKET_CODES_MAX || this.#slots.length === 0) this.#grow();
      const hash = hashOf(text);
      if (this.#find(text, hash) >= 0) return false;
      this.#place(text, code, hash);
      if (this.#former.length > 0) this.#move(MOVED_BUCKET_COUNT);
    }
    this.#size += 1;
    return true;
  }

  remove(text: string, code: number): void {
    if (this.codeOf(text) !== code) return;
    this.#size -= 1;
    if (this.#atHand.length > 0) this.#atHand[placeAtHand(text)] = 0;
    if (this.#map.delete(text)) return;
    this.#move(Infinity);
    if (this.#map.delete(text)) return;
    const slots = this.#slots;
    let slot = this.#bucketOf(hashOf(text));
    const end = slot + BUCKET_WORDS;
    while (slots[slot] !== code) slot += SLOT_WORDS;
    let last = slot;
    while (last + SLOT_WORDS < end && slots[last + SLOT_WORDS] !== 0) last += SLOT_WORDS;
    slots[slot] = slots[last]!;
    slots[slot + 1] = slots[last + 1]!;
    // Of an erased text not even the hash may remain.
    slots.fill(0, last, last + SLOT_WORDS);
  }

  #codesOfFew(texts: readonly string[], codes: Int32Array, start: number, hasNew: Uint8Array, rowCount: number): void {
    const [map, known] = [this.#map, this.texts];
    let atHand = this.#atHand;
    for (let row = 0, at = start; row < rowCount; row += 1, at += 1) {
      const text = texts[at]!;
      codes[at] = 0;
      if (text === "") continue;
      if (atHand.length === 0) atHand = this.#atHand = new Int32Array(AT_HAND_COUNT);
      const place = placeAtHand(text);
      let code = atHand[place]!;
      if (code === 0 || known[code] !== text) {
        code = map.get(text) ?? -1;
        if (code < 0) hasNew[row] = 1;
        else atHand[place] = code;
      }
      codes[at] = code;
    }
  }

  /** Works in three passes that each read memory for all rows at once: texts, buckets, texts of codes. */
  #codesOfMany(texts: readonly string[], codes: Int32Array, start: number, hasNew: Uint8Array, rowCount: number): void {
    if (hashes.length < rowCount) [hashes, setRows] = [new Int32Array(rowCount), new Uint32Array(rowCount)];
    const slots = this.#slots;
    let setCount = 0;
    for (let row = 0, at = start; row < rowCount; row += 1, at += 1) {
      codes[at] = 0;
      if (texts[at] === "") continue;
      hashes[setCount] = hashOf(texts[at]!);
      setRows[setCount] = row;
      setCount += 1;
    }
    // No branch depends on memory while the buckets are fetched, nor while the texts of the codes are.
    for (let index = 0; index < setCount; index += 1) codes[start + setRows[index]!] = slots[this.#bucketOf(hashes[index]!)]!;
    for (let index = 0; index < setCount; index += 1) codes[start + setRows[index]!] = this.#candidate(slots, hashes[index]!);
    for (let index = 0; index < setCount; index += 1) {
      const at = start + setRows[index]!;
      const text = this.texts[codes[at]!];
      if (text && text.length !== texts[at]!.length) codes[at] = 0;
    }
    for (let index = 0; index < setCount; index += 1) {
      const at = start + setRows[index]!;
      const code = codes[at]!;
      if (code !== 0 && this.#isTextOf(code, texts[at]!)) continue;
      codes[at] = this.#find(texts[at]!, hashes[index]!);
      if (codes[at]! < 0) hasNew[setRows[index]!] = 1;
    }
  }

  /** The first code with this hash; 0 if there is none. */
  #candidate(slots: Int32Array, hash: number): number {
    const start = this.#bucketOf(hash);
    for (let slot = start; slot < start + BUCKET_WORDS && slots[slot] !== 0; slot += SLOT_WORDS) if (slots[slot + 1] === hash) return slots[slot]!;
    return 0;
  }

  #find(text: string, hash: number): number {
    const slots = this.#slots;
    const start = this.#bucketOf(hash);
    for (let slot = start; slot < start + BUCKET_WORDS && slots[slot] !== 0; slot += SLOT_WORDS)
      if (slots[slot + 1] === hash && this.#isTextOf(slots[slot]!, text)) return slots[slot]!;
    if (this.#former.length > 0) {
      const former = this.#former;
      const first = (hash & (this.#bucketMask >>> 1)) * BUCKET_WORDS;
      for (let slot = first; slot < first + BUCKET_WORDS && former[slot] !== 0; slot += SLOT_WORDS)
        if (former[slot + 1] === hash && this.#isTextOf(former[slot]!, text)) return former[slot]!;
    }
    return this.#map.size === 0 ? -1 : (this.#map.get(text) ?? -1);
  }

  #isTextOf(code: number, text: string): boolean {
    const own = this.texts[code];
    return own ? own === text : this.others !== undefined && this.others.hasValue(code, text);
  }

  #bucketOf(hash: number): number {
    return (hash & this.#bucketMask) * BUCKET_WORDS;
  }

  /** @param text null: that of the code, which is needed only if the bucket is full */
  #place(text: string | null, code: number, hash: number): void {
    const start = this.#bucketOf(hash);
    for (let slot = start; slot < start + BUCKET_WORDS; slot += SLOT_WORDS) {
      if (this.#slots[slot] !== 0) continue;
      this.#slots[slot] = code;
      this.#slots[slot + 1] = hash;
      return;
    }
    this.#map.set(text ?? (this.texts[code] || (this.others?.valueOf(code) ?? "")), code);
  }

  #grow(): void {
    this.#move(Infinity);
    const map = this.#map;
    const bucketCount = this.#slots.length === 0 ? FEW_COUNT / BUCKET_CODES_MAX * 2 : (this.#bucketMask + 1) * 2;
    [this.#former, this.#movedEnd] = [this.#slots, 0];
    this.#slots = new Int32Array(bucketCount * BUCKET_WORDS);
    this.#atHand = new Int32Array(0);
    this.#bucketMask = bucketCount - 1;
    this.#map = new Map();
    for (const [text, code] of map) this.#place(text, code, hashOf(text));
  }

  #move(bucketCount: number): void {
    const former = this.#former;
    const end = Math.min(this.#movedEnd + bucketCount * BUCKET_WORDS, former.length);
    for (let slot = this.#movedEnd; slot < end; slot += SLOT_WORDS)
      if (former[slot] !== 0) this.#place(null, former[slot]!, former[slot + 1]!);
    this.#movedEnd = end;
    if (end === former.length) this.#former = new Int32Array(0);
  }
}

/** The ends, the middle and the length of a non-empty text distinguish most texts of a field. */
function placeAtHand(text: string): number {
  const { length } = text;
  const last = length - 1;
  const end = text.charCodeAt(last) ^ (text.charCodeAt(last === 0 ? 0 : last - 1) << 8) ^ (text.charCodeAt(last < 2 ? 0 : last - 2) << 16);
  const rest = text.charCodeAt(0) ^ (text.charCodeAt(last === 0 ? 0 : 1) << 8) ^ (text.charCodeAt(length >> 1) << 16) ^ (text.charCodeAt((length * 9) >> 4) << 20);
  return (Math.imul(end ^ length, 0x85ebca6b) ^ Math.imul(rest, 0xc2b2ae35)) >>> AT_HAND_SHIFT;
}

function hashOf(text: string): number {
  const length = text.length;
  let hash = length;
  let at = 0;
  if (length > HASHED_CHARS_MAX) {
    const step = (length - LAST_CHARS) / SPREAD_CHARS;
    for (let place = 0; place < SPREAD_CHARS; place += 1) hash = mixed(hash, text.charCodeAt(Math.floor(place * step)));
    at = length - LAST_CHARS;
  }
  for (; at + 3 < length; at += 4) {
    const word = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 8) ^ (text.charCodeAt(at + 2) << 16) ^ (text.charCodeAt(at + 3) << 24);
    hash = mixed(hash, word);
  }
  for (; at < length; at += 1) hash = mixed(hash, text.charCodeAt(at));
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x85ebca6b);
  return product ^ (product >>> 15);
}
