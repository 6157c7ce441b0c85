import { inOrder } from "../base/ahead.js";
import { LIMITS } from "../base/limits.js";
import type { Droppable, MemoryBudget } from "../segment/memory-budget.js";
import { Turns, nextTurn } from "../base/turn.js";
import type { Rows } from "../segment/rows.js";
import { firstAtLeast } from "../column/search.js";
import { HeadView } from "../segment/head.js";
import type { Missing } from "./missing.js";

/** Rows that a table has not taken yet. */
interface NewerRows {
  /** Sealed segments, from old days to new ones. */
  readonly segments: readonly Rows[];
  /** Of each head the rows that came since. */
  readonly heads: readonly HeadView[];
}

/** Rows of heads that are taken in one piece. Takes 1 to 60 ms. */
const PIECE_ROW_COUNT = LIMITS.headPartRowCount;

/**
 * Which rows of a store a table has taken: all up to a sequence. Seals and compactions put rows elsewhere, but each keeps its
 * sequence: what a table made of them stays true.
 */
export class RowsTaken {
  #sequence = 0;
  /** Segments with rows beyond the sequence, all of which were taken. */
  readonly #segments = new Set<Rows>();
  /** The rows that were all taken: a store that nothing came to shows the same list again. Weak, or heads would live on that are sealed. */
  #rows: WeakRef<readonly Rows[]> | null = null;

  /** Whether a row was taken before segments were: it lay in a head then. */
  has(sequence: number): boolean {
    return sequence <= this.#sequence;
  }

  /**
   * The rows that came since; null where a segment that was taken is gone before all that came with it were taken: the table
   * begins anew. Cost: the segments and heads.
   * @param rows all of a snapshot
   */
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

  /**
   * The earliest of the newer rows of heads, and their greatest sequence: as many as are taken in one turn, or as the earliest head has if it is not
   * much longer, because what is derived from a whole head is kept.
   * @param heads not empty
   */
  static firstOf(heads: readonly HeadView[], rowCount = PIECE_ROW_COUNT): { readonly heads: readonly HeadView[]; readonly sequence: number } {
    const { firstSequence, lastSequence } = heads.reduce((a, b) => (b.firstSequence < a.firstSequence ? b : a));
    const wanted = Math.max(firstSequence + rowCount - 1, lastSequence < firstSequence + 2 * rowCount ? lastSequence : 0);
    // What comes later has not been taken.
    const sequence = heads.reduce((last, head) => Math.max(last, Math.min(wanted, head.lastSequence)), 0);
    const pieces = heads.map((head) => (head.lastSequence <= sequence ? head : head.slice(0, firstAtLeast(head.sequences(), sequence + 1))));
    return { heads: pieces.filter((piece) => piece.rowCount > 0), sequence };
  }

  /** Whether these are the rows that were all taken last. */
  hasAll(rows: readonly Rows[]): boolean {
    return this.#rows?.deref() === rows;
  }

  hasSegment(segment: Rows): boolean {
    return segment.lastSequence <= this.#sequence || this.#segments.has(segment);
  }

  tookSegment(segment: Rows): void {
    this.#segments.add(segment);
  }

  /** All rows up to a sequence were taken, those of segments too. */
  tookUpTo(sequence: number): void {
    this.#sequence = sequence;
    for (const segment of this.#segments) if (segment.lastSequence <= sequence) this.#segments.delete(segment);
  }

  /** All rows of a snapshot were taken. @param sequence that of the snapshot */
  tookAll(rows: readonly Rows[], sequence: number): void {
    this.#sequence = sequence;
    this.#segments.clear();
    this.#rows = new WeakRef(rows);
  }

  /** Takes anew. */
  clear(): void {
    this.#sequence = 0;
    this.#segments.clear();
    this.#rows = null;
  }
}

/** Rows of heads up to which a question takes them in its own turn. Takes 1 to 40 ms. */
const ROWS_AT_ONCE = 4 * 1024;
/** So many times as many are taken at once by who waited for others already: while events arrive quickly, more come than are taken in turns. */
const MORE_AT_ONCE = 16;
/** What a row of a segment costs that is loaded and taken, in looks at a value. */
const VALUES_PER_ROW = 8;

/** The rows of one moment. */
export interface RowsOfMoment {
  readonly rows: readonly Rows[];
  /** The greatest of the rows. */
  readonly sequence: number;
  /** Counts rows that were looked at. */
  readonly looked: (rowCount: number) => void;
}

/** Questions that read tables, or wait for what they miss: none is dropped meanwhile. */
export interface TableUse {
  readerCount: number;
}

/**
 * A table over the rows of all time. It takes each row once: of a segment what is derived from it, of a head what came since.
 * In the memory budget: dropped, it is made anew. `T`: what is derived from rows.
 */
export abstract class StoreTable<T> implements Droppable {
  readonly #taken = new RowsTaken();
  #loading: Promise<void> | null = null;
  /** Goes up when it begins anew. */
  #generation = 0;
  /** Goes up when rows are taken. */
  #takeCount = 0;
  /** How often rows of heads were taken in turns since all were taken. */
  #waitCount = 0;
  byteLength = 0;
  lastUsed = 0;

