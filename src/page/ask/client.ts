import { keyOf, get, type PageQuery } from "./page-query.js";

/** An error of a request, by code: those of the server, and `unreachable`. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
    /** Seconds until the request may be repeated; null: unknown. */
    readonly retryAfterSec: number | null,
    readonly requestId: string | null,
  ) {
    super(`${code}: ${detail}`);
  }

  /** Whether the server is overloaded, so that a later retry may succeed. */
  get isLoad(): boolean {
    return this.status === 429 || this.status === 503;
  }

  /** Whether the token is not, or no longer, valid. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** The error in a response; without a readable body, it is made from the status. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const told = problemIn(await response.text().catch(() => ""));
  const after = Number(response.headers.get("retry-after") ?? "");
  const retryAfterSec = Number.isFinite(after) && after > 0 ? after : null;
  const code = told.code ?? (response.status === 404 ? "route_not_found" : "internal");
  return new ApiError(
    code,
    response.status,
    told.detail ?? `The server answered with status ${response.status}.`,
    retryAfterSec,
    told.requestId ?? null,
  );
}

interface ApiProblem {
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string;
}

function problemIn(text: string): ApiProblem {
  try {
    const parsed: unknown = JSON.parse(text);
    const told = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : parsed;
    if (!isObject(told)) return {};
    const read = (name: string) => (typeof told[name] === "string" ? told[name] : undefined);
    const [code, detail, requestId] = [read("code"), read("detail") ?? read("message"), read("request_id")];
    return { ...(code !== undefined && { code }), ...(detail !== undefined && { detail }), ...(requestId !== undefined && { requestId }) };
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Maximum number of responses cached for back and forward navigation. */
const KEPT_COUNT = 200;

interface CachedAnswer {
  readonly answer: unknown;
  /** The tick at which it was requested. */
  readonly tick: number;
  /** Names in the query that no event has. */
  readonly unknown: readonly string[];
}

/** Sends queries to one origin with one token. Caches responses until something is stored, and aborts requests that no caller waits for. */
export class ApiClient {
  readonly #kept = new Map<string, CachedAnswer>();
  readonly #underWay = new Map<
    string,
    { readonly promise: Promise<unknown>; readonly abort: AbortController; readonly tick: number; waiting: number }
  >();
  #tick = 0;
  #isLeft = false;

  constructor(
    /** Without a trailing slash. */
    readonly root: string,
    readonly token: string,
    readonly onSignedOut: () => void,
  ) {}

  /** Retires this client: aborts its requests and suppresses its sign-out callback. */
  leave(): void {
    this.#isLeft = true;
    for (const { abort } of this.#underWay.values()) abort.abort();
  }

  /** Marks cached responses as outdated after a change: they are still shown, and requested again. */
  stale(): void {
    this.#tick += 1;
  }

  /** The cached response of a query. */
  known<A>(query: PageQuery<A>): { readonly answer: A; readonly isFresh: boolean } | null {
    const kept = this.#kept.get(keyOf(query));
    return kept === undefined ? null : { answer: kept.answer as A, isFresh: kept.tick === this.#tick };
  }

  /** Names in a query that no event has, if its response is cached. */
  unknownIn(query: PageQuery<unknown>): readonly string[] {
    return this.#kept.get(keyOf(query))?.unknown ?? [];
  }

  /** @throws ApiError; an AbortError when `signal` aborts */
  async ask<A>(query: PageQuery<A>, signal: AbortSignal): Promise<A> {
    // No `abort` event follows for it, so it would be counted as waiting for ever.
    signal.throwIfAborted();
    const key = keyOf(query);
    const running = this.#underWay.get(key);
    const shared = running !== undefined && running.tick === this.#tick && !running.abort.signal.aborted ? running : this.#start(key, query);
    shared.waiting += 1;
    const leave = () => {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.abort.abort();
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      const answer = await shared.promise;
      signal.throwIfAborted();
      return answer as A;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Sends a request that changes something: never shared, never cached. @throws ApiError */
  async send<A>(query: PageQuery<A>): Promise<A> {
    const response = await this.fetch(query, new AbortController().signal);
    const answer: A = await response.json();
    this.stale();
    return answer;
  }

  /** The response of a query if it succeeds. @throws ApiError */
  async fetch({ method, path, body }: PageQuery<unknown>, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const sent: RequestInit = {
      method,
      signal,
      cache: "no-store",
      credentials: "omit",
      headers: { Authorization: `Bearer ${this.token}`, ...(body !== null && { "Content-Type": "application/json" }), ...headers },
      ...(body !== null && { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${this.root}${path}`, sent).catch((thrown: unknown) => {
      if (signal.aborted) throw thrown;
      throw new ApiError("unreachable", 0, "No server responds at this address.", null, null);
    });
    if (response.ok) return response;
    const error = await apiErrorOf(response);
    if (error.isSignedOut && !this.#isLeft) this.onSignedOut();
    throw error;
  }

  #start(key: string, query: PageQuery<unknown>) {
    const abort = new AbortController();
    const tick = this.#tick;
    const promise = this.fetch(query, abort.signal)
      .then(async (response) => {
        const answer: unknown = await response.json();
        this.#keep(key, { answer, tick, unknown: unknownFields(response.headers.get("daybook-notice")) });
        return answer;
      })
      .finally(() => {
        if (this.#underWay.get(key) === started) this.#underWay.delete(key);
      });
    const started = { promise, abort, tick, waiting: 0 };
    this.#underWay.set(key, started);
    return started;
  }

  #keep(key: string, kept: CachedAnswer): void {
    // An earlier request may finish later.
    if ((this.#kept.get(key)?.tick ?? 0) > kept.tick) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_COUNT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/**
 * The names in a query that no event has, from the header `daybook-notice`, such as
 * `unknown_field; param="filter_groups[0].filters[0].field_name"; name="plna"`. Names are percent-encoded, so they contain no quotes.
 */
function unknownFields(header: string | null): readonly string[] {
  const names = [...(header ?? "").matchAll(/unknown_field; param="[^"]*"; name="([^"]*)"/g)].map(([, name = ""]) => decoded(name));
  return [...new Set(names)];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Follows everything stored in a project, as server-sent events, until `signal` aborts. Reconnects after a connection breaks, with growing delays;
 * stops on any other client error, such as a missing route or a missing right.
 */
export async function followChanges(client: ApiClient, project: string, signal: AbortSignal, onChange: () => void): Promise<void> {
  let lastId = "";
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", ...(lastId !== "" && { "Last-Event-ID": lastId }) };
      const response = await client.fetch(get(`/v1/projects/${encodeURIComponent(project)}/changes`), signal, headers);
      if (response.body === null) return;
      for await (const event of eventsOf(response.body)) {
        pauseMs = FIRST_PAUSE_MS;
        if (event.id !== "") lastId = event.id;
        if (event.hasData) onChange();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && !thrown.isLoad) return;
      if (thrown instanceof ApiError && thrown.retryAfterSec !== null) pauseMs = Math.max(pauseMs, thrown.retryAfterSec * 1_000);
    }
    await pause(pauseMs * (0.75 + Math.random() / 2), signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}

interface ServerEvent {
  readonly id: string;
  readonly hasData: boolean;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll("\r", "");
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerEvent {
  const lines = block.split("\n");
  const id =
    lines
      .find((line) => line.startsWith("id:"))
      ?.slice(3)
      .trim() ?? "";
  return { id, hasData: lines.some((line) => line.startsWith("data:")) };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
