/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and indexes are bounded by their arrays */
import { DaybookError } from "../../core/base/errors.js";
import { countBefore } from "../../core/base/search.js";
import type { Yielder } from "../../core/base/yield.js";
import { PackedTexts } from "./packed-texts.js";

/** Consecutive values of a file that are read when one of them is first needed. */
export interface UnreadValues {
  readonly start: number;
  readonly count: number;
  /** Of all values together. */
  readonly charCount: number;
  /** Number of values that are not `""`. */
  readonly valueCount: number;
  /** The values as the text of a JSON array. @throws corruption */
  read(): string;
}

/** Hashes of consecutive values of a file: where a value lies is found without reading the others. */
export interface StoredHashes {
  readonly start: number;
  readonly count: number;
  /** Of each value, as of `valueHash`. @throws corruption */
  read(): Uint32Array;
}

/** FNV-1a, 32 bits, of the UTF-16 units. Stored: it must not change. */
export function valueHash(value: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < value.length; at += 1) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Once more than this share of the values is read, they are moved to one array. */
const FLAT_SHARE = 1 / 8;
/** From this many values on, those that are in a table are packed. */
const PACKED_SIZE_MIN = 65_536;
/** Of a packed value that becomes a string, in numbers read. */
const UNPACK_COST = 24;

/** The codes from `from` on of a value in some values. @param start code of the first */
function codesIn(values: readonly string[], value: string, start: number, from: number): number[] {
  const codes: number[] = [];
  for (let at = values.indexOf(value, from); at >= 0; at = values.indexOf(value, at + 1)) codes.push(start + at);
  return codes;
}

/** The values of a dictionary by code: strings, values of files that are read when needed, and values packed outside the heap. */
export class DictionaryValues {
  /** `""` where a value is packed, or was not read yet: holes would make V8 hash the indexes of a long array. */
  readonly strings: string[] = [""];
  /** Number of values behind `strings`, which grows when many are read: neither opening a large store nor adding to it touches slots. */
  #behindCount = 0;
  /** Those of files that are nowhere else, in order of their codes. */
  readonly #unread: UnreadValues[] = [];
  /** Of these, the ones that were read: few of many do not need a long array. */
  readonly #readBlocks = new Map<UnreadValues, readonly string[]>();
  #readCount = 0;
  readonly #hashes: StoredHashes[] = [];
  /** In order of their codes. */
  readonly #packed: PackedTexts[] = [];
  /** All values were needed as strings once, as for sorting them: from then on none is packed. */
  #keepsStrings = false;

  /** @param name of the dictionary, for errors */
  constructor(readonly name: string) {}

  /** Number of codes, including code 0. */
  get size(): number {
    return this.strings.length + this.#behindCount;
  }

  /** Number of values without a slot in `strings`. */
  get behindCount(): number {
    return this.#behindCount;
  }

  get hasHashes(): boolean {
    return this.#hashes.length > 0;
  }

  /** Whether values are packed as soon as a table has them. */
  get packs(): boolean {
    return this.size >= PACKED_SIZE_MIN && !this.#keepsStrings;
  }

  /** @returns false unless they continue the present ones */
  addStored(stored: UnreadValues): boolean {
    if (stored.start !== this.size) return false;
    this.#behindCount += stored.count;
    this.#unread.push(stored);
    return true;
  }

  addHashes(hashes: StoredHashes): void {
    this.#hashes.push(hashes);
  }

  add(value: string): void {
    this.expand();
    this.strings.push(value);
  }

  addPacked(value: string): void {
    this.pack(value, this.size);
    this.#behindCount += 1;
  }

  /** Packs a value behind those that are packed; without effect if it is. */
  pack(value: string, code: number): void {
    const last = this.#packed.at(-1);
    if (last !== undefined && last.end > code) return;
    if (last?.end !== code || !last.add(value)) this.#packed.push(new PackedTexts(code, value));
  }

  /** The value of a code below `size`; `""` for a blanked one. Reads those of its neighbours too. @throws corruption */
  valueOf(code: number): string {
    return this.strings[code] || this.#otherValueOf(code);
  }

