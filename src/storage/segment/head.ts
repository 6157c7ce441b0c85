/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their count */
import { LIMITS } from "../../core/base/limits.js";
import { absentColumn, codeAt } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import { HeadColumns, type ArrivedRows } from "./head-columns.js";
import { DerivedCache } from "./derived-cache.js";
import type { MemoryBudget } from "./memory-budget.js";
import { PROJECT_COLUMN } from "../../core/schema/fields.js";
import type { ColumnZone, Folding, Rows } from "./rows.js";
import type { ProjectTexts } from "./segment.js";
import { actorTriplesOf, type ActorTriples } from "./summaries.js";

/** The newest rows of a day, in order of arrival. Grows by durable batches until it is full. */
export class Head {
  readonly #columns: HeadColumns;
  #metadataValueCount = 0;
  #minMs = Infinity;
  #maxMs = -Infinity;
  #view: HeadView | null = null;
  /** Data derived from the rows so far. */
  readonly held: DerivedCache;

  constructor(
    readonly day: number,
    budget: MemoryBudget,
    readonly projects: ProjectTexts,
  ) {
    this.#columns = new HeadColumns(day);
    this.held = new DerivedCache(budget);
  }

  /** Whether it accepts no more rows. */
  get isFull(): boolean {
    return this.#columns.rowCount >= LIMITS.headPartRowCount;
  }

  get rowCount(): number {
    return this.#columns.rowCount;
  }

  get byteLength(): number {
    return this.#columns.byteLength;
  }

  /** Smallest and largest ms of the day. */
  get minMs(): number {
    return this.#minMs;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  /** Whether any row has a metadata key. */
  hasKey(key: number): boolean {
    return this.#columns.hasKey(key);
  }

  /** Metadata values of all its rows. */
  get metadataValueCount(): number {
    return this.#metadataValueCount;
  }

  /** Number of metadata keys that the rows have. */
  get metadataColumnCount(): number {
    return this.#columns.metadataColumnCount;
  }

  /**
   * Appends the rows in `[from, to)` of a batch, all of this day.
   * @param firstSequence sequence of the batch's row 0
   * @param valuesAt index of the first row's first metadata value
   * @param keysOf codes of the metadata keys of a shape
   * @returns index of the first metadata value of row `to`
   */
  append(batch: ArrivedRows, from: number, to: number, firstSequence: number, valuesAt: number, keysOf: (shape: number) => readonly number[]): number {
    const start = this.#columns.rowCount;
    const next = this.#columns.append(batch, from, to, firstSequence, valuesAt, keysOf);
    const times = this.#columns.times(start, this.#columns.rowCount);
    for (let row = 0; row < times.length; row += 1) {
      if (times[row]! < this.#minMs) this.#minMs = times[row]!;
      if (times[row]! > this.#maxMs) this.#maxMs = times[row]!;
    }
    this.#metadataValueCount += next - valuesAt;
    this.#view = null;
    return next;
  }

  /** A frozen view of the rows so far. Cheap: copies no columns, and reads them only on demand. */
  view(): HeadView {
    const { rowCount, shownCount } = this.#columns;
    this.#view ??= new HeadView(this, this.#columns, 0, rowCount, shownCount, this.#minMs, this.#maxMs);
    return this.#view;
  }

  /** Drops all derived data. */
  forgetDerived(): void {
    this.held.forget(() => true);
  }

  /** Frees derived data once the rows are sealed. */
  release(): void {
    this.held.release();
  }
}

/** A cached value of `fold`, which covers the first `rowCount` rows. */
interface Folded {
  readonly value: unknown;
  readonly rowCount: number;
}

/** The rows in `[first, end)` of a head, as of when the view was created. */
export class HeadView implements Rows {
  readonly sealed = false;
  readonly settled: boolean;
  readonly rowCount: number;
  readonly #read = new Map<string, CodeColumn>();
  #times: Int32Array | null = null;
  #ids: Uint8Array | null = null;
  #sequences: Uint32Array | null = null;

  constructor(
    readonly head: Head,
    readonly columns: HeadColumns,
    readonly first: number,
    readonly end: number,
    /** Columns added later are hidden. */
    readonly shownCount: number,
    readonly minMs: number,
    readonly maxMs: number,
  ) {
    this.rowCount = end - first;
    this.settled = first === 0 && head.isFull && end === head.rowCount;
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
    const { head, columns, first, shownCount, minMs, maxMs } = this;
    return new HeadView(head, columns, first + from, first + to, shownCount, minMs, maxMs);
  }

  zone(column: string): ColumnZone | null {
    return this.columns.has(column, this.shownCount) ? { min: 0, max: 0xffffffff, hasZero: true } : null;
  }

  load(): null {
    return null;
  }

  knownWho(): null {
    return null;
  }

  excerpt(): Promise<null> {
    return Promise.resolve(null);
  }

  who(): Promise<ActorTriples> {
    return actorTriplesOf(this.rowCount, (name) => this.column(name));
  }

  column(name: string): CodeColumn {
    let column = this.#read.get(name);
    if (column === undefined) {
      column = this.columns.has(name, this.shownCount) ? this.columns.column(name, this.first, this.end) : absentColumn(this.rowCount);
      this.#read.set(name, column);
    }
    return column;
  }

  columnNames(): readonly string[] {
    return this.columns.names(this.shownCount);
  }

  times(): Int32Array {
    return (this.#times ??= this.columns.times(this.first, this.end));
  }

  ids(): Uint8Array {
    return (this.#ids ??= this.columns.ids(this.first, this.end));
  }

  projectOf(row: number): string {
    return this.head.projects.valueOf(codeAt(this.column(PROJECT_COLUMN), row));
  }

  sequences(): Uint32Array {
    return (this.#sequences ??= this.columns.sequences(this.first, this.end));
  }

  derive<T>(key: string, make: () => T, byteLength: (made: T) => number, since?: readonly object[]): T {
    return this.settled ? this.head.held.derive(key, make, byteLength, since) : make();
  }

  fold<T>(key: string, { of, join, byteLength }: Folding<T>): T {
    const { held } = this.head;
    const known = this.first === 0 ? (held.get(key) as Folded | null) : null;
    // A query that began earlier sees fewer rows than the cached value covers.
    if (this.first > 0 || (known !== null && known.rowCount > this.end)) return of(this, 0);
    // Each key is used by one caller only, so the type fits.
    if (known?.rowCount === this.end) return known.value as T;
    const value = known === null ? of(this, 0) : join(known.value as T, of(this.slice(known.rowCount), known.rowCount));
    held.hold(key, { value, rowCount: this.end } satisfies Folded, byteLength(value));
    return value;
  }

  kept(key: string, since: readonly object[]): unknown {
    return this.settled ? this.head.held.get(key, since) : null;
  }

  pin(): void {
    this.head.held.pin();
  }

  unpin(): void {
    this.head.held.unpin();
  }
}
