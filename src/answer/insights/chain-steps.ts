/* eslint-disable @typescript-eslint/no-non-null-assertion -- steps are below their number */
import { lowestOf, STEP_BITS } from "./chain.js";

/** Which event holds which step, one event a step: as many as can be, by augmenting paths. */
export class StepHolders {
  /** By step, the steps that its event matches; 0: nobody holds it. */
  readonly #steps = new Uint32Array(STEP_BITS);
  #held = 0;
  #asked = 0;

  clear(): void {
    this.#held = 0;
  }

  /** Gives an event one of its steps; others may have to take another one of theirs. False where none can be given. */
  place(steps: number): boolean {
    this.#asked = 0;
    return this.#path(steps);
  }

  #path(steps: number): boolean {
    const free = steps & ~this.#held;
    if (free !== 0) {
      this.#held |= free & -free;
      this.#steps[lowestOf(free)] = steps;
      return true;
    }
    for (let rest = steps & ~this.#asked; rest !== 0; rest = rest & (rest - 1) & ~this.#asked) {
      const step = lowestOf(rest);
      this.#asked |= rest & -rest;
      if (!this.#path(this.#steps[step]!)) continue;
      this.#steps[step] = steps;
      return true;
    }
    return false;
  }
}
