import type { Droppable, MemoryBudget } from "./memory-budget.js";

/** Estimated bytes of a cache entry besides its value: its name and the objects around it. */
const HELD_BYTES = 300;

class CacheEntry implements Droppable {
  lastUsed = 0;

  constructor(
    readonly value: unknown,
    readonly byteLength: number,
    /** Weak: an entry must not keep identity views alive that no query uses any more. */
    readonly since: readonly WeakRef<object>[],
    readonly owner: DerivedCache,
    readonly drop: () => void,
  ) {}

  get pinned(): boolean {
    return this.owner.isPinned;
  }
}

export const NOTHING_ELSE: readonly object[] = [];

/** A cache of values by name that can all be recomputed: dropped under memory pressure, unless pinned. */
export class DerivedCache {
  readonly #held = new Map<string, CacheEntry>();
  #pinCount = 0;
  #isReleased = false;

  constructor(readonly budget: MemoryBudget) {}

  /** Keeps all entries in memory until `unpin`. */
  pin(): void {
    this.#pinCount += 1;
  }

  unpin(): void {
    this.#pinCount -= 1;
    if (this.#pinCount === 0) this.budget.unpinned();
  }

  get isPinned(): boolean {
    return this.#pinCount > 0;
  }

  /** Returns null if there is no entry, or it was computed from something other than `since`. */
  get(name: string, since = NOTHING_ELSE): unknown {
    const held = this.#held.get(name);
    if (held === undefined || !isSame(held.since, since)) return null;
    this.budget.touch(held);
    return held.value;
  }

  hold(name: string, value: unknown, byteLength: number, since = NOTHING_ELSE): void {
    const former = this.#held.get(name);
    if (former !== undefined) this.budget.remove(former);
    const held = new CacheEntry(value, byteLength + name.length + HELD_BYTES, since.map((part) => new WeakRef(part)), this, () => this.#held.delete(name));
    this.#held.set(name, held);
    if (!this.#isReleased) this.budget.add(held);
  }

  /** Returns the cached value, or computes and caches it. */
  derive<T>(name: string, make: () => T, byteLength: (made: T) => number, since = NOTHING_ELSE): T {
    const known = this.get(name, since);
    // Each name is used by one caller only, so the type fits.
    if (known !== null) return known as T;
    const made = make();
    this.hold(name, made, byteLength(made), since);
    return made;
  }

  forget(isForgotten: (name: string) => boolean): void {
    for (const [name, held] of this.#held) {
      if (!isForgotten(name)) continue;
      this.budget.remove(held);
      this.#held.delete(name);
    }
  }

  /** Drops everything: the owner left the catalog. Entries that a running query still adds are not counted. */
  release(): void {
    this.#isReleased = true;
    this.forget(() => true);
  }
}

function isSame(since: readonly WeakRef<object>[], parts: readonly object[]): boolean {
  return since.length === parts.length && since.every((part, at) => part.deref() === parts[at]);
}
