/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and indexes are bounded by their arrays */
import { grown } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";
import { runAtOnce, type Steps, type Yielder } from "../../core/base/yield.js";
import { countBefore } from "../../core/base/search.js";
import { mergeCodes, sortedCodes, sortedCodesYielding, sortCodesByText } from "../../core/base/text-order.js";
import { PackedTexts } from "./packed-texts.js";
import { TextTable } from "./text-table.js";

/** Compared codes join the order once they are more than this share of the codes in it. */
const COMPARED_SHARE = 1 / 8;

/** The order of the codes requested so far, which spares comparing them again. 4 bytes a code, and 4 for each code requested. */
export class RequestedCodeOrder {
  /** Codes sorted by their values' code points. */
  #order: Uint32Array = new Uint32Array(0);
  /** By code: its index in the order plus one; 0 for none. */
  #places = new Uint32Array(0);
  /** Codes outside the order that were compared since some last joined it. */
  #comparedCount = 0;

  /** @param values by code */
  constructor(readonly values: readonly string[]) {}

  get byteLength(): number {
    return this.#order.byteLength + this.#places.byteLength;
  }

  /** Sorts distinct codes by their values' code points. Cost: 0.1 µs a code, 0.7 for those not in the order yet. */
  of(codes: Uint32Array): Uint32Array {
    this.#makeRoom();
    const places = new Uint32Array(codes.length);
    const others = new Uint32Array(codes.length);
    let [knownCount, otherCount] = [0, 0];
    for (let at = 0; at < codes.length; at += 1) {
      const place = this.#places[codes[at]!]!;
      if (place > 0) places[knownCount++] = place - 1;
      else others[otherCount++] = codes[at]!;
    }
    const known = places.subarray(0, knownCount).sort();
    for (let at = 0; at < knownCount; at += 1) known[at] = this.#order[known[at]!]!;
    if (otherCount === 0) return known;
    const compared = others.subarray(0, otherCount);
    sortCodesByText(compared, this.values);
    this.#comparedCount += otherCount;
    if (this.#comparedCount > this.#order.length * COMPARED_SHARE) this.#take(compared);
    return this.#merge(known, compared);
  }

  /** Whether the order needs the value of a code. */
  has(code: number): boolean {
    return (this.#places[code] ?? 0) > 0;
  }

  /** Call it when values are dropped. */
  clear(): void {
    this.#order = new Uint32Array(0);
    this.#places = new Uint32Array(0);
    this.#comparedCount = 0;
  }

  #take(codes: Uint32Array): void {
    this.#order = this.#merge(this.#order, codes);
    for (let place = 0; place < this.#order.length; place += 1) this.#places[this.#order[place]!] = place + 1;
    this.#comparedCount = 0;
  }

  #merge(a: Uint32Array, b: Uint32Array): Uint32Array {
    return a.length >= b.length ? mergeCodes(this.values, a, b) : mergeCodes(this.values, b, a);
  }

  #makeRoom(): void {
    if (this.#places.length < this.values.length) this.#places = grown(this.#places, Math.ceil(this.values.length * 1.25));
  }
}

export interface HeldValues {
  charCount: number;
  valueCount: number;
}

/** Estimate: two bytes a character, and this for the string, its slot and its entry in the table. */
export const VALUE_OVERHEAD_BYTES = 72;

/** Reading a value takes a fiftieth of adding it to the table: a new process that answers one query needs no table. */
const SCAN_COUNT_MAX = 8;
/** The same where files have hashes of the values: a look-up takes 3 ms for half a million. */
const HASHED_SCAN_COUNT_MAX = 64;
/** A further look-up first reads all values without hashes: reading their texts again and again would take longer. */
const UNREAD_SCAN_COUNT_MAX = 2;
/** With fewer values, the table is built at once. */
const SCAN_VALUES_MIN = 10_000;

/** Values that are added to the table, looked up in it, or listed, in one step. */
export const VALUES_PER_STEP = 4_096;
/** Steps of indexing that a look-up does at once: some 20 ms. */
const STEPS_PER_LOOK_UP = 4;
/** Slots that are made for values of files in one step. */
const VALUES_PER_EXPANSION = 65_536;

/** From this many values on, a dictionary that is written to packs them. */
const PACKED_SIZE_MIN = 65_536;

/** Of a packed value, in numbers read. */
const UNPACK_COST = 24;

/** If at least this share of all codes is requested, all codes are sorted once instead. `KNOWN_ORDER_SHARE` applies if that order exists already. */
const ORDER_SHARE = 1 / 8;
const KNOWN_ORDER_SHARE = 1 / 64;
/** The order counts as existing if it covers this share: newer codes are merged. */
const KNOWN_SHARE = 4 / 5;
/** Once requests have sorted this many times the number of codes, the full order is built. */
const ORDERED_SHARE = 4;

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

/** Once more than this share of the values is read, they are moved to one array. */
const FLAT_SHARE = 1 / 8;

/** The codes from `from` on of a value in some values. @param start code of the first */
function codesIn(values: readonly string[], value: string, start: number, from: number): number[] {
  const codes: number[] = [];
  for (let at = values.indexOf(value, from); at >= 0; at = values.indexOf(value, at + 1)) codes.push(start + at);
  return codes;
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

/** Distinct strings and their codes, append-only. Code 0 is always `""`: not set. */
export class Dictionary {
  /** `""` where a value is packed, or was not read yet: holes would make V8 hash the indexes of a long array. */
  readonly #values: string[] = [""];
  /** Number of values behind `#values`, which grows when many are read: neither opening a large store nor adding to it touches slots. */
  #behindCount = 0;
  /** Those that are not in `#values`, in order of their codes. */
  readonly #unread: UnreadValues[] = [];
  /** Values of the table, in order of their codes. */
  readonly #packed: PackedTexts[] = [];
  /** All values were needed as strings once, as for sorting them: from then on none is packed. */
  #keepsStrings = false;
  /** Of these, the ones that were read: few of many do not need a long array. */
  readonly #readBlocks = new Map<UnreadValues, readonly string[]>();
  #readCount = 0;
  readonly #hashes: StoredHashes[] = [];
  readonly #table = new TextTable(this.#values, this);
  /** Values below it are in the table; those of a file are added by the first look-up. */
  #indexedSize = 1;
  #scanCount = 0;
  #charCount = 0;
  #valueCount = 0;
  /** Codes whose values remain for readers of older snapshots. */
  readonly #retired = new Set<number>();
  /** The first codes sorted by their values' code points; empty after a code was blanked. */
  #inOrder: Uint32Array = new Uint32Array(0);
  readonly #requested = new RequestedCodeOrder(this.#values);
  /** Codes sorted alone so far. */
  #orderedCount = 0;
  /** How often values were dropped: an order begun before is then discarded. */
  #forgettingCount = 0;

  /** @param held totals that also count these values */
  constructor(
    readonly name: string,
    readonly held: HeldValues = { charCount: 0, valueCount: 0 },
  ) {}

  /** Number of codes, including code 0. */
  get size(): number {
    return this.#values.length + this.#behindCount;
  }

  /** Number of values, without those of blanked codes. */
  get valueCount(): number {
    return this.#valueCount;
  }

  get byteLength(): number {
    return this.#charCount * 2 + this.size * VALUE_OVERHEAD_BYTES + this.#inOrder.byteLength + this.#requested.byteLength;
  }

  /** Adds values that a file stores, without reading them. @returns false unless they continue the present ones */
  addStored(stored: UnreadValues): boolean {
    if (stored.start !== this.size) return false;
    this.#behindCount += stored.count;
    this.#unread.push(stored);
    this.#countValues(stored.charCount, stored.valueCount);
    return true;
  }

  addHashes(hashes: StoredHashes): void {
    this.#hashes.push(hashes);
  }

  /** -1 if never stored. Values of a file are first added to the table; very many are scanned, and added by later look-ups. @throws corruption */
  codeOf(value: string): number {
    if (value === "") return 0;
    // All at once would block for seconds.
    if (this.#hasManyUnindexed && this.#scanCount >= this.#scanCountMax) this.#indexSome();
    if (this.#hasManyUnindexed) return this.#scan(value);
    if (this.#indexedSize < this.size) this.#index();
    return this.#table.codeOf(value);
  }

  get #hasManyUnindexed(): boolean {
    return this.size - this.#indexedSize > SCAN_VALUES_MIN;
  }

  /** Codes of a field of many rows from `start`: 0 not set, -1 and a mark in `hasNew` for new values. Row by row takes three times as long. */
  codesOf(texts: readonly string[], codes: Int32Array, start: number, hasNew: Uint8Array, rowCount: number): void {
    if (this.#indexedSize < this.size) this.#index();
    this.#table.codesOf(texts, codes, start, hasNew, rowCount);
  }

  /** The codes of some values, -1 for one that was never stored. Cost: as of `codeOf`, in steps of some milliseconds. @throws corruption */
  *codesOfAll(values: readonly string[]): Steps<number[]> {
    // With this many values, scanning all for each takes longer than building the table.
    if (this.#hasManyUnindexed && values.length > this.#scanCountMax - this.#scanCount) yield* this.indexing();
    const codes: number[] = [];
    for (const [at, value] of values.entries()) {
      codes.push(this.codeOf(value));
      // Without a table, an unknown value scans all values.
      if (this.#indexedSize < this.size || at % VALUES_PER_STEP === 0) yield;
    }
    return codes;
  }

  intern(value: string): number {
    if (this.#indexedSize < this.size) this.#index();
    const known = this.codeOf(value);
    if (known >= 0) return known;
    const code = this.size;
    if (this.#packs) {
      this.#pack(value, code);
      this.#behindCount += 1;
      this.#count(value, 1);
    } else this.add(value);
    this.#table.add(value, code);
    this.#indexedSize = code + 1;
    return code;
  }

  /** Gives the next code to a value without one, or to `""` in place of a blanked value. */
  add(value: string): void {
    this.#expand();
    this.#values.push(value);
    this.#count(value, 1);
  }

  get #packs(): boolean {
    return this.size >= PACKED_SIZE_MIN && !this.#keepsStrings;
  }

  #pack(value: string, code: number): void {
    const last = this.#packed.at(-1);
    // A value whose step failed is packed already.
    if (last !== undefined && last.end > code) return;
    if (last?.end !== code || !last.add(value)) this.#packed.push(new PackedTexts(code, value));
  }

  /** @param sign 1: added; -1: dropped */
  #count({ length }: string, sign: 1 | -1): void {
    if (length === 0) return;
    this.#countValues(sign * length, sign);
  }

  #countValues(charCount: number, valueCount: number): void {
    this.#charCount += charCount;
    this.#valueCount += valueCount;
    this.held.charCount += charCount;
    this.held.valueCount += valueCount;
  }

  #packedOf(code: number): PackedTexts | null {
    const packed = this.#packed[countBefore(this.#packed.length, (index) => this.#packed[index]!.end <= code)];
    return packed !== undefined && packed.start <= code ? packed : null;
  }

  /** Reads the values of a code's neighbours too. @throws corruption */
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

  /** Whether a code has this value, which is not empty. */
  hasValue(code: number, value: string): boolean {
    const own = this.#values[code];
    return own ? own === value : (this.#packedOf(code)?.hasValue(code, value) ?? this.#otherValueOf(code) === value);
  }

  /** Whether the value of a code contains a UTF-16 unit: cheaper than making a string of a packed value. */
  hasUnit(code: number, unit: number): boolean {
    return this.#packedOf(code)?.hasUnit(code, unit) ?? this.valueOf(code).includes(String.fromCharCode(unit));
  }

  /** Moves the values read so far to `#values`. */
  #flatten(): void {
    if (this.#readBlocks.size === 0) return;
    this.#expand();
    for (const [stored, values] of this.#readBlocks) {
      for (let at = 0; at < values.length; at += 1) this.#values[stored.start + at] = values[at]!;
      this.#unread.splice(this.#unread.indexOf(stored), 1);
    }
    this.#readBlocks.clear();
    this.#readCount = 0;
    if (this.#unread.length === 0) this.#hashes.length = 0;
  }

  #expand(countMax = Infinity): void {
    for (let count = Math.min(this.#behindCount, countMax); count > 0; count -= 1, this.#behindCount -= 1) this.#values.push("");
  }

  #readAll(): readonly string[] {
    for (const stored of [...this.#unread]) this.#blockOf(stored);
    this.#flatten();
    this.#expand();
    for (const packed of this.#packed.splice(0)) this.#unpack(packed, packed.start, packed.end);
    this.#keepsStrings = true;
    return this.#values;
  }

  #unpack(packed: PackedTexts, from: number, to: number): void {
    const end = Math.min(to, packed.end, this.#values.length);
    for (let code = from; code < end; code += 1) this.#values[code] = packed.valueOf(code);
  }

  #parse(stored: UnreadValues, text: string): readonly string[] {
    const { start, count, charCount, valueCount } = stored;
    const values = JSON.parse(text) as string[];
    const found = [values.length, values.reduce((sum, { length }) => sum + length, 0), values.filter((value) => value !== "").length];
    if (found[0] !== count || found[1] !== charCount || found[2] !== valueCount)
      throw new DaybookError("corruption", `dictionary ${this.name}: expected ${count} values from code ${start} on, ${valueCount} of them not empty, with ${charCount} characters, got ${found.join(", ")}`);
    this.#readBlocks.set(stored, values);
    this.#readCount += count;
    if (this.#readCount > this.size * FLAT_SHARE) this.#flatten();
    return values;
  }

  get #scanCountMax(): number {
    return this.#hashes.length === 0 ? SCAN_COUNT_MAX : HASHED_SCAN_COUNT_MAX;
  }

  #scan(value: string): number {
    this.#scanCount += 1;
    this.#readHashed(value);
    const quoted = JSON.stringify(value);
    for (const stored of this.#unread.filter((block) => !this.#readBlocks.has(block) && !this.#isHashed(block.start))) {
      const text = stored.read();
      // Searching a text takes a tenth of parsing it.
      if (this.#scanCount > UNREAD_SCAN_COUNT_MAX || text.includes(quoted)) this.#parse(stored, text);
    }
    const codes = codesIn(this.#values, value, 0, this.#indexedSize);
    for (const [{ start }, values] of this.#readBlocks) codes.push(...codesIn(values, value, start, Math.max(0, this.#indexedSize - start)));
    const known = this.#table.codeOf(value);
    if (known >= 0) codes.push(known);
    if (codes.length > 1) throw this.#hasTwoCodes();
    return codes[0] ?? -1;
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

  #hasTwoCodes(): DaybookError {
    return new DaybookError("corruption", `dictionary ${this.name}: a value has two codes`);
  }

  /** @throws corruption: a value has two codes */
  #index(): void {
    runAtOnce(this.indexing());
  }

  #indexSome(): void {
    const steps = this.indexing();
    for (let step = 0; step < STEPS_PER_LOOK_UP && steps.next().done !== true; step += 1);
  }

  /** Adds the values of files to the table, in steps: otherwise the first new value does so at once. Cost: 1.5 µs a value. @throws corruption */
  *indexing(): Steps<void> {
    while (!this.#packs && this.#behindCount > 0) {
      this.#expand(VALUES_PER_EXPANSION);
      yield;
    }
    while (this.#indexedSize < this.size) {
      const end = Math.min(this.#indexedSize + VALUES_PER_STEP, this.size);
      // Code by code: after a failed read, the next call goes on behind those in the table.
      for (; this.#indexedSize < end; this.#indexedSize += 1) this.#indexNext();
      if (this.#packs) this.#forgetRead();
      yield;
    }
    this.#flatten();
  }

  #indexNext(): void {
    const code = this.#indexedSize;
    const value = this.valueOf(code);
    if (this.#packs) this.#pack(value, code);
    if (value !== "" && !this.#table.add(value, code)) throw this.#hasTwoCodes();
    if (this.#packs && code < this.#values.length && !this.#requested.has(code)) this.#values[code] = "";
  }

  /** Drops blocks of files whose values are packed. */
  #forgetRead(): void {
    for (let [stored] = this.#unread; stored !== undefined && stored.start + stored.count <= this.#indexedSize; [stored] = this.#unread) {
      if (this.#readBlocks.delete(stored)) this.#readCount -= stored.count;
      this.#unread.shift();
    }
    if (this.#unread.length === 0) this.#hashes.length = 0;
  }

  /** Removes the value of a code that nothing stored uses any more: if the value is added again, it gets another code. */
  retire(code: number): void {
    this.#index();
    this.#table.remove(this.valueOf(code), code);
    this.#retired.add(code);
  }

  isRetired(code: number): boolean {
    return this.#retired.has(code);
  }

  /** Drops all codes from `size` on, which nothing stored ever used. */
  truncate(size: number): void {
    this.#forgettingCount += 1;
    for (let code = size; code < this.size; code += 1) {
      const value = this.valueOf(code);
      this.#count(value, -1);
      this.#table.remove(value, code);
    }
    while ((this.#packed.at(-1)?.start ?? 0) >= size) this.#packed.pop();
    const last = this.#packed.at(-1);
    if (last !== undefined && last.end > size) last.truncate(size);
    this.#values.length = Math.min(this.#values.length, size);
    this.#behindCount = Math.max(0, size - this.#values.length);
    this.#indexedSize = Math.min(this.#indexedSize, size);
    if (this.#inOrder.length > size) this.#inOrder = new Uint32Array(0);
    this.#requested.clear();
  }

  /** Drops the value of a retired code, once no reader can need it. */
  blank(code: number): void {
    this.#forgettingCount += 1;
    this.#count(this.valueOf(code), -1);
    this.#inOrder = new Uint32Array(0);
    this.#requested.clear();
    this.#flatten();
    if (code < this.#values.length) this.#values[code] = "";
    this.#packedOf(code)?.blank(code);
    this.#retired.delete(code);
  }

  /** The value of a code below `size`; `""` for a blanked one. */
  valueOf(code: number): string {
    return this.#values[code] || this.#otherValueOf(code);
  }

  /** All codes sorted by their values' code points, 4 bytes a value. Built on first use, extended by newer codes. Not to be changed. */
  codesInOrder(): Uint32Array {
    const known = this.#inOrder;
    if (known.length === this.size) return known;
    const added = sortedCodes(this.#readAll(), known.length, this.size);
    // A few are merged; with many it pays to sort all.
    if (added.length > known.length / 4) this.#inOrder = sortedCodes(this.#values, 0, this.size);
    else this.#inOrder = mergeCodes(this.#values, known, added);
    return this.#inOrder;
  }

  /** Sorts a few distinct codes by their values' code points. Cost: 0.1 µs a code, 0.7 on its first request. */
  sortedCodesOf(codes: Uint32Array): Uint32Array {
    if (this.#unread.length > 0) for (const code of codes) this.valueOf(code);
    this.#flatten();
    this.#expand();
    for (const code of codes) this.#values[code] ||= this.#otherValueOf(code);
    return this.#requested.of(codes);
  }

  /** Builds the order for `codesInOrder`, yielding in between; the result is discarded if values are dropped meanwhile. */
  async order(yielder: Yielder): Promise<void> {
    const { size } = this;
    if (this.#inOrder.length >= size * KNOWN_SHARE) return;
    const forgettings = this.#forgettingCount;
    await this.#restore(yielder);
    // The sort needs every value below `size`.
    if (forgettings !== this.#forgettingCount) return;
    const inOrder = await sortedCodesYielding(this.#readAll(), 0, size, yielder);
    if (forgettings === this.#forgettingCount && this.#inOrder.length < size) this.#inOrder = inOrder;
  }

  /** Makes strings of all packed values, yielding in between. */
  async #restore(yielder: Yielder): Promise<void> {
    this.#keepsStrings = true;
    await yielder.inPieces(this.#behindCount, (from, to) => this.#expand(to - from));
    for (let [packed] = this.#packed; packed !== undefined; [packed] = this.#packed) {
      const { start, end } = packed;
      await yielder.inPieces(end - start, (from, to) => this.#unpack(packed, start + from, start + to), UNPACK_COST);
      if (this.#packed[0] === packed) this.#packed.shift();
    }
  }

  /** Whether `codesInOrder` is cheaper than sorting that many codes alone: for an eighth of all, fewer if it is known or as costly so far. */
  shouldSortAll(codeCount: number): boolean {
    if (codeCount >= this.size * ORDER_SHARE) return true;
    if (this.#inOrder.length >= this.size * KNOWN_SHARE) return codeCount >= this.size * KNOWN_ORDER_SHARE;
    this.#orderedCount += codeCount;
    return this.#orderedCount >= this.size * ORDERED_SHARE;
  }

  /** All values by code; not to be changed. */
  get values(): readonly string[] {
    return this.#readAll();
  }
}

/** Cached scalars per key: values of keys with more rarely repeat. */
const SCALAR_COUNT_MAX = 4_096;

const NOT_PARSED = Symbol("not parsed");
const OPENING_BRACKET = 0x5b;

/** A dictionary of JSON texts; `""`, its code 0, stands for an absent key. */
export class JsonDictionary extends Dictionary {
  readonly #scalars = new Map<string | number | boolean, number>();
  readonly #parsed: unknown[] = [undefined];
  readonly #arrayCodes: number[] = [];
  #scanned = 1;

  /** The cached code of a scalar, which spares building and hashing its text; -1 if it is not cached. */
  codeOfScalar(value: string | number | boolean): number {
    return this.#scalars.get(value) ?? -1;
  }

  /** The code of a value's text, adding it if new; caches the code of a scalar. */
  internScalar(value: unknown, text: string): number {
    const code = this.intern(text);
    if (this.#scalars.size < SCALAR_COUNT_MAX && (typeof value === "string" || typeof value === "number" || typeof value === "boolean"))
      this.#scalars.set(value, code);
    return code;
  }

  /** The JSON value of a code; undefined for code 0 and blanked ones. Each text is parsed once. Not to be changed. */
  json(code: number): unknown {
    // Parsing a million of them would block the thread: only requested ones are parsed.
    for (let next = this.#parsed.length; next <= code; next += 1) this.#parsed.push(NOT_PARSED);
    if (this.#parsed[code] === NOT_PARSED) {
      const text = this.valueOf(code);
      this.#parsed[code] = text === "" ? undefined : JSON.parse(text);
    }
    return this.#parsed[code];
  }

  override truncate(size: number): void {
    super.truncate(size);
    this.#scalars.clear();
    this.#parsed.length = Math.min(this.#parsed.length, this.size);
    this.#scanned = Math.min(this.#scanned, this.size);
    while ((this.#arrayCodes.at(-1) ?? 0) >= this.size) this.#arrayCodes.pop();
  }

  override retire(code: number): void {
    super.retire(code);
    this.#scalars.clear();
  }

  override blank(code: number): void {
    super.blank(code);
    if (code < this.#parsed.length) this.#parsed[code] = undefined;
  }

  /** Codes whose value is an array: they may equal a scalar whose text differs. */
  arrayCodes(): readonly number[] {
    for (; this.#scanned < this.size; this.#scanned += 1)
      if (this.hasUnit(this.#scanned, OPENING_BRACKET) && this.valueOf(this.#scanned).startsWith("[")) this.#arrayCodes.push(this.#scanned);
    return this.#arrayCodes;
  }
}
