import { parameterError, shown } from "../core/base/errors.js";
import { isThrowing, rejectUnknownOptions, type KnownOptions, type OnRejected } from "../core/base/options.js";
import { numberOption, unexpectedOption } from "../core/base/number-option.js";
import type { RetryDelays } from "../core/base/retry.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";
import { readTrackQueueOptions, type CheckedTrackOptions, type TrackQueueOptions } from "../core/schema/track-queue.js";

export interface ClientOptions {
  /** URL of the server, such as `http://127.0.0.1:8787`; its path is prepended to every route. */
  readonly url: string | URL;
  /** A secret token, `sk_…`, or a signed one, `ds_…`, which opens queries only. It is sent only to `url`, and never appears in errors. */
  readonly token: string;
  /** How often, and after which delays, a request that failed temporarily is resent. */
  readonly retry?: RetryOptions;
  /** Maximum duration of one request with all its attempts, in ms. Default 60,000. A large ingest or an export sends several requests. */
  readonly timeoutMs?: number;
  /** How `ingest` reports rejected events, unless a call says otherwise. `list` (default): in its result. `throw`: by an error. */
  readonly onRejected?: OnRejected;
  /** Bounds and times of the queue of `track`. `retry` has the delays between its attempts. */
  readonly track?: TrackQueueOptions;
  /** Sends a request. Default: `fetch`. A handler of `createHandler` also works. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface RetryOptions {
  /** Total number of attempts, 1 to 100. Default 5. */
  readonly attempts?: number;
  /** The delay before the second attempt is random, up to this many ms; the bound doubles each time. Default 200. */
  readonly baseMs?: number;
  /** The longest delay, in ms, unless the server's `Retry-After` is longer. Default 10,000. */
  readonly maxMs?: number;
}

export interface ClientConnection extends RetryDelays {
  /** Without a trailing slash. */
  readonly base: string;
  readonly token: string;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly throwsRejected: boolean;
  readonly track: CheckedTrackOptions;
  readonly fetch: (request: Request) => Promise<Response>;
}

const KNOWN_OPTIONS: KnownOptions<ClientOptions> = { url: true, token: true, retry: true, timeoutMs: true, onRejected: true, track: true, fetch: true };
const KNOWN_RETRY_OPTIONS: KnownOptions<RetryOptions> = { attempts: true, baseMs: true, maxMs: true };
/** Text allowed after `Bearer`. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** @throws invalid_parameter, unknown_parameter; the messages contain no token */
export function checkClientOptions(options: ClientOptions): ClientConnection {
  rejectUnknownOptions(options, KNOWN_OPTIONS);
  const { url, token, retry, timeoutMs, fetch } = options;
  rejectUnknownOptions(retry ?? {}, KNOWN_RETRY_OPTIONS, "retry");
  const { attempts, baseMs, maxMs } = retry ?? {};
  const base = baseUrlOf(url);
  if (typeof token !== "string" || !TOKEN.test(token))
    throw parameterError("invalid_parameter", "token", `expected the value of a token (sk_ or ds_, and letters, digits and ._~+/-), got ${typeof token === "string" ? "other text" : typeof token}`);
  if (fetch !== undefined && typeof fetch !== "function") throw unexpectedOption("fetch", "a function from Request to Response", fetch);
  return {
    base,
    token,
    attempts: numberOption(attempts, "retry.attempts", 1, 100, SERVER_LIMITS.clientAttemptCount, true),
    baseMs: numberOption(baseMs, "retry.baseMs", 0, SERVER_LIMITS.timerMs, SERVER_LIMITS.clientRetryBaseMs),
    maxMs: numberOption(maxMs, "retry.maxMs", 0, SERVER_LIMITS.timerMs, SERVER_LIMITS.clientRetryMaxMs),
    timeoutMs: numberOption(timeoutMs, "timeoutMs", 1, SERVER_LIMITS.timerMs, SERVER_LIMITS.clientRequestMs),
    throwsRejected: isThrowing(options.onRejected),
    track: readTrackQueueOptions(options.track),
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
  };
}

function baseUrlOf(url: unknown): string {
  const text = typeof url === "string" || url instanceof URL ? String(url) : null;
  const parsed = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) throw wrongUrl("expected an http or https URL", text ?? url);
  if (parsed.username !== "" || parsed.password !== "") throw wrongUrl("expected no user name or password in the URL: use the token option instead", null);
  if (parsed.search !== "" || parsed.hash !== "") throw wrongUrl("expected no query and no fragment", text);
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
}

/** Leaves values that may contain a token out of the message. */
function wrongUrl(expected: string, received: unknown) {
  const isSecret = received === null || (typeof received === "string" && /sk_|ds_/.test(received));
  return parameterError("invalid_parameter", "url", isSecret ? expected : `${expected}, got ${shown(received)}`);
}
