/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their batch */
import { MS_PER_DAY } from "../../core/base/time.js";
import type { CodeColumn } from "../column/column.js";
import { GrowableCodes } from "../column/codes.js";
import { FIELDS, FIELD_COUNT, SHAPE_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import { firstAtLeast } from "../column/search.js";

/** Rows up to which a metadata column is a plain list: most keys are rare, and two columns of codes would take ten times as much memory. */
const FEW_ROW_COUNT = 8;

/** A metadata column of a head: only the rows that have the key. */
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

/** The columns of a head. They only grow at the end, so what was read of some rows stays valid. */
export class HeadColumns {
  #times = new Int32Array(64);
  #ids = new Uint8Array(64 * 16);
  #sequences = new Uint32Array(64);
  readonly #fields: readonly GrowableCodes[] = Array.from({ length: FIELD_COUNT }, () => new GrowableCodes());
  readonly #shapes = new GrowableCodes();
  readonly #metadata = new Map<number, GrowableSparse>();
  readonly #shown = new Map<string, FilledColumn>();
  #rowCount = 0;

  /** @param day the day of all rows */
  constructor(readonly day: number) {}

  get rowCount(): number {
    return this.#rowCount;
  }

  get byteLength(): number {
    let byteLength = this.#times.byteLength + this.#ids.byteLength + this.#sequences.byteLength + this.#shapes.byteLength;
    for (const column of this.#fields) byteLength += column.byteLength;
    for (const column of this.#metadata.values()) byteLength += column.byteLength + COLUMN_BYTES;
    return byteLength;
  }

  /** Number of columns in which any row has a code other than 0. */
  get shownCount(): number {
    return this.#shown.size;
  }

  get metadataColumnCount(): number {
    return this.#metadata.size;
  }

  hasKey(key: number): boolean {
    return this.#metadata.has(key);
  }

  /** Whether a column is among the first `shownCount` shown ones. */
  has(name: string, shownCount: number): boolean {
    const shown = this.#shown.get(name);
    return shown !== undefined && shown.place < shownCount;
  }

  names(shownCount: number): string[] {
    return [...this.#shown.keys()].slice(0, shownCount);
  }

  /** Codes of the rows in `[from, to)` of a shown column. */
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

  /** Like `Head.append`, column by column. */
  append(batch: ArrivedRows, from: number, to: number, firstSequence: number, valuesAt: number, keysOf: (shape: number) => readonly number[]): number {
    const { times, ids, codes, shapes, places } = batch;
    const [start, count] = [this.#rowCount, to - from];
    while (start + count > this.#times.length) this.#grow();
    const [msOfDay, sequences, dayMs] = [this.#times, this.#sequences, this.day * MS_PER_DAY];
    for (let row = from, at = start; row < to; row += 1, at += 1) {
      msOfDay[at] = times[row]! - dayMs;
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
    return next;
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
