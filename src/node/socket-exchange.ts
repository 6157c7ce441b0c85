import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DaybookError } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { isShared, isStream } from "../http/wire/exchange.js";
import type { Known, WireReply, WireRequest } from "../http/wire/exchange.js";
import { IncomingBody } from "./incoming-body.js";
import type { OpenStreams } from "./open-streams.js";
import type { UnreadAnswers } from "./unread-answers.js";

/** What node takes as the one expectation there is. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** The signal of a caller: aborted once the connection is closed. */
class ConnectionSignal {
  constructor(readonly socket: Socket) {}

  get aborted(): boolean {
    return this.socket.destroyed;
  }
}

/** What is asked, and by whom. */
export interface RequestPlace {
  /** Path and query, as the routes know them. */
  readonly target: string;
  readonly address: string | undefined;
  /** Where the target was looked for already: what was found. */
  readonly known?: Known | undefined;
}

/** What a request itself says. */
export function placeOf(incoming: IncomingMessage): RequestPlace {
  return { target: originForm(incoming.url ?? "/"), address: incoming.socket.remoteAddress };
}

/** A request on a socket as the routes need it, without the web objects in between. */
export class SocketRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly address: string | undefined;
  readonly fault?: DaybookError;
  readonly known: Known | undefined;
  /** True while the sender waits for a word before it sends the body; node closes the connection if it never comes. */
  #awaitsContinue: boolean;
  readonly incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #body: IncomingBody | null = null;

  /** @param refusal what is wrong with it beside its headers */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean, { target, address, known }: RequestPlace, refusal: DaybookError | null) {
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

  /** Tells a waiting sender to go on. */
  proceed(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.#outgoing.writeContinue();
  }

  /** Takes the body off the socket as it arrives, for `readBody` or `dropBody`: for whoever does not read `incoming` itself. */
  takeBody(): void {
    if (this.method !== "GET" && this.method !== "HEAD") this.#body = new IncomingBody(this.incoming);
  }

  readBody(maxByteLength: number, onBytes: (byteLength: number) => void = () => undefined): Promise<Uint8Array> {
    this.proceed();
    this.#body ??= new IncomingBody(this.incoming);
    return this.#body.read(maxByteLength, onBytes);
  }

  /** The body, if it has come as a whole, unasked, and is no longer than this; null: it has not, or the method has none. */
  wholeBody(maxByteLength: number): Uint8Array | null {
    return this.#awaitsContinue ? null : (this.#body?.whole(maxByteLength) ?? null);
  }

  /** Nobody will read what is left of the body. */
  dropBody(): void {
    this.#body?.drop();
  }
}

export interface WriteOptions {
  /** Ends the connection after the answer. */
  readonly close: boolean;
  /** How long the caller may take nothing of it, in ms; then the connection is cut. */
  readonly unreadMs: number;
  /** Where it is counted what callers have yet to take. */
  readonly unread: UnreadAnswers;
  /** Where bodies go that are made as time goes on. */
  readonly streams: OpenStreams;
}

/** Writes an answer, or begins to. */
export function writeReply(reply: WireReply, outgoing: ServerResponse, { close, unreadMs, unread, streams }: WriteOptions): void {
  const { body } = reply;
  if (isStream(body)) {
    outgoing.writeHead(reply.status, { ...reply.headers, ...(close ? { connection: "close" } : {}) });
    return void streams.write(body, outgoing, unreadMs, unread);
  }
  // An object: what other middleware puts in the place of `writeHead` may take a list for pairs.
  const headers: Record<string, string> = { ...reply.headers };
  if (body !== null) headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
  if (close) headers["connection"] = "close";
  outgoing.writeHead(reply.status, headers);
  outgoing.end(body ?? undefined);
  // Cleared by node when the connection waits for the next request.
  if (outgoing.writableLength > 0) outgoing.setTimeout(unreadMs, () => outgoing.destroy());
  // What all callers get is in memory once.
  if (!isShared(body)) unread.written(outgoing);
}

/** A proxy's absolute form names the same path. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}

/** What the HTTP parser lets pass and we do not: node takes the first of two Authorization headers. */
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
  if (hostCount === 0 && httpVersion === "1.1") return new DaybookError("invalid_parameter", "Host: expected the header, it is missing");
  return null;
}
