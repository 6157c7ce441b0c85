import fc from "fast-check";
import { expect, test } from "vitest";
import { Watermark } from "../../../src/storage/derived/store-table.js";
import { Head } from "../../../src/storage/segment/head.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { PROJECT_TEXTS, appendRow, idBytes } from "../segment/rows-of.js";
import { baseSeed } from "../../oracle/settings.js";

/** What the rows of a store lie in, as far as a table asks where. */
class Parts {
  segments: Rows[] = [];
  readonly heads = new Map<number, Head>();
  sequence = 0;

  append(day: number): void {
    const head = this.heads.get(day) ?? new Head(day, new MemoryBudget(1e9), PROJECT_TEXTS);
    this.heads.set(day, head);
    this.sequence += 1;
    appendRow(head, { ms: 0, id: idBytes(this.sequence), sequence: this.sequence });
  }

  seal(): void {
    for (const [day, head] of this.heads) this.segments.push(segmentOf(day, Array.from(head.view().sequences())));
    this.heads.clear();
  }

  compact(day: number): void {
    const merged = this.segments.filter((segment) => segment.day === day);
    if (merged.length < 2) return;
    this.segments = [...this.segments.filter((segment) => segment.day !== day), segmentOf(day, merged.flatMap((segment) => Array.from(segment.sequences())))];
  }

  rows(): Rows[] {
    return [...this.segments, ...[...this.heads.values()].map((head) => head.view())];
  }
}

/** In the order of time and ids sequences come in any: here backwards. */
function segmentOf(day: number, sequences: readonly number[]): Rows {
  const [firstSequence, lastSequence] = [Math.min(...sequences), Math.max(...sequences)];
  const part: Partial<Rows> = { day, sealed: true, firstSequence, lastSequence, sequences: () => Uint32Array.from(sequences).sort().reverse() };
  return part as Rows; // Of a segment it is asked nothing else.
}

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("append" as const), day: fc.nat({ max: 2 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("seal" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const), day: fc.nat({ max: 2 }) }) },
    // A load that stops after some segments: the next moment may be another.
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("take" as const), segmentCount: fc.constantFrom(0, 1, 2, Infinity, Infinity) }) },
    // All segments, and some pieces of the heads.
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("begin to take" as const), pieceCount: fc.integer({ min: 1, max: 3 }), rowCount: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
  ),
  { maxLength: 40 },
);

test("Each row is taken once, whatever seals and compactions do between, and between the parts of one moment.", () => {
  fc.assert(
    fc.property(steps, (ops) => {
      const parts = new Parts();
      const taken = new Watermark();
      let table: number[] = [];
      const begin = () => {
        taken.clear();
        table = [];
      };
      const take = (rows: Rows) => table.push(...[...rows.sequences()].filter((sequence) => !taken.has(sequence)));
      for (const op of ops) {
        if (op.kind === "append") parts.append(op.day);
        else if (op.kind === "seal") parts.seal();
        else if (op.kind === "compact") parts.compact(op.day);
        else if (op.kind === "clear") begin();
        else if (op.kind === "begin to take") {
          if (taken.newer(parts.rows()) === null) begin();
          for (const segment of taken.newer(parts.rows())?.segments ?? []) {
            take(segment);
            taken.consumedSegment(segment);
          }
          for (let piece = 0; piece < op.pieceCount; piece += 1) {
            const { heads = [] } = taken.newer(parts.rows()) ?? {};
            if (heads.length === 0) break;
            const first = Watermark.firstOf(heads, op.rowCount);
            const rowCount = first.heads.reduce((sum, head) => sum + head.rowCount, 0);
            expect(rowCount).toBeGreaterThan(0);
            expect(rowCount).toBeLessThanOrEqual(2 * op.rowCount);
            for (const head of first.heads) take(head);
            taken.consumedUpTo(first.sequence);
          }
        } else {
          if (taken.newer(parts.rows()) === null) begin();
          const { segments = [], heads = [] } = taken.newer(parts.rows()) ?? {};
          expect(segments.map(({ day }) => day)).toEqual(segments.map(({ day }) => day).sort());
          for (const segment of segments.slice(0, op.segmentCount)) {
            expect(taken.hasSegment(segment)).toBe(false);
            take(segment);
            taken.consumedSegment(segment);
            expect(taken.hasSegment(segment)).toBe(true);
          }
          if (op.segmentCount < segments.length) continue;
          // What was taken of a head is not even looked at again.
          for (const head of heads) expect([...head.sequences()].filter((sequence) => taken.has(sequence))).toEqual([]);
          for (const head of heads) take(head);
          taken.consumedAll(parts.rows(), parts.sequence);
          expect([...table].sort((a, b) => a - b)).toEqual(Array.from({ length: parts.sequence }, (_, at) => at + 1));
        }
      }
    }),
    { seed: baseSeed, numRuns: 500 },
  );
});
