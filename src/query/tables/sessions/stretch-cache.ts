/* eslint-disable @typescript-eslint/no-non-null-assertion -- blocks are bounded by the sessions */
import { DerivedCache } from "../../../storage/segment/derived-cache.js";
import type { MemoryBudget } from "../../../storage/segment/memory-budget.js";

/** Sessions per block, as a power of two. Replacements are tracked by block, so results for the neighbours of a replaced session are rebuilt too. */
const BLOCK_BITS = 10;

/** Consecutive ordered sessions: `[first, end)`. */
export interface SessionRange {
  readonly first: number;
  readonly end: number;
}

interface StretchHeirs {
  readonly lastHeir: number;
  readonly value: unknown;
}

/** Caches results for stretches of ordered sessions from one snapshot to the next, until one of the sessions is replaced. */
export class StretchCache {
  readonly #held: DerivedCache;
  /** By block: the first session of the latest replacement of one of its sessions; 0 for none since the full build. */
  readonly #lastHeirs: Uint32Array;

  constructor(budget: MemoryBudget, orderedCount: number) {
    this.#held = new DerivedCache(budget);
    this.#lastHeirs = new Uint32Array((orderedCount >>> BLOCK_BITS) + 1);
  }

  /** Notes that sessions from `heir` on replace an ordered one. */
  replaced(session: number, heir: number): void {
    this.#lastHeirs[session >>> BLOCK_BITS] = heir;
  }

  /** The result of `make` for a stretch, cached. @param name the same for results made in the same way @param count of the snapshot's sessions */
  derive<T>(name: string, { first, end }: SessionRange, count: number, make: () => T, byteLength: (made: T) => number): T {
    const lastHeir = this.#lastHeirIn(first, end);
    // An earlier snapshot still has sessions that a later one replaced, so its results are not cached.
    if (lastHeir >= count) return make();
    const key = `${name} ${first} ${end}`;
    // Each name has one caller, so the entry is of its type.
    const known = this.#held.get(key) as StretchHeirs | null;
    if (known?.lastHeir === lastHeir) return known.value as T;
    const value = make();
    this.#held.hold(key, { lastHeir, value } satisfies StretchHeirs, byteLength(value));
    return value;
  }

  /** The result of `make` for all sessions, cached as long as they are. @param byteLength current size of the result */
  lasting<T>(name: string, make: () => T, byteLength: number): T {
    // Each name has one caller, so the entry is of its type.
    const known = this.#held.get(name) as { readonly value: T; readonly byteLength: number } | null;
    if (known?.byteLength === byteLength) return known.value;
    const value = known === null ? make() : known.value;
    this.#held.hold(name, { value, byteLength }, byteLength);
    return value;
  }

  /** Drops all entries; running queries keep what they read. */
  release(): void {
    this.#held.release();
  }

  #lastHeirIn(first: number, end: number): number {
    let last = 0;
    for (let block = first >>> BLOCK_BITS; block <= (end - 1) >>> BLOCK_BITS; block += 1) last = Math.max(last, this.#lastHeirs[block]!);
    return last;
  }
}
