import { DaybookError, ERROR_CODES, type ErrorCode } from "../core/base/errors.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";
import type { Machine, ClientConnection } from "./options.js";

/** Ends a call early: its caller gives up, the client is closed, or its time is over. */
class Stop {
  readonly #stopped = new AbortController();
  readonly #ended = new AbortController();

  /**
   * @param signal the caller's: observed by event if possible, else polled
   * @param late makes the error of a timeout
   */
  constructor(machine: Machine, timeoutMs: number, signal: Pick<AbortSignal, "aborted"> | undefined, late: () => DaybookError) {
    void this.#expire(machine, timeoutMs, late);
    if (signal !== undefined) this.#watch(machine, signal);
  }

  /** Aborted when the call must end; its reason is a DaybookError. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  stop(reason: DaybookError): void {
    this.#stopped.abort(reason);
  }

  /** @throws the reason, if the call must end */
  check(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  /** Settles like `act`, or rejects with the reason as soon as the call must end. */
  async race<T>(act: () => Promise<T>): Promise<T> {
    this.check();
    const { signal } = this;
    let listener = () => {};
    const stopped = new Promise<never>((_, reject) => {
      listener = () => reject(signal.reason as DaybookError);
      signal.addEventListener("abort", listener, { once: true });
    });
    try {
      return await Promise.race([act(), stopped]);
    } finally {
      signal.removeEventListener("abort", listener);
    }
  }

  /** Stops the timers and listeners; called once, when the call is over. */
  end(): void {
    this.#ended.abort();
  }

  async #expire(machine: Machine, timeoutMs: number, late: () => DaybookError): Promise<void> {
    await machine.sleep(timeoutMs, this.#ended.signal);
    if (!this.#ended.signal.aborted) this.stop(late());
  }

  #watch(machine: Machine, signal: Pick<AbortSignal, "aborted">): void {
    const abort = () => this.stop(new DaybookError("aborted", "the query was stopped by its signal"));
    if (signal.aborted) return abort();
    if (isListenable(signal)) return signal.addEventListener("abort", abort, { once: true, signal: this.#ended.signal });
    void this.#poll(machine, signal, abort);
  }

  async #poll(machine: Machine, signal: Pick<AbortSignal, "aborted">, abort: () => void): Promise<void> {
    while (!signal.aborted) {
      await machine.sleep(SERVER_LIMITS.clientSignalMs, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
    }
    abort();
  }
}

function isListenable(signal: Pick<AbortSignal, "aborted">): signal is AbortSignal {
  return typeof (signal as Partial<AbortSignal>).addEventListener === "function";
}

/** When a request may be resent. `always`: doing it twice has the same effect. `undone`: only if the server reported that it did nothing. */
type Again = "always" | "undone";

/** Statuses of temporary errors. */
const PASSING: readonly unknown[] = [429, 500, 502, 503, 504];
/** Errors with such a status that last: the same query takes as long again, and damaged files stay damaged. */
const LASTING: readonly string[] = ["query_timeout", "corruption", "manifest_missing"];
/** Errors that are reported before anything is done. */
const UNDONE: readonly string[] = ["rate_limited", "overloaded"];

/** Whether a request that failed with this error may be resent. */
function mayPass({ code, details }: DaybookError, again: Again): boolean {
  if (again === "undone") return UNDONE.includes(code);
  const status = details["status"];
  // Without a status there was no answer.
  return (status === undefined ? code === "unreachable" : PASSING.includes(status)) && !LASTING.includes(code);
}

/** Ms until the next try: random, below a bound that doubles with each try, and at least what the server requests. @param tries so far */
function pauseMs({ baseMs, maxMs }: ClientConnection, tries: number, random: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, random * Math.min(maxMs, baseMs * 2 ** (tries - 1)));
}

/** Ms of a `Retry-After` header, which holds seconds or a date; 0 for anything else. */
function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const ms = Date.parse(header);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms - nowMs);
}

/** Limits how many calls run at once; the others wait in order. */
class CallSlots {
  #freeCount: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#freeCount = count;
  }

  /** Resolves with a function that releases the slot. It must be called even after the caller stopped waiting. */
  async take(): Promise<() => void> {
    if (this.#freeCount > 0) this.#freeCount -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#freeCount += 1;
      else next();
    };
  }
}

/** One request to a route. */
export interface RouteCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** JSON text; absent: no body. */
  readonly body?: string;
  readonly again: Again;
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
  /** Statuses besides 200 and 201 that are an answer and no error. */
  readonly answers?: readonly number[];
}

/** Sends requests, a limited number at once, and retries each until it is answered or its time or tries are used up. */
export class Calls {
  readonly #connection: ClientConnection;
  readonly #machine: Machine;
  readonly #slots = new CallSlots(SERVER_LIMITS.clientRequestCount);
  readonly #underWay = new Map<Stop, Promise<unknown>>();
  #isClosed = false;

  constructor(connection: ClientConnection, machine: Machine) {
    this.#connection = connection;
    this.#machine = machine;
  }

  /** The JSON of an answer. @throws what the server reports; unreachable, aborted, closed */
  json(call: RouteCall): Promise<unknown> {
    return this.#answer(call, readJson);
  }

  /** The lines of an NDJSON answer. @throws as json */
  lines(call: RouteCall): Promise<readonly string[]> {
    return this.#answer(call, readLines);
  }

