import { hash128, toHex } from "../core/base/hash.js";

/** An identity's public id: `idn_` and the 128-bit hash of its surviving user id, or of its anonymous id when it has no user. */
export function identityIdOf(role: "user" | "anonymous", id: string): string {
  return `idn_${toHex(hash128(role, id))}`;
}
