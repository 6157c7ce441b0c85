import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/** Limits of connections. Milliseconds and counts, all above 0. */
export interface SocketLimits {
  /** Time for the headers of a request to arrive. Default 10,000. */
  readonly headersMs: number;
  /** Time for the whole request to arrive. Default 30,000. */
  readonly requestMs: number;
  /** Time for the caller to read more of an answer. Default 60,000. */
  readonly unreadMs: number;
  /** Unread bytes of answers, over all connections; above it, those that have waited longest are cut off. Default 64 MiB. */
  readonly unreadByteLength: number;
  /** Open connections; one more closes the one that has waited longest for a request. Default 1,024. */
  readonly connectionCount: number;
  /** Unanswered requests per connection. More are refused, and above twice this number the connection is cut. Default 16. */
  readonly pipelinedRequestCount: number;
}

/** All limits. @param overrides replace single defaults @throws invalid_parameter, unknown_parameter */
export function socketLimits(overrides: Partial<SocketLimits> = {}): SocketLimits {
  const defaults: Required<SocketLimits> = {
    headersMs: SERVER_LIMITS.requestHeadersMs,
    requestMs: SERVER_LIMITS.requestMs,
    unreadMs: SERVER_LIMITS.unreadAnswerMs,
    unreadByteLength: SERVER_LIMITS.unreadAnswerBytes,
    connectionCount: SERVER_LIMITS.connectionCount,
    pipelinedRequestCount: SERVER_LIMITS.pipelinedRequestCount,
  };
  rejectUnknownOptions(overrides, defaults, "limits");
  return { ...defaults, ...overrides };
}

export interface ListenOptions {
  /** Default: 127.0.0.1, reachable from this machine only. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** How long `close` waits for requests in flight before it cuts them off. Default: 10,000. */
  readonly drainMs?: number;
  /** Overrides single limits. */
  readonly limits?: Partial<SocketLimits>;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting connections. Resolves when callers have received the answers of requests in flight, or after `drainMs`. Later calls get the same
   * promise.
   */
  close(): Promise<void>;
}

/** The options of `listen`. */
export const LISTEN_OPTIONS: KnownOptions<ListenOptions> = { host: true, port: true, drainMs: true, limits: true };
