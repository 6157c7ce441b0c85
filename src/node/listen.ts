import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { randomUUID } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { DaybookError } from "../base/errors.js";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import type { Handler } from "../http/index.js";
import type { FrontRoute } from "../http/routing/route.js";
import { errorReply } from "../http/answer/error-reply.js";
import type { WireReply } from "../http/wire/exchange.js";
import { answerWith, replyOnSocket, type OnUnwritten, type SocketReply } from "./answer-on-socket.js";
import { OpenStreams } from "./open-streams.js";
import { placeOf, type SocketRequest } from "./socket-exchange.js";
import { serverOptions, socketLimits, type SocketLimits } from "./socket-limits.js";

interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** How long the sender of a broken request may take to read the answer. */
const LINGER_MS = 1_000;

/** The parser reports every further packet of a connection that is already lost. */
const answered = new WeakSet<Duplex>();

/** A request and its answer, done or not. */
interface SocketPair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/**
 * Answers bytes that are no request, before any handler sees them, and ends the connection. `last` is the newest request
 * that the connection did bring: its answer goes first, and a request that broke after its answer gets no second one.
 */
function answerClientError(error: ParseError, socket: Duplex, last?: SocketPair): void {
  if (answered.has(socket)) return;
  answered.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (last === undefined) end(socket, answerOf(error));
  else if (!last.incoming.complete) end(socket, last.outgoing.headersSent ? "" : answerOf(error));
  else if (last.outgoing.closed) end(socket, answerOf(error));
  else last.outgoing.once("close", () => end(socket, answerOf(error)));
}

