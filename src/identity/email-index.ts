import { compareCodePoints } from "../core/base/order.js";
import type { Dictionary } from "../storage/column/dictionary.js";
import { looksLikeEmail, normalEmail } from "./emails.js";
import type { RecordTable } from "./record-table.js";
import { RowsByCode } from "./company-view.js";

/** Finds actors by the emails they were identified with, and user ids that are emails themselves. */
export class EmailIndex {
  /** Identify records by email, unlinked ones too. */
  readonly #byEmail = new RowsByCode();
  /** User ids that look like emails by their normal form, for codes below `#scanned`. */
  readonly #emailLikeUsers = new Map<string, number[]>();
  #scanned = 1;

  constructor(
    readonly table: RecordTable,
    readonly userIds: Dictionary,
    readonly anonymousIds: Dictionary,
  ) {}

  add(row: number): void {
    this.#byEmail.add(this.table.code(row, "email"), row);
  }

  /** The actor of an identify record: its user, else its anonymous id. */
  actorOf(row: number): number {
    const userId = this.table.code(row, "userId");
    return userId > 0 ? userId * 2 : this.table.code(row, "anonymousId") * 2 + 1;
  }

  /** The actor most recently identified with an email; 0 for none. Cost: the records with this email. @param isLive whether a record counts */
  newestActorOf(emailCode: number, isLive: (row: number) => boolean): number {
    let newest = -1;
    for (const row of this.#byEmail.of(emailCode)) if (isLive(row) && (newest === -1 || this.#isNewer(row, newest))) newest = row;
    return newest === -1 ? 0 : this.actorOf(newest);
  }

  /** User ids below `end` whose normal form is this email. Cost: each new user id, once. @param end codes below it are permanent */
  usersNamedLike(email: string, end: number): readonly number[] {
    for (const last = Math.min(end, this.userIds.size); this.#scanned < last; this.#scanned += 1) {
      const text = this.userIds.valueOf(this.#scanned);
      if (!text.includes("@") || this.userIds.isRetired(this.#scanned)) continue;
      const normal = normalEmail(text);
      if (!looksLikeEmail(normal)) continue;
      const users = this.#emailLikeUsers.get(normal) ?? [];
      users.push(this.#scanned);
      this.#emailLikeUsers.set(normal, users);
    }
    return this.#emailLikeUsers.get(email) ?? [];
  }

  /** Later; at one ms the smaller user id, then records without a user by anonymous id; for one actor the smaller record id. */
  #isNewer(row: number, other: number): boolean {
    const { table } = this;
    const ms = table.timeOf(row) - table.timeOf(other);
    if (ms !== 0) return ms > 0;
    const [a, b] = [this.actorOf(row), this.actorOf(other)];
    if ((a & 1) !== (b & 1)) return (a & 1) === 0;
    if (a === b) return table.compare(row, other) < 0;
    return compareCodePoints(this.#textOf(a), this.#textOf(b)) < 0;
  }

  #textOf(actor: number): string {
    return ((actor & 1) === 0 ? this.userIds : this.anonymousIds).valueOf(actor >>> 1);
  }
}
