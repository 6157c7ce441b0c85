import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { DaybookError } from "../base/errors.js";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import type { Handler } from "../http/index.js";
import type { FrontRoute } from "../http/routing/route.js";
import { answerWith, replyOnSocket } from "./answer-on-socket.js";
import type { OnUnwritten, SocketReply } from "./answer-on-socket.js";
import { Connections } from "./connections.js";
import { OpenStreams } from "./open-streams.js";
import { answerClientError } from "./client-error.js";
import type { SocketPair } from "./client-error.js";
import { replyOverWeb } from "./reply-over-web.js";
import { placeOf } from "./socket-exchange.js";
import { serverOptions, socketLimits } from "./socket-limits.js";
import type { SocketLimits } from "./socket-limits.js";

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