function answerOf(error: ParseError): string {
  const { status, headers, body } = errorReply("problem", faultOf(error), randomUUID());
  const text = typeof body === "string" ? body : "";
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text), connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}\r\n${text}`;
}

function end(socket: Duplex, answer: string): void {
  if (socket.writable) socket.end(answer);
  // Unread bytes at a closed socket would reset the connection and take the answer with them.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function faultOf({ code, rawPacket }: ParseError): DaybookError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return isRequestLine(rawPacket)
        ? new DaybookError("uri_too_long", `expected a URL of at most ${SERVER_LIMITS.urlChars} characters`)
        : new DaybookError("headers_too_large", `expected headers of at most ${SERVER_LIMITS.headerBytes} bytes in all`);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new DaybookError("body_too_large", "expected smaller chunk extensions");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new DaybookError("request_timeout", "the request did not arrive in time");
    default:
      return new DaybookError("invalid_parameter", "expected an HTTP/1.1 request, got other bytes");
  }
}

/** True when the packet starts a request whose first line alone is over the bound. */
function isRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined || packet.length <= SERVER_LIMITS.urlChars) return false;
  return /^[A-Z]+ /.test(packet.toString("latin1", 0, 16)) && packet.subarray(0, SERVER_LIMITS.urlChars).indexOf("\r\n") === -1;
}

/** Connections beyond the bound, on which nothing but what is always answered is answered. */
const RESERVE_COUNT = 64;

/**
 * The connections of a server, a bounded number: one more closes the one that waits longest for a request, first of those that never sent one. Where
 * all others wait for answers, it is one of a few on which only what is always answered is answered.
 */
class Connections {
  /** Each with the requests on it that are not answered; in the order in which they were opened. */
  readonly #underWay = new Map<Socket, number>();
  /** On which nothing was asked yet, and on which everything is answered: those that wait longest first. */
  readonly #silent = new Set<Socket>();
  readonly #idle = new Set<Socket>();

  constructor(
    server: Server,
    readonly connectionCount: number,
  ) {
    server.maxConnections = connectionCount + RESERVE_COUNT;
    server.on("connection", (socket) => this.#opened(socket));
  }

  /** A request came. */
  asked(socket: Socket): void {
    const count = this.#underWay.get(socket);
    if (count === undefined) return;
    this.#underWay.set(socket, count + 1);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
  }

  /** And is answered. */
  answered(socket: Socket): void {
    const count = this.#underWay.get(socket);
    if (count === undefined) return;
    this.#underWay.set(socket, count - 1);
    if (count === 1) this.#idle.add(socket);
  }

  /** Whether more connections than the bound wait for answers. */
  get isFull(): boolean {
    return this.#underWay.size - this.#silent.size - this.#idle.size > this.connectionCount;
  }

  /** Ends those on which nothing was asked: node does not count them as idle. */
  endSilent(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  #opened(socket: Socket): void {
    if (this.#underWay.size >= this.connectionCount) this.#makeRoom();
    this.#underWay.set(socket, 0);
    this.#silent.add(socket);
    socket.once("close", () => this.#closed(socket));
  }

  #makeRoom(): void {
    const [quiet = this.#idle.values().next().value] = this.#silent;
    if (quiet === undefined) return;
    this.#closed(quiet);
    quiet.destroy();
  }

  #closed(socket: Socket): void {
    this.#underWay.delete(socket);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
  }
}

/** Answers web requests: what `createHandler` makes, or any function of that shape. */
export type RequestHandler = Handler | ((request: Request) => Promise<Response>);

export interface ListenOptions {
  /** Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** How long `close` waits for requests in flight before it cuts them off. Default: 10,000. */
  readonly drainMs?: number;
  /** Replaces bounds one by one. */
  readonly limits?: Partial<SocketLimits>;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, finishes what is in flight, then resolves. Later calls wait for the same end. */
  close(): Promise<void>;
}

const SWEEP_MS = 20;

/** What `listen` takes. */
export const LISTEN_OPTIONS: KnownOptions<ListenOptions> = { host: true, port: true, drainMs: true, limits: true };

/**
 * Serves a handler on a socket; resolves once it answers.
 * @throws the system's error when the port cannot be had, invalid_parameter, unknown_parameter
 */
export function listen(handler: RequestHandler, options: ListenOptions = {}): Promise<Listening> {
  // With a plain function there is nobody who hears of defects.
  if (!("answer" in handler)) return listenWith(replyOverWeb(handler), options, [], () => undefined);
  return listenWith(replyOnSocket(handler), options, handler.front.routes, handler.noteDefect);
}

/**
 * `listen` for whoever makes answers to requests as they come off a socket.
 * @param routes of which some are always answered
 * @param onUnwritten hears of answers that could not be written
 */
export async function listenWith(reply: SocketReply, options: ListenOptions, routes: readonly FrontRoute[], onUnwritten: OnUnwritten): Promise<Listening> {
  refuseUnknown(options, LISTEN_OPTIONS);
  const host = options.host ?? "127.0.0.1";
  const limits = socketLimits(options.limits);
  const server = createServer(serverOptions(limits));
  const connections = new Connections(server, limits.connectionCount);
  const alwaysAnswered = new Set(routes.filter(({ always }) => always).map(({ path }) => path));
  const streams = new OpenStreams();
  const answerRequest = answerWith(reply, { limits, streams, isClosing: () => !server.listening }, onUnwritten);
  /** The newest request of each connection. */
  const newest = new WeakMap<Duplex, SocketPair>();
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean) => {
    const { socket } = incoming;
    connections.asked(socket);
    outgoing.once("close", () => connections.answered(socket));
    newest.set(socket, { incoming, outgoing });
    const place = placeOf(incoming);
    const fault = connections.isFull && !alwaysAnswered.has(place.target) ? new DaybookError("overloaded", "too many connections wait for answers") : null;
    answerRequest({ incoming, outgoing, expectsContinue, place, fault, onFailed: () => outgoing.destroy() });
  };
  server.on("request", (incoming, outgoing) => answer(incoming, outgoing, false));
  // Answered when the body is read, so after route, token and length have passed.
  server.on("checkContinue", (incoming, outgoing) => answer(incoming, outgoing, true));
  server.on("checkExpectation", (incoming, outgoing) => answer(incoming, outgoing, false));
  server.on("clientError", (error, socket) => answerClientError(error, socket, newest.get(socket)));
  // No listener for upgrades: an offer of another protocol is passed over, and the request answered as it stands.
  server.on("connect", (_incoming, socket) => socket.destroy());
  // Whoever finds the queue full tries again after seconds.
  server.listen({ port: options.port ?? 0, host, backlog: limits.connectionCount });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: () => {
      // What has no end of its own would be waited for in vain.
      streams.endAll();
      return (closing ??= drain(server, connections, options.drainMs ?? SERVER_LIMITS.drainMs));
    },
  };
}

async function drain(server: Server, connections: Connections, drainMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  connections.endSilent();
  // Again and again, since a refused body may still be on its way when its answer is out.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}

/** Lets any function of web objects answer. Null: the answer is already on the socket. */
export function replyOverWeb(handler: (request: Request) => Promise<Response>) {
  return async (request: SocketRequest, outgoing: ServerResponse): Promise<WireReply | null> => {
    let response: Response;
    try {
      if (request.fault !== undefined) throw request.fault;
      response = await handler(webRequest(request, signalOf(outgoing)));
    } catch (thrown) {
      return errorReply("problem", thrown, randomUUID());
    }
    outgoing.writeHead(response.status, headersOf(response));
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as never), outgoing); // node's and the DOM's stream types differ
    return null;
  };
}

/** By name, those that came more than once as a list: what stands in the place of `writeHead` may take a list of all for pairs. */
function headersOf({ headers }: Response): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const known = values.get(name);
    values.set(name, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(values);
}

/** Aborted when the caller leaves before the answer is whole. */
function signalOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** @throws method_not_allowed (TRACE, which no web request can carry), invalid_parameter (no URL) */
function webRequest(request: SocketRequest, signal: AbortSignal): Request {
  const { incoming, method, target } = request;
  const url = `http://${incoming.headers.host ?? "localhost"}${target}`;
  if (method === "TRACE") throw new DaybookError("method_not_allowed", "TRACE is not answered", { allow: "GET, HEAD, POST" });
  if (!URL.canParse(url)) throw new DaybookError("invalid_parameter", "expected a URL as request target");
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  request.proceed();
  const hasBody = method !== "GET" && method !== "HEAD";
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, duplex: "half" };
  if (hasBody) init.body = Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Request(url, init);
}
