import { LIMITS } from "../base/limits.js";
import { firstAtLeast } from "../column/search.js";
import { HeadView } from "../segment/head.js";
import type { Rows } from "../segment/rows.js";

/** Rows that a table has not taken yet. */
export interface NewerRows {
  /** Sealed segments, from old days to new ones. */
  readonly segments: readonly Rows[];
  /** Of each head the rows that came since. */
  readonly heads: readonly HeadView[];
}

/** Rows of heads that are taken in one turn. */
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

  /** Up to which all were. */
  get sequence(): number {
    return this.#sequence;
  }

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
   * Those of the newer rows of heads that are taken first, and up to which sequence: at most as many as one turn can take. Where a head is that
   * long, all of it: what is derived from a whole head is kept.
   * @param heads some are newer
   */
  static firstOf(heads: readonly HeadView[], rowCount = PIECE_ROW_COUNT): { readonly heads: readonly HeadView[]; readonly sequence: number } {
    const firstSequence = Math.min(...heads.map((head) => head.firstSequence));
    const sequence = Math.min(firstSequence + rowCount - 1, ...heads.map((head) => head.lastSequence));
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

  /** All rows up to a sequence were taken, of which some may lie in segments that were taken whole. */
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
