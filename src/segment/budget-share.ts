import { MemoryBudget, type Droppable } from "./memory-budget.js";

/** What one question keeps under the bound of all, for as long as it goes on. */
export class BudgetShare extends MemoryBudget {
  readonly #own = new Set<Droppable>();
  #isEnded = false;

  constructor(readonly whole: MemoryBudget) {
    super(whole.limitBytes);
  }

  override get byteLength(): number {
    return this.whole.byteLength;
  }

  override get tryCount(): number {
    return this.whole.tryCount;
  }

  /** What comes after the end, of loads that were still under way, is counted no more: nobody asks for it. */
  override add(item: Droppable): void {
    if (this.#isEnded) return;
    this.#own.add(item);
    this.whole.add(item);
  }

  override remove(item: Droppable): void {
    this.#own.delete(item);
    this.whole.remove(item);
  }

  override unpinned(): void {
    this.whole.unpinned();
  }

  override touch(item: Droppable): void {
    this.whole.touch(item);
  }

  /** Gives back all that it keeps. */
  end(): void {
    this.#isEnded = true;
    for (const item of this.#own) this.whole.remove(item);
    this.#own.clear();
  }
}
