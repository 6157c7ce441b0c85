/** An item that can be dropped and recomputed. */
export interface Droppable {
  readonly byteLength: number;
  /** Whether a query is using it, so that it must not be dropped. */
  readonly pinned: boolean;
  lastUsed: number;
  drop(): void;
}

/** Keeps loaded and derived data below a limit of bytes by dropping what was used longest ago. */
export class MemoryBudget {
  readonly #held = new Set<Droppable>();
  #byteLength = 0;
  #tick = 0;
  /** Size from which the next eviction is worth its sort, after one that found too much in use. */
  #nextTryBytes = 0;
  #tryCount = 0;

  constructor(readonly limitBytes: number) {}

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Number of evictions, each of which sorts all items. */
  get tryCount(): number {
    return this.#tryCount;
  }

  add(item: Droppable): void {
    this.#held.add(item);
    this.#byteLength += item.byteLength;
    this.touch(item);
    if (this.#byteLength > Math.max(this.limitBytes, this.#nextTryBytes)) this.#evict();
  }

  remove(item: Droppable): void {
    if (this.#held.delete(item)) this.#byteLength -= item.byteLength;
  }

  /** Removes the matching items without dropping them. Cost: all items. */
  removeAll(isOne: (item: Droppable) => boolean): void {
    for (const item of this.#held) if (isOne(item)) this.remove(item);
  }

  /** Call when an item is no longer in use: the next addition over the limit evicts again. */
  unpinned(): void {
    this.#nextTryBytes = 0;
  }

  touch(item: Droppable): void {
    this.#tick += 1;
    item.lastUsed = this.#tick;
  }

  /** Drops items down to nine tenths of the limit, so that one sort serves many additions. */
  #evict(): void {
    this.#tryCount += 1;
    const oldestFirst = [...this.#held].sort((a, b) => a.lastUsed - b.lastUsed);
    for (const item of oldestFirst) {
      if (this.#byteLength <= this.limitBytes * 0.9) break;
      if (item.pinned) continue;
      this.remove(item);
      item.drop();
    }
    this.#nextTryBytes = this.#byteLength * 1.1;
  }
}
