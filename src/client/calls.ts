import { DaybookError, ERROR_CODES, type ErrorCode, type ErrorDetails } from "../core/base/errors.js";
import { backoffMs, requestedDelayMs, type RetryEnvironment } from "../core/base/retry.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";
import type { ClientConnection } from "./options.js";

/** Aborts a call: its caller aborts it, the client is closed, or it times out. */
class CallAbort {
  readonly #controller = new AbortController();
  readonly #disposed = new AbortController();

  /** @param signal the caller's; polled if it has no `addEventListener` */
  constructor(environment: RetryEnvironment, timeoutMs: number, signal: Pick<AbortSignal, "aborted"> | undefined, timeoutError: () => DaybookError) {
    void this.#expire(environment, timeoutMs, timeoutError);
    if (signal !== undefined) this.#watch(environment, signal);
  }

  /** Its abort reason is a DaybookError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: DaybookError): void {
    this.#controller.abort(reason);
  }

  /** @throws the abort reason */
  throwIfAborted(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  /** Settles like `act`, or rejects with the abort reason as soon as the call is aborted. */
  async race<T>(act: () => Promise<T>): Promise<T> {
    this.throwIfAborted();
    const { signal } = this;
    let listener = () => {};
    const aborted = new Promise<never>((_, reject) => {
      listener = () => reject(signal.reason as DaybookError);
      signal.addEventListener("abort", listener, { once: true });
    });
    try {
      return await Promise.race([act(), aborted]);
    } finally {
      signal.removeEventListener("abort", listener);
    }
  }

  dispose(): void {
    this.#disposed.abort();
  }

  async #expire(environment: RetryEnvironment, timeoutMs: number, timeoutError: () => DaybookError): Promise<void> {
    await environment.sleep(timeoutMs, this.#disposed.signal);
    if (!this.#disposed.signal.aborted) this.abort(timeoutError());
  }

  #watch(environment: RetryEnvironment, signal: Pick<AbortSignal, "aborted">): void {
    const abort = () => this.abort(new DaybookError("aborted", "the query was stopped by its signal"));
    if (signal.aborted) return abort();
    if (isListenable(signal)) return signal.addEventListener("abort", abort, { once: true, signal: this.#disposed.signal });
    void this.#poll(environment, signal, abort);
  }

  async #poll(environment: RetryEnvironment, signal: Pick<AbortSignal, "aborted">, abort: () => void): Promise<void> {
    while (!signal.aborted) {
      await environment.sleep(SERVER_LIMITS.clientSignalMs, this.#disposed.signal);
      if (this.#disposed.signal.aborted) return;
    }
    abort();
  }
}

function isListenable(signal: Pick<AbortSignal, "aborted">): signal is AbortSignal {
  return typeof (signal as Partial<AbortSignal>).addEventListener === "function";
}

/** When a request may be resent. `always`: it is idempotent. `ifUndone`: only if the server reports that it did nothing. */
export type RetryRule = "always" | "ifUndone";

const TRANSIENT_STATUSES: readonly unknown[] = [429, 500, 502, 503, 504];
/** Errors with such a status that a retry does not fix: a query would time out again, and damaged files stay damaged. */
const PERMANENT_CODES: readonly string[] = ["query_timeout", "corruption", "manifest_missing"];
/** Errors that the server reports before it does anything. */
const UNDONE_CODES: readonly string[] = ["rate_limited", "overloaded"];

export function isRetryable({ code, details }: DaybookError, retry: RetryRule): boolean {
  if (retry === "ifUndone") return UNDONE_CODES.includes(code);
  const status = details["status"];
  // Without a status there was no response.
  return (status === undefined ? code === "unreachable" : TRANSIENT_STATUSES.includes(status)) && !PERMANENT_CODES.includes(code);
}

/** Ms of a `Retry-After` header, which holds seconds or a date; 0 for anything else. */
function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const ms = Date.parse(header);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms - nowMs);
}

class CallSlots {
  #freeCount: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#freeCount = count;
  }

  /** Resolves with a function that releases the slot. It must be called even after the caller stopped waiting. */
  async acquire(): Promise<() => void> {
    if (this.#freeCount > 0) this.#freeCount -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#freeCount += 1;
      else next();
    };
  }
}

export interface RouteCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** JSON text; absent: no body. */
  readonly body?: string;
  /** True: a long body is sent gzipped, where the runtime can. */
  readonly gzip?: boolean;
  readonly retry: RetryRule;
  /** Total number of attempts. Default: that of the connection. */
  readonly attempts?: number;
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
  /** Statuses besides 200 and 201 that are not errors. */
  readonly expectedStatuses?: readonly number[];
}

