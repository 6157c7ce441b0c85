import { compareCodePoints } from "../core/base/order.js";
import { RowsByCode } from "./rows-by-code.js";

/** A link from an anonymous id to a user, and its time. */
interface Link {
  readonly userId: number;
  readonly ms: number;
}

/** All links of anonymous ids, from events and records. The earliest link owns the id; at the same ms, the one to the smallest user id. */
export class AnonymousLinks {
  /** The earliest event per user, by anonymous id. Nearly all anonymous ids have one user. */
  readonly #events = new Map<number, Map<number, number>>();
  /** Live records by anonymous id. */
  readonly #records = new RowsByCode();

  /** @param userIdOf text of a user id's code: breaks ties between links @param linkOfRow the link of a record */
  constructor(
    readonly userIdOf: (code: number) => string,
    readonly linkOfRow: (row: number) => Link,
  ) {}

  /** Adds an event with both ids and returns the owner. Constant cost unless records link the id. @param owner the owner so far */
  addEvent(anonymousId: number, link: Link, owner: number): number {
    let times = this.#events.get(anonymousId);
    if (times === undefined) {
      times = new Map();
      this.#events.set(anonymousId, times);
    }
    const known = times.get(link.userId);
    if (known !== undefined && known <= link.ms) return owner;
    times.set(link.userId, link.ms);
    if (owner === 0 || this.#records.of(anonymousId).length > 0) return this.ownerOf(anonymousId);
    return this.#isEarlier(link, { userId: owner, ms: times.get(owner) ?? Infinity }) ? link.userId : owner;
  }

  addRecord(anonymousId: number, row: number): void {
    this.#records.add(anonymousId, row);
  }

  removeRecord(anonymousId: number, row: number): void {
    this.#records.remove(anonymousId, row);
  }

  /** The user that owns an anonymous id; 0 for none. Cost: its links. */
  ownerOf(anonymousId: number): number {
    let first: Link | null = null;
    for (const [userId, ms] of this.#events.get(anonymousId) ?? []) {
      const link = { userId, ms };
      if (first === null || this.#isEarlier(link, first)) first = link;
    }
    for (const row of this.#records.of(anonymousId)) {
      const link = this.linkOfRow(row);
      if (first === null || this.#isEarlier(link, first)) first = link;
    }
    return first?.userId ?? 0;
  }

  #isEarlier(a: Link, b: Link): boolean {
    if (a.ms !== b.ms) return a.ms < b.ms;
    return a.userId !== b.userId && compareCodePoints(this.userIdOf(a.userId), this.userIdOf(b.userId)) < 0;
  }
}
