import { MemoryBudget, type Droppable } from "../../storage/segment/memory-budget.js";

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
export class StoreShare extends MemoryBudget {
  readonly #own = new Set<Droppable>();
  #ownByteLength = 0;
  #isEnded = false;

  constructor(readonly whole: SharedBudget) {
    super(whole.limitBytes);
  }

  override get byteLength(): number {
    return this.#ownByteLength;
  }

  override get tryCount(): number {
    return this.whole.tryCount;
  }

  /** Ignores additions after the end, from loads still in progress. */
  override add(item: Droppable): void {
    if (this.#isEnded) return;
    this.#own.add(item);
    this.#ownByteLength += item.byteLength;
    this.whole.addOf(this, item);
  }

  override remove(item: Droppable): void {
    this.whole.remove(item);
  }

  forget(item: Droppable): void {
    if (this.#own.delete(item)) this.#ownByteLength -= item.byteLength;
  }

  override removeAll(isOne: (item: Droppable) => boolean): void {
    for (const item of this.#own) if (isOne(item)) this.remove(item);
  }

  override unpinned(): void {
    this.whole.unpinned();
  }

  override touch(item: Droppable): void {
    this.whole.touch(item);
  }

  /** Call when the store is closed. */
  end(): void {
    this.#isEnded = true;
    this.removeAll(() => true);
  }
}