  constructor(
    readonly budget: MemoryBudget,
    readonly use: TableUse,
  ) {}

  get pinned(): boolean {
    return this.use.readerCount > 0;
  }

  /** What is derived from a segment; null where it is not in memory. */
  protected abstract known(segment: Rows): T | null;
  /** The same, from storage if need be. */
  protected abstract load(segment: Rows): Promise<T>;
  /** What is derived from rows of a head, which are in memory. */
  protected abstract ofHead(rows: Rows): T;
  /** The same in turns, of many rows. */
  protected ofLongHead(rows: Rows): Promise<T> {
    return Promise.resolve(this.ofHead(rows));
  }
  /** Takes rows. @param isTaken tells by the sequence of a row whether it was taken before */
  protected abstract take(rows: Rows, made: T, isTaken: (sequence: number) => boolean): void;
  /** Forgets all. */
  protected abstract reset(): void;
  protected abstract measure(): number;

  /** Counts the times that it began anew: what was made of it before is worth nothing. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Takes the rows up to a moment that is no earlier than the last one, as far as they are in memory; false where something is missing.
   * Cost: the rows that came since.
   */
  takeRows(moment: RowsOfMoment, missing: Missing): boolean {
    const { rows, sequence, looked } = moment;
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
      // What is in memory takes its time too: of many rows the others are taken in turns.
      if (made === null || takenRowCount > LIMITS.turnValueCount) {
        missing.add(() => this.#loadSegments(segments, looked));
        return false;
      }
      this.#takeSegment(segment, made);
      takenRowCount += segment.rowCount;
    }
    const headRowCount = heads.reduce((sum, { rowCount }) => sum + rowCount, 0);
    if (headRowCount > ROWS_AT_ONCE * MORE_AT_ONCE ** this.#waitCount) {
      missing.add(() => (this.#loading ??= this.#takeHeads(moment).finally(() => (this.#loading = null))));
      return false;
    }
    looked(headRowCount);
    for (const head of heads) this.take(head, this.ofHead(head), isTaken);
    this.#taken.tookAll(rows, sequence);
    this.#takeCount += 1;
    this.#waitCount = 0;
    this.#count();
    return true;
  }

  /** Begins anew. */
  clear(): void {
    this.#taken.clear();
    this.#generation += 1;
    this.reset();
    this.#count();
  }

  drop(): void {
    this.#taken.clear();
    this.#generation += 1;
    this.reset();
    this.byteLength = 0;
  }

  #takeSegment(segment: Rows, made: T): void {
    this.take(segment, made, (sequence) => this.#taken.has(sequence));
    this.#taken.tookSegment(segment);
    this.#takeCount += 1;
  }

  /** One load at a time: who asks meanwhile waits for it. */
  #loadSegments(segments: readonly Rows[], looked: (rowCount: number) => void): Promise<void> {
    this.#loading ??= this.#loadAll(segments, looked).finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #loadAll(segments: readonly Rows[], looked: (rowCount: number) => void): Promise<void> {
    const generation = this.#generation;
    const turns = new Turns();
    const load = async (segment: Rows) => {
      // Where nothing waits for a disk, who asked could not even be stopped.
      await turns.took(segment.rowCount * VALUES_PER_ROW);
      return await this.load(segment);
    };
    await inOrder(segments, load, async (made, segment) => {
      looked(segment.rowCount);
      if (generation !== this.#generation) return false;
      if (this.#taken.hasSegment(segment)) return true;
      this.#takeSegment(segment, made);
      // Others were loaded meanwhile, and would be taken at once.
      await nextTurn();
      return true;
    });
    this.#count();
  }

  /** Takes the rows of heads from the earliest on, in turns. Others may take some of them meanwhile. */
  async #takeHeads({ rows, looked }: RowsOfMoment): Promise<void> {
    const generation = this.#generation;
    const turns = new Turns();
    for (;;) {
      const newer = this.#taken.newer(rows);
      // Whoever asks again has the segments of then.
      if (newer === null || newer.segments.length > 0 || newer.heads.length === 0) break;
      const takeCount = this.#takeCount;
      const { heads, sequence } = RowsTaken.firstOf(newer.heads);
      const rowCount = heads.reduce((sum, head) => sum + head.rowCount, 0);
      const made: T[] = [];
      for (const head of heads) made.push(await this.ofLongHead(head));
      if (generation !== this.#generation) return;
      if (takeCount !== this.#takeCount) continue;
      looked(rowCount);
      for (const [at, head] of heads.entries()) this.take(head, made[at] as T, (row) => this.#taken.has(row));
      this.#taken.tookUpTo(sequence);
      this.#takeCount += 1;
      await turns.took(rowCount * VALUES_PER_ROW);
      if (generation !== this.#generation) return;
    }
    this.#waitCount += 1;
    this.#count();
  }

  #count(): void {
    this.budget.remove(this);
    this.byteLength = this.measure();
    this.budget.add(this);
  }
}
