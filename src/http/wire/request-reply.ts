import { concatBytes } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";

/** Facts about a request, found before it reached the handler. Plain values, so that another thread can send them. */
export interface RequestFindings {
  /** The path of its route, as in the route table. */
  readonly path: string;
  /** Values of the path's parameters in the target. */
  readonly params: Readonly<Record<string, string>>;
  /** Text after the `?`. */
  readonly query: string;
  /** Hash of its token, as in `TokenStore`; null: it has none, or its route needs none. Absent: not checked. */
  readonly sha256?: string | null;
  /** Whether the token claims to be signed: then the handler needs it, not its hash alone. */
  readonly isSigned?: true;
}

/** A request as the routes need it, provided by a web `Request` or a socket. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as sent, beginning with `/`. */
  readonly target: string;
  /** Aborted when the caller disconnects. */
  readonly signal: Pick<AbortSignal, "aborted">;
  /** The IP address of the caller, if the transport has it. */
  readonly address?: string | undefined;
  /** An error that the transport found; answered in the envelope of the path. */
  readonly fault?: DaybookError;
  /** Findings of the transport by the routes of this handler; they are trusted and not checked again. */
  readonly known?: RequestFindings | undefined;
  /** A header by its lower-case name. */
  header(name: string): string | null;
  /**
   * Reads the bytes as sent, at most once. `onBytes` gets the number of new bytes; if it throws, reading stops.
   * @param isKeyless the organization is not known yet: a transport that buffers bytes allows fewer of these
   * @throws body_too_large, aborted, and what `onBytes` throws
   */
  readBody(maxByteLength: number, onBytes?: (byteLength: number) => void, isKeyless?: boolean): Promise<Uint8Array>;
}

/** A body that is produced over time. */
export interface BodyStream {
  /** True: it ends by itself. A stopping server waits for that, since a partial body must not look complete. Absent: it lasts until cancelled. */
  readonly isFinite?: true | undefined;
  /**
   * The next piece of text; null: the end. Call it again only after the previous piece is written.
   * @throws the error that ends a finite body early; the connection is then cut
   */
  next(): Promise<string | null>;
  /** Stops reading: a pending `next` ends. */
  cancel(): void;
}

/** An answer; header names are lower-case. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | BodyStream | null;
}

export function bodyTooLarge(maxByteLength: number): DaybookError {
  return new DaybookError("body_too_large", `expected a body of at most ${maxByteLength} bytes, also after decompression`);
}

/** Converts a web `Request`. @param address the caller's, if known */
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
        return await readAll(request.body, maxByteLength, onBytes);
      } catch (error) {
        if (error instanceof DaybookError) throw error;
        throw new DaybookError("aborted", "the body ended before it was complete", {}, { cause: error });
      }
    },
  };
}

export function responseOf(reply: WireReply): Response {
  const { body } = reply;
  // A web response does not accept shared memory.
  const ownBody = isShared(body) ? Uint8Array.from(body) : body;
  return new Response(
    isStream(ownBody) ? readableOf(ownBody) : (ownBody as BodyInit | null),
    { status: reply.status, headers: { ...reply.headers } },
  );
}

export function isStream(body: WireReply["body"]): body is BodyStream {
  return typeof body === "object" && body !== null && "next" in body;
}

/** Whether a body is in shared memory, one copy for all threads and answers. */
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
 * Reads all bytes of a stream; cancels it as soon as they exceed the limit, or `onBytes` throws.
 * @throws body_too_large, what `onBytes` throws, and what the stream fails with
 */
export async function readAll(
  stream: ReadableStream<Uint8Array>,
  maxByteLength: number,
  onBytes: (byteLength: number) => void = () => undefined,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks);
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

/** Concatenates chunks; a single one is returned unchanged. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : concatBytes(chunks);
}

/** Path and query of a URL. `Request.url` is absolute and normalised, so it needs no second parse. */
function targetOf(url: string): string {
  const pathAt = url.indexOf("/", url.indexOf("://") + 3);
  const fragmentAt = url.indexOf("#");
  return url.slice(pathAt, fragmentAt === -1 ? undefined : fragmentAt);
}

export const ARROW_TYPE = "application/vnd.apache.arrow.stream";

/** Whether an `Accept` header requests Arrow; otherwise the answer is JSON. */
export function acceptsArrow(header: string | null): boolean {
  if (header === null) return false;
  return header.split(",").some((range) => {
    const [type = "", ...parameters] = range.toLowerCase().split(";").map((part) => part.trim());
    return type === ARROW_TYPE && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  });
}

/** Excludes texts that look like a token, because request ids are logged; signed tokens are long. */
const ACCEPTED_REQUEST_ID = /^(?!.*sk_)(?!.*ds_[\w-]{60})[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf(request: WireRequest, make: () => string): string {
  const sent = request.header("x-request-id");
  return sent !== null && ACCEPTED_REQUEST_ID.test(sent) ? sent : make();
}
