import type { Clock } from "../../core/base/clock.js";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { Buckets, keepNewest } from "./buckets.js";

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
  refuseStrangers(network: string | null): void {
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
