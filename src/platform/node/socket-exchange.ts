import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { isShared, isStream, type RequestFindings, type WireReply, type WireRequest, bodyTooLarge } from "../../http/wire/exchange.js";
import type { LongAnswers, OpenStreams, UnreadAnswers } from "./streams.js";

/** Maximum of bytes that are buffered before the body is read: more than what arrives with the headers in one read of the socket. */
const UNREQUESTED_BYTES_MAX = 64 * 1024;

/** After `SMALL_CHUNK_COUNT` chunks, smaller ones are copied into blocks, because each chunk costs some hundred bytes besides its content. */
const SMALL_CHUNK_BYTES = 1024;
const SMALL_CHUNK_COUNT = 8;
const BLOCK_BYTES = 16 * 1024;

interface BodyReader {
  readonly maxByteLength: number;
  readonly onBytes: (byteLength: number) => void;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The body of a request on a socket. Buffers bytes as they arrive, without pausing the socket, and discards them once nobody will read them, so that
 * the sender finishes and reads the answer.
 */
export class IncomingBody {
  /** Null: dropped. */
  #chunks: Buffer[] | null = [];
  #byteLength = 0;
  /** The block that small chunks are copied to, and its filled length: part of the last chunk. */
  #block: Buffer | null = null;
  #blockByteLength = 0;
  #reading: BodyReader | null = null;
  readonly #incoming: IncomingMessage;
  /** Bytes to come, by the header; -1: unknown before the end. */
  readonly #declared: number;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.#declared = Number(incoming.headers["content-length"] ?? -1);
    incoming.on("data", (chunk: Buffer) => this.#receive(chunk));
    // Marks the stream as read. Otherwise it would hold back the bytes that arrive with the headers, and pause the socket.
    incoming.read(0);
  }

