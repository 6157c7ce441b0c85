import { MemoryBudget, type Droppable } from "./memory-budget.js";

/** The share of one query in a memory budget: everything it adds is removed when it ends. */
export class BudgetShare extends MemoryBudget {
  // Weak, so that dropped items can be collected.
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

  /** Ignores additions after the end, from loads still in progress: no one will use them. */
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

  /** Counts bytes that stay in memory until the end. */
  count(byteLength: number): void {
    this.add({ byteLength, pinned: true, lastUsed: 0, drop: () => undefined });
  }

  override unpinned(): void {
    this.whole.unpinned();
  }

  override touch(item: Droppable): void {
    this.whole.touch(item);
  }

  /** Removes everything that this share has added. */
  end(): void {
    this.#isEnded = true;
    this.whole.removeAll((item) => this.#own.has(item));
  }
}
