import { sha256Hex } from "../../core/base/hash.js";

/** Roles, from the most to the least powerful. */
export const ROLES = ["owner", "admin", "member", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** Scopes that a token may be granted; `*` in a record stands for all of them. */
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
export type TokenScope = (typeof SCOPES)[number];

/** Kinds of ids that pages may send with a public key: an id stored in the browser, and the site's own user id. */
export const PAGE_IDS = ["anonymous", "user"] as const;
export type PageId = (typeof PAGE_IDS)[number];

/** Rules of a public key. Everyone can read it in a page, so it may collect into its project and nothing else. */
export interface PublicRules {
  /** Origins, with `*` for any, or `https://*.shop.example` for subdomains. */
  readonly origins: readonly string[];
  readonly ids: readonly PageId[];
}

/** A stored token: its hash, never its value. Times are RFC 3339 text. */
export interface TokenRecord {
  readonly id: string;
  /** Lower-case hex of SHA-256 over the value. */
  readonly sha256: string;
  readonly organization: string;
  /** The only project that the token may read; null: the whole organization. */
  readonly project: string | null;
  readonly role: Role;
  readonly scopes: readonly (TokenScope | "*")[];
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** Set for a public key, which has no scopes and the lowest role; absent or null: a secret token. */
  readonly public?: PublicRules | null;
}

/** Records by hash. If several have the same hash, a revoked one wins, else the last one. */
export function byHash(records: readonly TokenRecord[]): Map<string, TokenRecord> {
  const result = new Map<string, TokenRecord>();
  for (const record of records) if ((result.get(record.sha256)?.revoked_at ?? null) === null) result.set(record.sha256, record);
  return result;
}

/** Lower-case hex of SHA-256 over a token's value. */
export function tokenHash(value: string): string {
  return sha256Hex(value);
}
