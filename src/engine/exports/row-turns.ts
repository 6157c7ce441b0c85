import { LIMITS } from "../../core/base/limits.js";
import { yieldToEventLoop } from "../../core/base/turn.js";
import { stopped } from "../query/slices.js";

/** Cost of a row that is skipped, and of a row that is yielded, in values. */
export const PASSED_ROW_VALUES = 32;
export const GIVEN_ROW_VALUES = 512;

/** Yields to other work, and checks the signal, between rows that are read one by one. Counts values: reading the clock costs as much as a row. */
export class RowTurns {
  #valueCount = 0;

  constructor(readonly signal: Pick<AbortSignal, "aborted"> | undefined) {}

  /** Counts work done; true if a turn is due: then await `turn`. Cheaper than a promise per row. @throws aborted */
  isDue(valueCount: number): boolean {
    if (this.signal?.aborted === true) throw stopped();
    this.#valueCount += valueCount;
    return this.#valueCount >= LIMITS.turnValueCount;
  }

  /** @throws aborted */
  async turn(): Promise<void> {
    this.#valueCount = 0;
    await yieldToEventLoop();
    if (this.signal?.aborted === true) throw stopped();
  }
}
