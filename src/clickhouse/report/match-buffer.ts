import type { Matches } from "../../answer/insights/chain.js";

/** The matches of one entity. Memory is used again for the next one. */
export class MatchBuffer implements Matches {
  #ms = new Float64Array(64);
  #masks = new Uint32Array(64);

  get ms(): Float64Array {
    return this.#ms;
  }

  get masks(): Uint32Array {
    return this.#masks;
  }

  /** @param matches in order */
  put(matches: readonly (readonly [ms: number, mask: number, ...rest: unknown[]])[]): void {
    if (matches.length > this.#ms.length) {
      this.#ms = new Float64Array(matches.length * 2);
      this.#masks = new Uint32Array(matches.length * 2);
    }
    matches.forEach(([ms, mask], at) => {
      this.#ms[at] = ms;
      this.#masks[at] = mask;
    });
  }
}
