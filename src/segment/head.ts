/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their batch */
import { LIMITS } from "../base/limits.js";
import { MS_PER_DAY } from "../base/time.js";
import { absentColumn } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import { GrowableCodes } from "../column/codes.js";
import type { Codes } from "../column/codes.js";
import { FIELDS, FIELD_COUNT, SHAPE_COLUMN, metadataColumn } from "../schema/fields.js";
import { Holdings } from "./holdings.js";
import type { MemoryBudget } from "./memory-budget.js";
import type { ColumnZone, Rows } from "./rows.js";

/** Rows in order of arrival, as a batch holds them. */
export interface ArrivedRows {
  /** Epoch ms. */
  readonly times: Float64Array;
  /** 16 bytes a row. */
  readonly ids: Uint8Array;
  /** Rows × fields of `FIELDS`. */
  readonly codes: Uint32Array;
  readonly shapes: Uint32Array;
  /** Codes of metadata values, row by row in the order of each row's shape. */
  readonly values: Uint32Array;
}

/** Rows of a metadata column that lie in a plain list: of many keys most are rare, and two columns of codes would take ten times as much. */
const FEW_ROW_COUNT = 8;
/** Estimate of what a column takes beside its rows. */
const COLUMN_BYTES = 120;

/** A metadata column of a head: only the rows that have the key. */
class GrowableSparse {
  /** Row, code, row, code; null once there are more than a few. */
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

  rows(): Uint32Array {
    return this.#rows === null ? this.#every(0) : new Uint32Array(this.#rows.view());
  }

