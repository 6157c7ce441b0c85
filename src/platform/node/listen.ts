import { createServer, STATUS_CODES, type ServerOptions, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { rejectUnknownOptions } from "../../core/base/options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { Readable, type Duplex } from "node:stream";
import { randomUUID } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { DaybookError } from "../../core/base/errors.js";
import type { Handler } from "../../http/index.js";
import type { EdgeRoute } from "../../http/routing/route.js";
import { errorReply } from "../../http/answer/error-reply.js";
import type { WireReply } from "../../http/wire/request-reply.js";
import { answeringOf, answerWith, originOf, replyOnSocket, type Answering, type SocketReply, type SocketRequest } from "./socket-request.js";
import { type SocketLimits, socketLimits, type ListenOptions, LISTEN_OPTIONS, type Listening } from "./listen-options.js";

/** How often Node checks for requests that are too slow. */
const CHECK_MS_MAX = 1_000;

export function serverOptions({ headersMs, requestMs }: SocketLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_MS_MAX, headersMs, requestMs),
    maxHeaderSize: SERVER_LIMITS.headerBytes,
    // `headerFault` in `socket-request` answers with JSON instead.
    requireHostHeader: false,
  };
}

interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Time for the sender of an invalid request to read the answer. */
const LINGER_MS = 1_000;

/** Sockets with a failed request: the parser reports every further packet of theirs. */
const failedSockets = new WeakSet<Duplex>();

interface SocketPair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Answers bytes that are not a request, after the answer to `last`, the newest valid request, and ends the connection. */
function answerClientError(error: ParseError, socket: Duplex, last?: SocketPair): void {
  if (failedSockets.has(socket)) return;
  failedSockets.add(socket);
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (last === undefined) end(socket, rawReply(error));
  // A body that becomes invalid after the answer gets no second one.
  else if (!last.incoming.complete) end(socket, last.outgoing.headersSent ? "" : rawReply(error));
  else if (last.outgoing.closed) end(socket, rawReply(error));
  else last.outgoing.once("close", () => end(socket, rawReply(error)));
}

