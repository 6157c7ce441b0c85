import { compareCodePoints } from "../base/order.js";
import type { IdLink } from "../segment/rows.js";

/**
 * Who is who. An *actor* is an id in the role it played: `code * 2` for a user id, `code * 2 + 1` for an anonymous
 * id, each by its own dictionary. Events keep their actors for ever; answers fold actors onto identities with `identityOf`.
 */
export class IdentityResolver {
  /** Every known link of an anonymous id: the earliest time per user. */
  readonly #links = new Map<number, Map<number, number>>();
  /** The user each linked anonymous id belongs to. */
  readonly #owner = new Map<number, number>();
  readonly #anonymousIdsOf = new Map<number, Set<number>>();

  /** @param userIdOf text of a user id's code: ties between links are broken by it */
  constructor(readonly userIdOf: (code: number) => string) {}

  get linkCount(): number {
    return this.#owner.size;
  }

  /** Learns that an event carried both ids. Order of learning does not matter. Cost: the links of that anonymous id. */
  link({ anonymousId, userId, createdAtMs }: IdLink): void {
    let times = this.#links.get(anonymousId);
    if (times === undefined) {
      times = new Map();
      this.#links.set(anonymousId, times);
    }
    const known = times.get(userId);
    if (known !== undefined && known <= createdAtMs) return;
    times.set(userId, createdAtMs);
    this.#settle(anonymousId, times);
  }

  /** The actor that stands for the identity of an actor. */
  identityOf(actor: number): number {
    if ((actor & 1) === 0) return actor;
    const owner = this.#owner.get(actor >>> 1);
    return owner === undefined ? actor : owner * 2;
  }

  /** Anonymous ids that belong to a user. */
  anonymousIdsOf(userId: number): Iterable<number> {
    return this.#anonymousIdsOf.get(userId) ?? [];
  }

  /** The user an anonymous id belongs to; -1 for none. */
  ownerOf(anonymousId: number): number {
    return this.#owner.get(anonymousId) ?? -1;
  }

  /** Anonymous ids that belong to some user. */
  linkedAnonymousIds(): Iterable<number> {
    return this.#owner.keys();
  }

  /** The earliest link wins; at one millisecond the smallest user id. */
  #settle(anonymousId: number, times: ReadonlyMap<number, number>): void {
    let owner = -1;
    let earliest = Infinity;
    for (const [userId, ms] of times) {
      if (ms > earliest || (ms === earliest && compareCodePoints(this.userIdOf(userId), this.userIdOf(owner)) >= 0)) continue;
      owner = userId;
      earliest = ms;
    }
    const before = this.#owner.get(anonymousId);
    if (before === owner) return;
    if (before !== undefined) this.#anonymousIdsOf.get(before)?.delete(anonymousId);
    this.#owner.set(anonymousId, owner);
    const mine = this.#anonymousIdsOf.get(owner) ?? new Set();
    mine.add(anonymousId);
    this.#anonymousIdsOf.set(owner, mine);
  }
}
