import { DaybookError } from "../../core/base/errors.js";
import type { Wait } from "../../core/base/time.js";

export interface PoolServices<Store> {
  /** Bound on stores that are being opened, open or being closed. */
  readonly maxOpen: number;
  /** Stores used last that stay open however long they are idle. */
  readonly minOpen: number;
  readonly idleMs: number;
  /** How long a call waits for a place. */
  readonly waitMs: number;
  readonly open: (name: string) => Promise<Store>;
  readonly close: (name: string, store: Store) => Promise<void>;
  /** Called when a store that was idle, or gave way to another, could not be closed, and with what an `onWanted` throws. */
  readonly onError: (error: unknown, name: string) => void;
  readonly nowMs: () => number;
  /** Waits until a store has been idle long enough. */
  readonly wait: Wait;
  /** Waits as long as a call waits for a place. */
  readonly waitForPlace: Wait;
}

/** Keeps a store open until it is released. */
export interface StoreLease<Store> {
  readonly store: Store;
  /** Later calls do nothing. */
  readonly release: () => void;
}

/** A use of a store: called when another store needs the place, it should end soon; null: it cannot. */
type Use = { readonly onWanted: (() => void) | null };

class StorePlace<Store> {
  readonly uses = new Set<Use>();
  /** Null until it is open. */
  store: Store | null = null;
  /** True: nobody else may use it, because it is being closed or removed. */
  isTaken = false;
  closing: Promise<void> | null = null;
  /** True: its uses were told that another store needs the place. */
  isWanted = false;
  lastUsedMs = 0;
  /** Called when its last use ends. */
  onUnused: () => void = () => undefined;

  constructor(
    readonly name: string,
    readonly opened: Promise<Store>,
  ) {}

  get isOpen(): boolean {
    return this.store !== null && !this.isTaken;
  }

  get isIdle(): boolean {
    return this.isOpen && this.uses.size === 0;
  }

  /** Whether every use can end early. */
  get canGiveWay(): boolean {
    return this.isOpen && [...this.uses].every(({ onWanted }) => onWanted !== null);
  }
}

interface Waiting<Store> {
  readonly name: string;
  readonly use: Use;
  readonly resolve: (place: StorePlace<Store>) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens stores by name when they are needed, each once at a time, closes idle ones, and never has more than `maxOpen` of them. */
export class StorePool<Store> {
  readonly #services: PoolServices<Store>;
  readonly #places = new Map<string, StorePlace<Store>>();
  /** Calls that wait for a place, first come, first served. */
  #waiting: Waiting<Store>[] = [];
  readonly #stopping = new AbortController();
  #isLookingForIdle = false;
  /** Removals run one after the other. */
  #removed: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(services: PoolServices<Store>) {
    this.#services = services;
  }

