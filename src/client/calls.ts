import { DaybookError } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { answerError, notOurs } from "./answer-error.js";
import type { Answered } from "./answer-error.js";
import type { Machine } from "./machine.js";
import type { Connection } from "./options.js";
import { mayPass, pauseMs, retryAfterMs } from "./retry.js";
import type { Again } from "./retry.js";
import { Slots } from "./slots.js";
import { Stop } from "./stop.js";

/** One request of a route. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** JSON text; absent: no body. */
  readonly body?: string;
  readonly again: Again;
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
  /** Statuses beside 200 and 201 that are an answer and no error. */
  readonly answers?: readonly number[];
}

/** Sends requests, some at a time, each again and again until it is answered or its time is over. */
export class Calls {
  readonly #connection: Connection;
  readonly #machine: Machine;
  readonly #slots = new Slots(SERVER_LIMITS.clientRequestCount);
  readonly #underWay = new Map<Stop, Promise<unknown>>();
  #isClosed = false;

  constructor(connection: Connection, machine: Machine) {
    this.#connection = connection;
    this.#machine = machine;
  }

  /** The JSON of an answer. @throws what the server answers; unreachable, aborted, closed */
  json(call: Call): Promise<unknown> {
    return this.#answer(call, readJson);
  }

  /** The lines of an answer of NDJSON. @throws as json */
  lines(call: Call): Promise<readonly string[]> {
    return this.#answer(call, readLines);
  }

  /** Ends what is under way with `closed`; resolves when nothing is. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#underWay.keys()) stop.stop(closed());
    await Promise.allSettled(this.#underWay.values());
  }

  async #answer<T>(call: Call, read: Read<T>): Promise<T> {
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

  /** Resolves when it is time for another try. @throws the error where there is none */
  async #pause(again: Again, tries: number, { error, retryAfter }: Failed, endMs: number, stop: Stop): Promise<void> {
    const nowMs = this.#machine.nowMs();
    const pause = pauseMs(this.#connection, tries, this.#machine.random(), retryAfterMs(retryAfter, nowMs));
    // A pause beyond the end would only put off what is known already.
    if (tries >= this.#connection.attempts || !mayPass(error, again) || nowMs + pause >= endMs) throw error;
    await this.#machine.sleep(pause, stop.signal);
    stop.check();
  }

  async #try<T>(call: Call, read: Read<T>, request: string, stop: Stop): Promise<{ readonly value: T; readonly error?: undefined } | Failed> {
    let answered: Answered;
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

  async #send({ method, path, body }: Call, signal: AbortSignal): Promise<Answered> {
    const { base, token, fetch } = this.#connection;
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    // A redirect would take the token to where nobody said it may go.
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

/** Null for what no Daybook answers. */
type Read<T> = (answered: Answered) => { readonly value: T } | null;

const readJson: Read<unknown> = ({ type, text }) => {
  if (!type.startsWith("application/json")) return null;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
};

const readLines: Read<readonly string[]> = ({ type, text }) => {
  const isWhole = text === "" || text.endsWith("\n");
  return type.startsWith("application/x-ndjson") && isWhole ? { value: text.split("\n").slice(0, -1) } : null;
};

/** What a failed `fetch` says: the reason mostly stands in its cause. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "the request failed";
  const { cause } = thrown;
  const inner = cause instanceof Error ? (cause.message || (cause as { code?: string }).code) : undefined;
  return inner === undefined || inner === "" ? thrown.message : `${thrown.message} (${inner})`;
}

function closed(): DaybookError {
  return new DaybookError("closed", "this client was closed");
}
