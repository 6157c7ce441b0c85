import { ApiError, apiErrorOf } from "../../charts/api-error.js";
import { keyOf, get, bundleQuery, newRequestQuery, resolveQuery, stepQuery, type PageQuery } from "./queries.js";
import type { ShownRequest } from "./answers.js";

export { ApiError, asApiError, errorText } from "../../charts/api-error.js";

/** Maximum number of responses cached for back and forward navigation. */
const CACHE_SIZE = 200;

interface CachedAnswer {
  readonly answer: unknown;
  readonly tick: number;
  /** Names in the query that no event has. */
  readonly unknown: readonly string[];
}

/** Sends queries to one server with one token. Caches responses until data changes, and aborts requests that no caller waits for. */
export class ApiClient {
  readonly #cache = new Map<string, CachedAnswer>();
  readonly #inFlight = new Map<
    string,
    { readonly promise: Promise<unknown>; readonly abort: AbortController; readonly tick: number; callerCount: number }
  >();
  #tick = 0;
  #isRetired = false;

  constructor(
    /** Without a trailing slash. */
    readonly root: string,
    readonly token: string,
    readonly onSignedOut: () => void,
  ) {}

  /** Aborts queries in flight, and disables `onSignedOut`. */
  retire(): void {
    this.#isRetired = true;
    for (const { abort } of this.#inFlight.values()) abort.abort();
  }

  /** Marks cached responses as stale after a change. They are still shown until they are fetched again. */
  invalidate(): void {
    this.#tick += 1;
  }

  cached<A>(query: PageQuery<A>): { readonly answer: A; readonly isFresh: boolean } | null {
    const entry = this.#cache.get(keyOf(query));
    return entry === undefined ? null : { answer: entry.answer as A, isFresh: entry.tick === this.#tick };
  }

  unknownNames(query: PageQuery<unknown>): readonly string[] {
    return this.#cache.get(keyOf(query))?.unknown ?? [];
  }

  /** @throws ApiError; an AbortError when `signal` aborts */
  async query<A>(query: PageQuery<A>, signal: AbortSignal): Promise<A> {
    // An aborted signal fires no event, so this caller would be counted forever.
    signal.throwIfAborted();
    const key = keyOf(query);
    const running = this.#inFlight.get(key);
    const shared = running !== undefined && running.tick === this.#tick && !running.abort.signal.aborted ? running : this.#start(key, query);
    shared.callerCount += 1;
    const release = () => {
      shared.callerCount -= 1;
      if (shared.callerCount === 0) shared.abort.abort();
    };
    signal.addEventListener("abort", release, { once: true });
    try {
      const answer = await shared.promise;
      signal.throwIfAborted();
      return answer as A;
    } finally {
      signal.removeEventListener("abort", release);
    }
  }

  /** Sends a request that changes data; it is neither shared nor cached. @throws ApiError */
  async send<A>(query: PageQuery<A>): Promise<A> {
    const response = await this.fetch(query, new AbortController().signal);
    const answer: A = await response.json();
    this.invalidate();
    return answer;
  }

  async fetch({ method, path, body }: PageQuery<unknown>, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const init: RequestInit = {
      method,
      signal,
      cache: "no-store",
      credentials: "omit",
      headers: { Authorization: `Bearer ${this.token}`, ...(body !== null && { "Content-Type": "application/json" }), ...headers },
      ...(body !== null && { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${this.root}${path}`, init).catch((thrown: unknown) => {
      if (signal.aborted) throw thrown;
      throw new ApiError("unreachable", 0, "No server responds at this address.", null, null);
    });
    if (response.ok) return response;
    const error = await apiErrorOf(response);
    if (error.status === 401 && !this.#isRetired) this.onSignedOut();
    throw error;
  }

  #start(key: string, query: PageQuery<unknown>) {
    const abort = new AbortController();
    const tick = this.#tick;
    const promise = this.fetch(query, abort.signal)
      .then(async (response) => {
        const answer: unknown = await response.json();
        this.#addToCache(key, { answer, tick, unknown: unknownFields(response.headers.get("daybook-notice")) });
        return answer;
      })
      .finally(() => {
        if (this.#inFlight.get(key) === started) this.#inFlight.delete(key);
      });
    const started = { promise, abort, tick, callerCount: 0 };
    this.#inFlight.set(key, started);
    return started;
  }

  #addToCache(key: string, entry: CachedAnswer): void {
    // An earlier request may finish later.
    if ((this.#cache.get(key)?.tick ?? 0) > entry.tick) return;
    this.#cache.delete(key);
    this.#cache.set(key, entry);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > CACHE_SIZE && oldest !== undefined) this.#cache.delete(oldest);
  }
}

/** From `unknown_field; param="filter_groups[0].filters[0].field_name"; name="plna"`; names are percent-encoded, so they contain no quotes. */
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

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/** Reconnects with growing delays; stops when `signal` aborts and on client errors other than overload, such as a missing route or scope. */
export async function followChanges(client: ApiClient, project: string, signal: AbortSignal, onChange: () => void): Promise<void> {
  let lastId = "";
  let delayMs = MIN_DELAY_MS;
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", ...(lastId !== "" && { "Last-Event-ID": lastId }) };
      const response = await client.fetch(get(`/v1/projects/${encodeURIComponent(project)}/changes`), signal, headers);
      if (response.body === null) return;
      for await (const event of eventsOf(response.body)) {
        delayMs = MIN_DELAY_MS;
        if (event.id !== "") lastId = event.id;
        if (event.hasData) onChange();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && !thrown.isLoad) return;
      if (thrown instanceof ApiError && thrown.retryAfterSec !== null) delayMs = Math.max(delayMs, thrown.retryAfterSec * 1_000);
    }
    await sleep(delayMs * (0.75 + Math.random() / 2), signal);
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>) {
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

function eventOf(block: string) {
  const lines = block.split("\n");
  const id = lines.find((line) => line.startsWith("id:")) ?? "id:";
  return { id: id.slice(3).trim(), hasData: lines.some((line) => line.startsWith("data:")) };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

async function openRequest(client: ApiClient, type: ShownRequest["type"], person: string, regulation: ShownRequest["regulation"]): Promise<string> {
  const { id } = await client.send(newRequestQuery(type, person, regulation));
  await client.send(stepQuery(id, "verify"));
  await client.send(stepQuery(id, "acknowledge"));
  return id;
}

export async function erasePerson(client: ApiClient, person: string, regulation: ShownRequest["regulation"]): Promise<ShownRequest> {
  const id = await openRequest(client, "erasure", person, regulation);
  return await client.send(resolveQuery(id, "completed"));
}

export async function exportPerson(client: ApiClient, person: string, regulation: ShownRequest["regulation"]): Promise<string> {
  const id = await openRequest(client, "portability", person, regulation);
  const lines = await bundleOf(client, id);
  await client.send(resolveQuery(id, "completed"));
  return lines;
}

export async function bundleOf(client: ApiClient, id: string): Promise<string> {
  const response = await client.fetch(bundleQuery(id), new AbortController().signal);
  return await response.text();
}
