export interface Droppable {
  readonly byteLength: number;
  /** Whether a query is using it, so that it must not be dropped. */
  readonly pinned: boolean;
  lastUsed: number;
  drop(): void;
}

/** Keeps loaded and derived data below a limit of bytes by dropping what was used longest ago. */
export class MemoryBudget {
  readonly #items = new Set<Droppable>();
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
    this.#items.add(item);
    this.#byteLength += item.byteLength;
    this.touch(item);
    if (this.#byteLength > Math.max(this.limitBytes, this.#nextTryBytes)) this.#evict();
  }

  remove(item: Droppable): void {
    if (this.#items.delete(item)) this.#byteLength -= item.byteLength;
  }

  /** Removes the matching items without dropping them. Cost: all items. */
  removeAll(isOne: (item: Droppable) => boolean): void {
    for (const item of this.#items) if (isOne(item)) this.remove(item);
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
    const oldestFirst = [...this.#items].sort((a, b) => a.lastUsed - b.lastUsed);
    for (const item of oldestFirst) {
      if (this.#byteLength <= this.limitBytes * 0.9) break;
      if (item.pinned) continue;
      this.remove(item);
      item.drop();
    }
    this.#nextTryBytes = this.#byteLength * 1.1;
  }
}

/** Counts queries that read tables or wait for loads: no table is dropped meanwhile. */
export interface TableUse {
  readerCount: number;
}

/** A table whose size changes. */
export abstract class BudgetedTable implements Droppable {
  byteLength = 0;
  lastUsed = 0;

  constructor(
    readonly budget: MemoryBudget,
    readonly use: TableUse = { readerCount: 0 },
  ) {}

  get pinned(): boolean {
    return this.use.readerCount > 0;
  }

  abstract drop(): void;

  protected setByteLength(byteLength: number): void {
    this.budget.remove(this);
    this.byteLength = byteLength;
    this.budget.add(this);
  }
}

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

  end(): void {
    this.#isEnded = true;
    this.whole.removeAll((item) => this.#own.has(item));
  }
}

/** Estimated bytes of a cache entry besides its value: its name and the objects around it. */
const ENTRY_BYTES = 300;

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

const NOTHING_ELSE: readonly object[] = [];

/** A cache of values by name that can all be recomputed: dropped under memory pressure, unless pinned. */
export class DerivedCache {
  readonly #entries = new Map<string, CacheEntry>();
  #pinCount = 0;
  #isReleased = false;

  constructor(readonly budget: MemoryBudget) {}

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
    const entry = this.#entries.get(name);
    if (entry === undefined || !isSame(entry.since, since)) return null;
    this.budget.touch(entry);
    return entry.value;
  }

  set(name: string, value: unknown, byteLength: number, since = NOTHING_ELSE): void {
    const former = this.#entries.get(name);
    if (former !== undefined) this.budget.remove(former);
    const entry = new CacheEntry(value, byteLength + name.length + ENTRY_BYTES, since.map((part) => new WeakRef(part)), this, () => this.#entries.delete(name));
    this.#entries.set(name, entry);
    if (!this.#isReleased) this.budget.add(entry);
  }

  getOrCompute<T>(name: string, make: () => T, byteLength: (made: T) => number, since = NOTHING_ELSE): T {
    const known = this.get(name, since);
    // Each name is used by one caller only, so the type fits.
    if (known !== null) return known as T;
    const made = make();
    this.set(name, made, byteLength(made), since);
    return made;
  }

  /** False at the first call with a name, then true. Use it for what is worth caching only if it is needed twice. */
  wasRequested(name: string): boolean {
    const mark = `requested ${name}`;
    if (this.get(mark) !== null) return true;
    this.set(mark, true, 1);
    return false;
  }

  forget(isForgotten: (name: string) => boolean): void {
    for (const [name, entry] of this.#entries) {
      if (!isForgotten(name)) continue;
      this.budget.remove(entry);
      this.#entries.delete(name);
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
