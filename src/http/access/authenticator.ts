import { parseTimestamp, type Clock } from "../../core/base/time.js";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { isSignedToken } from "../../engine/tokens/scope-token.js";
import type { WireRequest } from "../wire/request-reply.js";
import { networkOf } from "./client-address.js";
import type { TokenRecord } from "./token.js";
import type { TokenStore } from "./tokens.js";

export interface BucketRules {
  /** Capacity of a bucket; a new one is full. */
  readonly capacity: number;
  readonly perSec: number;
  /** Maximum number of buckets. The oldest are dropped, so that a sender with many names cannot fill the memory. */
  readonly bucketCountMax: number;
}

interface TokenBucket {
  available: number;
  refilledMs: number;
}

export class Buckets {
  readonly #byName = new Map<string, TokenBucket>();

  constructor(
    readonly rules: BucketRules,
    readonly clock: Clock,
  ) {}

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Seconds until a bucket holds `count`; 0: it does now. A count above the capacity waits for a full bucket. */
  waitSec(name: string, count: number): number {
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return 0;
    this.#refill(bucket);
    return Math.max(0, Math.min(count, this.rules.capacity) - bucket.available) / this.rules.perSec;
  }

  /** Takes `count` even if the bucket holds less. It then becomes negative, and later calls wait longer. */
  take(name: string, count: number): void {
    const bucket = this.#byName.get(name) ?? { available: this.rules.capacity, refilledMs: this.clock.now() };
    this.#refill(bucket);
    bucket.available -= count;
    evictFor(this.#byName, name, this.rules.bucketCountMax).set(name, bucket);
  }

  clear(): void {
    this.#byName.clear();
  }

  #refill(bucket: TokenBucket): void {
    const nowMs = this.clock.now();
    bucket.available = Math.min(this.rules.capacity, bucket.available + (Math.max(0, nowMs - bucket.refilledMs) / 1_000) * this.rules.perSec);
    bucket.refilledMs = nowMs;
  }
}

/** Removes a key, or the oldest key of a full collection, so that the caller can add the key as the newest. */
export function evictFor<C extends Map<string, unknown> | Set<string>>(collection: C, key: string, countMax: number): C {
  collection.delete(key);
  if (collection.size < countMax) return collection;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    break;
  }
  return collection;
}

/** Limits for unknown tokens from one address. */
export interface FailedTokenLimits {
  /** Unknown tokens that one address may try in a row; then they are `rate_limited`. Default 60. */
  readonly failedTokenCount: number;
  /** Tries that are restored each minute. Default 20. */
  readonly failedTokensPerMinute: number;
}

/**
 * Rate-limits networks that try unknown tokens. A valid token is always served, however many unknown ones arrived from its address:
 * callers behind a proxy share an address and must not lock each other out.
 */
export class FailedTokens {
  readonly #tries: Buckets;
  /** Networks that have sent a valid token. */
  readonly #networks = new Set<string>();

  constructor({ failedTokenCount, failedTokensPerMinute }: FailedTokenLimits, clock: Clock) {
    const rules: BucketRules = { capacity: failedTokenCount, perSec: failedTokensPerMinute / 60, bucketCountMax: SERVER_LIMITS.failedAddressCount };
    this.#tries = new Buckets(rules, clock);
  }

  /** Counts an unknown token, or a missing one, which costs as much. @param address undefined: not counted @throws rate_limited */
  countFailure(address: string | undefined): void {
    if (address === undefined) return;
    const network = networkOf(address);
    this.#refuse(network);
    this.#tries.take(network, 1);
  }