  /**
   * All bytes, as for `WireRequest.readBody`. Call at most once, and not after `drop`. With a declared length, resolves with the last byte: the
   * stream's `end` comes several turns later.
   * @throws body_too_large, aborted, and what `onBytes` throws
   */
  read(maxByteLength: number, onBytes: (byteLength: number) => void): Promise<Uint8Array> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      const reading = { maxByteLength, onBytes, resolve, reject };
      this.#reading = reading;
      for (const chunk of this.#chunks ?? []) this.#check(chunk.length, reading);
      if (this.#reading === null) return;
      if (this.#byteLength === this.#declared || incoming.readableEnded) return this.#end();
      const abort = (cause: unknown) => reject(new DaybookError("aborted", "the body ended before it was complete", {}, { cause }));
      if (incoming.destroyed) return abort(incoming.errored);
      incoming.on("end", () => this.#end());
      incoming.on("error", abort);
      incoming.resume();
    });
  }

  /** All bytes, if the body is complete and not longer than this; else null. They can still be read. */
  complete(maxByteLength: number): Uint8Array | null {
    return this.#incoming.complete && this.#chunks !== null && this.#byteLength <= maxByteLength ? joinChunks(this.#chunks) : null;
  }

  /** Drops the bytes received and those still to come. */
  drop(): void {
    this.#chunks = null;
    this.#block = null;
    this.#reading = null;
    this.#incoming.resume();
  }

  #receive(chunk: Buffer): void {
    if (this.#chunks === null) return;
    this.#append(chunk, this.#chunks);
    this.#byteLength += chunk.length;
    if (this.#reading === null) {
      if (this.#byteLength > UNREQUESTED_BYTES_MAX) this.#incoming.pause();
      return;
    }
    this.#check(chunk.length, this.#reading);
    if (this.#byteLength === this.#declared) this.#end();
  }

  #check(chunkByteLength: number, { maxByteLength, onBytes, reject }: BodyReader): void {
    if (this.#reading === null) return;
    try {
      if (this.#byteLength > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(chunkByteLength);
    } catch (error) {
      this.drop();
      reject(error);
    }
  }

  #end(): void {
    this.#reading?.resolve(joinChunks(this.#chunks ?? []));
    this.#reading = null;
    this.#chunks = null;
  }

  #append(chunk: Buffer, chunks: Buffer[]): void {
    if (chunk.length >= SMALL_CHUNK_BYTES || chunks.length < SMALL_CHUNK_COUNT) {
      chunks.push(chunk);
      this.#block = null;
      return;
    }
    if (this.#block === null || this.#blockByteLength + chunk.length > BLOCK_BYTES) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#blockByteLength = 0;
      chunks.push(this.#block);
    }
    chunk.copy(this.#block, this.#blockByteLength);
    this.#blockByteLength += chunk.length;
    chunks[chunks.length - 1] = this.#block.subarray(0, this.#blockByteLength);
  }
}

function joinChunks(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** The only expectation that Node supports, as Node matches it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** The signal of a caller: aborted once the connection is closed. */
class ConnectionSignal {
  constructor(readonly socket: Socket) {}

  get aborted(): boolean {
    return this.socket.destroyed;
  }
}

/** The target of a request, and the address it comes from. */
export interface RequestOrigin {
  /** Path and query, as in the routes. */
  readonly target: string;
  readonly address: string | undefined;
  /** Findings of an earlier routing. */
  readonly known?: RequestFindings | undefined;
}

/** Target and address, taken from the request itself. */
export function originOf(incoming: IncomingMessage): RequestOrigin {
  return { target: originForm(incoming.url ?? "/"), address: incoming.socket.remoteAddress };
}

/** A request on a socket in the form that routes need, without web objects. */
export class SocketRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  readonly fault?: DaybookError;
  readonly known: RequestFindings | undefined;
  /** True while the sender waits for `100 Continue`; if it never comes, Node closes the connection. */
  #awaitsContinue: boolean;
  readonly incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #body: IncomingBody | null = null;

  /** @param refusal an error found before the headers are checked */
  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    expectsContinue: boolean,
    { target, address, known }: RequestOrigin,
    refusal: DaybookError | null,
  ) {
    this.method = incoming.method ?? "GET";
    this.target = target;
    this.address = address;
    this.known = known;
    this.#awaitsContinue = expectsContinue;
    this.incoming = incoming;
    this.#outgoing = outgoing;
    const fault = refusal ?? headerFault(incoming);
    if (fault !== null) this.fault = fault;
  }

  get signal(): Pick<AbortSignal, "aborted"> {
    return new ConnectionSignal(this.incoming.socket);
  }

  header(name: string): string | null {
    const value = this.incoming.headers[name];
    return value === undefined ? null : String(value);
  }

  /** Sends `100 Continue` if the sender waits for it. */
  sendContinue(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.#outgoing.writeContinue();
  }

  /** Buffers the body as it arrives, until `readBody` or `dropBody`. Only for callers that do not read `incoming` themselves. */
  bufferBody(): void {
    if (this.method !== "GET" && this.method !== "HEAD") this.#body = new IncomingBody(this.incoming);
  }

  readBody(maxByteLength: number, onBytes: (byteLength: number) => void = () => undefined): Promise<Uint8Array> {
    this.sendContinue();
    this.#body ??= new IncomingBody(this.incoming);
    return this.#body.read(maxByteLength, onBytes);
  }

  /** The body, if it is complete before it is read, and not longer than this; null if not, or if the method has none. */
  completeBody(maxByteLength: number): Uint8Array | null {
    return this.#awaitsContinue ? null : (this.#body?.complete(maxByteLength) ?? null);
  }

  dropBody(): void {
    this.#body?.drop();
  }
}

export interface AnswerOptions {
  /** Ends the connection after the answer. */
  readonly close: boolean;
  /** Time without any read by the caller, in ms, after which the connection is cut. */
  readonly unreadMs: number;
  /** Counts bytes that callers have not read yet. */
  readonly unread: UnreadAnswers;
  /** Writes streamed bodies. */
  readonly streams: OpenStreams;
  readonly longAnswers: LongAnswers;
}

/** Writes an answer, or starts to. */
export function writeReply(reply: WireReply, outgoing: ServerResponse, { close, unreadMs, unread, streams, longAnswers }: AnswerOptions): void {
  const { body } = reply;
  if (isStream(body)) {
    outgoing.writeHead(reply.status, { ...reply.headers, ...(close ? { connection: "close" } : {}) });
    return void streams.write(body, outgoing, { unreadMs, unread, longAnswers });
  }
  // An object, because middleware that replaces `writeHead` may not accept a flat list of pairs.
  const headers: Record<string, string> = { ...reply.headers };
  if (body !== null) headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
  if (close) headers["connection"] = "close";
  outgoing.writeHead(reply.status, headers);
  outgoing.end(body ?? undefined);
  // Node clears this when the connection waits for the next request.
  if (outgoing.writableLength > 0) outgoing.setTimeout(unreadMs, () => outgoing.destroy());
  // Shared bytes are in memory only once, so they do not count.
  if (!isShared(body)) unread.written(outgoing);
}

/** The path and query of a target; proxies send the absolute form. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}

/** Finds errors in headers that the HTTP parser accepts: Node uses the first of two Authorization headers, for example. */
function headerFault({ rawHeaders, headers, httpVersion }: IncomingMessage): DaybookError | null {
  if (rawHeaders.length > 2 * SERVER_LIMITS.headerCount) {
    return new DaybookError("headers_too_large", `expected at most ${SERVER_LIMITS.headerCount} headers, got ${rawHeaders.length / 2}`);
  }
  let hostCount = 0;
  let authorizationCount = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hostCount += 1;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizationCount += 1;
  }
  if (hostCount > 1) return new DaybookError("duplicate_header", "Host: expected once, got it twice");
  if (authorizationCount > 1) return new DaybookError("duplicate_header", "Authorization: expected once, got it twice");
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    return new DaybookError("invalid_parameter", `Expect: expected 100-continue, got ${JSON.stringify(headers.expect.slice(0, 80))}`);
  }
  if (hostCount === 0 && httpVersion === "1.1") return new DaybookError("invalid_parameter", "Host: the header is missing");
  return null;
}
