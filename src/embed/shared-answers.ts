import { ApiError, apiErrorOf, asApiError } from "../charts/api-error.js";
import type { ElementQueryName, QueryInput } from "./query.js";
import type { TokenSource } from "./tokens.js";

export interface ElementRequest {
  /** Without a trailing slash. */
  readonly server: string;
  readonly tokens: TokenSource;
  readonly name: ElementQueryName;
  readonly input: QueryInput;
}

/** Equal requests have equal keys. */
export function requestKey({ server, tokens, name, input }: ElementRequest): string {
  return JSON.stringify([server, tokens.key, name, input]);
}

/** Sends a query under the name of the library. @throws ApiError; an AbortError when `signal` aborts */
async function send(request: ElementRequest, signal: AbortSignal): Promise<unknown> {
  const { tokens } = request;
  const token = await tokens.token();
  try {
    return await sendWith(token, request, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const other = await tokens.replacement(token);
    if (other === null) throw error;
    return await sendWith(other, request, signal);
  }
}

async function sendWith(token: string, { server, name, input }: ElementRequest, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(`${server}/v1/query/${name}`, {
    method: "POST",
    signal,
    cache: "no-store",
    credentials: "omit",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(input),
  }).catch((thrown: unknown) => {
    if (signal.aborted) throw thrown;
    throw new ApiError("unreachable", 0, `No Daybook server responds at ${server}, or it does not allow this page.`, null, null);
  });
  if (!response.ok) throw await apiErrorOf(response);
  const body: { readonly answer: unknown } = await response.json();
  return body.answer;
}

const REFRESH_MS = 60_000;
const RETRY_MS = 5_000;

/** An element that shows an answer. */
export interface AnswerReader {
  /** Whether it is in the viewport. */
  readonly isVisible: boolean;
  answerChanged(): void;
  /** The answer may be of another person: it must not stay in sight. */
  answerDropped(): void;
}

/** The answer to one request, for all elements of a page that show it. Asked again each minute while one of them is visible. */
export class SharedAnswer {
  answer: unknown = null;
  error: ApiError | null = null;
  readonly #readers = new Set<AnswerReader>();
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueMs = 0;

  constructor(
    readonly request: ElementRequest,
    readonly onUnused: () => void,
  ) {}

  add(reader: AnswerReader): void {
    this.#readers.add(reader);
    // The first answer does not wait until the element is visible.
    if (this.#readers.size === 1) this.refresh();
  }

  /** Aborts what no element waits for. */
  remove(reader: AnswerReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#abort?.abort();
    clearTimeout(this.#timer);
    this.onUnused();
  }

  refresh(): void {
    if (this.#abort === null) void this.#ask();
  }

  /** Forgets the answer, and asks again. */
  drop(): void {
    this.#abort?.abort();
    this.answer = this.error = null;
    for (const reader of this.#readers) reader.answerDropped();
    void this.#ask();
  }

  /** Waits until the answer is due, or asks at once if it is overdue; not while no element is visible. */
  visibilityChanged(): void {
    clearTimeout(this.#timer);
    if (this.#abort !== null || document.hidden || ![...this.#readers].some(({ isVisible }) => isVisible)) return;
    this.#timer = setTimeout(() => this.refresh(), Math.max(0, this.#dueMs - Date.now()));
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    const abort = new AbortController();
    this.#abort = abort;
    let waitMs = REFRESH_MS;
    try {
      this.answer = await send(this.request, abort.signal);
      this.error = null;
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.error = asApiError(thrown);
      if (this.error.isLoad) waitMs = this.error.retryAfterSec === null ? RETRY_MS : this.error.retryAfterSec * 1_000;
      // An older answer stays in sight while the server is only out of reach.
      else if (this.error.code !== "unreachable") this.answer = null;
    }
    if (abort.signal.aborted) return;
    this.#abort = null;
    this.#dueMs = Date.now() + waitMs;
    this.visibilityChanged();
    for (const reader of [...this.#readers]) reader.answerChanged();
  }
}