  /** Whether a code has this value, which is not empty. @throws corruption */
  hasValue(code: number, value: string): boolean {
    const own = this.strings[code];
    return own ? own === value : (this.#packedOf(code)?.hasValue(code, value) ?? this.#otherValueOf(code) === value);
  }

  /** Whether the value of a code contains a UTF-16 unit: cheaper than making a string of a packed value. @throws corruption */
  hasUnit(code: number, unit: number): boolean {
    return this.#packedOf(code)?.hasUnit(code, unit) ?? this.valueOf(code).includes(String.fromCharCode(unit));
  }

  /** The codes from `from` on that have a value. @param isThorough reads all without hashes, so that further calls need not @throws corruption */
  codesOf(value: string, from: number, isThorough: boolean): number[] {
    this.#readHashed(value);
    const quoted = JSON.stringify(value);
    for (const stored of this.#unread.filter((block) => !this.#readBlocks.has(block) && !this.#isHashed(block.start))) {
      const text = stored.read();
      // Searching a text takes a tenth of parsing it.
      if (isThorough || text.includes(quoted)) this.#parse(stored, text);
    }
    const codes = codesIn(this.strings, value, 0, from);
    for (const [{ start }, values] of this.#readBlocks) codes.push(...codesIn(values, value, start, Math.max(0, from - start)));
    return codes;
  }

  /** Makes slots, at most `countMax`. */
  expand(countMax = Infinity): void {
    for (let count = Math.min(this.#behindCount, countMax); count > 0; count -= 1, this.#behindCount -= 1) this.strings.push("");
  }

  /** Moves the values read so far to `strings`. */
  flatten(): void {
    if (this.#readBlocks.size === 0) return;
    this.expand();
    for (const [stored, values] of this.#readBlocks) {
      for (let at = 0; at < values.length; at += 1) this.strings[stored.start + at] = values[at]!;
      this.#unread.splice(this.#unread.indexOf(stored), 1);
    }
    this.#readBlocks.clear();
    this.#readCount = 0;
    if (this.#unread.length === 0) this.#hashes.length = 0;
  }

  /** Moves the values of some codes to `strings`. @throws corruption */
  makeStrings(codes: Uint32Array): void {
    if (this.#unread.length > 0) for (const code of codes) this.valueOf(code);
    this.flatten();
    this.expand();
    for (const code of codes) this.strings[code] ||= this.#otherValueOf(code);
  }

  /** All values by code. @throws corruption */
  all(): readonly string[] {
    for (const stored of [...this.#unread]) this.#blockOf(stored);
    this.flatten();
    this.expand();
    for (const packed of this.#packed.splice(0)) this.#unpack(packed, packed.start, packed.end);
    this.#keepsStrings = true;
    return this.strings;
  }

  /** Makes strings of all packed values, yielding in between. */
  async unpackAll(yielder: Yielder): Promise<void> {
    this.#keepsStrings = true;
    await yielder.inPieces(this.#behindCount, (from, to) => this.expand(to - from));
    for (let [packed] = this.#packed; packed !== undefined; [packed] = this.#packed) {
      const { start, end } = packed;
      await yielder.inPieces(end - start, (from, to) => this.#unpack(packed, start + from, start + to), UNPACK_COST);
      if (this.#packed[0] === packed) this.#packed.shift();
    }
  }

  /** Drops blocks of files whose values below `end` are packed. */
  forgetRead(end: number): void {
    for (let [stored] = this.#unread; stored !== undefined && stored.start + stored.count <= end; [stored] = this.#unread) {
      if (this.#readBlocks.delete(stored)) this.#readCount -= stored.count;
      this.#unread.shift();
    }
    if (this.#unread.length === 0) this.#hashes.length = 0;
  }

  /** Drops the values from `size` on, which came from no file. */
  truncate(size: number): void {
    while ((this.#packed.at(-1)?.start ?? 0) >= size) this.#packed.pop();
    const last = this.#packed.at(-1);
    if (last !== undefined && last.end > size) last.truncate(size);
    this.strings.length = Math.min(this.strings.length, size);
    this.#behindCount = Math.max(0, size - this.strings.length);
  }

  /** Overwrites a value. */
  blank(code: number): void {
    this.flatten();
    if (code < this.strings.length) this.strings[code] = "";
    this.#packedOf(code)?.blank(code);
  }

  #packedOf(code: number): PackedTexts | null {
    const packed = this.#packed[countBefore(this.#packed.length, (index) => this.#packed[index]!.end <= code)];
    return packed !== undefined && packed.start <= code ? packed : null;
  }

  #unpack(packed: PackedTexts, from: number, to: number): void {
    const end = Math.min(to, packed.end, this.strings.length);
    for (let code = from; code < end; code += 1) this.strings[code] = packed.valueOf(code);
  }

  #otherValueOf(code: number): string {
    const packed = this.#packedOf(code);
    if (packed !== null) return packed.valueOf(code);
    if (code === 0 || this.#unread.length === 0) return "";
    const at = countBefore(this.#unread.length, (index) => this.#unread[index]!.start + this.#unread[index]!.count <= code);
    const stored = this.#unread[at];
    if (stored === undefined || stored.start > code) return "";
    return this.#blockOf(stored)[code - stored.start]!;
  }

  #blockOf(stored: UnreadValues): readonly string[] {
    return this.#readBlocks.get(stored) ?? this.#parse(stored, stored.read());
  }

  #parse(stored: UnreadValues, text: string): readonly string[] {
    const { start, count, charCount, valueCount } = stored;
    const values = JSON.parse(text) as string[];
    const found = [values.length, values.reduce((sum, { length }) => sum + length, 0), values.filter((value) => value !== "").length];
    if (found[0] !== count || found[1] !== charCount || found[2] !== valueCount)
      throw new DaybookError("corruption", `dictionary ${this.name}: expected ${count} values from code ${start} on, ${valueCount} of them not empty, with ${charCount} characters, got ${found.join(", ")}`);
    this.#readBlocks.set(stored, values);
    this.#readCount += count;
    if (this.#readCount > this.size * FLAT_SHARE) this.flatten();
    return values;
  }

  /** Reads the values whose stored hash is that of a value. */
  #readHashed(value: string): void {
    const wanted = valueHash(value);
    for (const { start, count, read } of this.#hashes) {
      // Once all their values are read, the file may be gone: an erasure replaces it.
      if (!this.#unread.some((block) => block.start >= start && block.start < start + count && !this.#readBlocks.has(block))) continue;
      const hashes = read();
      for (let at = hashes.indexOf(wanted); at >= 0; at = hashes.indexOf(wanted, at + 1)) this.valueOf(start + at);
    }
  }

  #isHashed(code: number): boolean {
    return this.#hashes.some(({ start, count }) => code >= start && code < start + count);
  }
}
