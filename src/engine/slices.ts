import { DaybookError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { nextTurn } from "../base/turn.js";

/** Gives others, and the signal, a turn where a question has held the thread for a slice. */
export class Slices {
  #startMs = performance.now();

  /** @param signal absent: the question is answered in one go */
  constructor(readonly signal: Pick<AbortSignal, "aborted"> | undefined) {}

  /** @throws aborted */
  async yieldSometimes(): Promise<void> {
    if (this.signal === undefined) return;
    if (performance.now() - this.#startMs >= LIMITS.sliceMs) {
      await nextTurn();
      this.#startMs = performance.now();
    }
    if (this.signal.aborted) throw new DaybookError("aborted", "the query was stopped by its signal");
  }
}
