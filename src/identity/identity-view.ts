import type { RowsOfSnapshot } from "../storage/derived/store-table.js";
import type { EventKey } from "../storage/segment/event-order.js";

/**
 * The identities of one snapshot. An *actor* is an id in one role: `code * 2` for a user id, `code * 2 + 1` for an anonymous id, each from its own
 * dictionary; 0 is none. Events keep their actors for ever; queries map actors to identities. An identity is named by one of its actors: the
 * surviving user id, or the anonymous id when it has no user.
 */
export interface IdentityView {
  /** Number of moves of actors to another identity; 0 means that every actor is its own identity. */
  readonly linkCount: number;
  /** Whether a user id is, or was, merged into another. */
  readonly hasMerges: boolean;
  identityOf(actor: number): number;
  /** All actors of an identity, itself first. Cost: their number. */
  actorsOf(identity: number): readonly number[];
  /** The actors that moved to another identity since an earlier view; null when that is too long ago. Cost: their number. */
  changesSince(former: IdentityView): ReadonlySet<number> | null;
  /** The identity of this user id, or else of this anonymous id; 0 when unknown. Call it in the snapshot's tick. */
  findId(id: string): number;
  /** The identity most recently identified with an email (trimmed, lower case); 0 when unknown. Call it in the snapshot's tick. */
  findEmail(email: string): number;
  /** The actor that an email names, not mapped to its identity; 0 when unknown. Call it in the snapshot's tick. */
  actorOfEmail(email: string): number;
  /** `idn_` and the hash of the id that names the identity. */
  identityId(identity: number): string;
  /** Whether it has a resolved identifier. Constant cost for identities with a user id. */
  isIdentified(identity: number): boolean;
  /** Whether a record existed and was not unlinked. */
  isLive(row: number): boolean;
  /** Its newest email if that finds this identity, else its user id; null for an anonymous one. */
  resolvedIdentifier(identity: number): string | null;
}

/** Ends of a snapshot's codes of user ids, anonymous ids and companies. */
export interface KnownEnds {
  readonly users: number;
  readonly anonymous: number;
  readonly companies: number;
}

export function isActorBefore(actor: number, { users, anonymous }: KnownEnds): boolean {
  return actor >>> 1 < ((actor & 1) === 0 ? users : anonymous);
}

/** The company of events that name none: a step function over time per identity. */
export interface CompanyView {
  /** Code of the identity's company at an event (createdAt, event id, project); 0 for none. Before its first association the first company counts. */
  companyAt(identity: number, createdAtMs: number, key: EventKey): number;
  /** Whether the key of an event decides: an association of the identity has the same millisecond. */
  needsId(identity: number, createdAtMs: number): boolean;
  /** The company of an identity that never had two; 0 for none, -1 for several: then use `companyAt`. */
  onlyCompany(identity: number): number;
  /** The company an identity was last seen with, at any time; 0 for none. */
  lastCompany(identity: number): number;
  /** The identities that only ever had this company. Call it in the snapshot's tick. Cost: their number; once, all identities with a company. */
  membersOf(companyCode: number): Iterable<number>;
  changedIdentities(): readonly number[];
  readonly hasChanges: boolean;
  /** Whether an event or a live group record names this company. Call it in the snapshot's tick. */
  has(companyCode: number): boolean;
  /** The newest text of each trait of a company (other values are left out); null when it has no traits. */
  traitsOf(companyCode: number): Readonly<Record<string, unknown>> | null;
}

export interface IdentitySnapshot extends RowsOfSnapshot {
  readonly identities: IdentityView;
}
