/** A session that continues an earlier one with later events. */
interface Continuation {
  /** The first session of the chain. */
  readonly first: number;
  readonly previous: number;
}

/** Estimated size of a link: its entries in both maps, and the link itself. */
const BYTES_PER_LINK = 120;

/** Tracks sessions that continue others with later events: an event put into any of a chain is in the newest session of a snapshot. */
export class Continuations {
  readonly #newest = new Map<number, number>();
  readonly #links = new Map<number, Continuation>();

  get byteLength(): number {
    return this.#links.size * BYTES_PER_LINK;
  }

  /** Records that a session continues as another one, with a greater number. */
  add(session: number, next: number): void {
    const first = this.firstOf(session);
    this.#links.set(next, { first, previous: session });
    this.#newest.set(first, next);
  }

  /** The first session of the chain; the session itself when it continues none. */
  firstOf(session: number): number {
    return this.#links.get(session)?.first ?? session;
  }

  /** The newest continuation below `count`; the session itself when there is none. Cost: the continuations since. */
  newestOf(session: number, count: number): number {
    const first = this.firstOf(session);
    let newest = this.#newest.get(first) ?? first;
    while (newest >= count) newest = this.#links.get(newest)?.previous ?? first;
    return newest;
  }
}
