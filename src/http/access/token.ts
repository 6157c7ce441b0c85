import { sha256Hex } from "../../base/hash.js";

/** Roles, from the one that may most to the one that may least. */
export const ROLES = ["owner", "admin", "member", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** What a token may be granted, one by one; `*` in a record is all of them. */
export const SCOPES = [
  "events:read",
  "analytics:read",
  "identities:read",
  "revenue:read",
  "companies:read",
  "privacy_requests:read",
  "metrics:read",
  "events:write",
  "events:delete",
  "identities:write",
  "segments:write",
  "privacy_requests:write",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Which ids pages may tell by a public key: one that a browser keeps, the site's own of a user. */
export const PAGE_IDS = ["anonymous", "user"] as const;
export type PageId = (typeof PAGE_IDS)[number];

/** What a public key may, which stands in pages, so that everybody has it: collect into its project, and nothing else. */
export interface PublicRules {
  /** Origins, with `*` for any, or `https://*.shop.example` for those below a host. */
  readonly origins: readonly string[];
  readonly ids: readonly PageId[];
}

/** One token as it is kept: its hash, never its value. Times are RFC 3339 text. */
export interface TokenRecord {
  readonly id: string;
  /** Lower-case hex of SHA-256 over the value. */
  readonly sha256: string;
  readonly organization: string;
  /** The only project the token sees; null: the whole organization. */
  readonly project: string | null;
  readonly role: Role;
  readonly scopes: readonly (Scope | "*")[];
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Of a public key, which has no scopes and the least role; absent or null: the token is a secret. */
  readonly public?: PublicRules | null;
}

/** Records by their hash; of several with one hash the last counts, but one that is revoked counts before all others. */
export function byHash(records: readonly TokenRecord[]): Map<string, TokenRecord> {
  const found = new Map<string, TokenRecord>();
  for (const record of records) if ((found.get(record.sha256)?.revoked_at ?? null) === null) found.set(record.sha256, record);
  return found;
}

/** Lower-case hex of SHA-256 over a token's value. */
export function tokenHash(value: string): string {
  return sha256Hex(value);
}
