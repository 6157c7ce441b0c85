import { DaybookError } from "../../base/errors.js";

/** What was found out about a request before it came to the handler, in values only: another thread can tell it. */
export interface RequestFindings {
  /** The path of its route, as the table of routes has it. */
  readonly path: string;
  /** What the target has in the place of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Text after the `?`. */
  readonly query: string;
  /** The hash of its token, as `TokenStore` has it; null: it brought none, or its route asks for none. Absent: nobody looked. */
  readonly sha256?: string | null;
}

/** A request as the routes need it: what a web `Request` and a socket can both give without further objects. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as they were sent, beginning with `/`. */
  readonly target: string;
  /** Aborted when the caller is gone. */
  readonly signal: Pick<AbortSignal, "aborted">;
  /** The IP address of the caller, where the transport knows it. */
  readonly address?: string | undefined;
  /** What the transport already found wrong; answered in the envelope of the path. */
  readonly fault?: DaybookError;
  /** What the transport already found out, by the routes of the handler it asks: it is relied upon, and not found out again. */
  readonly known?: RequestFindings | undefined;
  /** A header by its lower-case name. */
  header(name: string): string | null;
  /**
   * The bytes as sent, at most once. `onBytes` hears how many more have come; what it throws ends the reading.
   * @param isKeyless whose they are is not known yet: a transport that holds bytes lets such ones have less
   * @throws body_too_large, aborted, and what `onBytes` throws
   */
  readBody(maxByteLength: number, onBytes?: (byteLength: number) => void, isKeyless?: boolean): Promise<Uint8Array>;
}

/** A body that is made as time goes on. */
export interface BodyStream {
  /** Ends by itself: a server that stops lets it end, and what is not whole must not look as if it were. Absent: it goes on until it is cancelled. */
  readonly isFinite?: true | undefined;
  /**
   * The next piece of text; null: the end. Asked for one piece at a time, each when the one before is on its way.
   * @throws whatever keeps a finite one from its end: the connection is cut then
   */
  next(): Promise<string | null>;
  /** Nobody will read on: what `next` waits for ends. */
  cancel(): void;
}

/** An answer: header names are lower-case. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | BodyStream | null;
}

/** The error of a body over its bound. */
export function bodyTooLarge(maxByteLength: number): DaybookError {
  return new DaybookError("body_too_large", `expected a body of at most ${maxByteLength} bytes, after inflating too`);
}

/** A web `Request` as the routes need it. @param address of the caller, where it is known */
export function wireRequestOf(request: Request, address?: string): WireRequest {
  return {
    method: request.method,
    target: targetOf(request.url),
    signal: request.signal,
    address,
    header: (name) => request.headers.get(name),
    readBody: async (maxByteLength, onBytes) => {
      if (request.body === null) return new Uint8Array(0);
      try {
        return await collect(request.body, maxByteLength, onBytes);
      } catch (error) {
        if (error instanceof DaybookError) throw error;
        throw new DaybookError("aborted", "the body ended before it was whole", {}, { cause: error });
      }
    },
  };
}

/** An answer as a web `Response`. */
export function responseOf(reply: WireReply): Response {
  const { body } = reply;
  // No web response takes bytes that others may change.
  const own = isShared(body) ? Uint8Array.from(body) : body;
  return new Response(isStream(own) ? readableOf(own) : (own as BodyInit | null), { status: reply.status, headers: { ...reply.headers } });
}

/** Whether a body is made as time goes on. */
export function isStream(body: WireReply["body"]): body is BodyStream {
  return typeof body === "object" && body !== null && "next" in body;
}

/** Whether a body is bytes that are in memory once, for all threads and all answers. */
export function isShared(body: WireReply["body"]): body is Uint8Array<SharedArrayBuffer> {
  return typeof SharedArrayBuffer === "function" && body instanceof Uint8Array && body.buffer instanceof SharedArrayBuffer;
}

function readableOf(stream: BodyStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      const piece = await stream.next();
      if (piece === null) controller.close();
      else controller.enqueue(encoder.encode(piece));
    },
    cancel: () => stream.cancel(),
  });
}

/**
 * All bytes of a stream; cancels it as soon as they pass the bound, or `onBytes` throws.
 * @throws body_too_large, what `onBytes` throws, and what the stream fails with
 */
export async function collect(
  stream: ReadableStream<Uint8Array>,
  maxByteLength: number,
  onBytes: (byteLength: number) => void = () => undefined,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, byteLength);
    byteLength += value.length;
    try {
      if (byteLength > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(value.length);
    } catch (error) {
      reader.cancel().catch(() => undefined);
      throw error;
    }
    chunks.push(value);
  }
}

/** Chunks as one. */
export function joined(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(byteLength);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** `Request.url` is absolute and normalised, so no second URL parse is needed. */
function targetOf(url: string): string {
  const pathAt = url.indexOf("/", url.indexOf("://") + 3);
  const fragmentAt = url.indexOf("#");
  return url.slice(pathAt, fragmentAt === -1 ? undefined : fragmentAt);
}
