import { inOrder } from "../../core/base/promises.js";
import { LIMITS } from "../../core/base/limits.js";
import { Scratch, type NumberMemory } from "../../core/base/scratch.js";
import { BudgetedTable } from "../segment/memory-budget.js";
import { Yielder, yieldToEventLoop } from "../../core/base/yield.js";
import type { Rows } from "../segment/rows.js";
import { firstAtLeast } from "../../core/base/search.js";
import { HeadView } from "../segment/head.js";
import type { PendingLoads } from "./pending-loads.js";

interface NewerRows {
  /** Sealed segments by ascending day. */
  readonly segments: readonly Rows[];
  readonly heads: readonly HeadView[];
}

/** Head rows consumed per step. A step takes 1 to 60 ms. */
const PIECE_ROW_COUNT = LIMITS.headPartRowCount;

/** Tracks the rows that a table has consumed: all up to a sequence, which each row keeps when seals and compactions move it. */
export class Watermark {
  #sequence = 0;
  /** Consumed segments with rows beyond the sequence. */
  readonly #segments = new Set<Rows>();
  /** The last list that was consumed whole: a store without new rows returns the same list. Weak, so that sealed heads can be freed. */
  #rows: WeakRef<readonly Rows[]> | null = null;

  /** Whether a row of a segment was consumed earlier, from a head. */
  has(sequence: number): boolean {
    return sequence <= this.#sequence;
  }

