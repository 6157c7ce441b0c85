import type { Clock } from "../../base/clock.js";
import { DaybookError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";

/** How many tokens that open nothing one address may try. */
export interface FailedTokenLimits {
  /** Unknown tokens one address may try in a row; then they are `rate_limited`. Default 60. */
  readonly failedTokenCount: number;
  /** How many of these come back each minute. Default 20. */
  readonly failedTokensPerMinute: number;
}

interface Tries {
  left: number;
  atMs: number;
}

/**
 * Slows down who tries tokens that open nothing, by the network of their address. A token that did open something from an address goes on doing
 * so: behind a proxy all callers have one address, and one of them must not lock the others out.
 */
export class FailedTokens {
  readonly #triesOf = new Map<string, Tries>();
  readonly #opened = new Set<string>();

  constructor(
    readonly limits: FailedTokenLimits,
    readonly clock: Clock,
  ) {}

  /** @param network null where the transport knows no address: then nothing is refused @throws rate_limited */
  refuse(network: string | null, sha256: string): void {
    if (network === null || this.#triesOf.size === 0) return;
    const tries = this.#triesOf.get(network);
    if (tries === undefined || this.#opened.has(`${network} ${sha256}`)) return;
    this.#refill(tries);
    if (tries.left >= 1) return;
    const retryAfterSec = ((1 - tries.left) * 60) / this.limits.failedTokensPerMinute;
    throw new DaybookError("rate_limited", "too many tokens from this address opened nothing", { retryAfterSec });
  }

  failed(network: string | null): void {
    if (network === null) return;
    const tries = this.#triesOf.get(network) ?? { left: this.limits.failedTokenCount, atMs: this.clock.now() };
    this.#refill(tries);
    tries.left -= 1;
    keepNewest(this.#triesOf, network).set(network, tries);
  }

  opened(network: string | null, sha256: string): void {
    if (network === null) return;
    const key = `${network} ${sha256}`;
    if (!this.#opened.has(key)) keepNewest(this.#opened, key).add(key);
  }

  #refill(tries: Tries): void {
    const nowMs = this.clock.now();
    const gained = (Math.max(0, nowMs - tries.atMs) / 60_000) * this.limits.failedTokensPerMinute;
    tries.left = Math.min(this.limits.failedTokenCount, tries.left + gained);
    tries.atMs = nowMs;
  }
}

/** Makes room for a key, which becomes the newest: whoever can vary their address must not fill the memory. */
function keepNewest<C extends Map<string, unknown> | Set<string>>(collection: C, key: string): C {
  collection.delete(key);
  if (collection.size < LIMITS.failedAddressCount) return collection;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    break;
  }
  return collection;
}
