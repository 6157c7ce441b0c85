import { keyOf, type PageQuery } from "./page-query.js";
import { ApiError, apiErrorOf } from "./api-error.js";

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
  known<A>(question: PageQuery<A>): { readonly answer: A; readonly isFresh: boolean } | null {
    const kept = this.#kept.get(keyOf(question));
    return kept === undefined ? null : { answer: kept.answer as A, isFresh: kept.tick === this.#tick };
  }

  /** Names in a query that no event has, if its response is cached. */
  unknownIn(question: PageQuery<unknown>): readonly string[] {
    return this.#kept.get(keyOf(question))?.unknown ?? [];
  }

  /** @throws Trouble; an AbortError when `signal` aborts */
  async ask<A>(question: PageQuery<A>, signal: AbortSignal): Promise<A> {
    const key = keyOf(question);
    const running = this.#underWay.get(key);
    const shared = running !== undefined && running.tick === this.#tick && !running.abort.signal.aborted ? running : this.#start(key, question);
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

  /** Sends a request that changes something: never shared, never cached. @throws Trouble */
  async send<A>(question: PageQuery<A>): Promise<A> {
    const response = await this.fetch(question, new AbortController().signal);
    const answer: A = await response.json();
    this.stale();
    return answer;
  }

  /** The response of a query if it succeeds. @throws Trouble */
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
    const trouble = await apiErrorOf(response);
    if (trouble.isSignedOut && !this.#isLeft) this.onSignedOut();
    throw trouble;
  }

  #start(key: string, question: PageQuery<unknown>) {
    const abort = new AbortController();
    const tick = this.#tick;
    const promise = this.fetch(question, abort.signal)
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
