import type { Rows } from "../segment/rows.js";

/** What the rows of some actors hold, by actor, in no order. */
export type ReadActors<T> = (actors: ReadonlySet<number>, rows: readonly Rows[]) => Promise<ReadonlyMap<number, T[]>>;

/**
 * Lists of facts about few actors: read from all rows when somebody first asks for them, and from then on added to as rows come. One
 * reading at a time; what comes meanwhile is added behind.
 */
export class FollowedActors<T> {
  readonly #lists = new Map<number, T[]>();
  readonly #pending = new Map<number, T[]>();
  #reading: Promise<void> | null = null;

  constructor(readonly readActors: ReadActors<T>) {}

  has(actor: number): boolean {
    return this.#lists.has(actor);
  }

  /** Empty for one who is not followed. */
  of(actor: number): readonly T[] {
    return this.#lists.get(actor) ?? [];
  }

  /** Facts of all of them. */
  get factCount(): number {
    let count = 0;
    for (const list of this.#lists.values()) count += list.length;
    return count;
  }

  isFollowed(actor: number): boolean {
    return this.#lists.has(actor) || this.#pending.has(actor);
  }

  /** A fact of a row that came to a head. */
  add(actor: number, fact: T): void {
    (this.#lists.get(actor) ?? this.#pending.get(actor))?.push(fact);
  }

  /** Rows came of which only a segment tells: they are read anew. */
  forget(actor: number): void {
    this.#lists.delete(actor);
    this.#pending.delete(actor);
  }

  clear(): void {
    this.#lists.clear();
    this.#pending.clear();
  }

  /** Reads the facts of some actors from all rows of the moment up to which `add` was called. */
  read(actors: ReadonlySet<number>, rows: readonly Rows[]): Promise<void> {
    this.#reading ??= this.#readAll(actors, rows).finally(() => {
      this.#reading = null;
      this.#pending.clear();
    });
    return this.#reading;
  }

  async #readAll(actors: ReadonlySet<number>, rows: readonly Rows[]): Promise<void> {
    for (const actor of actors) this.#pending.set(actor, []);
    for (const [actor, list] of await this.readActors(actors, rows)) {
      const since = this.#pending.get(actor);
      // One person may have a hundred thousand ids: a list is copied where something came.
      if (since !== undefined) this.#lists.set(actor, since.length === 0 ? list : [...list, ...since]);
    }
  }
}
