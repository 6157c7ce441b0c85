import { hash128, toHex } from "../../base/hash.js";
import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";

/** Who did what: an identity is a user, or an anonymous id that no user has. */
export interface Identities {
  /** The identity behind an event; null where it carries neither id. */
  of(event: OracleEvent): string | null;
  /** The identity that a user id, else an anonymous id of this value, belongs to; null for an unknown one. */
  find(id: string): string | null;
}

interface Link {
  readonly userId: string;
  readonly atMs: number;
}

/** Resolves the identities of events: of several users of one anonymous id the earliest, then the smallest id, has it. */
export function identitiesOf(events: readonly OracleEvent[]): Identities {
  const userIds = new Set(events.map((event) => event.userId).filter((id) => id !== ""));
  const anonymousIds = new Set(events.map((event) => event.anonymousId).filter((id) => id !== ""));
  const owners = new Map<string, Link>();
  for (const { userId, anonymousId, createdAtMs } of events) {
    if (userId === "" || anonymousId === "") continue;
    const owner = owners.get(anonymousId);
    const link = { userId, atMs: createdAtMs };
    if (owner === undefined || isEarlier(link, owner)) owners.set(anonymousId, link);
  }
  const user = (userId: string) => identityId("user", userId);
  const anonymous = (anonymousId: string) => {
    const owner = owners.get(anonymousId);
    return owner === undefined ? identityId("anonymous", anonymousId) : user(owner.userId);
  };
  return {
    of: ({ userId, anonymousId }) => {
      if (userId !== "") return user(userId);
      return anonymousId === "" ? null : anonymous(anonymousId);
    },
    find: (id) => {
      if (userIds.has(id)) return user(id);
      return anonymousIds.has(id) ? anonymous(id) : null;
    },
  };
}

function isEarlier(a: Link, b: Link): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && byCodePoint(a.userId, b.userId) < 0);
}

function identityId(kind: "user" | "anonymous", id: string): string {
  return `idn_${toHex(hash128(kind, id))}`;
}
