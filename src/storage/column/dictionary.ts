import { DaybookError } from "../../core/base/errors.js";
import { mergeCodes, sortCodesByText, sortedCodes, sortedCodesYielding } from "../../core/base/text-order.js";
import { runAtOnce, type Steps, type Yielder } from "../../core/base/yield.js";
import { DictionaryValues, type StoredHashes, type UnreadValues } from "./dictionary-values.js";
import { RequestedCodeOrder } from "./requested-code-order.js";
import { TextTable } from "./text-table.js";

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

/** Until requests have sorted this share of all codes, their values get no slots: slots of millions take a tenth of a second. */
const BESIDE_SHARE = 1 / 8;
/** If at least this share of all codes is requested, all codes are sorted once instead. `KNOWN_ORDER_SHARE` applies if that order exists already. */
const ORDER_SHARE = 1 / 8;
const KNOWN_ORDER_SHARE = 1 / 64;
/** The order counts as existing if it covers this share: newer codes are merged. */
const KNOWN_SHARE = 4 / 5;
/** Once requests have sorted this many times the number of codes, the full order is built. */
const ORDERED_SHARE = 4;

/** Distinct strings and their codes, append-only. Code 0 is always `""`: not set. */
export class Dictionary {
  readonly #values: DictionaryValues;
  readonly #table: TextTable;
  /** Values below it are in the table; those of a file are added by the first look-up. */
  #indexedSize = 1;
  #scanCount = 0;
  #charCount = 0;
  #valueCount = 0;
  /** Codes whose values remain for readers of older snapshots. */
  readonly #retired = new Set<number>();
  /** The first codes sorted by their values' code points; empty after a code was blanked. */
  #inOrder: Uint32Array = new Uint32Array(0);
  readonly #requested: RequestedCodeOrder;
  /** Codes sorted alone so far, and of these beside the others. */
  #orderedCount = 0;
  #besideCount = 0;
  /** How often values were dropped: an order begun before is then discarded. */
  #forgettingCount = 0;

  /** @param held totals that also count these values */
  constructor(
    readonly name: string,
    readonly held: HeldValues = { charCount: 0, valueCount: 0 },
  ) {
    this.#values = new DictionaryValues(name);
    this.#table = new TextTable(this.#values.strings, this.#values);
    this.#requested = new RequestedCodeOrder(this.#values.strings);
  }

  /** Number of codes, including code 0. */
  get size(): number {
    return this.#values.size;
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
    if (!this.#values.addStored(stored)) return false;
    this.#countValues(stored.charCount, stored.valueCount);
    return true;
  }

  addHashes(hashes: StoredHashes): void {
    this.#values.addHashes(hashes);
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
    if (this.#values.packs) {
      this.#values.addPacked(value);
      this.#count(value, 1);
    } else this.add(value);
    this.#table.add(value, code);
    this.#indexedSize = code + 1;
    return code;
  }

  /** Gives the next code to a value without one, or to `""` in place of a blanked value. */
  add(value: string): void {
    this.#values.add(value);
    this.#count(value, 1);
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

  get #scanCountMax(): number {
    return this.#values.hasHashes ? HASHED_SCAN_COUNT_MAX : SCAN_COUNT_MAX;
  }

  #scan(value: string): number {
    this.#scanCount += 1;
    const codes = this.#values.codesOf(value, this.#indexedSize, this.#scanCount > UNREAD_SCAN_COUNT_MAX);
    const known = this.#table.codeOf(value);
    if (known >= 0) codes.push(known);
    if (codes.length > 1) throw this.#hasTwoCodes();
    return codes[0] ?? -1;
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
    const values = this.#values;
    while (!values.packs && values.behindCount > 0) {
      values.expand(VALUES_PER_EXPANSION);
      yield;
    }
    while (this.#indexedSize < this.size) {
      const end = Math.min(this.#indexedSize + VALUES_PER_STEP, this.size);
      // Code by code: after a failed read, the next call goes on behind those in the table.
      for (; this.#indexedSize < end; this.#indexedSize += 1) this.#indexNext();
      if (values.packs) values.forgetRead(this.#indexedSize);
      yield;
    }
    values.flatten();
  }

  #indexNext(): void {
    const code = this.#indexedSize;
    const { packs, strings } = this.#values;
    const value = this.valueOf(code);
    if (packs) this.#values.pack(value, code);
    if (value !== "" && !this.#table.add(value, code)) throw this.#hasTwoCodes();
    if (packs && code < strings.length && !this.#requested.has(code)) strings[code] = "";
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
    this.#values.truncate(size);
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
    this.#values.blank(code);
    this.#retired.delete(code);
  }

  /** The value of a code below `size`; `""` for a blanked one. Reads those of its neighbours too. @throws corruption */
  valueOf(code: number): string {
    return this.#values.valueOf(code);
  }

  /** Whether the value of a code contains a UTF-16 unit: cheaper than `valueOf` where values are packed. @throws corruption */
  hasUnit(code: number, unit: number): boolean {
    return this.#values.hasUnit(code, unit);
  }

  /** All codes sorted by their values' code points, 4 bytes a value. Built on first use, extended by newer codes. Not to be changed. */
  codesInOrder(): Uint32Array {
    const known = this.#inOrder;
    if (known.length === this.size) return known;
    const values = this.#values.all();
    const added = sortedCodes(values, known.length, this.size);
    // A few are merged; with many it pays to sort all.
    this.#inOrder = added.length > known.length / 4 ? sortedCodes(values, 0, this.size) : mergeCodes(values, known, added);
    return this.#inOrder;
  }

  /** Sorts a few distinct codes by their values' code points. Cost: 0.1 µs a code, 0.7 at first. */
  sortedCodesOf(codes: Uint32Array): Uint32Array {
    if (this.#values.behindCount > 0 && this.#besideCount + codes.length <= this.size * BESIDE_SHARE) return this.#sortedBeside(codes);
    this.#values.makeStrings(codes);
    return this.#requested.of(codes);
  }

  #sortedBeside(codes: Uint32Array): Uint32Array {
    this.#besideCount += codes.length;
    const texts = Array.from(codes, (code) => this.valueOf(code));
    const places = Uint32Array.from(codes, (_, at) => at);
    sortCodesByText(places, texts);
    return places.map((place) => codes[place] ?? 0);
  }

  /** Builds the order for `codesInOrder`, yielding in between; the result is discarded if values are dropped meanwhile. */
  async order(yielder: Yielder): Promise<void> {
    const { size } = this;
    if (this.#inOrder.length >= size * KNOWN_SHARE) return;
    const forgettings = this.#forgettingCount;
    await this.#values.unpackAll(yielder);
    const inOrder = await sortedCodesYielding(this.#values.all(), 0, size, yielder);
    if (forgettings === this.#forgettingCount && this.#inOrder.length < size) this.#inOrder = inOrder;
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
    return this.#values.all();
  }
}
