import { hash128, toHex } from "../base/hash.js";

/** `idn_` and the 128-bit hash of the surviving user id, or of the anonymous id of an identity without one. */
export function identityIdOf(role: "user" | "anonymous", id: string): string {
  return `idn_${toHex(hash128(role, id))}`;
}
