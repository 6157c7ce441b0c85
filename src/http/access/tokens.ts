import { isoOf } from "../../core/base/time.js";
import { toHex } from "../../core/base/hash.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { byHash, type PageId, type Role, type TokenScope, type TokenRecord } from "./token.js";
import { tokenRecord, tokenRecords, type TokenEntry, type TokenOptions } from "./token-file.js";

/** Looks up tokens by hash, so that it never sees a token's value. */
export interface TokenStore {
  /** The token whose value has this SHA-256, in lower-case hex, even if expired or revoked: the handler checks that. Undefined: none. */
  find(sha256Hex: string): TokenRecord | undefined | Promise<TokenRecord | undefined>;
  /**
   * Calls `onChange` after tokens change, until the returned function is called: streams of revoked tokens then end.
   * Absent: they end before the next change that they would send, or at the next heartbeat.
   */
  watch?(onChange: () => void): () => void;
}

/**
 * A token store over a fixed list. If a token is listed twice, a revoked entry wins, else the last one.
 * @throws invalid_parameter, unknown_parameter, exactly_one_required (an invalid or guessable entry, named by its index)
 */
export function memoryTokens(entries: readonly TokenEntry[], options: TokenOptions = {}): TokenStore {
  const records = byHash(tokenRecords(entries, options));
  return { find: (sha256Hex) => records.get(sha256Hex) };
}

export interface CreateTokenInput {
  readonly role: Role;
  readonly scopes: readonly (TokenScope | "*")[];
  /** Default: `default`. */
  readonly organization?: string;
  readonly project?: string | null;
  readonly expires_at?: string | null;
  /** Creation time, epoch ms. */
  readonly nowMs: number;
  /** Fills bytes with random values; default: the Web Crypto generator. */
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

const KNOWN: KnownOptions<CreateTokenInput> = {
  role: true,
  scopes: true,
  organization: true,
  project: true,
  expires_at: true,
  nowMs: true,
  random: true,
};

export interface CreatePublicKeyInput {
  /** The project that the key collects into. */
  readonly project: string;
  /** Origins of pages that may send: `https://shop.example`, `https://*.shop.example`; `*` for any. */
  readonly origins: readonly string[];
  /** Kinds of ids that pages may send. Default: none; visitors are distinguished without ids. */
  readonly ids?: readonly PageId[];
  /** Default: `default`. */
  readonly organization?: string;
  readonly expires_at?: string | null;
  /** Creation time, epoch ms. */
  readonly nowMs: number;
  /** Fills bytes with random values; default: the Web Crypto generator. */
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

const KNOWN_OF_PUBLIC: KnownOptions<CreatePublicKeyInput> = {
  project: true,
  origins: true,
  ids: true,
  organization: true,
  expires_at: true,
  nowMs: true,
  random: true,
};

/** 192 random bits: impossible to guess. */
const VALUE_BYTE_LENGTH = 24;

/**
 * Creates a token. Show `value` once, and store only `record`.
 * @throws invalid_parameter (an invalid role, scope, name or time), unknown_parameter
 */
export function createToken(input: CreateTokenInput): { readonly value: string; readonly record: TokenRecord } {
  // A misspelled `project` would create a token for all projects.
  rejectUnknownOptions(input, KNOWN);
  const value = `sk_${randomHex(input.random)}`;
  const entry: TokenEntry = {
    token: value,
    role: input.role,
    scopes: input.scopes,
    project: input.project ?? null,
    created_at: isoOf(input.nowMs),
    expires_at: input.expires_at ?? null,
    ...(input.organization === undefined ? {} : { organization: input.organization }),
  };
  return { value, record: tokenRecord(entry, "token") };
}

/**
 * Creates a public key for a script in pages. Its value is not secret, but only its hash is stored.
 * @throws invalid_parameter (an invalid origin, name or time), unknown_parameter
 */
export function createPublicKey(input: CreatePublicKeyInput): { readonly value: string; readonly record: TokenRecord } {
  rejectUnknownOptions(input, KNOWN_OF_PUBLIC);
  const value = `pk_${randomHex(input.random)}`;
  const { project, origins, ids, organization, expires_at = null, nowMs } = input;
  const entry: TokenEntry = {
    token: value,
    project,
    created_at: isoOf(nowMs),
    expires_at,
    public: { origins, ...(ids === undefined ? {} : { ids }) },
    ...(organization === undefined ? {} : { organization }),
  };
  return { value, record: tokenRecord(entry, "token") };
}

function randomHex(random: CreateTokenInput["random"]): string {
  const bytes = new Uint8Array(VALUE_BYTE_LENGTH);
  if (random === undefined) globalThis.crypto.getRandomValues(bytes);
  else random(bytes);
  return toHex(bytes);
}