/** Shorter bodies fit into one packet anyway. */
const GZIP_CHARS_MIN = 1_024;

interface Lines extends Pick<HttpResponse, "sequence"> {
  readonly lines: readonly string[];
}

/** Sends requests, a limited number at a time. Retries each until it succeeds, fails for good, or runs out of time or attempts. */
export class Calls {
  readonly #connection: ClientConnection;
  readonly #environment: RetryEnvironment;
  readonly #slots = new CallSlots(SERVER_LIMITS.clientRequestCount);
  readonly #inFlight = new Map<CallAbort, Promise<unknown>>();
  #isClosed = false;

  constructor(connection: ClientConnection, environment: RetryEnvironment) {
    this.#connection = connection;
    this.#environment = environment;
  }

  /** The JSON of a response. @throws what the server reports; unreachable, aborted, closed */
  json(call: RouteCall): Promise<unknown> {
    return this.#run(call, readJson);
  }

  /** The lines of an NDJSON response. @throws what `json` throws */
  lines(call: RouteCall): Promise<Lines> {
    return this.#run(call, readLines);
  }

  /** Rejects all calls in flight with `closed`; resolves when they have settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#inFlight.keys()) call.abort(closed());
    await Promise.allSettled(this.#inFlight.values());
  }

  async #run<T>(call: RouteCall, read: ResponseReader<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    const { timeoutMs } = this.#connection;
    const requestLine = `${call.method} ${this.#connection.base}${call.path}`;
    let last: DaybookError | null = null;
    const timeoutError = () => last ?? new DaybookError("unreachable", `${requestLine}: no answer within ${timeoutMs} ms`);
    const abort = new CallAbort(this.#environment, timeoutMs, call.signal, timeoutError);
    const result = this.#withSlot(abort, async () => {
      const endMs = this.#environment.nowMs() + timeoutMs;
      for (let attempts = 1; ; attempts += 1) {
        const outcome = await this.#attempt(call, read, requestLine, abort);
        if (outcome.error === undefined) return outcome.value;
        last = outcome.error;
        await this.#waitForRetry(call, attempts, outcome.error, endMs, abort);
      }
    });
    this.#inFlight.set(abort, result);
    try {
      return await result;
    } finally {
      abort.dispose();
      this.#inFlight.delete(abort);
    }
  }

  async #withSlot<T>(abort: CallAbort, act: () => Promise<T>): Promise<T> {
    const slot = this.#slots.acquire();
    try {
      await abort.race(() => slot);
      return await act();
    } finally {
      void slot.then((release) => release());
    }
  }

  /** Resolves when the next attempt is due. @throws the error, if there is no next attempt */
  async #waitForRetry(call: RouteCall, attempts: number, error: DaybookError, endMs: number, abort: CallAbort): Promise<void> {
    const nowMs = this.#environment.nowMs();
    const delayMs = backoffMs(this.#connection, attempts, this.#environment.random(), requestedDelayMs(error));
    const isLast = attempts >= (call.attempts ?? this.#connection.attempts);
    // Waiting beyond the timeout would only delay the error.
    if (isLast || !isRetryable(error, call.retry) || nowMs + delayMs >= endMs) throw error;
    await this.#environment.sleep(delayMs, abort.signal);
    abort.throwIfAborted();
  }

  async #attempt<T>(call: RouteCall, read: ResponseReader<T>, requestLine: string, abort: CallAbort): Promise<Attempt<T>> {
    let response: HttpResponse;
    try {
      response = await abort.race(() => this.#send(call, abort.signal));
    } catch (cause) {
      abort.throwIfAborted();
      return { error: new DaybookError("unreachable", `${requestLine}: ${reasonOf(cause)}`, {}, { cause }) };
    }
    const { status } = response;
    const isExpected = status === 200 || status === 201 || call.expectedStatuses?.includes(status) === true;
    if (!isExpected) return { error: responseError(response, requestLine) };
    return read(response) ?? { error: foreignResponseError(response, requestLine) };
  }

  async #send({ method, path, body, gzip }: RouteCall, signal: AbortSignal): Promise<HttpResponse> {
    const { base, token, fetch } = this.#connection;
    const headers = new Headers({ authorization: `Bearer ${token}` });
    // A redirect could send the token to another server.
    const init: RequestInit = { method, headers, signal, redirect: "manual" };
    if (body !== undefined) {
      headers.set("content-type", "application/json");
      init.body = body;
      if (gzip === true && body.length >= GZIP_CHARS_MIN && typeof CompressionStream === "function") {
        headers.set("content-encoding", "gzip");
        init.body = await new Response(new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
      }
    }
    const response = await fetch(new Request(`${base}${path}`, init));
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      text: await response.text(),
      requestId: response.headers.get("x-request-id"),
      sequence: response.headers.get("daybook-sequence"),
      retryAfterMs: retryAfterMs(response.headers.get("retry-after"), this.#environment.nowMs()),
    };
  }
}

type Attempt<T> = { readonly value: T; readonly error?: undefined } | { readonly error: DaybookError };

/** Null if the response is not from a Daybook server. */
type ResponseReader<T> = (response: HttpResponse) => { readonly value: T } | null;

const readJson: ResponseReader<unknown> = ({ type, text }) => {
  if (!type.startsWith("application/json")) return null;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
};

const readLines: ResponseReader<Lines> = ({ type, text, sequence }) => {
  const isComplete = text === "" || text.endsWith("\n");
  return type.startsWith("application/x-ndjson") && isComplete ? { value: { lines: text.split("\n").slice(0, -1), sequence } } : null;
};

/** Message of a failed `fetch`; the reason is usually in its cause. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "the request failed";
  const { cause } = thrown;
  const inner = cause instanceof Error ? (cause.message || (cause as { code?: string }).code) : undefined;
  return inner === undefined || inner === "" ? thrown.message : `${thrown.message} (${inner})`;
}

export function closed(): DaybookError {
  return new DaybookError("closed", "the client is closed");
}

interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** From the header; null if missing. */
  readonly requestId: string | null;
  /** Up to which an export reads, from the header; null if missing. */
  readonly sequence: string | null;
  /** From the header; 0 if missing. */
  readonly retryAfterMs: number;
}

