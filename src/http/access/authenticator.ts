import type { Clock } from "../../core/base/clock.js";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { liveToken, missingToken, tokenIn } from "./access.js";
import type { WireRequest } from "../wire/exchange.js";
import { networkOf } from "./client-address.js";
import type { TokenRecord } from "./token.js";
import type { TokenStore } from "./tokens.js";

export interface BucketRules {
  /** Capacity of a bucket; a new one is full. */
  readonly capacity: number;
  /** Refill per second. */
  readonly perSec: number;
  /** Maximum number of buckets; the oldest are dropped, so that a sender who varies its name cannot fill the memory. */
  readonly bucketCountMax: number;
}

interface TokenBucket {
  left: number;
  atMs: number;
}

/** Token buckets by name. */
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
    return Math.max(0, Math.min(count, this.rules.capacity) - bucket.left) / this.rules.perSec;
  }

  /** Takes `count` even if the bucket holds less: it goes negative, and later calls wait longer. */
  take(name: string, count: number): void {
    const bucket = this.#byName.get(name) ?? { left: this.rules.capacity, atMs: this.clock.now() };
    this.#refill(bucket);
    bucket.left -= count;
    keepNewest(this.#byName, name, this.rules.bucketCountMax).set(name, bucket);
  }

  clear(): void {
    this.#byName.clear();
  }

  #refill(bucket: TokenBucket): void {
    const nowMs = this.clock.now();
    bucket.left = Math.min(this.rules.capacity, bucket.left + (Math.max(0, nowMs - bucket.atMs) / 1_000) * this.rules.perSec);
    bucket.atMs = nowMs;
  }
}

/** Removes a key, or else the oldest one of a full collection, so that the caller can add the key as the newest. */
export function keepNewest<C extends Map<string, unknown> | Set<string>>(collection: C, key: string, countMax: number): C {
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
 * Slows down networks that try unknown tokens. A known token is always served, however many unknown ones came from its address:
 * callers behind a proxy share an address and must not lock each other out.
 */
export class FailedTokens {
  readonly #tries: Buckets;
  /** Networks that have sent a known token. */
  readonly #networks = new Set<string>();

  constructor({ failedTokenCount, failedTokensPerMinute }: FailedTokenLimits, clock: Clock) {
    this.#tries = new Buckets({ capacity: failedTokenCount, perSec: failedTokensPerMinute / 60, bucketCountMax: SERVER_LIMITS.failedAddressCount }, clock);
  }

  /** Counts an unknown or missing token. @param network null: the address is not known, and nothing is counted @throws rate_limited */
  failed(network: string | null): void {
    if (network === null) return;
    this.#refuse(network);
    this.#tries.take(network, 1);
  }

  /** Refuses a network that has used up its tries and never sent a known token; for use before the body is read. @throws rate_limited */
  checkTries(network: string | null): void {
    if (network !== null && !this.#networks.has(network)) this.#refuse(network);
  }

  opened(network: string | null): void {
    if (network === null || this.#networks.has(network)) return;
    keepNewest(this.#networks, network, SERVER_LIMITS.failedAddressCount).add(network);
  }

  #refuse(network: string): void {
    if (this.#tries.isEmpty) return;
    const retryAfterSec = this.#tries.waitSec(network, 1);
    if (retryAfterSec > 0) throw new DaybookError("rate_limited", "too many unknown tokens from this address", { retryAfterSec });
  }
}

/** Authenticates callers by their tokens, and slows down those that guess. */
export class Authenticator {
  readonly #failed: FailedTokens;
  /** By the hash of a token that was valid when last used. */
  readonly #organizations = new Map<string, string>();

  constructor(
    readonly tokens: TokenStore,
    readonly clock: Clock,
    limits: FailedTokenLimits,
    readonly sha256Hex: (text: string) => string,
  ) {
    this.#failed = new FailedTokens(limits, clock);
  }

  /** Authenticates the secret token in the header of a request. @throws missing_token, invalid_token, rate_limited */
  async authenticate(request: WireRequest, address: string | undefined, takesBasic = false): Promise<TokenRecord> {
    return await this.#open(this.#hashOf(request, takesBasic), address);
  }

  /** Authenticates a secret token that a client library sends elsewhere. @throws invalid_token, rate_limited */
  async secretKey(value: string, address: string | undefined): Promise<TokenRecord> {
    return await this.#open(this.sha256Hex(value), address);
  }

  /** Refuses an address that may not try more tokens, before its token is known. @throws rate_limited */
  checkTries(address: string | undefined): void {
    this.#failed.checkTries(address === undefined ? null : networkOf(address));
  }

  /** Counts a request without a key like one with an unknown key, because it costs as much. */
  countMissingKey(address: string | undefined): void {
    this.#failed.failed(address === undefined ? null : networkOf(address));
  }

  async #open(hash: string, address: string | undefined): Promise<TokenRecord> {
    const network = address === undefined ? null : networkOf(address);
    try {
      const token = await liveToken(hash, "secret", this.tokens, this.clock);
      this.#failed.opened(network);
      this.#remember(hash, token.organization);
      return token;
    } catch (thrown) {
      this.#organizations.delete(hash);
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") this.#failed.failed(network);
      throw thrown;
    }
  }

  /** The record of a public key. Nothing is remembered about the sender, because the addresses are visitors'. @throws invalid_token */
  async publicKey(value: string): Promise<TokenRecord> {
    return await liveToken(this.sha256Hex(value), "public", this.tokens, this.clock);
  }

  /** Whether a secret token is still valid. */
  async isTokenValid(sha256: string): Promise<boolean> {
    try {
      await liveToken(sha256, "secret", this.tokens, this.clock);
      return true;
    } catch (thrown) {
      if (thrown instanceof DaybookError && thrown.code === "invalid_token") return false;
      throw thrown;
    }
  }

  /** Organization of a token when it was last used; null: it never was valid, or no longer is. Reads memory only. */
  organizationOf(sha256: string): string | null {
    return this.#organizations.get(sha256) ?? null;
  }

  #hashOf(request: WireRequest, takesBasic: boolean): string {
    const known = request.known?.sha256;
    if (typeof known === "string") return known;
    const value = known === null ? undefined : tokenIn(request.header("authorization"), takesBasic);
    if (value === undefined) throw missingToken(takesBasic);
    return this.sha256Hex(value);
  }

  #remember(hash: string, organization: string): void {
    if (this.#organizations.has(hash)) return;
    if (this.#organizations.size >= SERVER_LIMITS.countedTokenCount) {
      const [oldest] = this.#organizations.keys();
      if (oldest !== undefined) this.#organizations.delete(oldest);
    }
    this.#organizations.set(hash, organization);
  }
}
