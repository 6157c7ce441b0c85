import { compareCodePoints } from "../base/order.js";
import type { IdLink } from "../segment/rows.js";

/** To whom an anonymous id belongs since a version of the resolver, and to whom before. */
interface Ownership {
  readonly userId: number;
  readonly since: number;
  readonly before: Ownership | null;
}

/**
 * Who is who at one moment. An *actor* is an id in the role it played: `code * 2` for a user id, `code * 2 + 1` for an
 * anonymous id, each by its own dictionary. Events keep their actors for ever; answers fold actors onto identities.
 */
export interface IdentityView {
  /** Number of anonymous ids that belong to some user, or did; 0 means that every actor is its own identity. */
  readonly linkCount: number;
  /** The actor that stands for the identity of an actor. */
  identityOf(actor: number): number;
  /** The user an anonymous id belongs to; -1 for none. */
  ownerOf(anonymousId: number): number;
  /** Anonymous ids that belong to a user. */
  anonymousIdsOf(userId: number): readonly number[];
}

/** Learns links in any order; hands out views that later links do not change. */
export class IdentityResolver {
  /** Every known link of an anonymous id: the earliest time per user. */
  readonly #links = new Map<number, Map<number, number>>();
  readonly #owners = new Map<number, Ownership>();
  /** Anonymous ids that belong to a user, or once did. */
  readonly #everOf = new Map<number, Set<number>>();
  #version = 0;

  /** @param userIdOf text of a user id's code: ties between links are broken by it */
  constructor(readonly userIdOf: (code: number) => string) {}

  /** Learns that an event carried both ids. Constant cost: one anonymous id may have links to every user. */
  link({ anonymousId, userId, createdAtMs }: IdLink): void {
    let times = this.#links.get(anonymousId);
    if (times === undefined) {
      times = new Map();
      this.#links.set(anonymousId, times);
    }
    const known = times.get(userId);
    if (known !== undefined && known <= createdAtMs) return;
    times.set(userId, createdAtMs);
    const owner = this.#owners.get(anonymousId)?.userId;
    if (owner === undefined || this.#isEarlier(userId, createdAtMs, owner, times.get(owner) ?? Infinity)) this.#give(anonymousId, userId);
  }

  /** Who is who by the links learned so far. */
  view(): IdentityView {
    const version = this.#version;
    const owners = this.#owners;
    const ownerOf = (anonymousId: number) => {
      let ownership = owners.get(anonymousId) ?? null;
      while (ownership !== null && ownership.since > version) ownership = ownership.before;
      return ownership === null ? -1 : ownership.userId;
    };
    return {
      linkCount: owners.size,
      ownerOf,
      identityOf: (actor) => {
        if ((actor & 1) === 0) return actor;
        const owner = ownerOf(actor >>> 1);
        return owner === -1 ? actor : owner * 2;
      },
      anonymousIdsOf: (userId) => [...(this.#everOf.get(userId) ?? [])].filter((anonymousId) => ownerOf(anonymousId) === userId),
    };
  }

  /** The earliest link wins; at one millisecond the smallest user id. */
  #isEarlier(userId: number, ms: number, owner: number, ownerMs: number): boolean {
    if (userId === owner || ms > ownerMs) return false;
    return ms < ownerMs || compareCodePoints(this.userIdOf(userId), this.userIdOf(owner)) < 0;
  }

  #give(anonymousId: number, userId: number): void {
    this.#version += 1;
    this.#owners.set(anonymousId, { userId, since: this.#version, before: this.#owners.get(anonymousId) ?? null });
    const ever = this.#everOf.get(userId) ?? new Set();
    ever.add(anonymousId);
    this.#everOf.set(userId, ever);
  }
}
