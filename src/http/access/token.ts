import { DaybookError } from "../../core/base/errors.js";
import { sha256Hex } from "../../core/base/hash.js";

/** Allows pages of any origin. Never a default: a key must name it. */
export const ANY_ORIGIN = "*";

/** Scheme, host and port as browsers send an origin; a first label of `*` stands for one or more labels. */
const ORIGIN = /^(https?):\/\/(\*\.)?([^/?#@*]+)$/i;

/** Matches what the `*` of a pattern stands for: labels of a host, without port, user or path. */
const LABELS = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

export const EXPECTED_ORIGIN = "expected *, or an origin such as https://shop.example, http://localhost:8080 or https://*.shop.example";

/** Normalizes an origin, or a pattern of origins, for comparison; null for any other text. */
export function originPattern(text: string): string | null {
  if (text === ANY_ORIGIN) return text;
  const [, scheme = "", wildcard = "", authority = ""] = ORIGIN.exec(text) ?? [];
  if (authority === "") return null;
  try {
    const { origin, protocol, host, pathname } = new URL(`${scheme}://${authority}`);
    return origin === "null" || pathname !== "/" ? null : `${protocol}//${wildcard}${host}`;
  } catch {
    return null;
  }
}

/**
 * The value of `Access-Control-Allow-Origin` for a page: its origin, or `*` if the key allows any.
 * @param origin as the browser sent it; null: none
 * @throws origin_not_allowed
 */
export function allowedOrigin(origin: string | null, patterns: readonly string[]): string {
  if (patterns.includes(ANY_ORIGIN)) return ANY_ORIGIN;
  if (origin !== null && patterns.some((pattern) => matches(origin, pattern))) return origin;
  const actual = origin === null ? "but the request has none" : `got ${JSON.stringify(origin.slice(0, 200))}`;
  throw new DaybookError("origin_not_allowed", `Origin: expected an origin that the public key allows, ${actual}`);
}

function matches(origin: string, pattern: string): boolean {
  const at = pattern.indexOf("*.");
  if (at === -1) return origin === pattern;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return origin.startsWith(start) && origin.endsWith(end) && LABELS.test(origin.slice(start.length, -end.length));
}

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
