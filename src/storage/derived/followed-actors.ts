import type { Rows } from "../segment/rows.js";

/** Reads facts about some actors from rows; the lists have no order. */
type ReadActors<T> = (actors: ReadonlySet<number>, rows: readonly Rows[]) => Promise<ReadonlyMap<number, T[]>>;

/** Facts about a few actors: read from all rows on first use, then extended as rows arrive, also during a read. One read at a time. */
export class FollowedActors<T> {
  readonly #lists = new Map<number, T[]>();
  readonly #pending = new Map<number, T[]>();
  #reading: Promise<void> | null = null;

  constructor(readonly readActors: ReadActors<T>) {}

  has(actor: number): boolean {
    return this.#lists.has(actor);
  }

  /** Empty for an actor whose list is not read. */
  of(actor: number): readonly T[] {
    return this.#lists.get(actor) ?? [];
  }

  get factCount(): number {
    let count = 0;
    for (const list of this.#lists.values()) count += list.length;
    return count;
  }

  isFollowed(actor: number): boolean {
    return this.#lists.has(actor) || this.#pending.has(actor);
  }

  /** Adds a fact from a new row of a head; does nothing for an actor that is not followed. */
  add(actor: number, fact: T): void {
    (this.#lists.get(actor) ?? this.#pending.get(actor))?.push(fact);
  }

  /** Drops the list of an actor whose new rows arrived in a segment; it must be read again. */
  forget(actor: number): void {
    if (this.#lists.size === 0 && this.#pending.size === 0) return;
    this.#lists.delete(actor);
    this.#pending.delete(actor);
  }

  clear(): void {
    this.#lists.clear();
    this.#pending.clear();
  }

  /** Reads the facts of some actors from all rows of the snapshot up to which `add` was called. */
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
      // One person may have a hundred thousand ids, so a list is copied only when something was added.
      if (since !== undefined) this.#lists.set(actor, since.length === 0 ? list : [...list, ...since]);
    }
  }
}
