import { dayStartMs } from "../base/time.js";
import { Holdings } from "./holdings.js";
import type { MemoryBudget } from "./memory-budget.js";
import type { Segment } from "./segment.js";

/** A segment, or all segments of some days. */
export type SpanPart = Span | Segment;

/** Sealed segments of days that lie together: what all their rows answer to a question is kept here. */
export class Span {
  readonly segmentCount: number;
  readonly rowCount: number;
  /** Epoch ms of the earliest and the latest row. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly #held: Holdings;

  /** @param parts two or more */
  constructor(
    readonly parts: readonly SpanPart[],
    budget: MemoryBudget,
  ) {
    this.#held = new Holdings(budget);
    this.segmentCount = parts.reduce((sum, part) => sum + (part instanceof Span ? part.segmentCount : 1), 0);
    this.rowCount = parts.reduce((sum, part) => sum + part.rowCount, 0);
    this.firstMs = Math.min(...parts.map((part) => (part instanceof Span ? part.firstMs : dayStartMs(part.day) + part.minMs)));
    this.lastMs = Math.max(...parts.map((part) => (part instanceof Span ? part.lastMs : dayStartMs(part.day) + part.maxMs)));
  }

  segments(): Segment[] {
    return this.parts.flatMap((part) => (part instanceof Span ? part.segments() : [part]));
  }

  /** Null where nothing is kept under the key. */
  kept(key: string): unknown {
    return this.#held.get(key);
  }

  keep(key: string, value: unknown, byteLength: number): void {
    this.#held.hold(key, value, byteLength);
  }

  /** Some of its segments left the catalog. */
  release(): void {
    this.#held.release();
  }
}
