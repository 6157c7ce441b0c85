import type { Clock } from "../../base/clock.js";
import { DaybookError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { Buckets, keepNewest } from "./buckets.js";

/** How many tokens that open nothing one address may try. */
export interface FailedTokenLimits {
  /** Unknown tokens one address may try in a row; then they are `rate_limited`. Default 60. */
  readonly failedTokenCount: number;
  /** How many of these come back each minute. Default 20. */
  readonly failedTokensPerMinute: number;
}

/**
 * Slows down who tries tokens that open nothing, by the network of their address. A token that did open something from an address goes on doing
 * so: behind a proxy all callers have one address, and one of them must not lock the others out.
 */
export class FailedTokens {
  readonly #tries: Buckets;
  readonly #opened = new Set<string>();
  /** Networks from which any token opened something. */
  readonly #networks = new Set<string>();

  constructor({ failedTokenCount, failedTokensPerMinute }: FailedTokenLimits, clock: Clock) {
    this.#tries = new Buckets({ capacity: failedTokenCount, perSec: failedTokensPerMinute / 60, bucketCountMax: LIMITS.failedAddressCount }, clock);
  }

  /** @param network null where the transport knows no address: then nothing is refused @throws rate_limited */
  refuse(network: string | null, sha256: string): void {
    if (network === null || this.#tries.isEmpty || this.#opened.has(`${network} ${sha256}`)) return;
    const retryAfterSec = this.#tries.waitSec(network, 1);
    if (retryAfterSec > 0) throw new DaybookError("rate_limited", "too many tokens from this address opened nothing", { retryAfterSec });
  }

  /** Refuses whoever would be refused whatever token they brought. @throws rate_limited */
  refuseStrangers(network: string | null): void {
    if (network !== null && !this.#networks.has(network)) this.refuse(network, "");
  }

  failed(network: string | null): void {
    if (network !== null) this.#tries.take(network, 1);
  }

  opened(network: string | null, sha256: string): void {
    if (network === null) return;
    const key = `${network} ${sha256}`;
    if (this.#opened.has(key)) return;
    keepNewest(this.#opened, key, LIMITS.failedAddressCount).add(key);
    keepNewest(this.#networks, network, LIMITS.failedAddressCount).add(network);
  }
}
