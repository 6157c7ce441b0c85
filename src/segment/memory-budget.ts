/** Something that can be dropped and made again. */
export interface Droppable {
  readonly byteLength: number;
  /** In use by a query now: not to be dropped. */
  readonly pinned: boolean;
  lastUsed: number;
  drop(): void;
}

/** Keeps what is loaded or derived under a bound of bytes, dropping what was used longest ago. */
export class MemoryBudget {
  readonly #held = new Set<Droppable>();
  #byteLength = 0;
  #tick = 0;
  /** After a try that found too much in use: by how much it has to grow before the next is worth its sort. */
  #nextTryBytes = 0;
  #tryCount = 0;

  constructor(readonly limitBytes: number) {}

  get byteLength(): number {
    return this.#byteLength;
  }

  /** How often it looked for something to drop: each time it sorts all that is held. */
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

  /** Keeps nothing of these any more. Cost: a look at all that is held. */
  removeAll(isOne: (item: Droppable) => boolean): void {
    for (const item of this.#held) if (isOne(item)) this.remove(item);
  }

  /** Something is no longer in use: the next addition over the bound tries again. */
  unpinned(): void {
    this.#nextTryBytes = 0;
  }

  touch(item: Droppable): void {
    this.#tick += 1;
    item.lastUsed = this.#tick;
  }

  /** Drops down to nine tenths of the bound, so that the sort is paid once for many additions. */
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