/** Details of an error that every response may have. */
function responseDetails({ status, requestId, retryAfterMs }: HttpResponse): ErrorDetails {
  return { status, ...(requestId === null ? {} : { requestId }), ...(retryAfterMs === 0 ? {} : { retryAfterMs }) };
}

/** The error that a Daybook server reported; `unreachable` if the response is not from a Daybook server. */
function responseError(response: HttpResponse, requestLine: string): DaybookError {
  const problem = problemOf(response);
  if (problem === null) return foreignResponseError(response, requestLine);
  const { code, detail, param, errors, request_id } = problem;
  const reason = param !== undefined && detail.startsWith(`${param}: `) ? detail.slice(param.length + 2) : undefined;
  return new DaybookError(code, detail, {
    ...(param === undefined ? {} : { param }),
    ...(reason === undefined ? {} : { reason }),
    ...(errors === undefined ? {} : { errors }),
    ...responseDetails({ ...response, requestId: request_id ?? response.requestId }),
  });
}

function foreignResponseError(response: HttpResponse, requestLine: string): DaybookError {
  const { status, type } = response;
  const what = status >= 300 && status < 400 ? "a redirect, which is not followed" : type === "" ? "no content type" : type;
  const message = `${requestLine}: expected an answer from a Daybook server, got status ${status} and ${what}`;
  return new DaybookError("unreachable", message, responseDetails(response));
}

interface ErrorBody {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly param?: string;
  readonly errors?: unknown;
  readonly request_id?: string;
}

function problemOf({ type, text }: HttpResponse): ErrorBody | null {
  if (!type.startsWith("application/problem+json")) return null;
  try {
    const { code, detail } = JSON.parse(text) as Partial<ErrorBody>;
    if (code === undefined || !Object.hasOwn(ERROR_CODES, code) || typeof detail !== "string") return null;
    return JSON.parse(text) as ErrorBody;
  } catch {
    return null;
  }
}
