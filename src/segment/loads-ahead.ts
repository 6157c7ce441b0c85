import { AHEAD_COUNT } from "../base/ahead.js";
import type { Rows } from "./rows.js";

/** What is loaded of segments that are read one after the other: that of the next ones is under way while one is looked at. */
export class LoadsAhead {
  readonly #places: ReadonlyMap<Rows, number>;
  /** What was begun and nobody asked for yet; pinned. */
  readonly #begun = new Map<Rows, Promise<unknown> | null>();
  #begunCount = 0;

  /**
   * @param all in the order in which they are asked for; some may be passed over
   * @param load null where nothing is to be loaded
   */
  constructor(
    readonly all: readonly Rows[],
    readonly load: (rows: Rows) => Promise<unknown> | null,
  ) {
    this.#places = new Map(all.map((rows, place) => [rows, place]));
  }

  /** Settled when rows, which are pinned, are loaded; null where they are. */
  of(rows: Rows): Promise<unknown> | null {
    const place = this.#places.get(rows);
    if (place === undefined) return this.load(rows);
    // What was passed over is not asked for any more.
    this.#begunCount = Math.max(this.#begunCount, place);
    for (const next of this.all.slice(this.#begunCount, place + AHEAD_COUNT)) this.#begin(next);
    const loading = this.#begun.get(rows) ?? null;
    this.#letGo(rows);
    return loading;
  }

  /** Nothing is asked for any more. */
  release(): void {
    this.#begunCount = this.all.length;
    for (const rows of this.#begun.keys()) this.#letGo(rows);
  }

  #begin(rows: Rows): void {
    this.#begunCount += 1;
    rows.pin();
    const loading = this.load(rows);
    // Who asks for it hears of it: nobody does where an earlier one failed.
    loading?.catch(() => undefined);
    this.#begun.set(rows, loading);
  }

  #letGo(rows: Rows): void {
    if (this.#begun.delete(rows)) rows.unpin();
  }
}
