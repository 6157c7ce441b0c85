import { z } from "zod";
import { DaybookError, parameterError } from "../../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { EXPECTED_ORGANIZATION, isOrganizationName } from "../../core/base/organization-name.js";
import { EXPECTED_ORIGIN, originPattern } from "../../core/base/origin.js";
import { parseTimestamp } from "../../core/base/time.js";
import { checkShape } from "../shapes/check-shape.js";
import {
  PAGE_IDS, ROLES, SCOPES, tokenHash, type PageId, type PublicRules, type Role, type TokenScope, type TokenRecord,
} from "./token.js";

/** A token as written in a file: exactly one of `token` (the value) and `sha256` (hex); the other members as in `TokenRecord`. */
export interface TokenEntry {
  readonly token?: string | undefined;
  readonly sha256?: string | undefined;
  /** Default: derived from the hash. */
  readonly id?: string | undefined;
  /** Default: `default`. */
  readonly organization?: string | undefined;
  /** Null or absent: all projects of the organization. */
  readonly project?: string | null | undefined;
  /** Role and scopes: required for a secret token, none for a public key. */
  readonly role?: Role | undefined;
  readonly scopes?: readonly (TokenScope | "*")[] | undefined;
  /** Times: RFC 3339 with a zone. */
  readonly created_at?: string | null | undefined;
  readonly expires_at?: string | null | undefined;
  readonly revoked_at?: string | null | undefined;
  /** Makes it a public key, whose value starts with `pk_`; it needs a project. */
  readonly public?: { readonly origins: readonly string[]; readonly ids?: readonly PageId[] | undefined } | null | undefined;
}

/** Options for reading tokens. */
export interface TokenOptions {
  /** True: also accepts secret tokens that are short enough to be guessed. Default false. */
  readonly insecure?: boolean;
}

const KNOWN: KnownOptions<TokenOptions> = { insecure: true };

const time = z.string().refine((text) => parseTimestamp(text) !== null, "expected an RFC 3339 timestamp with a zone");

const entrySchema = z.strictObject({
  token: z
    .string()
    .regex(
      /^[sp]k_[A-Za-z0-9._~+/-]+$/,
      "expected a value that starts with sk_, or pk_ for a public key, and otherwise has only letters, digits and ._~+/-",
    )
    .optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/i, "expected 64 hexadecimal digits").optional(),
  id: z.string().min(1, "expected at least one character").optional(),
  organization: z.string().refine(isOrganizationName, EXPECTED_ORGANIZATION).optional(),
  project: z.string().min(1, "expected at least one character").nullish(),
  role: z.enum(ROLES).optional(),
  scopes: z.array(z.enum([...SCOPES, "*"])).optional(),
  created_at: time.nullish(),
  expires_at: time.nullish(),
  revoked_at: time.nullish(),
  public: z
    .strictObject({
      origins: z.array(z.string().refine((text) => originPattern(text) !== null, EXPECTED_ORIGIN)).min(1, "expected at least one origin"),
      ids: z.array(z.enum(PAGE_IDS)).optional(),
    })
    .nullish(),
}) satisfies z.ZodType<TokenEntry>;

/** Converts entries to records. @throws invalid_parameter, unknown_parameter, exactly_one_required (without showing a value) */
export function tokenRecords(entries: unknown, options: TokenOptions = {}): TokenRecord[] {
  rejectUnknownOptions(options, KNOWN);
  if (!Array.isArray(entries)) throw new DaybookError("invalid_parameter", "tokens: expected an array");
  return entries.map((entry: unknown, index) => tokenRecord(entry, `tokens[${index}]`, options));
}

/** Converts one entry to a record; `at` names it in errors. @throws what `tokenRecords` throws */
export function tokenRecord(value: unknown, at: string, options: TokenOptions = {}): TokenRecord {
  checkShape(entrySchema, value, { at, secret: true });
  const entry = value as TokenEntry;
  if ((entry.token === undefined) === (entry.sha256 === undefined)) {
    throw new DaybookError("exactly_one_required", `${at}: expected exactly one of token and sha256`, { param: at });
  }
  if (options.insecure !== true) rejectShortToken(entry, at);
  const sha256 = entry.sha256?.toLowerCase() ?? tokenHash(entry.token ?? "");
  return {
    id: entry.id ?? `tok_${sha256.slice(0, 16)}`,
    sha256,
    organization: entry.organization ?? "default",
    project: entry.project ?? null,
    ...rightsOf(entry, at),
    created_at: entry.created_at ?? null,
    expires_at: entry.expires_at ?? null,
    revoked_at: entry.revoked_at ?? null,
  };
}

/** Rejects a short secret token. Public keys are not secret, and a hash does not reveal the length of its value. */
function rejectShortToken({ token }: TokenEntry, at: string): void {
  if (token === undefined || !token.startsWith("sk_") || token.length >= SERVER_LIMITS.tokenCharsMin) return;
  const reason = `expected at least ${SERVER_LIMITS.tokenCharsMin} characters, got ${token.length}: shorter tokens can be guessed`;
  throw new DaybookError("invalid_parameter", `${at}.token: ${reason}`, { param: `${at}.token`, reason, charCount: token.length });
}

/** A public key has fixed rights; a secret token has those of its entry. */
function rightsOf(entry: TokenEntry, at: string): Pick<TokenRecord, "role" | "scopes" | "public"> {
  const isPublic = entry.public !== undefined && entry.public !== null;
  if (entry.token !== undefined && entry.token.startsWith("pk_") !== isPublic)
    throw parameterError(
      "invalid_parameter",
      `${at}.token`,
      `expected a value that starts with ${isPublic ? "pk_, because it is a public key" : "sk_, got something else"}`,
    );
  if (entry.public === undefined || entry.public === null) {
    const missing = entry.role === undefined ? "role" : "scopes";
    if (entry.role === undefined || entry.scopes === undefined)
      throw parameterError("invalid_parameter", `${at}.${missing}`, "expected a value, but it is missing");
    return { role: entry.role, scopes: [...entry.scopes] };
  }
  const member = entry.role !== undefined ? "role" : "scopes";
  // `formatTokens` writes viewer and no scopes, so these are accepted.
  if ((entry.role ?? "viewer") !== "viewer" || (entry.scopes ?? []).length > 0)
    throw parameterError("invalid_parameter", `${at}.${member}`, "expected none: a public key can only collect events");
  if (entry.project === undefined || entry.project === null)
    throw parameterError("invalid_parameter", `${at}.project`, "expected the project that the public key collects into, but it is missing");
  const origins = entry.public.origins.map((origin) => originPattern(origin) ?? origin);
  const rules: PublicRules = { origins, ids: [...(entry.public.ids ?? [])] };
  return { role: "viewer", scopes: [], public: rules };
}

/** Reads a token file: a JSON array of entries. @throws malformed_json, and what `tokenRecords` throws */
export function parseTokens(text: string, options: TokenOptions = {}): TokenRecord[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    throw new DaybookError("malformed_json", "tokens: expected a JSON array of tokens, but the text is not JSON");
  }
  return tokenRecords(entries, options);
}

/** Writes a token file that `parseTokens` reads back. */
export function formatTokens(records: readonly TokenRecord[]): string {
  return `${JSON.stringify(records, null, 2)}\n`;
}
