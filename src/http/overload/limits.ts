import { rejectUnknownOptions, type KnownOptions } from "../../core/base/known-options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { FailedTokenLimits } from "../access/failed-tokens.js";

/** Limits above which a handler refuses requests, so that it stays responsive. */
export interface HandlerLimits extends FailedTokenLimits {
  /** Maximum duration of a query, in ms; then it stops with `query_timeout`. Default 30,000. */
  readonly questionMs: number;
  /** Delay of the event loop, in ms, above which everything but `/healthz` is `overloaded`; needs `lagMs`. Default 50. */
  readonly eventLoopLagMs: number;
  /** Concurrent requests of one token; one more is `rate_limited`. Default 32. */
  readonly requestsPerTokenCount: number;
  /** Bytes of request bodies in memory at once; a request that would exceed them is `overloaded`. Default 64 MiB. */
  readonly heldBodyBytes: number;
}

const KNOWN: KnownOptions<HandlerLimits> = {
  questionMs: true,
  eventLoopLagMs: true,
  requestsPerTokenCount: true,
  heldBodyBytes: true,
  failedTokenCount: true,
  failedTokensPerMinute: true,
};

/** @param given overrides single defaults @throws invalid_parameter, unknown_parameter */
export function handlerLimits(given: Partial<HandlerLimits> = {}): HandlerLimits {
  rejectUnknownOptions(given, KNOWN, "limits");
  const { questionMs, eventLoopLagMs, requestsPerTokenCount, heldBodyBytes, failedTokenCount, failedTokensPerMinute } = SERVER_LIMITS;
  return { questionMs, eventLoopLagMs, requestsPerTokenCount, heldBodyBytes, failedTokenCount, failedTokensPerMinute, ...given };
}
