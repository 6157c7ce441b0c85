import type { EventKey } from "../segment/event-order.js";

/**
 * Who is who at one moment. An *actor* is an id in the role it played: `code * 2` for a user id, `code * 2 + 1` for an
 * anonymous id, each by its own dictionary; 0 is nobody. Events keep their actors for ever; answers fold actors onto
 * identities. An identity is named by one of its actors: the surviving user id, or the anonymous id of one without.
 */
export interface IdentityView {
  /** Number of actors that belong to another one, or did; 0 means that every actor is its own identity. */
  readonly linkCount: number;
  /** Whether some user id stands, or once stood, for another. */
  readonly hasMerges: boolean;
  /** The actor that stands for the identity of an actor. */
  identityOf(actor: number): number;
  /** All actors of an identity, itself first. Cost: their number. */
  actorsOf(identity: number): readonly number[];
  /** The actors that came to another identity since an earlier view; null where that is too long ago to tell. Cost: their number. */
  movedSince(former: IdentityView): ReadonlySet<number> | null;
  /** The identity that a user id, else an anonymous id of this value, belongs to; 0 for an unknown one. To be asked in the turn of the moment. */
  findId(id: string): number;
  /** The identity most recently identified with an email (trimmed, lower case); 0 for an unknown one. To be asked in the turn of the moment. */
  findEmail(email: string): number;
  /** The very id that an email names, before it is folded onto an identity; 0 for an unknown one. To be asked in the turn of the moment. */
  actorOfEmail(email: string): number;
  /** `idn_` and the hash of the id that names the identity. */
  identityId(identity: number): string;
  /** Whether it has a resolved identifier. Constant for whoever has a user id. */
  isIdentified(identity: number): boolean;
  /** Whether a record was there, and not taken back. */
  isLive(row: number): boolean;
  /** The newest email if it finds this identity, else its user id; null for an anonymous one. */
  resolvedIdentifier(identity: number): string | null;
}

/** The codes of user ids, anonymous ids and companies of a moment lie below these. */
export interface KnownEnds {
  readonly users: number;
  readonly anonymous: number;
  readonly companies: number;
}

/** Whether an actor was there at that moment. */
export function isActorBefore(actor: number, { users, anonymous }: KnownEnds): boolean {
  return actor >>> 1 < ((actor & 1) === 0 ? users : anonymous);
}

/** To which company events without one of their own belong: a step function over time per identity. */
export interface CompanyView {
  /**
   * Code of the company of an identity's event by (createdAt, event id, project); 0 for none. The first interval reaches back
   * without end.
   */
  companyAt(identity: number, createdAtMs: number, key: EventKey): number;
  /** Whether the key of an event decides: something told of the identity's company in the same millisecond. */
  needsId(identity: number, createdAtMs: number): boolean;
  /** The company of an identity that never had two; 0 for none, -1 when it changed: then ask `companyAt`. */
  onlyCompany(identity: number): number;
  /** The company that an identity was last seen with, at any time; 0 for none. */
  lastCompany(identity: number): number;
  /**
   * The identities whose only company it is, to be asked in the turn of the moment.
   * Cost: their number; the first time, all identities with a company.
   */
  membersOf(companyCode: number): Iterable<number>;
  /** The identities that had several companies. */
  changedIdentities(): readonly number[];
  /** Whether some identity changed its company. */
  readonly hasChanges: boolean;
  /** Whether some event or group call named this company. To be asked in the turn of the moment. */
  has(companyCode: number): boolean;
  /** The newest text of every trait of a company (numbers and other values left out); null where none were given. */
  traitsOf(companyCode: number): Readonly<Record<string, unknown>> | null;
}
