import { areSameParts } from "../../core/base/arrays.js";
import { dayStartMs } from "../../core/base/time.js";
import { Head } from "./head.js";
import { DerivedCache, type MemoryBudget } from "./memory-budget.js";
import type { Segment } from "./segment.js";

export type SpanPart = Span | Segment | Head;

export interface SpanResult {
  readonly value: unknown;
  /** Rows per head that the result covers, in the order of the span's heads; heads added later count as 0. */
  readonly rowCounts: readonly number[];
}

/** Adjacent days of segments and heads, with cached query results. Heads grow, so a result states how many of their rows it covers. */
export class Span {
  readonly segments: readonly Segment[];
  /** In order of addition: first those of a former span, if this one continues it. */
  readonly heads: readonly Head[];
  readonly #firstMs: number;
  readonly #lastMs: number;
  readonly #cache: DerivedCache;

  /** @param former a span of the same days, whose cache this one takes over if only heads were added since */
  constructor(
    readonly parts: readonly SpanPart[],
    budget: MemoryBudget,
    former: Span | null = null,
  ) {
    this.segments = parts.flatMap((part) => (part instanceof Span ? part.segments : part instanceof Head ? [] : [part]));
    const heads = new Set(parts.flatMap((part) => (part instanceof Span ? part.heads : part instanceof Head ? [part] : [])));
    const goesOn = former !== null && areSameParts(former.segments, this.segments) && former.heads.every((head) => heads.has(head));
    this.heads = goesOn ? [...new Set([...former.heads, ...heads])] : [...heads];
    this.#cache = goesOn ? former.#cache : new DerivedCache(budget);
    this.#firstMs = Math.min(...this.segments.map(firstMsOf));
    this.#lastMs = Math.max(...this.segments.map(lastMsOf));
  }

  get partCount(): number {
    return this.segments.length + this.heads.length;
  }

  /** Epoch ms of the earliest and the latest row. Cost: the heads. */
  get firstMs(): number {
    return this.heads.reduce((ms, head) => Math.min(ms, firstMsOf(head)), this.#firstMs);
  }

  get lastMs(): number {
    return this.heads.reduce((ms, head) => Math.max(ms, lastMsOf(head)), this.#lastMs);
  }

  cached(key: string): SpanResult | null {
    // Only `cache` adds entries.
    return this.#cache.get(key) as SpanResult | null;
  }

  cache(key: string, answer: SpanResult, byteLength: number): void {
    this.#cache.set(key, answer, byteLength + answer.rowCounts.length * 8);
  }

  /** As `DerivedCache.wasRequested`, for the cache of this span. */
  wasRequested(key: string): boolean {
    return this.#cache.wasRequested(key);
  }

  sharesCacheWith(former: Span): boolean {
    return this.#cache === former.#cache;
  }

  /** Drops the cache: segments or heads of the span left the catalog. */
  release(): void {
    this.#cache.release();
  }
}

function firstMsOf({ day, minMs }: Segment | Head): number {
  return dayStartMs(day) + minMs;
}

function lastMsOf({ day, maxMs }: Segment | Head): number {
  return dayStartMs(day) + maxMs;
}

/** Days per span of each level, aligned to multiples. Few levels, because each caches about as much as the one below it. */
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

  /** Keeps spans of unchanged parts, and the caches where only heads were added; releases the others. @param segments ascending by day */
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
    for (const [key, span] of former.spans) if (spans.get(key)?.sharesCacheWith(span) !== true) span.release();
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
