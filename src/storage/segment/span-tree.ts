import { areSameParts } from "../../core/base/same-parts.js";
import { Head } from "./head.js";
import type { MemoryBudget } from "./memory-budget.js";
import type { Segment } from "./segment.js";
import { Span, type SpanPart } from "./span.js";

/**
 * Days per span of each level, aligned to multiples: a window of d days consists of a few spans of every level.
 * There are few levels because each caches about as much as the one below it.
 */
const LEVEL_DAY_COUNTS = [1, 4, 16, 64];

interface Placed {
  readonly day: number;
  readonly part: SpanPart;
}

/** The segments and heads of a store as a tree of spans, so that a query over a window combines few of them. */
export class SpanTree {
  private constructor(
    /** All top-level parts, oldest first. */
    readonly parts: readonly SpanPart[],
    /** By days per span, and the index of the span at that level. */
    readonly spans: ReadonlyMap<string, Span>,
    readonly segments: readonly Segment[],
    readonly heads: readonly Head[],
  ) {}

  static readonly EMPTY = new SpanTree([], new Map(), [], []);

  /**
   * Reuses the spans of a former tree whose segments and heads are unchanged, and the caches of those to which only heads were added;
   * releases the others.
   * @param segments ascending by day
   */
  static of(segments: readonly Segment[], heads: readonly Head[], former: SpanTree, budget: MemoryBudget): SpanTree {
    if (areSameParts(segments, former.segments) && areSameParts(heads, former.heads)) return former;
    const spans = new Map<string, Span>();
    let placed: Placed[] = [...segments, ...heads].map((part) => ({ day: part.day, part })).sort((a, b) => a.day - b.day);
    for (const dayCount of LEVEL_DAY_COUNTS)
      placed = inBlocks(placed, dayCount).map((block) => {
        const [first, ...others] = block.map(({ part }) => part);
        const day = block[0]?.day ?? 0;
        if (first !== undefined && others.length === 0 && !(first instanceof Head)) return { day, part: first };
        const key = `${dayCount} ${Math.floor(day / dayCount)}`;
        const known = former.spans.get(key);
        const parts = block.map(({ part }) => part);
        const span = known !== undefined && areSameParts(known.parts, parts) ? known : new Span(parts, budget, known ?? null);
        spans.set(key, span);
        return { day, part: span };
      });
    for (const [key, span] of former.spans) if (spans.get(key)?.goesOnWith(span) !== true) span.release();
    return new SpanTree(placed.map(({ part }) => part), spans, segments, heads);
  }
}

function inBlocks(placed: readonly Placed[], dayCount: number): Placed[][] {
  const blocks: Placed[][] = [];
  let last = NaN;
  for (const item of placed) {
    const block = Math.floor(item.day / dayCount);
    if (block === last) blocks.at(-1)?.push(item);
    else blocks.push([item]);
    last = block;
  }
  return blocks;
}