  /** Ends all calls under way with `closed`; resolves when none is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#underWay.keys()) stop.stop(closed());
    await Promise.allSettled(this.#underWay.values());
  }

  async #answer<T>(call: RouteCall, read: ReadAnswer<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    const { timeoutMs } = this.#connection;
    const request = `${call.method} ${this.#connection.base}${call.path}`;
    let last: DaybookError | null = null;
    const late = () => last ?? new DaybookError("unreachable", `${request}: no answer within ${timeoutMs} ms`);
    const stop = new Stop(this.#machine, timeoutMs, call.signal, late);
    const answer = this.#inTurn(stop, async () => {
      const endMs = this.#machine.nowMs() + timeoutMs;
      for (let tries = 1; ; tries += 1) {
        const outcome = await this.#try(call, read, request, stop);
        if (outcome.error === undefined) return outcome.value;
        last = outcome.error;
        await this.#pause(call.again, tries, outcome, endMs, stop);
      }
    });
    this.#underWay.set(stop, answer);
    try {
      return await answer;
    } finally {
      stop.end();
      this.#underWay.delete(stop);
    }
  }

  async #inTurn<T>(stop: Stop, act: () => Promise<T>): Promise<T> {
    const slot = this.#slots.take();
    try {
      await stop.race(() => slot);
      return await act();
    } finally {
      void slot.then((leave) => leave());
    }
  }

  /** Resolves when it is time for the next try. @throws the error if there is none */
  async #pause(again: Again, tries: number, { error, retryAfter }: Failed, endMs: number, stop: Stop): Promise<void> {
    const nowMs = this.#machine.nowMs();
    const pause = pauseMs(this.#connection, tries, this.#machine.random(), retryAfterMs(retryAfter, nowMs));
    // A pause beyond the end would only delay the error.
    if (tries >= this.#connection.attempts || !mayPass(error, again) || nowMs + pause >= endMs) throw error;
    await this.#machine.sleep(pause, stop.signal);
    stop.check();
  }

  async #try<T>(call: RouteCall, read: ReadAnswer<T>, request: string, stop: Stop): Promise<{ readonly value: T; readonly error?: undefined } | Failed> {
    let answered: HttpAnswer;
    try {
      answered = await stop.race(() => this.#send(call, stop.signal));
    } catch (cause) {
      stop.check();
      return { error: new DaybookError("unreachable", `${request}: ${reasonOf(cause)}`, {}, { cause }), retryAfter: null };
    }
    const { status, retryAfter } = answered;
    const isAnswer = status === 200 || status === 201 || call.answers?.includes(status) === true;
    if (!isAnswer) return { error: answerError(answered, request), retryAfter };
    return read(answered) ?? { error: notOurs(answered, request), retryAfter };
  }

  async #send({ method, path, body }: RouteCall, signal: AbortSignal): Promise<HttpAnswer> {
    const { base, token, fetch } = this.#connection;
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    // A redirect could send the token to another server.
    const init: RequestInit = { method, headers, signal, redirect: "manual", ...(body === undefined ? {} : { body }) };
    const response = await fetch(new Request(`${base}${path}`, init));
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      text: await response.text(),
      requestId: response.headers.get("x-request-id"),
      retryAfter: response.headers.get("retry-after"),
    };
  }
}

interface Failed {
  readonly error: DaybookError;
  readonly retryAfter: string | null;
}

/** Null if the answer is not a Daybook's. */
type ReadAnswer<T> = (answered: HttpAnswer) => { readonly value: T } | null;

const readJson: ReadAnswer<unknown> = ({ type, text }) => {
  if (!type.startsWith("application/json")) return null;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
};

const readLines: ReadAnswer<readonly string[]> = ({ type, text }) => {
  const isWhole = text === "" || text.endsWith("\n");
  return type.startsWith("application/x-ndjson") && isWhole ? { value: text.split("\n").slice(0, -1) } : null;
};

/** Message of a failed `fetch`; the reason is mostly in its cause. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "the request failed";
  const { cause } = thrown;
  const inner = cause instanceof Error ? (cause.message || (cause as { code?: string }).code) : undefined;
  return inner === undefined || inner === "" ? thrown.message : `${thrown.message} (${inner})`;
}

function closed(): DaybookError {
  return new DaybookError("closed", "the client is closed");
}

/** A response, read to its end. */
interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** From the header; null if missing. */
  readonly requestId: string | null;
  readonly retryAfter: string | null;
}

/** The error that a Daybook server reported; `unreachable` if the answer is not a Daybook's. */
function answerError(answered: HttpAnswer, request: string): DaybookError {
  const { status } = answered;
  const problem = problemOf(answered);
  if (problem === null) return notOurs(answered, request);
  const { code, detail, param, errors, request_id } = problem;
  const requestId = request_id ?? answered.requestId;
  const reason = param !== undefined && detail.startsWith(`${param}: `) ? detail.slice(param.length + 2) : undefined;
  return new DaybookError(code, detail, {
    ...(param === undefined ? {} : { param }),
    ...(reason === undefined ? {} : { reason }),
    ...(errors === undefined ? {} : { errors }),
    status,
    ...(requestId === null ? {} : { requestId }),
  });
}

/** The error for an answer that is not a Daybook's, such as a proxy's page. */
function notOurs({ status, type, requestId }: HttpAnswer, request: string): DaybookError {
  const what = status >= 300 && status < 400 ? "a redirect, which is not followed" : type === "" ? "no content type" : type;
  const message = `${request}: expected an answer from a Daybook server, got status ${status} and ${what}`;
  return new DaybookError("unreachable", message, { status, ...(requestId === null ? {} : { requestId }) });
}

interface ErrorBody {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly param?: string;
  readonly errors?: unknown;
  readonly request_id?: string;
}

function problemOf({ type, text }: HttpAnswer): ErrorBody | null {
  if (!type.startsWith("application/problem+json")) return null;
  try {
    const { code, detail } = JSON.parse(text) as Partial<ErrorBody>;
    if (code === undefined || !Object.hasOwn(ERROR_CODES, code) || typeof detail !== "string") return null;
    return JSON.parse(text) as ErrorBody;
  } catch {
    return null;
  }
}
