import { LIMITS } from "../../base/limits.js";
import { nextTurn } from "../../base/turn.js";
import { stopped } from "../question/slices.js";

/** What a row costs that is passed over, and one that is given out, in values. */
export const PASSED_ROW_VALUES = 32;
export const GIVEN_ROW_VALUES = 512;

/** Gives others, and the signal, a turn between rows that are read one by one. Counted and not timed: a look at the clock costs as much as a row. */
export class RowTurns {
  #valueCount = 0;

  constructor(readonly signal: Pick<AbortSignal, "aborted"> | undefined) {}

  /** Whether a turn is due after so much more work: then await `turn`. Cheaper than a promise for each row. @throws aborted */
  isDue(valueCount: number): boolean {
    if (this.signal?.aborted === true) throw stopped();
    this.#valueCount += valueCount;
    return this.#valueCount >= LIMITS.turnValueCount;
  }

  /** @throws aborted */
  async turn(): Promise<void> {
    this.#valueCount = 0;
    await nextTurn();
    if (this.signal?.aborted === true) throw stopped();
  }
}