  /** Refuses a network that has used up its tries and never sent a valid token; for use before the body is read. @throws rate_limited */
  checkTries(address: string | undefined): void {
    if (address === undefined) return;
    const network = networkOf(address);
    if (!this.#networks.has(network)) this.#refuse(network);
  }

  /** Exempts the network of a valid token from `checkTries`. */
  countSuccess(address: string | undefined): void {
    if (address === undefined) return;
    const network = networkOf(address);
    if (!this.#networks.has(network)) evictFor(this.#networks, network, SERVER_LIMITS.failedAddressCount).add(network);
  }

  #refuse(network: string): void {
    if (this.#tries.isEmpty) return;
    const retryAfterSec = this.#tries.waitSec(network, 1);
    if (retryAfterSec > 0) throw new DaybookError("rate_limited", "too many unknown tokens from this address", { retryAfterSec });
  }
}

export class Authenticator {
  readonly failedTokens: FailedTokens;
  /** Organizations by token hash, for tokens that were valid when last used. */
  readonly #organizations = new Map<string, string>();

  constructor(
    readonly tokens: TokenStore,
    readonly clock: Clock,
    limits: FailedTokenLimits,
    readonly sha256Hex: (text: string) => string,
  ) {
    this.failedTokens = new FailedTokens(limits, clock);
  }

  /** The token in the header of a request, not authenticated. @throws missing_token */
  sentToken(request: WireRequest, acceptsBasic = false): SentToken {
    const { known } = request;
    if (typeof known?.sha256 === "string" && known.isSigned !== true) return { sha256: known.sha256, signed: null };
    const value = known?.sha256 === null ? undefined : tokenIn(request.header("authorization"), acceptsBasic);
    if (value === undefined) throw missingToken(acceptsBasic);
    return { sha256: known?.sha256 ?? this.sha256Hex(value), signed: isSignedToken(value) ? value : null };
  }

  /** The hash of a token that claims to be signed; null: it does not, or there is none. Verifies nothing. */
  hashOfSigned({ known, header }: Pick<WireRequest, "known" | "header">): string | null {
    if (known?.sha256 !== undefined) return known.isSigned === true ? known.sha256 : null;
    const value = tokenIn(header("authorization"));
    return value !== undefined && isSignedToken(value) ? this.sha256Hex(value) : null;
  }

  /** Authenticates a secret token. @throws invalid_token, rate_limited */
  async authenticate({ sha256 }: SentToken, address: string | undefined): Promise<TokenRecord> {
    return await this.#authenticateHash(sha256, address);
  }

  /** Authenticates a secret token that a client library sends outside the Authorization header. @throws invalid_token, rate_limited */
  async authenticateKey(value: string, address: string | undefined): Promise<TokenRecord> {
    return await this.#authenticateHash(this.sha256Hex(value), address);
  }

  /** Counts the outcome of a token that is verified elsewhere. @throws what `verify` throws, rate_limited */
  async authenticateSigned<Caller extends { readonly token: TokenRecord }>(
    { sha256 }: SentToken,
    address: string | undefined,
    verify: () => Promise<Caller>,
  ): Promise<Caller> {
    return await this.#counting(sha256, address, verify, ({ token }) => token.organization);
  }

  async #authenticateHash(hash: string, address: string | undefined): Promise<TokenRecord> {
    return await this.#counting(hash, address, () => findValidToken(hash, "secret", this.tokens, this.clock), ({ organization }) => organization);
  }

  async #counting<T>(hash: string, address: string | undefined, find: () => Promise<T>, organizationOf: (found: T) => string): Promise<T> {
    try {
      const found = await find();
      this.failedTokens.countSuccess(address);
      if (!this.#organizations.has(hash)) evictFor(this.#organizations, hash, SERVER_LIMITS.countedTokenCount).set(hash, organizationOf(found));
      return found;
    } catch (thrown) {
      this.#organizations.delete(hash);
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") this.failedTokens.countFailure(address);
      throw thrown;
    }
  }

  /** Finds the record of a public key. Remembers nothing about the sender: the addresses are those of visitors. @throws invalid_token */
  async findPublicKey(value: string): Promise<TokenRecord> {
    return await findValidToken(this.sha256Hex(value), "public", this.tokens, this.clock);
  }

  async isTokenValid(sha256: string): Promise<boolean> {
    try {
      await findValidToken(sha256, "secret", this.tokens, this.clock);
      return true;
    } catch (thrown) {
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") return false;
      throw thrown;
    }
  }

  /** The organization of a token when it was last used; null: it was never valid, or no longer is. Reads memory only. */
  organizationOf(sha256: string): string | null {
    return this.#organizations.get(sha256) ?? null;
  }
}

/** A token as it was sent, not authenticated. */
export interface SentToken {
  readonly sha256: string;
  /** The value of a signed token; null: it is a secret one, whose hash is enough. */
  readonly signed: string | null;
}

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** The decoded credentials must be a user name and a colon: the password is empty. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const USER_NAME = /^([A-Za-z0-9._~+/-]+=*):$/;

/** The token in an Authorization header; undefined if there is none. @param acceptsBasic also reads the user name of Basic authentication */
export function tokenIn(header: string | null, acceptsBasic = false): string | undefined {
  return BEARER.exec(header ?? "")?.[1] ?? (acceptsBasic ? userNameOf(header ?? "") : undefined);
}

export function missingToken(acceptsBasic: boolean): DaybookError {
  const basicHint = acceptsBasic ? ", or Basic with the token as user name and no password" : "";
  return new DaybookError("missing_token", `expected the header Authorization: Bearer <token>${basicHint}`);
}

/** Routes for secret tokens refuse public keys, and routes for public keys refuse secret tokens. */
export type TokenKind = "secret" | "public";

/** Finds the record of a valid token by its hash. @throws invalid_token (one error for unknown, expired, revoked, and the other kind) */
export async function findValidToken(hash: string, kind: TokenKind, tokens: TokenStore, clock: Clock): Promise<TokenRecord> {
  const record = await tokens.find(hash);
  const isKnown = record !== undefined && equalInConstantTime(record.sha256, hash);
  if (!isKnown || !isValid(record, clock.now()) || kindOf(record) !== kind) throw invalidToken();
  return record;
}

function kindOf(record: TokenRecord): TokenKind {
  return record.public === undefined || record.public === null ? "secret" : "public";
}

/** The one error for every token that is not valid. */
export function invalidToken(cause?: unknown): DaybookError {
  return new DaybookError("invalid_token", "the token is unknown, expired or revoked", {}, { cause });
}

function userNameOf(header: string): string | undefined {
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return USER_NAME.exec(atob(encoded))?.[1];
  } catch {
    return undefined;
  }
}

/** A time that cannot be parsed counts as past. */
function isValid(record: TokenRecord, nowMs: number): boolean {
  if (record.revoked_at !== null) return false;
  return record.expires_at === null || (parseTimestamp(record.expires_at) ?? 0) > nowMs;
}

/** Compares in constant time, so that a response time reveals nothing about a hash. */
function equalInConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