function rawReply(error: ParseError): string {
  const { status, headers, body } = errorReply("problem", parseFault(error), randomUUID());
  const text = typeof body === "string" ? body : "";
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text), connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}\r\n${text}`;
}

function end(socket: Duplex, answer: string): void {
  if (socket.writable) socket.end(answer);
  // Unread bytes on a closed socket would reset the connection and lose the answer.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function parseFault({ code, rawPacket }: ParseError): DaybookError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return isRequestLine(rawPacket)
        ? new DaybookError("uri_too_long", `expected a URL of at most ${SERVER_LIMITS.urlChars} characters`)
        : new DaybookError("headers_too_large", `expected headers of at most ${SERVER_LIMITS.headerBytes} bytes in total`);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new DaybookError("body_too_large", "expected smaller chunk extensions");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new DaybookError("request_timeout", "the request did not arrive in time");
    default:
      return new DaybookError("invalid_parameter", "expected an HTTP/1.1 request, got other bytes");
  }
}

/** Whether the packet starts a request whose first line alone exceeds the limit. */
function isRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined || packet.length <= SERVER_LIMITS.urlChars) return false;
  return /^[A-Z]+ /.test(packet.toString("latin1", 0, 16)) && packet.subarray(0, SERVER_LIMITS.urlChars).indexOf("\r\n") === -1;
}

/** Connections above the limit, on which only routes that are always answered are served. */
const RESERVE_COUNT = 64;

/** A new connection above the limit closes the one that has been idle longest. If all wait for answers, it serves only routes always answered. */
class Connections {
  /** The number of unanswered requests of each connection, in the order of opening. */
  readonly #requestCounts = new Map<Socket, number>();
  /** Connections without any request so far, and connections with all requests answered: the longest waiting first. */
  readonly #silent = new Set<Socket>();
  readonly #idle = new Set<Socket>();

  constructor(
    server: Server,
    readonly connectionCount: number,
  ) {
    server.maxConnections = connectionCount + RESERVE_COUNT;
    server.on("connection", (socket) => this.#opened(socket));
  }

  requestStarted(socket: Socket): void {
    const count = this.#requestCounts.get(socket);
    if (count === undefined) return;
    this.#requestCounts.set(socket, count + 1);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
  }

  requestEnded(socket: Socket): void {
    const count = this.#requestCounts.get(socket);
    if (count === undefined) return;
    this.#requestCounts.set(socket, count - 1);
    if (count === 1) this.#idle.add(socket);
  }

  get isFull(): boolean {
    return this.#requestCounts.size - this.#silent.size - this.#idle.size > this.connectionCount;
  }

  get isSending(): boolean {
    return [...this.#requestCounts.keys()].some(({ writableLength }) => writableLength > 0);
  }

  /** Ends connections whose requests are answered, unless the body of the newest one is still arriving. */
  endIdle(newest: WeakMap<Duplex, SocketPair>): void {
    for (const socket of this.#idle) if (newest.get(socket)?.incoming.complete !== false) socket.destroy();
  }

  /** Ends connections without any request: Node does not count them as idle. */
  endSilent(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  #opened(socket: Socket): void {
    if (this.#requestCounts.size >= this.connectionCount) this.#makeRoom();
    this.#requestCounts.set(socket, 0);
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
    this.#requestCounts.delete(socket);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
  }
}

/** Answers web requests: the result of `createHandler`, or any function of that shape. */
export type RequestHandler = Handler | ((request: Request) => Promise<Response>);

const SWEEP_MS = 20;

/**
 * Serves a handler on a socket; resolves once it accepts requests.
 * @throws the system's error if the port is unavailable, invalid_parameter, unknown_parameter
 */
export function listen(handler: RequestHandler, options: ListenOptions = {}): Promise<Listening> {
  // A plain function has no `noteDefect`.
  if (!("answer" in handler)) return listenWith(replyOverWeb(handler), options, [], () => undefined);
  return listenWith(replyOnSocket(handler), options, handler.edgeRules.routes, handler.noteDefect);
}

/** `listen` for any function that answers requests on sockets. @param routes for those that are always answered */
export async function listenWith(
  reply: SocketReply,
  options: ListenOptions,
  routes: readonly EdgeRoute[],
  onUnwritten: Answering["onUnwritten"],
): Promise<Listening> {
  rejectUnknownOptions(options, LISTEN_OPTIONS);
  const host = options.host ?? "127.0.0.1";
  const limits = socketLimits(options.limits);
  const server = createServer(serverOptions(limits));
  const connections = new Connections(server, limits.connectionCount);
  const alwaysAnswered = new Set(routes.filter(({ always }) => always).map(({ path }) => path));
  const answering = answeringOf(limits, () => !server.listening, onUnwritten);
  const answer = answerWith(reply, answering);
  const newest = new WeakMap<Duplex, SocketPair>();
  const receive = (incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean) => {
    const { socket } = incoming;
    connections.requestStarted(socket);
    outgoing.once("close", () => connections.requestEnded(socket));
    newest.set(socket, { incoming, outgoing });
    const origin = originOf(incoming);
    const isRefused = connections.isFull && !alwaysAnswered.has(origin.target);
    const fault = isRefused ? new DaybookError("overloaded", "too many connections are waiting for answers") : null;
    answer({ incoming, outgoing, expectsContinue, origin, fault, onFailed: () => outgoing.destroy() });
  };
  server.on("request", (incoming, outgoing) => receive(incoming, outgoing, false));
  // `100 Continue` is sent when the body is read, after the checks of route, token and length.
  server.on("checkContinue", (incoming, outgoing) => receive(incoming, outgoing, true));
  server.on("checkExpectation", (incoming, outgoing) => receive(incoming, outgoing, false));
  server.on("clientError", (error, socket) => answerClientError(error, socket, newest.get(socket)));
  // No listener for upgrades: they are ignored, and the request is answered as it is.
  server.on("connect", (_incoming, socket) => socket.destroy());
  // As long as the connection limit, because a client that finds the backlog full retries only after seconds.
  server.listen({ port: options.port ?? 0, host, backlog: limits.connectionCount });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: () => {
      // Endless streams never finish, so end them now.
      answering.streams.endAll();
      return (closing ??= drain(server, connections, newest, options.drainMs ?? SERVER_LIMITS.drainMs));
    },
  };
}

async function drain(server: Server, connections: Connections, newest: WeakMap<Duplex, SocketPair>, drainMs: number): Promise<void> {
  const closed = once(server, "close");
  // Node considers a connection idle as soon as its answer is buffered, read or not, and `server.close` closes idle connections.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => (connections.isSending ? connections.endIdle(newest) : closeIdle());
  server.close();
  connections.endSilent();
  // Repeated, because a refused body may still be arriving after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}

/** Answers with a function of web objects, which writes to the socket itself: the result is null unless it failed. */
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

/** Headers by name, repeated ones as a list: a replacement of `writeHead` may not accept a flat list of pairs. */
function headersOf({ headers }: Response): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const existing = values.get(name);
    values.set(name, existing === undefined ? value : [existing, value].flat());
  }
  return Object.fromEntries(values);
}

function signalOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** @throws method_not_allowed (TRACE, which no web request can carry), invalid_parameter (not a URL) */
function webRequest(request: SocketRequest, signal: AbortSignal): Request {
  const { incoming, method, target } = request;
  const url = `http://${incoming.headers.host ?? "localhost"}${target}`;
  if (method === "TRACE") throw new DaybookError("method_not_allowed", "TRACE is not supported", { allow: "GET, HEAD, POST" });
  if (!URL.canParse(url)) throw new DaybookError("invalid_parameter", "expected a URL as the request target");
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  request.sendContinue();
  const hasBody = method !== "GET" && method !== "HEAD";
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, duplex: "half" };
  if (hasBody) init.body = Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Request(url, init);
}
