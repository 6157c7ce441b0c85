/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their count */
import { grown } from "../../core/base/arrays.js";
import { LIMITS } from "../../core/base/limits.js";
import { MS_PER_DAY } from "../../core/base/time.js";
import { FIELDS, FIELD_COUNT, PROJECT_COLUMN, SEQUENCE_COLUMN, SHAPE_COLUMN, TIME_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import { GrowableCodes } from "../column/codes.js";
import { absentColumn, codeAt, type CodeColumn } from "../column/column.js";
import { firstAtLeast } from "../../core/base/search.js";
import type { NumberMemory } from "../../core/base/scratch.js";
import { onceOfColumn, onceOfNumbers, type ColumnOnce } from "./column-once.js";
import { DerivedCache, type MemoryBudget } from "./memory-budget.js";
import type { ColumnZone, IncrementalValue, Rows } from "./rows.js";
import type { ProjectTexts } from "./segment.js";
import { actorTriplesOf, type ActorTriples } from "./summaries.js";

/** Rows up to which a metadata column is a plain list: most keys are rare, and two columns of codes would take ten times as much memory. */
const FEW_ROW_COUNT = 8;

class GrowableSparse {
  /** Row, code, row, code, …; null once there are more than `FEW_ROW_COUNT` rows. */
  #few: number[] | null;
  #rows: GrowableCodes | null = null;
  #codes: GrowableCodes | null = null;

  constructor(row: number, code: number) {
    this.#few = [row, code];
  }

  get byteLength(): number {
    return (this.#few?.length ?? 0) * 8 + (this.#rows?.byteLength ?? 0) + (this.#codes?.byteLength ?? 0);
  }

  push(row: number, code: number): void {
    if (this.#few === null) {
      this.#rows?.push(row);
      this.#codes?.push(code);
      return;
    }
    this.#few.push(row, code);
    if (this.#few.length > 2 * FEW_ROW_COUNT) this.#widen(this.#few);
  }

  /** The column of the rows in `[from, to)`, renumbered from 0. Cost: those of the rows that have the key. */
  column(from: number, to: number): CodeColumn {
    const rows = this.#rows === null ? this.#every(0) : this.#rows.view();
    const codes = this.#codes === null ? this.#every(1) : this.#codes.view();
    const first = firstAtLeast(rows, from);
    const end = firstAtLeast(rows, to, first);
    const own = new Uint32Array(rows.subarray(first, end));
    if (from > 0) for (let at = 0; at < own.length; at += 1) own[at]! -= from;
    return { kind: "sparse", rows: own, codes: codes.subarray(first, end), rowCount: to - from };
  }

  #every(first: 0 | 1): Uint32Array {
    const few = this.#few ?? [];
    return Uint32Array.from({ length: few.length / 2 }, (_, at) => few[2 * at + first] ?? 0);
  }

  #widen(few: readonly number[]): void {
    const [rows, codes] = [new GrowableCodes(), new GrowableCodes()];
    for (let at = 0; at < few.length; at += 2) {
      rows.push(few[at]!);
      codes.push(few[at + 1]!);
    }
    this.#rows = rows;
    this.#codes = codes;
    this.#few = null;
  }
}

/** Rows in order of arrival, or grouped by day, as in a batch. */
export interface ArrivedRows {
  /** Epoch ms. */
  readonly times: Float64Array;
  /** 16 bytes per row. */
  readonly ids: Uint8Array;
  /** For each of `FIELDS`, the codes of all rows. */
  readonly codes: readonly Uint32Array[];
  readonly shapes: Uint32Array;
  /** Codes of metadata values, row by row, in the order of each row's shape. */
  readonly values: Uint32Array;
  /** Index of each row in order of arrival; absent: its current index. */
  readonly places?: Uint32Array;
}

/** A column with a code other than 0, and the number of such columns before it. */
interface FilledColumn {
  readonly place: number;
  readonly column: GrowableCodes | GrowableSparse;
}

/** Estimated bytes of a column besides its rows. */
const COLUMN_BYTES = 120;

/** The newest rows of a day, in order of arrival. Grows by durable batches until it is full; what was read of earlier rows stays valid. */
export class Head {
  #times = new Int32Array(64);
  #ids = new Uint8Array(64 * 16);
  #sequences = new Uint32Array(64);
  readonly #fields: readonly GrowableCodes[] = Array.from({ length: FIELD_COUNT }, () => new GrowableCodes());
  readonly #shapes = new GrowableCodes();
  readonly #metadata = new Map<number, GrowableSparse>();
  readonly #shown = new Map<string, FilledColumn>();
  #rowCount = 0;
  #metadataValueCount = 0;
  #minMs = Infinity;
  #maxMs = -Infinity;
  #view: HeadView | null = null;
  readonly derived: DerivedCache;

  constructor(
    readonly day: number,
    budget: MemoryBudget,
    readonly projects: ProjectTexts,
  ) {
    this.derived = new DerivedCache(budget);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get isFull(): boolean {
    return this.#rowCount >= LIMITS.headPartRowCount;
  }

  get byteLength(): number {
    let byteLength = this.#times.byteLength + this.#ids.byteLength + this.#sequences.byteLength + this.#shapes.byteLength;
    for (const column of this.#fields) byteLength += column.byteLength;
    for (const column of this.#metadata.values()) byteLength += column.byteLength + COLUMN_BYTES;
    return byteLength;
  }

  /** Smallest and largest ms of the day. */
  get minMs(): number {
    return this.#minMs;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  hasKey(key: number): boolean {
    return this.#metadata.has(key);
  }

  get metadataValueCount(): number {
    return this.#metadataValueCount;
  }

  get metadataColumnCount(): number {
    return this.#metadata.size;
  }

  /** Rows `[from, to)` are of this day. @param firstSequence of row 0 @param valuesAt first metadata value of row `from` @returns that of row `to` */
  append(batch: ArrivedRows, from: number, to: number, firstSequence: number, valuesAt: number, keysOf: (shape: number) => readonly number[]): number {
    const { times, ids, codes, shapes, places } = batch;
    const [start, count] = [this.#rowCount, to - from];
    while (start + count > this.#times.length) this.#grow();
    const [msOfDay, sequences, dayMs] = [this.#times, this.#sequences, this.day * MS_PER_DAY];
    for (let row = from, at = start; row < to; row += 1, at += 1) {
      const ms = times[row]! - dayMs;
      msOfDay[at] = ms;
      if (ms < this.#minMs) this.#minMs = ms;
      if (ms > this.#maxMs) this.#maxMs = ms;
      sequences[at] = firstSequence + (places === undefined ? row : places[row]!);
    }
    this.#ids.set(ids.subarray(from * 16, to * 16), start * 16);
    for (let field = 0; field < FIELD_COUNT; field += 1) {
      this.#fields[field]!.pushAll(codes[field]!, from, count);
      this.#show(FIELDS[field]!.column, this.#fields[field]!);
    }
    this.#shapes.pushAll(shapes, from, count);
    this.#show(SHAPE_COLUMN, this.#shapes);
    let next = valuesAt;
    for (let row = from; row < to; row += 1) {
      const keys = keysOf(shapes[row]!);
      for (let at = 0; at < keys.length; at += 1, next += 1) this.#pushKey(keys[at]!, start + row - from, batch.values[next]!);
    }
    this.#rowCount = start + count;
    this.#metadataValueCount += next - valuesAt;
    this.#view = null;
    return next;
  }

  /** A frozen view of the rows so far. Cheap: copies no columns, and reads them only on demand. */
  view(): HeadView {
    this.#view ??= new HeadView(this, 0, this.#rowCount, this.#shown.size, this.#minMs, this.#maxMs);
    return this.#view;
  }

  has(name: string, shownCount: number): boolean {
    const shown = this.#shown.get(name);
    return shown !== undefined && shown.place < shownCount;
  }

  names(shownCount: number): string[] {
    return [...this.#shown.keys()].slice(0, shownCount);
  }

  column(name: string, from: number, to: number): CodeColumn {
    const { column } = this.#shown.get(name)!;
    return column instanceof GrowableSparse ? column.column(from, to) : { kind: "dense", codes: column.view().subarray(from, to) };
  }

  times(from: number, to: number): Int32Array {
    return this.#times.subarray(from, to);
  }

  ids(from: number, to: number): Uint8Array {
    return this.#ids.subarray(from * 16, to * 16);
  }

  sequences(from: number, to: number): Uint32Array {
    return this.#sequences.subarray(from, to);
  }

  forgetDerived(): void {
    this.derived.forget(() => true);
  }

  /** Frees derived data once the rows are sealed. */
  release(): void {
    this.derived.release();
  }

  #show(name: string, column: GrowableCodes): void {
    if (column.max > 0 && !this.#shown.has(name)) this.#shown.set(name, { place: this.#shown.size, column });
  }

  #pushKey(key: number, row: number, code: number): void {
    const known = this.#metadata.get(key);
    if (known !== undefined) return known.push(row, code);
    const column = new GrowableSparse(row, code);
    this.#metadata.set(key, column);
    this.#shown.set(metadataColumn(key), { place: this.#shown.size, column });
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    this.#times = grown(this.#times, capacity);
    this.#ids = grown(this.#ids, capacity * 16);
    this.#sequences = grown(this.#sequences, capacity);
  }
}

/** A cached value of `deriveIncrementally`, which covers the first `rowCount` rows. */
interface IncrementalEntry {
  readonly value: unknown;
  readonly rowCount: number;
}

/** The rows in `[first, end)` of a head, as of when the view was created. */
export class HeadView implements Rows {
  readonly sealed = false;
  readonly immutable: boolean;
  readonly rowCount: number;
  readonly #read = new Map<string, CodeColumn>();
  #times: Int32Array | null = null;
  #ids: Uint8Array | null = null;
  #sequences: Uint32Array | null = null;

  constructor(
    readonly head: Head,
    readonly first: number,
    readonly end: number,
    /** Columns added later are hidden. */
    readonly shownCount: number,
    readonly minMs: number,
    readonly maxMs: number,
  ) {
    this.rowCount = end - first;
    this.immutable = first === 0 && head.isFull && end === head.rowCount;
  }

  get day(): number {
    return this.head.day;
  }

  get firstSequence(): number {
    return this.sequences()[0] ?? 0;
  }

  get lastSequence(): number {
    return this.sequences().at(-1) ?? 0;
  }

  /** The rows in `[from, to)` of this view. `minMs` and `maxMs` stay those of the whole view. */
  slice(from: number, to = this.rowCount): HeadView {
    const { head, first, shownCount, minMs, maxMs } = this;
    return new HeadView(head, first + from, first + to, shownCount, minMs, maxMs);
  }

  zone(column: string): ColumnZone | null {
    return this.head.has(column, this.shownCount) ? { min: 0, max: 0xffffffff, hasZero: true } : null;
  }

  load(): null {
    return null;
  }

  readOnce(column: string, scratch: NumberMemory): ColumnOnce {
    if (column === TIME_COLUMN) return onceOfNumbers(this.times(), scratch);
    return column === SEQUENCE_COLUMN ? onceOfNumbers(this.sequences(), scratch) : onceOfColumn(this.column(column), scratch);
  }

  readIdsOnce(): Uint8Array {
    return this.ids();
  }

  cachedActorLists(): null {
    return null;
  }

  summary(): Promise<null> {
    return Promise.resolve(null);
  }

  actorLists(): Promise<ActorTriples> {
    return actorTriplesOf(this.rowCount, (name) => this.column(name));
  }

  column(name: string): CodeColumn {
    let column = this.#read.get(name);
    if (column === undefined) {
      column = this.head.has(name, this.shownCount) ? this.head.column(name, this.first, this.end) : absentColumn(this.rowCount);
      this.#read.set(name, column);
    }
    return column;
  }

  columnNames(): readonly string[] {
    return this.head.names(this.shownCount);
  }

  times(): Int32Array {
    return (this.#times ??= this.head.times(this.first, this.end));
  }

  ids(): Uint8Array {
    return (this.#ids ??= this.head.ids(this.first, this.end));
  }

  projectOf(row: number): string {
    return this.head.projects.valueOf(codeAt(this.column(PROJECT_COLUMN), row));
  }

  sequences(): Uint32Array {
    return (this.#sequences ??= this.head.sequences(this.first, this.end));
  }

  derive<T>(key: string, make: () => T, byteLength: (made: T) => number, since?: readonly object[]): T {
    return this.immutable ? this.head.derived.getOrCompute(key, make, byteLength, since) : make();
  }

  deriveIncrementally<T>(key: string, { of, join, byteLength }: IncrementalValue<T>): T {
    const { derived } = this.head;
    const known = this.first === 0 ? (derived.get(key) as IncrementalEntry | null) : null;
    // A query that began earlier sees fewer rows than the cached value covers.
    if (this.first > 0 || (known !== null && known.rowCount > this.end)) return of(this, 0);
    // Each key is used by one caller only, so the type fits.
    if (known?.rowCount === this.end) return known.value as T;
    const value = known === null ? of(this, 0) : join(known.value as T, of(this.slice(known.rowCount), known.rowCount));
    derived.set(key, { value, rowCount: this.end } satisfies IncrementalEntry, byteLength(value));
    return value;
  }

  cached(key: string, since: readonly object[]): unknown {
    return this.immutable ? this.head.derived.get(key, since) : null;
  }

  pin(): void {
    this.head.derived.pin();
  }

  unpin(): void {
    this.head.derived.unpin();
  }
}
