import type { Matches } from "../../query/answer/insights/chain.js";

/** The matches of one entity. The next entity reuses the memory. */
export class MatchBuffer implements Matches {
  #ms = new Float64Array(64);
  #masks = new Uint32Array(64);

  get ms(): Float64Array {
    return this.#ms;
  }

  get masks(): Uint32Array {
    return this.#masks;
  }

  /** Both in the order of the matches. */
  put(ms: readonly number[], masks: readonly number[]): void {
    if (ms.length > this.#ms.length) {
      this.#ms = new Float64Array(ms.length * 2);
      this.#masks = new Uint32Array(ms.length * 2);
    }
    this.#ms.set(ms);
    this.#masks.set(masks);
  }
}
