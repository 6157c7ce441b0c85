import { LIMITS } from "../core/base/limits.js";

/** Actors that moved to another identity, in order, so that tables by identity update only these. 8 bytes each, a bounded number. */
export class ChangeLog {
  #actors: number[] = [];
  #forgottenCount = 0;

  /** Number of all moves ever. */
  get count(): number {
    return this.#forgottenCount + this.#actors.length;
  }

  add(actor: number): void {
    this.#actors.push(actor);
    if (this.#actors.length < LIMITS.rememberedMoveCount * 2) return;
    this.#forgottenCount += LIMITS.rememberedMoveCount;
    this.#actors = this.#actors.slice(LIMITS.rememberedMoveCount);
  }

  /** Records a change of more actors than can be listed. */
  addAll(): void {
    this.#forgottenCount += this.#actors.length + 1;
    this.#actors = [];
  }

  /** The actors that moved between two counts, each once; null when that is too long ago. */
  between(from: number, to: number): ReadonlySet<number> | null {
    return from < this.#forgottenCount ? null : new Set(this.#actors.slice(from - this.#forgottenCount, to - this.#forgottenCount));
  }
}
