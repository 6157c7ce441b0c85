/** One more than a session of before in which events go on that came behind its last one. */
interface Continuation {
  /** The first session of all. */
  readonly first: number;
  readonly previous: number;
}

/** What one takes, by estimate: its entries in both maps, and what is linked. */
const BYTES_PER_LINK = 120;

/** Which sessions are others with more events behind them: what was put into one of them is in the newest of a moment. */
export class Continuations {
  readonly #newest = new Map<number, number>();
  readonly #links = new Map<number, Continuation>();

  get byteLength(): number {
    return this.#links.size * BYTES_PER_LINK;
  }

  /** A session goes on as another one, with a greater number. */
  add(session: number, next: number): void {
    const first = this.firstOf(session);
    this.#links.set(next, { first, previous: session });
    this.#newest.set(first, next);
  }

  /** The session of which this one, and those between them, are continuations. */
  firstOf(session: number): number {
    return this.#links.get(session)?.first ?? session;
  }

  /** The newest continuation below a number; the session itself where there is none. Cost: the continuations since. */
  newestOf(session: number, count: number): number {
    const first = this.firstOf(session);
    let newest = this.#newest.get(first) ?? first;
    while (newest >= count) newest = this.#links.get(newest)?.previous ?? first;
    return newest;
  }
}
