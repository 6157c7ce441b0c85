import { BudgetShare, MemoryBudget, type Droppable } from "../../storage/segment/memory-budget.js";

/** A memory budget of several stores: what any of them used longest ago is dropped first. */
export class SharedBudget extends MemoryBudget {
  readonly #shares = new WeakMap<Droppable, StoreShare>();

  addOf(share: StoreShare, item: Droppable): void {
    this.#shares.set(item, share);
    this.add(item);
  }

  /** Also called for each item that is evicted. */
  override remove(item: Droppable): void {
    super.remove(item);
    this.#shares.get(item)?.forget(item);
  }
}

/** The budget of one of these stores. Counts its own bytes; the limit is that of all. */
export class StoreShare extends BudgetShare {
  readonly #items = new Set<Droppable>();
  #byteLength = 0;
  #isClosed = false;

  constructor(readonly shared: SharedBudget) {
    super(shared);
  }

  override get byteLength(): number {
    return this.#byteLength;
  }

  /** Ignores additions after the end, from loads still in progress. */
  override add(item: Droppable): void {
    if (this.#isClosed) return;
    this.#items.add(item);
    this.#byteLength += item.byteLength;
    this.shared.addOf(this, item);
  }

  forget(item: Droppable): void {
    if (this.#items.delete(item)) this.#byteLength -= item.byteLength;
  }

  override removeAll(isOne: (item: Droppable) => boolean): void {
    for (const item of this.#items) if (isOne(item)) this.remove(item);
  }

  /** Call when the store is closed. */
  override end(): void {
    this.#isClosed = true;
    this.removeAll(() => true);
  }
}