  opened(): Store[] {
    return [...this.#places.values()].flatMap(({ isOpen, store }) => (isOpen && store !== null ? [store] : []));
  }

  /** Null: it is not open. Others may close it at any time. */
  peek(name: string): Store | null {
    const place = this.#places.get(name);
    return place?.isOpen === true ? place.store : null;
  }

  /**
   * Opens a store, or takes the open one. Waits for one of `maxOpen` places, or until a store that is being closed is closed, for at most `waitMs`.
   * @throws overloaded, closed, and what `open` throws
   */
  async acquire(name: string, onWanted: (() => void) | null = null): Promise<StoreLease<Store>> {
    this.refuseClosed();
    const use = { onWanted };
    const place = this.#placeFor(name, use) ?? (await this.#waitForPlace(name, use));
    const store = await place.opened;
    // Closed with the pool meanwhile.
    this.refuseClosed();
    return { store, release: () => this.#release(place, use) };
  }

  /**
   * Closes a store once nobody uses it, and runs `remove` before it can be opened again.
   * @throws overloaded (in use for `waitMs`), closed, what `remove` throws
   */
  remove(name: string, remove: () => Promise<void>): Promise<void> {
    const removed = this.#removed.then(() => this.#remove(name, remove));
    this.#removed = removed.catch(() => undefined);
    return removed;
  }

  /** Closes every store; calls that still use one fail with `closed`. @throws the first error of closing one, after all are closed */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  /** @throws closed */
  refuseClosed(): void {
    if (this.#closing !== null) throw closed();
  }

  async #remove(name: string, remove: () => Promise<void>): Promise<void> {
    this.refuseClosed();
    await this.#places.get(name)?.closing?.catch(() => undefined);
    this.refuseClosed();
    const place = this.#places.get(name);
    if (place === undefined) return await this.#shut(this.#reserved(name), remove);
    place.isTaken = true;
    await this.#unused(place);
    await this.#shut(place, remove);
  }

  /** A place without a store, so that nobody opens one. */
  #reserved(name: string): StorePlace<Store> {
    const place = new StorePlace<Store>(name, Promise.reject(closed()));
    place.opened.catch(() => undefined);
    this.#places.set(name, place);
    return place;
  }

  async #closeAll(): Promise<void> {
    this.#stopping.abort();
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    // Removals that wait end now.
    for (const place of this.#places.values()) place.onUnused();
    const results = await Promise.allSettled([...this.#places.values()].map((place) => this.#shut(place)));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** Null: the call must wait. */
  #placeFor(name: string, use: Use): StorePlace<Store> | null {
    const place = this.#places.get(name);
    if (place === undefined) return this.#places.size < this.#services.maxOpen ? this.#open(name, use) : null;
    if (place.isTaken) return null;
    place.uses.add(use);
    // The new use was not told.
    place.isWanted = false;
    return place;
  }

  #open(name: string, use: Use): StorePlace<Store> {
    const place = new StorePlace(name, this.#services.open(name));
    place.uses.add(use);
    this.#places.set(name, place);
    const opened = (store: Store) => {
      place.store = store;
      // A store that is open may give its place to calls that wait.
      this.#fill();
      // There may be more of them now than stay open.
      void this.#closeIdle();
    };
    const failed = () => {
      place.uses.clear();
      place.onUnused();
      // Unless it is being closed, which then removes it.
      if (place.closing === null && !place.isTaken) this.#vacate(place);
    };
    place.opened.then(opened, failed);
    return place;
  }

  #release(place: StorePlace<Store>, use: Use): void {
    if (!place.uses.delete(use)) return;
    place.lastUsedMs = this.#services.nowMs();
    if (place.uses.size === 0) place.onUnused();
    this.#fill();
    void this.#closeIdle();
  }

  async #waitForPlace(name: string, use: Use): Promise<StorePlace<Store>> {
    const { waitMs, maxOpen, waitForPlace } = this.#services;
    const over = new AbortController();
    try {
      return await new Promise<StorePlace<Store>>((resolve, reject) => {
        this.#waiting.push({ name, use, resolve, reject });
        void waitForPlace(waitMs, over.signal).then(() => {
          if (over.signal.aborted) return;
          reject(new DaybookError("overloaded", `${name}: expected one of ${maxOpen} places for open organizations within ${waitMs} ms, but all are in use`));
        });
        this.#fill();
      });
    } finally {
      over.abort();
      this.#waiting = this.#waiting.filter((each) => each.use !== use);
    }
  }

  /** Gives places to the calls that wait, and closes as many idle stores as are still missing. */
  #fill(): void {
    if (this.#closing !== null || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      const place = this.#placeFor(each.name, each.use);
      if (place === null) this.#waiting.push(each);
      else each.resolve(place);
    }
    const places = [...this.#places.values()];
    const coming = places.filter(({ isTaken, isWanted, uses }) => isTaken || (isWanted && uses.size > 0)).length;
    let missingCount = new Set(this.#waiting.map(({ name }) => name)).size - coming;
    for (const place of oldestFirst(places.filter(({ isIdle }) => isIdle))) {
      if (missingCount <= 0) return;
      missingCount -= 1;
      this.#shutInBackground(place);
    }
    for (const place of oldestFirst(places.filter(({ canGiveWay, isWanted }) => canGiveWay && !isWanted))) {
      if (missingCount <= 0) return;
      missingCount -= 1;
      this.#want(place);
    }
  }

  /** Asks all who use a store to end soon. */
  #want(place: StorePlace<Store>): void {
    place.isWanted = true;
    for (const { onWanted } of [...place.uses])
      void new Promise((resolve) => resolve(onWanted?.())).catch((error: unknown) => this.#services.onError(error, place.name));
  }

  /** Waits until nobody uses a store that others may not use any more. @throws overloaded */
  async #unused(place: StorePlace<Store>): Promise<void> {
    if (place.uses.size === 0) return;
    const over = new AbortController();
    place.onUnused = () => over.abort();
    this.#want(place);
    await this.#services.waitForPlace(this.#services.waitMs, over.signal);
    this.refuseClosed();
    if (place.uses.size === 0) return;
    place.isTaken = false;
    this.#fill();
    throw new DaybookError("overloaded", `${place.name}: expected an organization that nobody uses within ${this.#services.waitMs} ms`);
  }

  /** Closes stores that are idle for long enough, until none is left that will be. Never rejects. */
  async #closeIdle(): Promise<void> {
    const { idleMs, minOpen, nowMs, wait } = this.#services;
    if (idleMs === Infinity || this.#isLookingForIdle) return;
    this.#isLookingForIdle = true;
    while (this.#closing === null) {
      const open = [...this.#places.values()].filter(({ isOpen }) => isOpen);
      const [oldest] = oldestFirst(open.filter(({ isIdle }) => isIdle));
      if (oldest === undefined || open.length <= minOpen) break;
      const restMs = oldest.lastUsedMs + idleMs - nowMs();
      if (restMs > 0) await wait(restMs, this.#stopping.signal);
      else this.#shutInBackground(oldest);
    }
    this.#isLookingForIdle = false;
  }

  #shutInBackground(place: StorePlace<Store>): void {
    this.#shut(place).catch((error: unknown) => this.#services.onError(error, place.name));
  }

  #shut(place: StorePlace<Store>, andThen: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    place.isTaken = true;
    place.closing ??= (async () => {
      try {
        const store = await place.opened.catch(() => null);
        if (store !== null) await this.#services.close(place.name, store);
        await andThen();
      } finally {
        this.#vacate(place);
      }
    })();
    return place.closing;
  }

  #vacate({ name }: StorePlace<Store>): void {
    this.#places.delete(name);
    this.#fill();
  }
}

function oldestFirst<Store>(places: readonly StorePlace<Store>[]): StorePlace<Store>[] {
  return [...places].sort((a, b) => a.lastUsedMs - b.lastUsedMs);
}

function closed(): DaybookError {
  return new DaybookError("closed", "these organizations were closed");
}
