import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import { joined, type BodyStream } from "../wire/request-reply.js";
import { etagOfBytes } from "./etag.js";

/** An answer with fewer values is serialized at once, in some tenths of a millisecond. */
const FEW_VALUES = 2_000;
/** This many characters of a text count as one value. */
const CHARS_PER_VALUE = 64;
/** Minimum length of a piece, except the last one. */
const PIECE_CHARS = 64 * 1024;

/**
 * Serializes a plain value as JSON and yields to the event loop in between. Returns a text, or a stream if it is long.
 * @param onEnd called once the stream is no longer read
 */
export async function jsonBody(value: unknown, onEnd: () => void): Promise<string | BodyStream> {
  if (isShort(value)) return JSON.stringify(value);
  const pieces = jsonPieces(value);
  let text = "";
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    text += next.value;
    if (text.length > SERVER_LIMITS.wholeAnswerChars) return new JsonStream(text, pieces, onEnd);
    await yieldToEventLoop();
  }
  return text;
}

class JsonStream implements BodyStream {
  readonly isFinite = true;
  #first: string | null;
  #isOver = false;
  #isCancelled = false;

  constructor(
    first: string,
    readonly pieces: Generator<string>,
    readonly onEnd: () => void,
  ) {
    this.#first = first;
  }

  async next(): Promise<string | null> {
    await yieldToEventLoop();
    if (this.#isCancelled) throw new DaybookError("aborted", "the caller disconnected");
    const first = this.#first;
    this.#first = null;
    if (first !== null) return first;
    let isDone = true;
    try {
      const next = this.pieces.next();
      isDone = next.done === true;
      return isDone ? null : next.value;
    } finally {
      // Also on failure, because not every reader calls `cancel` then.
      if (isDone) this.#end();
    }
  }

  cancel(): void {
    if (!this.#isOver) this.#isCancelled = true;
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onEnd();
  }
}

/** Whether an answer is short. Cost: counts at most `FEW_VALUES` values. */
function isShort(value: unknown): boolean {
  return budgetAfter(value, FEW_VALUES) >= 0;
}

/** `budget` less the size of a value; stops as soon as it is negative. */
function budgetAfter(value: unknown, budget: number): number {
  if (typeof value === "string") return budget - 1 - value.length / CHARS_PER_VALUE;
  if (typeof value !== "object" || value === null) return budget - 1;
  let remaining = budget - 1;
  // `Object.values` would copy up to a million items.
  for (let at = 0; Array.isArray(value) && at < value.length && remaining >= 0; at += 1) remaining = budgetAfter(value[at], remaining);
  if (Array.isArray(value)) return remaining;
  for (const name in value) {
    if (remaining < 0) break;
    remaining = budgetAfter((value as Readonly<Record<string, unknown>>)[name], remaining);
  }
  return remaining;
}

/** Yields the text that `JSON.stringify` makes of a plain value in pieces: elements and members are serialized one after the other. */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = "";
  for (const text of textsOf(value)) {
    piece += text;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

function* textsOf(value: unknown): Generator<string> {
  if (isShort(value)) yield JSON.stringify(value) ?? "null";
  else if (Array.isArray(value)) yield* elementsOf(value);
  else if (typeof value === "object" && value !== null) yield* membersOf(value);
  else yield JSON.stringify(value);
}

function* elementsOf(list: readonly unknown[]): Generator<string> {
  let separator = "[";
  for (const element of list) {
    yield separator;
    yield* textsOf(element);
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

function* membersOf(value: object): Generator<string> {
  let separator = "{";
  for (const [name, member] of Object.entries(value)) {
    // `JSON.stringify` omits it too.
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* textsOf(member);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

/** A text that is the same for all callers: its bytes and tag are computed once, and shared by all answers and threads. */
export class SharedText {
  readonly bytes: Uint8Array;
  readonly etag: Promise<string>;

  constructor(text: string) {
    const encoded = new TextEncoder().encode(text);
    this.bytes = sharedBytes(encoded);
    this.etag = etagOfBytes(encoded);
  }
}

/** Copies bytes to memory that threads share; without such memory, returns them unchanged. */
export function sharedBytes(bytes: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer !== "function") return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

const encoder = new TextEncoder();
/** Lines are encoded in batches: a chunk per line would cost more than its text. */
const BATCH_CHARS = 64 * 1024;

/** All lines as UTF-8, before the answer starts, so that a failure can still be answered as an error. @throws aborted, the lines' error */
export async function bytesOfLines(lines: AsyncIterable<string>, signal: Pick<AbortSignal, "aborted">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let batch = "";
  const flush = () => {
    chunks.push(encoder.encode(batch));
    batch = "";
  };
  for await (const line of lines) {
    if (signal.aborted) throw new DaybookError("aborted", "the caller disconnected");
    batch += line;
    if (batch.length >= BATCH_CHARS) flush();
  }
  flush();
  return joined(chunks);
}

/**
 * Yields items as lines of JSON, up to the size of one answer, and skips leading items of earlier pages. @throws aborted
 * @param isBefore true for items of earlier pages, which occur if the Daybook did not start after them
 */
export async function* pageOfLines<T>(
  items: AsyncIterable<T>,
  isBefore: (item: T) => boolean,
  signal: Pick<AbortSignal, "aborted">,
): AsyncGenerator<string> {
  let [count, charCount] = [0, 0];
  for await (const item of items) {
    if (signal.aborted) throw new DaybookError("aborted", "the caller disconnected");
    if (count === 0 && isBefore(item)) continue;
    const line = `${JSON.stringify(item)}\n`;
    yield line;
    count += 1;
    charCount += line.length;
    if (count >= SERVER_LIMITS.exportPageCount || charCount >= SERVER_LIMITS.exportPageChars) return;
  }
}
