import type { Memo } from "./report.js";

/** Something that is made once. What could not be made is tried again. */
class Kept<T> {
  #made: T | null = null;
  #making: Promise<T> | null = null;

  async of(make: () => Promise<T>): Promise<T> {
    if (this.#made !== null) return this.#made;
    this.#making ??= make().finally(() => (this.#making = null));
    return (this.#made ??= await this.#making);
  }
}

/** As `memo.of`, for what has to load first: nothing is loaded while it is kept. */
export function keptOf<T>(memo: Memo, key: string, parts: readonly object[], make: () => Promise<T>): Promise<T> {
  return memo.of(key, parts, () => new Kept<T>()).of(make);
}
