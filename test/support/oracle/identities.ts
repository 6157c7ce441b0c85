import { hash128, toHex } from "../../../src/core/base/hash.js";
import { ownersOf } from "./devices.js";
import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";
import { survivorsOf } from "./merges.js";
import { normalEmail, type Identify, type Records } from "./record.js";
import { remembered } from "./remembered.js";

/** A surviving user, or an anonymous id that no user has. */
export type Identity = `user ${string}` | `anonymous ${string}`;

/** Who is who. */
export interface Identities {
  /** The identity behind an event; null where it carries neither id. */
  of(event: { readonly userId: string; readonly anonymousId: string }): Identity | null;
  /** The identity that a user id, else an anonymous id of this value, belongs to; null for an unknown one. */
  find(id: string): Identity | null;
  /** The identity most recently identified with an email, else that of a user id which is this email; null for an unknown one. */
  findEmail(email: string): Identity | null;
  /** The newest email if it finds this identity, else its user id; null for an anonymous one. */
  resolvedIdentifier(identity: Identity): string | null;
}

/** Resolves identities from all events and from the records in force. */
export function identitiesOf(events: readonly OracleEvent[], records: Records): Identities {
  const { identifies, groups, aliases } = records;
  const survivor = survivorsOf(aliases);
  const owner = remembered(ownersOf(events, records));
  const named = [...events, ...identifies, ...groups];
  const userIds = new Set([...named.map(({ userId }) => userId), ...aliases.flatMap(({ from, to }) => [from, to])]);
  const anonymousIds = new Set(named.map(({ anonymousId }) => anonymousId));

  const user = (userId: string): Identity => `user ${survivor(userId)}`;
  const anonymous = (anonymousId: string): Identity => {
    const userId = owner(anonymousId);
    return userId === null ? `anonymous ${anonymousId}` : user(userId);
  };
  const of: Identities["of"] = ({ userId, anonymousId }) => {
    if (userId !== "") return user(userId);
    return anonymousId === "" ? null : anonymous(anonymousId);
  };
  const find: Identities["find"] = (id) => {
    if (id === "") return null;
    if (userIds.has(id)) return user(id);
    return anonymousIds.has(id) ? anonymous(id) : null;
  };
  const findEmail: Identities["findEmail"] = (email) => {
    const record = identifies.filter((identify) => identify.email === email).sort(byNewestThenId)[0];
    if (record !== undefined) return of(record);
    const [userId] = [...userIds].filter((id) => isEmail(normalEmail(id)) && normalEmail(id) === email).sort(byCodePoint);
    return userId === undefined ? null : user(userId);
  };
  return {
    of,
    find,
    findEmail,
    resolvedIdentifier: (identity) => {
      const newest = identifies.filter((identify) => identify.email !== "" && of(identify) === identity).at(-1);
      if (newest !== undefined && findEmail(newest.email) === identity) return newest.email;
      return identity.startsWith("user ") ? identity.slice("user ".length) : null;
    },
  };
}

/** `idn_` and the hash of the id that names an identity. */
export function identityId(identity: Identity): string {
  const space = identity.indexOf(" ");
  return `idn_${toHex(hash128(identity.slice(0, space), identity.slice(space + 1)))}`;
}

/** The latest first; of one millisecond those with a user id, by user id, then the others by anonymous id. */
function byNewestThenId(a: Identify, b: Identify): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  if ((a.userId === "") !== (b.userId === "")) return a.userId === "" ? 1 : -1;
  return byCodePoint(a.userId, b.userId) || (a.userId === "" ? byCodePoint(a.anonymousId, b.anonymousId) : 0);
}

function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}
