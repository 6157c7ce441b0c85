import { describe, expect, test } from "vitest";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { mergeRows } from "../../../src/storage/segment/merge-rows.js";
import { Head } from "../../../src/storage/segment/head.js";
import type { Segment } from "../../../src/storage/segment/segment.js";
import { Span, SpanTree, type SpanPart } from "../../../src/storage/segment/span.js";
import { StoreFiles } from "../../../src/store/files/files.js";
import { memoryStorage } from "../../../src/store/storage/memory-storage.js";
import { PROJECT_TEXTS, appendRow } from "./rows-of.js";

const budget = new MemoryBudget(1e9);
const files = new StoreFiles(memoryStorage(), budget);
let nextFile = 1;

/** A segment with a row at each of these milliseconds of its day. */
async function segmentOf(day: number, times: readonly number[] = [0]): Promise<Segment> {
  const head = new Head(day, budget, PROJECT_TEXTS);
  for (const ms of times) appendRow(head, { ms, id: new Uint8Array(16).fill(ms % 200), sequence: ms + 1 });
  nextFile += 1;
  return (await files.writeSegment(nextFile, await mergeRows([head.view()]), [])).segment;
}

const segmentsOf = (days: readonly number[]) => Promise.all(days.map((day) => segmentOf(day)));

/** Days in brackets as they are nested. */
function shapeOf(parts: readonly SpanPart[]): unknown[] {
  return parts.map((part) => (part instanceof Span ? shapeOf(part.parts) : part.day));
}

function segmentsIn(parts: readonly SpanPart[]): Segment[] {
  return parts.flatMap((part) => (part instanceof Span ? part.segments : part instanceof Head ? [] : [part]));
}

const ofSegments = (value: unknown) => ({ value, rowCounts: [] });

describe("a tree of spans", () => {
  test("nests a day, four days, sixteen and sixty-four, and nothing in itself alone", async () => {
    const days = [0, 1, 1, 3, 4, 15, 16, 63, 64, 200];
    const tree = SpanTree.of(await segmentsOf(days), [], SpanTree.EMPTY, budget);
    expect(shapeOf(tree.parts)).toEqual([[[[0, [1, 1], 3], 4, 15], 16, 63], 64, 200]);
  });

  test("holds every segment once, from old to new, days before 1970 too", async () => {
    const segments = await segmentsOf([-70, -5, -4, -1, -1, 0, 2, 90]);
    const tree = SpanTree.of(segments, [], SpanTree.EMPTY, budget);
    expect(segmentsIn(tree.parts)).toEqual(segments);
  });

  test("tells how many parts it has and its first and last moment", async () => {
    const segments = [await segmentOf(4, [50, 900]), await segmentOf(4, [20, 30, 100]), await segmentOf(5, [10])];
    const [span] = SpanTree.of(segments, [], SpanTree.EMPTY, budget).parts;
    const { partCount, firstMs, lastMs } = span as Span;
    expect([partCount, firstMs, lastMs]).toEqual([3, 4 * 86_400_000 + 20, 5 * 86_400_000 + 10]);
  });

  test("keeps the spans whose segments stay, and releases the others", async () => {
    const segments = await segmentsOf([0, 1, 4, 5]);
    const before = SpanTree.of(segments, [], SpanTree.EMPTY, budget);
    const [early, late] = (before.parts[0] as Span).parts as [Span, Span];
    early.cache("answer", ofSegments(1), 8);
    late.cache("answer", ofSegments(2), 8);
    const one = await segmentOf(5);
    const heldBytes = budget.byteLength;
    const after = SpanTree.of([...segments, one], [], before, budget);
    const [sameEarly, newLate] = (after.parts[0] as Span).parts as [Span, Span];
    expect(sameEarly).toBe(early);
    expect(sameEarly.cached("answer")?.value).toBe(1);
    expect(newLate).not.toBe(late);
    expect(newLate.cached("answer")).toBeNull();
    expect(budget.byteLength).toBeLessThan(heldBytes);
    const counted = budget.byteLength;
    late.cache("late answer", ofSegments(3), 1_000);
    expect(budget.byteLength, "a question that still reads it costs no memory for good").toBe(counted);
  });

  test("goes on with what is kept where heads are added, and no longer where a head left", async () => {
    const headOn = (day: number) => {
      const head = new Head(day, budget, PROJECT_TEXTS);
      appendRow(head, { ms: 7, id: new Uint8Array(16), sequence: 1 });
      return head;
    };
    const segments = await segmentsOf([0, 1]);
    const [first, second] = [headOn(1), headOn(0)];
    const before = SpanTree.of(segments, [first], SpanTree.EMPTY, budget);
    (before.parts[0] as Span).cache("answer", { value: 1, rowCounts: [1] }, 8);
    const after = SpanTree.of(segments, [second, first], before, budget);
    const [span] = after.parts as [Span];
    expect(span.cached("answer")).toEqual({ value: 1, rowCounts: [1] });
    expect(span.heads, "those that were there keep their places").toEqual([first, second]);
    expect([span.partCount, span.firstMs, span.lastMs]).toEqual([4, 0, 86_400_000 + 7]);
    const [sealed] = SpanTree.of([...segments, await segmentOf(1)], [second], after, budget).parts as [Span];
    expect(sealed.cached("answer")).toBeNull();
    span.cache("answer", { value: 2, rowCounts: [1, 1] }, 8);
    expect((SpanTree.of(segments, [second], after, budget).parts[0] as Span).cached("answer")).toBeNull();
  });
});
