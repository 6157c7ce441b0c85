import { HeadView } from "../segment/head.js";
import type { Rows } from "../segment/rows.js";

/** Rows that a table has not taken yet. */
export interface NewerRows {
  /** Sealed segments, from old days to new ones. */
  readonly segments: readonly Rows[];
  /** Of each head the rows that came since. */
  readonly heads: readonly Rows[];
}

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
    const heads: Rows[] = [];
    let takenCount = 0;
    for (const part of rows) {
      if (part.lastSequence <= this.#sequence) continue;
      if (this.#segments.has(part)) takenCount += 1;
      else if (!(part instanceof HeadView)) segments.push(part);
      else heads.push(part.firstSequence > this.#sequence ? part : part.since(firstAfter(part.sequences(), this.#sequence)));
    }
    return takenCount < this.#segments.size ? null : { segments: segments.sort((a, b) => a.day - b.day), heads };
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

/** Rows of a head lie in the order of their sequences. */
function firstAfter(sequences: Uint32Array, sequence: number): number {
  let low = 0;
  let high = sequences.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sequences[middle] as number) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
