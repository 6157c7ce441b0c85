import { compareCodePoints } from "../core/base/text-order.js";
import { RowsByCode } from "./record-table.js";
import { LIMITS } from "../core/base/limits.js";

interface Link {
  readonly userId: number;
  readonly ms: number;
}

/** All links of anonymous ids, from events and records. The earliest link owns the id; at the same ms, the one to the smallest user id. */
export class AnonymousLinks {
  /** The earliest event per user, by anonymous id. Nearly all anonymous ids have one user, for which a map would take several times as long. */
  readonly #events = new Map<number, Link | Map<number, number>>();
  readonly #records = new RowsByCode();

  /** @param userIdOf text of a user id's code: breaks ties between links @param linkOfRow the link of a record */
  constructor(
    readonly userIdOf: (code: number) => string,
    readonly linkOfRow: (row: number) => Link,
  ) {}

  /** Adds an event with both ids and returns the owner. Constant cost unless records link the id. @param owner the owner so far */
  addEvent(anonymousId: number, { userId, ms }: Link, owner: number): number {
    const events = this.#events.get(anonymousId);
    const known = events instanceof Map ? events.get(userId) : events?.userId === userId ? events.ms : undefined;
    if (known !== undefined && known <= ms) return owner;
    if (events instanceof Map) events.set(userId, ms);
    else if (events === undefined || known !== undefined) this.#events.set(anonymousId, { userId, ms });
    else this.#events.set(anonymousId, new Map([[events.userId, events.ms], [userId, ms]]));
    if (owner === 0 || !(events instanceof Map) || this.#records.of(anonymousId).length > 0) return this.ownerOf(anonymousId);
    return this.#isEarlier({ userId, ms }, { userId: owner, ms: events.get(owner) ?? Infinity }) ? userId : owner;
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
    const events = this.#events.get(anonymousId);
    if (events instanceof Map) {
      for (const [userId, ms] of events) {
        const link = { userId, ms };
        if (first === null || this.#isEarlier(link, first)) first = link;
      }
    } else if (events !== undefined) first = events;
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

interface Alias {
  readonly from: number;
  readonly to: number;
}

/** Merges of users: aliases in order of (createdAt, id). Each id merges into one other at most, and never in a cycle. */
export class UserMerges {
  /** Live aliases by either end. */
  readonly #rows = new RowsByCode();
  /** Users whose aliases changed since the last `resolveChanged`. */
  readonly #changed = new Set<number>();

  /** @param compare order of (createdAt, id) of two rows */
  constructor(
    readonly aliasOfRow: (row: number) => Alias,
    readonly compare: (a: number, b: number) => number,
  ) {}

  add(row: number): void {
    this.#touch(row, (user) => this.#rows.add(user, row));
  }

  remove(row: number): void {
    this.#touch(row, (user) => this.#rows.remove(user, row));
  }

  /** Reports the survivor of every user that a change may affect. Cost: a sort of the aliases of those users and of all users connected to them. */
  resolveChanged(setSurvivor: (user: number, survivor: number) => void): void {
    if (this.#changed.size === 0) return;
    const done = new Set<number>();
    for (const user of this.#changed) if (!done.has(user)) this.#resolveAround(user, done, setSurvivor);
    this.#changed.clear();
  }

  #touch(row: number, change: (user: number) => void): void {
    const { from, to } = this.aliasOfRow(row);
    for (const user of [from, to]) {
      change(user);
      this.#changed.add(user);
    }
  }

  #resolveAround(start: number, done: Set<number>, setSurvivor: (user: number, survivor: number) => void): void {
    const users = [start];
    const rows = new Set<number>();
    done.add(start);
    for (const user of users) {
      for (const row of this.#rows.of(user)) {
        rows.add(row);
        const { from, to } = this.aliasOfRow(row);
        for (const other of [from, to])
          if (!done.has(other)) {
            done.add(other);
            users.push(other);
          }
      }
    }
    const parents = new Parents();
    for (const row of [...rows].sort(this.compare)) {
      const { from, to } = this.aliasOfRow(row);
      parents.join(from, to);
    }
    for (const user of users) setSurvivor(user, parents.rootOf(user));
  }
}

/** A forest in which only roots get parents; lookups shorten paths. */
class Parents {
  readonly #parents = new Map<number, number>();
  readonly #shortcuts = new Map<number, number>();

  join(from: number, to: number): void {
    if (this.#parents.has(from) || this.rootOf(to) === from) return;
    this.#parents.set(from, to);
    this.#shortcuts.set(from, to);
  }

  rootOf(user: number): number {
    let root = user;
    for (let next = this.#shortcuts.get(root); next !== undefined; next = this.#shortcuts.get(root)) root = next;
    for (let at = user; at !== root; ) {
      const next = this.#shortcuts.get(at) ?? root;
      this.#shortcuts.set(at, root);
      at = next;
    }
    return root;
  }
}

/** Actors that moved to another identity, in order, so that tables by identity update only these. 8 bytes each, a bounded number. */
export class ChangeLog {
  #actors: number[] = [];
  #forgottenCount = 0;

  get count(): number {
    return this.#forgottenCount + this.#actors.length;
  }

  add(actor: number): void {
    this.#actors.push(actor);
    if (this.#actors.length < LIMITS.rememberedMoveCount * 2) return;
    this.#forgottenCount += LIMITS.rememberedMoveCount;
    this.#actors = this.#actors.slice(LIMITS.rememberedMoveCount);
  }

  /** Records a change of more actors than can be listed. */
  addAll(): void {
    this.#forgottenCount += this.#actors.length + 1;
    this.#actors = [];
  }

  /** The actors that moved between two counts, each once; null when that is too long ago. */
  between(from: number, to: number): ReadonlySet<number> | null {
    return from < this.#forgottenCount ? null : new Set(this.#actors.slice(from - this.#forgottenCount, to - this.#forgottenCount));
  }
}
