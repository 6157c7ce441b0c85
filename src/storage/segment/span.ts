import { areSameParts } from "../../core/base/same-parts.js";
import { dayStartMs } from "../../core/base/time.js";
import { Head } from "./head.js";
import { DerivedCache } from "./derived-cache.js";
import type { MemoryBudget } from "./memory-budget.js";
import type { Segment } from "./segment.js";

/** A segment, a head, or a span of several of them. */
export type SpanPart = Span | Segment | Head;

/** A cached result of a query for the rows of a span. */
export interface SpanResult {
  readonly value: unknown;
  /** Rows per head that the result covers, in the order of the span's heads; heads added later count as 0. */
  readonly rowCounts: readonly number[];
}

/**
 * Adjacent days of segments and heads, with a cache of query results for all their rows. Heads grow, so a result states how many of
 * their rows it covers.
 */
export class Span {
  readonly segments: readonly Segment[];
  /** In order of addition: first those of a former span, if this one continues it. */
  readonly heads: readonly Head[];
  readonly #firstMs: number;
  readonly #lastMs: number;
  readonly #held: DerivedCache;

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
    this.#held = goesOn ? former.#held : new DerivedCache(budget);
    this.#firstMs = Math.min(...this.segments.map(firstMsOf));
    this.#lastMs = Math.max(...this.segments.map(lastMsOf));
  }

  /** Number of segments and heads. */
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

  /** Returns null if there is no entry. */
  kept(key: string): SpanResult | null {
    // Only `keep` adds entries.
    return this.#held.get(key) as SpanResult | null;
  }

  keep(key: string, answer: SpanResult, byteLength: number): void {
    this.#held.hold(key, answer, byteLength + answer.rowCounts.length * 8);
  }

  /** Whether it has taken over the cache of another span. */
  goesOnWith(former: Span): boolean {
    return this.#held === former.#held;
  }

  /** Drops the cache: segments or heads of the span left the catalog. */
  release(): void {
    this.#held.release();
  }
}

function firstMsOf({ day, minMs }: Segment | Head): number {
  return dayStartMs(day) + minMs;
}

function lastMsOf({ day, maxMs }: Segment | Head): number {
  return dayStartMs(day) + maxMs;
}
