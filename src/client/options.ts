import { parameterError, shown } from "../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../core/base/options.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";

export interface ClientOptions {
  /** URL of the server, such as `http://127.0.0.1:8787`; its path is prepended to every route. */
  readonly url: string | URL;
  /** A secret token, `sk_…`. It is sent only to `url`, and never appears in errors. */
  readonly token: string;
  /** How often, and after which delays, a request that failed temporarily is resent. */
  readonly retry?: RetryOptions;
  /** Maximum duration of one request with all its attempts, in ms. Default 60,000. A large ingest or an export sends several requests. */
  readonly timeoutMs?: number;
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

export interface ClientConnection {
  /** Without a trailing slash. */
  readonly base: string;
  readonly token: string;
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly timeoutMs: number;
  readonly fetch: (request: Request) => Promise<Response>;
}

const KNOWN_OPTIONS: KnownOptions<ClientOptions> = { url: true, token: true, retry: true, timeoutMs: true, fetch: true };
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
    throw parameterError("invalid_parameter", "token", `expected the value of a token (sk_ and letters, digits and ._~+/-), got ${typeof token === "string" ? "other text" : typeof token}`);
  if (fetch !== undefined && typeof fetch !== "function") throw unexpected("fetch", "a function from Request to Response", fetch);
  return {
    base,
    token,
    attempts: numberIn(attempts, "retry.attempts", 1, 100, SERVER_LIMITS.clientAttemptCount, true),
    baseMs: numberIn(baseMs, "retry.baseMs", 0, SERVER_LIMITS.timerMs, SERVER_LIMITS.clientRetryBaseMs),
    maxMs: numberIn(maxMs, "retry.maxMs", 0, SERVER_LIMITS.timerMs, SERVER_LIMITS.clientRetryMaxMs),
    timeoutMs: numberIn(timeoutMs, "timeoutMs", 1, SERVER_LIMITS.timerMs, SERVER_LIMITS.clientRequestMs),
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
  const isSecret = received === null || (typeof received === "string" && received.includes("sk_"));
  return parameterError("invalid_parameter", "url", isSecret ? expected : `${expected}, got ${shown(received)}`);
}

function numberIn(value: unknown, param: string, min: number, max: number, fallback: number, isWhole = false): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  throw unexpected(param, `${isWhole ? "an integer" : "a number"} from ${min} to ${max}`, value);
}

function unexpected(param: string, expected: string, received: unknown) {
  return parameterError("invalid_parameter", param, `expected ${expected}, got ${typeof received === "number" ? String(received) : shown(received)}`);
}

export interface ClientEnvironment {
  /** Epoch milliseconds. */
  nowMs(): number;
  /** From 0 to 1. */
  random(): number;
  /** Resolves after that many ms, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemEnvironment: ClientEnvironment = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end, { once: true });
    }),
};
