import { parameterError, shown } from "../../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/known-options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { forgetfulKeeper } from "./salts.js";
import type { SaltKeeper } from "./salts.js";
import type { Place } from "./beacon-event.js";

/** How page events are collected. */
export interface CollectOptions {
  /** Storage that keeps visitor salts across restarts: `saltFile` of `daybook/node`. Default: none; a restart makes all visitors new. */
  readonly salts?: SaltKeeper;
  /** Locates an address; called for each request, and nothing is cached. Default: unknown. */
  readonly locate?: (address: string) => Place | Promise<Place>;
  /** Whether a User-Agent text belongs to a bot: `await loadBotTest()`. Default: none does. */
  readonly isBot?: (userAgent: string) => boolean;
  /** True: requests with `Sec-GPC: 1` are not stored. Default false. */
  readonly honorGpc?: boolean;
  /** Events of one key per second in the long run, and in a burst; one more is `rate_limited`. Default 20,000 and 100,000. */
  readonly perSec?: number;
  readonly burst?: number;
  /** The same for one address, or one IPv6 network of 64 bits. Default 50 and 1,000. */
  readonly perAddressPerSec?: number;
  readonly perAddressBurst?: number;
}

const KNOWN: KnownOptions<CollectOptions> = {
  salts: true,
  locate: true,
  isBot: true,
  honorGpc: true,
  perSec: true,
  burst: true,
  perAddressPerSec: true,
  perAddressBurst: true,
};
const RATES = ["perSec", "burst", "perAddressPerSec", "perAddressBurst"] as const;

/** @param given overrides single defaults @throws invalid_parameter, unknown_parameter */
export function collectOptions(given: CollectOptions = {}): Required<CollectOptions> {
  rejectUnknownOptions(given, KNOWN, "collect");
  for (const name of RATES) {
    const rate = given[name];
    if (rate !== undefined && !(typeof rate === "number" && rate > 0)) throw parameterError("invalid_parameter", `collect.${name}`, `expected a number above 0, got ${shown(rate)}`);
  }
  return {
    salts: forgetfulKeeper,
    locate: () => ({}),
    isBot: () => false,
    honorGpc: false,
    perSec: SERVER_LIMITS.collectedPerSec,
    burst: SERVER_LIMITS.collectedBurst,
    perAddressPerSec: SERVER_LIMITS.collectedPerAddressPerSec,
    perAddressBurst: SERVER_LIMITS.collectedPerAddressBurst,
    ...given,
  };
}
