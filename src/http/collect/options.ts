import { parameterError, shown } from "../../base/errors.js";
import { refuseUnknown, type KnownOptions } from "../../base/known-options.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { forgetfulKeeper } from "./salts.js";
import type { SaltKeeper } from "./salts.js";
import type { Place } from "./beacon-event.js";

/** How events of pages are taken. */
export interface CollectOptions {
  /** Where the salts of visitors outlive the process: `saltFile` of `daybook/node`. Default: nowhere, a restart makes everybody new. */
  readonly salts?: SaltKeeper;
  /** Where an address is. It is asked for each request and keeps nothing. Default: nobody knows. */
  readonly locate?: (address: string) => Place | Promise<Place>;
  /** Whether a user-agent text is of no person: `await loadBotTest()`. Default: all are. */
  readonly isBot?: (userAgent: string) => boolean;
  /** True: what a browser sends with `Sec-GPC: 1` is not stored. Default false. */
  readonly honorGpc?: boolean;
  /** Events of one key each second in the long run, and in a burst; one more is `rate_limited`. Default 20,000 and 100,000. */
  readonly perSec?: number;
  readonly burst?: number;
  /** The same of one address, of IPv6 one network of 64 bits. Default 50 and 1,000. */
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

/** @param given replaces defaults one by one @throws invalid_parameter, unknown_parameter */
export function collectOptions(given: CollectOptions = {}): Required<CollectOptions> {
  refuseUnknown(given, KNOWN, "collect");
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
