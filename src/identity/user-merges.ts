import { RowsByCode } from "./rows-by-code.js";

/** An alias between two user ids. */
interface Alias {
  readonly from: number;
  readonly to: number;
}

/** Merges of users: aliases in order of (createdAt, id). Each id merges into one other at most, and never in a cycle. */
export class UserMerges {
  /** Live aliases by either end. */
  readonly #rows = new RowsByCode();
  /** Users whose aliases changed since the last `settle`. */
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
  settle(tell: (user: number, survivor: number) => void): void {
    if (this.#changed.size === 0) return;
    const done = new Set<number>();
    for (const user of this.#changed) if (!done.has(user)) this.#settleAround(user, done, tell);
    this.#changed.clear();
  }

  #touch(row: number, change: (user: number) => void): void {
    const { from, to } = this.aliasOfRow(row);
    for (const user of [from, to]) {
      change(user);
      this.#changed.add(user);
    }
  }

  #settleAround(start: number, done: Set<number>, tell: (user: number, survivor: number) => void): void {
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
    for (const user of users) tell(user, parents.rootOf(user));
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
