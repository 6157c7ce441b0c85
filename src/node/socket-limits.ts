import type { ServerOptions } from "node:http";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import { SERVER_LIMITS } from "../base/server-limits.js";

/** What a connection is held to. Milliseconds and counts, all above 0. */
export interface SocketLimits {
  /** For the headers of a request to arrive. Default 10,000. */
  readonly headersMs: number;
  /** For the whole request. Default 30,000. */
  readonly requestMs: number;
  /** For the caller to take some more of an answer. Default 60,000. */
  readonly unreadMs: number;
  /** Bytes of answers that their callers have yet to take, of all connections; then those that wait longest are cut. Default 64 MiB. */
  readonly unreadByteLength: number;
  /** Connections open at once; one more closes the one that waits longest for a request. Default 1,024. */
  readonly connectionCount: number;
  /** Requests of one connection that are not answered; further ones are refused, and after as many the connection is cut. Default 16. */
  readonly pipelinedRequestCount: number;
}

const KNOWN: KnownOptions<SocketLimits> = { headersMs: true, requestMs: true, unreadMs: true, unreadByteLength: true, connectionCount: true, pipelinedRequestCount: true };

/** @param given replaces defaults one by one @throws invalid_parameter, unknown_parameter */
export function socketLimits(given: Partial<SocketLimits> = {}): SocketLimits {
  refuseUnknown(given, KNOWN, "limits");
  return {
    headersMs: SERVER_LIMITS.requestHeadersMs,
    requestMs: SERVER_LIMITS.requestMs,
    unreadMs: SERVER_LIMITS.unreadAnswerMs,
    unreadByteLength: SERVER_LIMITS.unreadAnswerBytes,
    connectionCount: SERVER_LIMITS.connectionCount,
    pipelinedRequestCount: SERVER_LIMITS.pipelinedRequestCount,
    ...given,
  };
}

/** How often node looks for requests that are too slow. */
const CHECK_MS_MAX = 1_000;

export function serverOptions({ headersMs, requestMs }: SocketLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_MS_MAX, headersMs, requestMs),
    maxHeaderSize: SERVER_LIMITS.headerBytes,
    // The check of `socket-exchange` answers with JSON.
    requireHostHeader: false,
  };
}