  codes(): Codes {
    return this.#codes === null ? this.#every(1) : this.#codes.view();
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

/** Newest rows of a day, in order of arrival. Grows by whole durable batches until it is full. */
export class Head {
  #times = new Int32Array(64);
  #ids = new Uint8Array(64 * 16);
  #sequences = new Uint32Array(64);
  readonly #fields: readonly GrowableCodes[] = Array.from({ length: FIELD_COUNT }, () => new GrowableCodes());
  readonly #shapes = new GrowableCodes();
  readonly #metadata = new Map<number, GrowableSparse>();
  #rowCount = 0;
  #metadataValueCount = 0;
  #minMs = Infinity;
  #maxMs = -Infinity;
  #view: HeadView | null = null;
  /** What is derived from its rows once they are all there. */
  readonly #held: Holdings;

  constructor(
    readonly day: number,
    budget: MemoryBudget,
  ) {
    this.#held = new Holdings(budget);
  }

  /** Takes no more batches. */
  get isFull(): boolean {
    return this.#rowCount >= LIMITS.headPartRowCount;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get byteLength(): number {
    let byteLength = this.#times.byteLength + this.#ids.byteLength + this.#sequences.byteLength + this.#shapes.byteLength;
    for (const column of this.#fields) byteLength += column.byteLength;
    for (const column of this.#metadata.values()) byteLength += column.byteLength + COLUMN_BYTES;
    return byteLength;
  }

  /** Whether one of its rows has a metadata key. */
  hasKey(key: number): boolean {
    return this.#metadata.has(key);
  }

  /** Metadata values of all its rows. */
  get metadataValueCount(): number {
    return this.#metadataValueCount;
  }

  /** Metadata keys that its rows have. */
  get metadataColumnCount(): number {
    return this.#metadata.size;
  }

  /**
   * Appends the rows of a batch from `from` to before `to`, all of this day, column by column.
   * @param firstSequence that of the batch's row 0
   * @param valuesAt where the first row's metadata values begin
   * @param keysOf codes of the metadata keys of a shape
   * @returns where the metadata values of row `to` begin
   */
  append(batch: ArrivedRows, from: number, to: number, firstSequence: number, valuesAt: number, keysOf: (shape: number) => readonly number[]): number {
    const { times, ids, codes, shapes } = batch;
    const [start, count] = [this.#rowCount, to - from];
    while (start + count > this.#times.length) this.#grow();
    for (let row = from, at = start; row < to; row += 1, at += 1) {
      const ms = times[row]! - this.day * MS_PER_DAY;
      this.#times[at] = ms;
      this.#sequences[at] = firstSequence + row;
      if (ms < this.#minMs) this.#minMs = ms;
      if (ms > this.#maxMs) this.#maxMs = ms;
    }
    this.#ids.set(ids.subarray(from * 16, to * 16), start * 16);
    for (let field = 0; field < FIELD_COUNT; field += 1) this.#fields[field]!.pushAll(codes, from * FIELD_COUNT + field, FIELD_COUNT, count);
    this.#shapes.pushAll(shapes, from, 1, count);
    let next = valuesAt;
    for (let row = from; row < to; row += 1)
      for (const key of keysOf(shapes[row]!)) {
        this.#pushKey(key, start + row - from, batch.values[next]!);
        next += 1;
      }
    this.#rowCount = start + count;
    this.#metadataValueCount += next - valuesAt;
    this.#view = null;
    return next;
  }

  /** A frozen view of the rows so far. Cheap: no column is copied. */
  view(): Rows {
    this.#view ??= new HeadView(
      this.day,
      this.#rowCount,
      this.#minMs,
      this.#maxMs,
      this.#times.subarray(0, this.#rowCount),
      this.#ids.subarray(0, this.#rowCount * 16),
      this.#sequences.subarray(0, this.#rowCount),
      this.#columns(),
      this.isFull ? this.#held : null,
    );
    return this.#view;
  }

  /** Drops all that was derived. */
  forgetDerived(): void {
    this.#held.forget(() => true);
  }

  /** Its rows are sealed. */
  release(): void {
    this.#held.release();
  }

  #columns(): Map<string, CodeColumn> {
    const columns = new Map<string, CodeColumn>();
    FIELDS.forEach((field, index) => {
      const codes = this.#fields[index] as GrowableCodes;
      if (codes.max > 0) columns.set(field.column, { kind: "dense", codes: codes.view() });
    });
    if (this.#shapes.max > 0) columns.set(SHAPE_COLUMN, { kind: "dense", codes: this.#shapes.view() });
    for (const [key, sparse] of this.#metadata) {
      columns.set(metadataColumn(key), { kind: "sparse", rows: sparse.rows(), codes: sparse.codes(), rowCount: this.#rowCount });
    }
    return columns;
  }

  #pushKey(key: number, row: number, code: number): void {
    const column = this.#metadata.get(key);
    if (column === undefined) this.#metadata.set(key, new GrowableSparse(row, code));
    else column.push(row, code);
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    const times = new Int32Array(capacity);
    const ids = new Uint8Array(capacity * 16);
    const sequences = new Uint32Array(capacity);
    times.set(this.#times);
    ids.set(this.#ids);
    sequences.set(this.#sequences);
    this.#times = times;
    this.#ids = ids;
    this.#sequences = sequences;
  }
}

class HeadView implements Rows {
  readonly sealed = false;

  constructor(
    readonly day: number,
    readonly rowCount: number,
    readonly minMs: number,
    readonly maxMs: number,
    readonly timeValues: Int32Array,
    readonly idBytes: Uint8Array,
    readonly sequenceValues: Uint32Array,
    readonly columns: ReadonlyMap<string, CodeColumn>,
    readonly held: Holdings | null,
  ) {}

  get settled(): boolean {
    return this.held !== null;
  }

  zone(column: string): ColumnZone | null {
    return this.columns.has(column) ? { min: 0, max: 0xffffffff, hasZero: true } : null;
  }

  load(): null {
    return null;
  }

  who(): Promise<null> {
    return Promise.resolve(null);
  }

  column(name: string): CodeColumn {
    return this.columns.get(name) ?? absentColumn(this.rowCount);
  }

  columnNames(): readonly string[] {
    return [...this.columns.keys()];
  }

  times(): Int32Array {
    return this.timeValues;
  }

  ids(): Uint8Array {
    return this.idBytes;
  }

  sequences(): Uint32Array {
    return this.sequenceValues;
  }

  derive<T>(key: string, make: () => T, byteLength: (made: T) => number, since?: readonly object[]): T {
    return this.held === null ? make() : this.held.derive(key, make, byteLength, since);
  }

  kept(key: string, since: readonly object[]): unknown {
    return this.held === null ? null : this.held.get(key, since);
  }

  pin(): void {
    this.held?.pin();
  }

  unpin(): void {
    this.held?.unpin();
  }
}

