import { refuseUnknown, type KnownOptions } from "../../base/known-options.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import type { FailedTokenLimits } from "../access/failed-tokens.js";

/** What a handler refuses so that it goes on answering. */
export interface HandlerLimits extends FailedTokenLimits {
  /** How long a question may take, in ms; then it is stopped with `query_timeout`. Default 30,000. */
  readonly questionMs: number;
  /** Lateness of the event loop, in ms, over which everything but `/healthz` is `overloaded`; needs `lagMs`. Default 50. */
  readonly eventLoopLagMs: number;
  /** Requests of one token under way at once; one more is `rate_limited`. Default 32. */
  readonly requestsPerTokenCount: number;
  /** Bytes of request bodies in memory at once; a request that would bring more is `overloaded`. Default 64 MiB. */
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

/** @param given replaces defaults one by one @throws invalid_parameter, unknown_parameter */
export function handlerLimits(given: Partial<HandlerLimits> = {}): HandlerLimits {
  refuseUnknown(given, KNOWN, "limits");
  const { questionMs, eventLoopLagMs, requestsPerTokenCount, heldBodyBytes, failedTokenCount, failedTokensPerMinute } = SERVER_LIMITS;
  return { questionMs, eventLoopLagMs, requestsPerTokenCount, heldBodyBytes, failedTokenCount, failedTokensPerMinute, ...given };
}
