import { areSameParts } from "../base/same-parts.js";
import { dayStartMs } from "../base/time.js";
import { Head } from "./head.js";
import { Holdings } from "./holdings.js";
import type { MemoryBudget } from "./memory-budget.js";
import type { Segment } from "./segment.js";

/** A segment or a head, or all of them of some days. */
export type SpanPart = Span | Segment | Head;

/** What the rows of a span answered to a question. */
export interface SpanAnswer {
  readonly value: unknown;
  /** How many rows each of its heads had then, in their order; heads that came later had none. */
  readonly rowCounts: readonly number[];
}

/**
 * Segments and heads of days that lie together: what all their rows answer to a question is kept here. Heads grow, and an
 * answer says of how many of their rows it is.
 */
export class Span {
  readonly segments: readonly Segment[];
  /** In the order in which they came: those of a former span first, if this one goes on with it. */
  readonly heads: readonly Head[];
  readonly #firstMs: number;
  readonly #lastMs: number;
  readonly #held: Holdings;

  /** @param former a span of the same days: what it keeps is gone on with where only heads came since */
  constructor(
    readonly parts: readonly SpanPart[],
    budget: MemoryBudget,
    former: Span | null = null,
  ) {
    this.segments = parts.flatMap((part) => (part instanceof Span ? part.segments : part instanceof Head ? [] : [part]));
    const heads = new Set(parts.flatMap((part) => (part instanceof Span ? part.heads : part instanceof Head ? [part] : [])));
    const goesOn = former !== null && areSameParts(former.segments, this.segments) && former.heads.every((head) => heads.has(head));
    this.heads = goesOn ? [...new Set([...former.heads, ...heads])] : [...heads];
    this.#held = goesOn ? former.#held : new Holdings(budget);
    this.#firstMs = Math.min(...this.segments.map(firstMsOf));
    this.#lastMs = Math.max(...this.segments.map(lastMsOf));
  }

  /** Segments and heads. */
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

  /** Null where nothing is kept under the key. */
  kept(key: string): SpanAnswer | null {
    // What is held here was kept here.
    return this.#held.get(key) as SpanAnswer | null;
  }

  keep(key: string, answer: SpanAnswer, byteLength: number): void {
    this.#held.hold(key, answer, byteLength + answer.rowCounts.length * 8);
  }

  /** Whether it keeps what another one kept. */
  goesOnWith(former: Span): boolean {
    return this.#held === former.#held;
  }

  /** Some of its segments or heads left the catalog. */
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