  /** The rows not consumed yet; null when a consumed segment disappeared before the rest of its snapshot was consumed: the table must restart. */
  newer(rows: readonly Rows[]): NewerRows | null {
    const segments: Rows[] = [];
    const heads: HeadView[] = [];
    let takenCount = 0;
    for (const part of rows) {
      if (part.lastSequence <= this.#sequence) continue;
      if (this.#segments.has(part)) takenCount += 1;
      else if (!(part instanceof HeadView)) segments.push(part);
      else heads.push(part.firstSequence > this.#sequence ? part : part.slice(firstAtLeast(part.sequences(), this.#sequence + 1)));
    }
    return takenCount < this.#segments.size ? null : { segments: segments.sort((a, b) => a.day - b.day), heads };
  }

  /** The earliest head rows: `rowCount`, or a whole head below twice as many, whose derived values are cached. @param heads not empty */
  static firstOf(heads: readonly HeadView[], rowCount = PIECE_ROW_COUNT): { readonly heads: readonly HeadView[]; readonly sequence: number } {
    const { firstSequence, lastSequence } = heads.reduce((a, b) => (b.firstSequence < a.firstSequence ? b : a));
    const wanted = Math.max(firstSequence + rowCount - 1, lastSequence < firstSequence + 2 * rowCount ? lastSequence : 0);
    // Not beyond the last row: later rows are not consumed yet.
    const sequence = heads.reduce((last, head) => Math.max(last, Math.min(wanted, head.lastSequence)), 0);
    const pieces = heads.map((head) => (head.lastSequence <= sequence ? head : head.slice(0, firstAtLeast(head.sequences(), sequence + 1))));
    return { heads: pieces.filter((piece) => piece.rowCount > 0), sequence };
  }

  hasAll(rows: readonly Rows[]): boolean {
    return this.#rows?.deref() === rows;
  }

  hasSegment(segment: Rows): boolean {
    return segment.lastSequence <= this.#sequence || this.#segments.has(segment);
  }

  consumedSegment(segment: Rows): void {
    this.#segments.add(segment);
  }

  /** Marks all rows up to a sequence as consumed, those of segments too. */
  consumedUpTo(sequence: number): void {
    this.#sequence = sequence;
    for (const segment of this.#segments) if (segment.lastSequence <= sequence) this.#segments.delete(segment);
  }

  /** Marks all rows of a snapshot as consumed. @param sequence that of the snapshot */
  consumedAll(rows: readonly Rows[], sequence: number): void {
    this.#sequence = sequence;
    this.#segments.clear();
    this.#rows = new WeakRef(rows);
  }

  clear(): void {
    this.#sequence = 0;
    this.#segments.clear();
    this.#rows = null;
  }
}

/** Head rows that a query consumes without yielding. Takes 1 to 40 ms. */
const ROWS_AT_ONCE = 4 * 1024;
/** Factor on that bound for each yielding pass that callers waited for: while events arrive fast, more rows arrive than a pass consumes. */
const MORE_AT_ONCE = 16;
const VALUES_PER_ROW = 8;

export interface RowsOfSnapshot {
  readonly rows: readonly Rows[];
  readonly sequence: number;
  readonly onRowsRead: (rowCount: number) => void;
}

/** An all-time table, which consumes each row once, and is rebuilt after the budget dropped it. `T`: what is derived from rows. */
export abstract class StoreTable<T> extends BudgetedTable {
  readonly #taken = new Watermark();
  /** One load at a time: later callers wait for it. */
  #loading: Promise<void> | null = null;
  #generation = 0;
  #takeCount = 0;
  /** Yielding passes over head rows since all rows were consumed. */
  #waitCount = 0;

  /** The value derived from a segment; null when it is not in memory. */
  protected abstract known(segment: Rows): T | null;
  /** @param scratch released once the value was consumed */
  protected abstract load(segment: Rows, scratch: NumberMemory): Promise<T>;
  protected abstract ofHead(rows: Rows): T;
  /** The same for many rows, yielding. */
  protected ofLongHead(rows: Rows): Promise<T> {
    return Promise.resolve(this.ofHead(rows));
  }
  /** Consumes rows. @param isTaken whether the row with this sequence was consumed before */
  protected abstract take(rows: Rows, made: T, isTaken: (sequence: number) => boolean): void;
  protected abstract reset(): void;
  protected abstract measure(): number;

  /** Number of restarts: what was derived from the table before a restart is invalid. */
  get generation(): number {
    return this.#generation;
  }

  /** Consumes the rows up to a snapshot no earlier than the last one; false when some are not in memory. Cost: the new rows. */
  takeRows(moment: RowsOfSnapshot, pending: PendingLoads): boolean {
    const { rows, sequence, onRowsRead } = moment;
    if (this.#taken.hasAll(rows)) {
      this.budget.touch(this);
      return true;
    }
    let newer = this.#taken.newer(rows);
    if (newer === null) {
      this.clear();
      newer = this.#taken.newer(rows);
    }
    const { segments = [], heads = [] } = newer ?? {};
    const isTaken = (row: number) => this.#taken.has(row);
    let takenRowCount = 0;
    for (const segment of segments) {
      const made = this.known(segment);
      // Consuming loaded rows takes time too: above the limit, the rest is consumed with yields.
      if (made === null || takenRowCount > LIMITS.turnValueCount) {
        pending.add(() => (this.#loading ??= this.#loadSegments(segments, onRowsRead).finally(() => (this.#loading = null))));
        return false;
      }
      this.#takeSegment(segment, made);
      takenRowCount += segment.rowCount;
    }
    const headRowCount = heads.reduce((sum, { rowCount }) => sum + rowCount, 0);
    if (headRowCount > ROWS_AT_ONCE * MORE_AT_ONCE ** this.#waitCount) {
      pending.add(() => (this.#loading ??= this.#takeHeads(moment).finally(() => (this.#loading = null))));
      return false;
    }
    onRowsRead(headRowCount);
    for (const head of heads) this.take(head, this.ofHead(head), isTaken);
    this.#taken.consumedAll(rows, sequence);
    this.#takeCount += 1;
    this.#waitCount = 0;
    this.setByteLength(this.measure());
    return true;
  }

  clear(): void {
    this.#taken.clear();
    this.#generation += 1;
    this.reset();
    this.setByteLength(this.measure());
  }

  drop(): void {
    this.#taken.clear();
    this.#generation += 1;
    this.reset();
    this.byteLength = 0;
  }

  #takeSegment(segment: Rows, made: T): void {
    this.take(segment, made, (sequence) => this.#taken.has(sequence));
    this.#taken.consumedSegment(segment);
    this.#takeCount += 1;
  }

  async #loadSegments(segments: readonly Rows[], onRowsRead: (rowCount: number) => void): Promise<void> {
    const generation = this.#generation;
    const yielder = new Yielder();
    const load = async (segment: Rows) => {
      // When no load waits for a disk, only this yields; without it the query could not be cancelled.
      await yielder.yieldAfter(segment.rowCount * VALUES_PER_ROW);
      const scratch = new Scratch();
      return { made: await this.load(segment, scratch), scratch };
    };
    await inOrder(segments, load, async ({ made, scratch }, segment) => {
      onRowsRead(segment.rowCount);
      if (generation !== this.#generation) return false;
      const isTaken = this.#taken.hasSegment(segment);
      if (!isTaken) this.#takeSegment(segment, made);
      scratch.releaseAll();
      if (isTaken) return true;
      // More segments were loaded meanwhile; without a yield they would all be consumed at once.
      await yieldToEventLoop();
      return true;
    });
    this.setByteLength(this.measure());
  }

  /** Consumes head rows from the earliest on, yielding. Another call may consume some of them meanwhile. */
  async #takeHeads({ rows, onRowsRead }: RowsOfSnapshot): Promise<void> {
    const generation = this.#generation;
    const yielder = new Yielder();
    for (;;) {
      const newer = this.#taken.newer(rows);
      // A retry has the new segments.
      if (newer === null || newer.segments.length > 0 || newer.heads.length === 0) break;
      const takeCount = this.#takeCount;
      const { heads, sequence } = Watermark.firstOf(newer.heads);
      const rowCount = heads.reduce((sum, head) => sum + head.rowCount, 0);
      const made: T[] = [];
      for (const head of heads) made.push(await this.ofLongHead(head));
      if (generation !== this.#generation) return;
      if (takeCount !== this.#takeCount) continue;
      onRowsRead(rowCount);
      for (const [at, head] of heads.entries()) this.take(head, made[at] as T, (row) => this.#taken.has(row));
      this.#taken.consumedUpTo(sequence);
      this.#takeCount += 1;
      await yielder.yieldAfter(rowCount * VALUES_PER_ROW);
      if (generation !== this.#generation) return;
    }
    this.#waitCount += 1;
    this.setByteLength(this.measure());
  }
}
