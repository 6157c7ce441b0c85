import { LIMITS } from "../base/limits.js";

/** Which actors came to another identity, in order: whoever keeps a table by identity moves just these. 8 bytes each, a bounded number. */
export class Moves {
  #actors: number[] = [];
  /** Of those that are forgotten. */
  #forgottenCount = 0;

  /** All that there ever were. */
  get count(): number {
    return this.#forgottenCount + this.#actors.length;
  }

  add(actor: number): void {
    this.#actors.push(actor);
    if (this.#actors.length < LIMITS.rememberedMoveCount * 2) return;
    this.#forgottenCount += LIMITS.rememberedMoveCount;
    this.#actors = this.#actors.slice(LIMITS.rememberedMoveCount);
  }

  /** More moved than can be named. */
  addAll(): void {
    this.#forgottenCount += this.#actors.length + 1;
    this.#actors = [];
  }

  /** The actors that moved between two counts, each once; null where that is too long ago to tell. */
  between(from: number, to: number): ReadonlySet<number> | null {
    return from < this.#forgottenCount ? null : new Set(this.#actors.slice(from - this.#forgottenCount, to - this.#forgottenCount));
  }
}
