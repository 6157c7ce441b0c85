/* eslint-disable @typescript-eslint/no-non-null-assertion -- blocks are bounded by the sessions */
import { Holdings } from "../../segment/holdings.js";
import type { MemoryBudget } from "../../segment/memory-budget.js";

/** A block of so many sessions, as a power of two, is looked at as one: what is kept of its neighbours is made anew too. */
const BLOCK_BITS = 10;

/** Ordered sessions that lie side by side: `[first, end)`. */
export interface Stretch {
  readonly first: number;
  readonly end: number;
}

interface StretchHeirs {
  readonly lastHeir: number;
  readonly value: unknown;
}

/** What is made of ordered sessions that lie side by side, kept from one moment to the next until others take the place of one of them. */
export class KeptStretches {
  readonly #held: Holdings;
  /** By block: from which number on the latest sessions lie that took the place of one of it; 0 for none since all were made. */
  readonly #lastHeirs: Uint32Array;

  constructor(budget: MemoryBudget, orderedCount: number) {
    this.#held = new Holdings(budget);
    this.#lastHeirs = new Uint32Array((orderedCount >>> BLOCK_BITS) + 1);
  }

  /** Sessions from `heir` on take the place of an ordered one. */
  replaced(session: number, heir: number): void {
    this.#lastHeirs[session >>> BLOCK_BITS] = heir;
  }

  /**
   * What `make` makes of a stretch at a moment, or made of it before.
   * @param name the same for what is made in the same way; @param count of the sessions of the moment
   */
  derive<T>(name: string, { first, end }: Stretch, count: number, make: () => T, byteLength: (made: T) => number): T {
    const lastHeir = this.#lastHeirIn(first, end);
    // At an earlier moment sessions are still there of which a later one knows that they are no more.
    if (lastHeir >= count) return make();
    const key = `${name} ${first} ${end}`;
    // What is held under a name was made by the same caller.
    const known = this.#held.get(key) as StretchHeirs | null;
    if (known?.lastHeir === lastHeir) return known.value as T;
    const value = make();
    this.#held.hold(key, { lastHeir, value } satisfies StretchHeirs, byteLength(value));
    return value;
  }

  /** What `make` makes of all of them, kept as long as they are. @param byteLength by now */
  lasting<T>(name: string, make: () => T, byteLength: number): T {
    // What is held under a name was made by the same caller.
    const known = this.#held.get(name) as { readonly value: T; readonly byteLength: number } | null;
    if (known?.byteLength === byteLength) return known.value;
    const value = known === null ? make() : known.value;
    this.#held.hold(name, { value, byteLength }, byteLength);
    return value;
  }

  /** Questions under way keep what they read. */
  release(): void {
    this.#held.release();
  }

  #lastHeirIn(first: number, end: number): number {
    let last = 0;
    for (let block = first >>> BLOCK_BITS; block <= (end - 1) >>> BLOCK_BITS; block += 1) last = Math.max(last, this.#lastHeirs[block]!);
    return last;
  }
}
