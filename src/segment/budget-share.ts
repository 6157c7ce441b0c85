import { MemoryBudget, type Droppable } from "./memory-budget.js";

/** What one question keeps under the bound of all, for as long as it goes on. */
export class BudgetShare extends MemoryBudget {
  // Weak: what was dropped is to be free.
  readonly #own = new WeakSet<Droppable>();
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
    this.whole.remove(item);
  }

  override removeAll(isOne: (item: Droppable) => boolean): void {
    this.whole.removeAll((item) => this.#own.has(item) && isOne(item));
  }

  /** Counts bytes that cannot be dropped before the end. */
  count(byteLength: number): void {
    this.add({ byteLength, pinned: true, lastUsed: 0, drop: () => undefined });
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
    this.whole.removeAll((item) => this.#own.has(item));
  }
}
