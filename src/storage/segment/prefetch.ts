import { AHEAD_COUNT } from "../../core/base/promises.js";
import type { Rows } from "./rows.js";
import type { Yielder } from "../../core/base/yield.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";

/** Loads segments that are read one after another ahead of time: the next ones load while one is being read. */
export class Prefetch<T = unknown> {
  readonly #places: ReadonlyMap<Rows, number>;
  /** Started loads that no caller has requested yet; their rows are pinned. */
  readonly #begun = new Map<Rows, Promise<T> | null>();
  #begunCount = 0;

  /** @param all in the order in which they are requested; some may be skipped @param load returns null if there is nothing to load */
  constructor(
    readonly all: readonly Rows[],
    readonly load: (rows: Rows) => Promise<T> | null,
  ) {
    this.#places = new Map(all.map((rows, place) => [rows, place]));
  }

  /** Resolves when rows, which must be pinned, are loaded; null if they already are. */
  of(rows: Rows): Promise<T> | null {
    const place = this.#places.get(rows);
    if (place === undefined) return this.load(rows);
    // Skipped rows are not requested later.
    this.#begunCount = Math.max(this.#begunCount, place);
    for (const next of this.all.slice(this.#begunCount, place + AHEAD_COUNT)) this.#begin(next);
    const loading = this.#begun.get(rows) ?? null;
    this.#release(rows);
    return loading;
  }

  /** Unpins all rows loaded ahead; call it when no more are requested. */
  release(): void {
    this.#begunCount = this.all.length;
    for (const rows of this.#begun.keys()) this.#release(rows);
  }

  #begin(rows: Rows): void {
    this.#begunCount += 1;
    rows.pin();
    const loading = this.#loadingOf(rows);
    // Errors reach the caller that requests these rows, if any: none does if an earlier load failed.
    loading?.catch(() => undefined);
    this.#begun.set(rows, loading);
  }

  /** Reading the footer of a segment can fail at once. */
  #loadingOf(rows: Rows): ReturnType<typeof this.load> {
    try {
      return this.load(rows);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #release(rows: Rows): void {
    if (this.#begun.delete(rows)) rows.unpin();
  }
}

/** Cost of reading and inflating an entry of a column, in values. */
const VALUES_PER_ENTRY = 4;

/** Loads all columns of pinned rows one by one, yielding in between. @throws corruption, and what `yielder` throws */
export async function loadYielding(rows: Rows, yielder: Yielder): Promise<void> {
  for (const name of [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...rows.columnNames()]) {
    const loading = rows.load([name]);
    if (loading === null) continue;
    await loading;
    await yielder.yieldAfter(rows.rowCount * VALUES_PER_ENTRY);
  }
}
