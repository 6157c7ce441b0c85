import { areSameParts } from "../base/same-parts.js";
import type { Memo } from "../report/report.js";

interface Entry {
  readonly parts: readonly object[];
  readonly value: unknown;
}

/** Keeps the last value of each key. An entry holds on to its parts, which are the segments of today and soon replaced. */
export class LastValues implements Memo {
  readonly #entries = new Map<string, Entry>();

  of<T>(key: string, parts: readonly object[], make: () => T): T {
    const entry = this.#entries.get(key);
    // What was kept under a key was made by the same caller.
    if (entry !== undefined && areSameParts(entry.parts, parts)) return entry.value as T;
    const value = make();
    this.#entries.set(key, { parts: [...parts], value });
    return value;
  }
}
