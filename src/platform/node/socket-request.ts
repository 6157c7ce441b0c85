import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Handler } from "../../http/index.js";
import { isShared, isStream, type RequestFindings, type WireReply, type WireRequest, bodyTooLarge } from "../../http/wire/request-reply.js";
import type { SocketLimits } from "./listen-options.js";
import { isShort, LongAnswers, OpenStreams, UnreadAnswers } from "./streams.js";
import { TickBatch } from "./tick-batch.js";

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

/** Buffers a body as it arrives, and discards it once nobody will read it, so that the sender finishes and reads the answer. */
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

  /** At most once, not after `drop`. Resolves with the last declared byte, before `end`. @throws body_too_large, aborted, what `onBytes` throws */
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

export interface RequestOrigin {
  /** Path and query, as in the routes. */
  readonly target: string;
  readonly address: string | undefined;
  readonly known?: RequestFindings | undefined;
}

export function originOf(incoming: IncomingMessage): RequestOrigin {
  return { target: originForm(incoming.url ?? "/"), address: incoming.socket.remoteAddress };
}

interface ReceivedRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** True: the sender waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  readonly origin: RequestOrigin;
  /** An error that was found before; the request gets it as the answer. */
  readonly fault: DaybookError | null;
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

  constructor({ incoming, outgoing, expectsContinue, origin: { target, address, known }, fault: earlierFault }: ReceivedRequest) {
    this.method = incoming.method ?? "GET";
    this.target = target;
    this.address = address;
    this.known = known;
    this.#awaitsContinue = expectsContinue;
    this.incoming = incoming;
    this.#outgoing = outgoing;
    const fault = earlierFault ?? headerFault(incoming);
    if (fault !== null) this.fault = fault;
  }

  get signal(): Pick<AbortSignal, "aborted"> {
    return new ConnectionSignal(this.incoming.socket);
  }

  header(name: string): string | null {
    const value = this.incoming.headers[name];
    return value === undefined ? null : String(value);
  }

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

interface QueuedRequest extends ReceivedRequest {
  /** Called with the reason if there is no answer; nothing has been written then. */
  onFailed(error: unknown): void;
}

/** Answers a request; null if it has already written to the socket. */
export type SocketReply = (request: SocketRequest, outgoing: ServerResponse) => Promise<WireReply | null>;

export interface Answering {
  readonly limits: SocketLimits;
  readonly streams: OpenStreams;
  readonly unread: UnreadAnswers;
  readonly shortAnswers: TickBatch<() => void>;
  readonly longAnswers: LongAnswers;
  isClosing(): boolean;
  /** Called with the reason why an answer could not be written, and the id of the request; must not throw. */
  onUnwritten(thrown: unknown, requestId: string): void;
}

export function answeringOf(limits: SocketLimits, isClosing: () => boolean, onUnwritten: Answering["onUnwritten"]): Answering {
  // Batched: writing each answer at once would wake local clients, which compete for the CPU.
  const shortAnswers = new TickBatch<() => void>((waiting) => waiting.forEach((write) => write()));
  const longAnswers = new LongAnswers(() => shortAnswers.flush());
  const unread = new UnreadAnswers(limits.unreadByteLength);
  const streams = new OpenStreams(limits.unreadMs, unread, longAnswers);
  return { limits, streams, unread, shortAnswers, longAnswers, isClosing, onUnwritten };
}

/** Runs one request per connection at a time and writes its answer: a client that reads nothing holds at most one answer. */
export function answerWith(reply: SocketReply, answering: Answering): (request: QueuedRequest) => void {
  const { limits, shortAnswers, longAnswers } = answering;
  const { pipelinedRequestCount } = limits;
  /** The pending requests of each connection, the running one first. */
  const queues = new WeakMap<Socket, QueuedRequest[]>();
  const start = (received: QueuedRequest, queue: QueuedRequest[]) => {
    const { incoming, outgoing, onFailed } = received;
    outgoing.once("close", () => {
      queue.shift();
      while (queue[0] !== undefined && isAnswered(queue[0].outgoing)) queue.shift();
      const [next] = queue;
      // A connection that has sent its last answer starts no further request.
      if (next !== undefined && incoming.socket.writable) start(next, queue);
    });
    reply(new SocketRequest(received), outgoing).then((wireReply) => {
      if (wireReply === null) return;
      const { body } = wireReply;
      const answers = body === null || isStream(body) || isShort(body) ? shortAnswers : longAnswers;
      answers.add(() => writeOrCut(wireReply, outgoing, answering));
    }, onFailed);
  };
  return (received) => {
    const { socket } = received.incoming;
    // Its `close` event, on which `start` relies, has passed.
    if (isAnswered(received.outgoing)) return;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    // A client that ignores this many refusals is disconnected.
    if (queue.length >= 2 * pipelinedRequestCount) return void socket.destroy();
    const isTooMany = queue.length >= pipelinedRequestCount;
    const queued = isTooMany ? { ...received, fault: tooManyOnConnection(pipelinedRequestCount) } : received;
    if (queue.push(queued) === 1) start(queued, queue);
  };
}

function tooManyOnConnection(countMax: number): DaybookError {
  return new DaybookError("rate_limited", `expected at most ${countMax} requests at a time on one connection`);
}

/** Whether other code, such as surrounding middleware, has answered. */
function isAnswered({ closed, writableEnded }: ServerResponse): boolean {
  return closed || writableEnded;
}

export function replyOnSocket({ answer }: Handler): SocketReply {
  return async (request) => {
    request.bufferBody();
    const reply = await answer(request);
    request.dropBody();
    return reply;
  };
}

/** Writes an answer, or starts to; one that cannot be written ends only its own connection. */
export function writeOrCut(reply: WireReply, outgoing: ServerResponse, answering: Answering): void {
  // The caller has left, or another answer came first, such as the server's own timeout.
  if (outgoing.destroyed || outgoing.req.socket.destroyed || outgoing.writableEnded) return cancelBody(reply);
  try {
    write(reply, outgoing, answering);
  } catch (thrown) {
    outgoing.destroy();
    cancelBody(reply);
    answering.onUnwritten(thrown, reply.headers["x-request-id"] ?? "");
  }
}

function write({ status, headers: ownHeaders, body }: WireReply, outgoing: ServerResponse, answering: Answering): void {
  const { limits, unread, streams, isClosing } = answering;
  // An object, because middleware that replaces `writeHead` may not accept a flat list of pairs.
  const headers: Record<string, string> = { ...ownHeaders };
  if (body !== null && !isStream(body)) headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
  if (isClosing()) headers["connection"] = "close";
  outgoing.writeHead(status, headers);
  if (isStream(body)) return void streams.write(body, outgoing);
  outgoing.end(body ?? undefined);
  // Node clears this when the connection waits for the next request.
  if (outgoing.writableLength > 0) outgoing.setTimeout(limits.unreadMs, () => outgoing.destroy());
  // Shared bytes are in memory only once, so they do not count.
  if (!isShared(body)) unread.written(outgoing);
}

function cancelBody({ body }: WireReply): void {
  if (isStream(body)) body.cancel();
}
