import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { DaybookError, parameterError, shown, ERROR_CODES } from "../base/errors.js";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import { errorReply } from "../http/answer/error-reply.js";
import type { RouteFace } from "../http/routing/route.js";
import { createRouter, type Router } from "../http/routing/router.js";
import { type RequestFindings, bodyTooLarge, type WireRequest } from "../http/wire/exchange.js";
import type { Handler } from "../http/index.js";
import { answerWith, replyOnSocket, writeOrCut, type SocketReply } from "./answer-on-socket.js";
import { OpenStreams } from "./open-streams.js";
import { placeOf, type SocketRequest } from "./socket-exchange.js";
import { socketLimits } from "./socket-limits.js";
import { UnreadAnswers } from "./unread-answers.js";

/** Of what a JSON parser makes an object: under other types an object was something else. */
const JSON_TEXT = /^\s*(application\/json|text\/plain)\s*(;|$)/i;

/** True when somebody read the body before us: what is left of it is not the body. */
function isReadBefore({ readableDidRead, readableEnded }: IncomingMessage): boolean {
  return readableDidRead || readableEnded;
}

/** A request whose body a parser read before, with what that left in `incoming.body`: bytes and texts as they are, objects as JSON again. */
function withParsedBody(request: SocketRequest): WireRequest {
  const { method, target, signal, address, fault, known } = request;
  return {
    method,
    target,
    signal,
    address,
    known,
    ...(fault === undefined ? {} : { fault }),
    header: (name) => (name !== "content-encoding" || isCompressed(request.incoming) ? request.header(name) : null),
    readBody: async (maxByteLength, onBytes = () => undefined) => {
      const bytes = bytesOf(request.incoming);
      if (bytes.length > maxByteLength) throw bodyTooLarge(maxByteLength);
      onBytes(bytes.length);
      return bytes;
    },
  };
}

/** Whether what is left is as compressed as it was sent; mostly who took the body has inflated it too. No JSON begins like this. */
function isCompressed({ body }: IncomingMessage & { readonly body?: unknown }): boolean {
  if (!(body instanceof Uint8Array)) return false;
  const [first = 0, second = 0] = body;
  const isGzip = first === 0x1f && second === 0x8b;
  const isZlib = (first & 0x0f) === 8 && first >>> 4 < 8 && (first * 256 + second) % 31 === 0;
  return isGzip || isZlib;
}

/** @throws body_already_read */
function bytesOf(incoming: IncomingMessage & { readonly body?: unknown }): Uint8Array {
  const { body, headers } = incoming;
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return Buffer.from(body);
  const isJson = JSON_TEXT.test(headers["content-type"] ?? "application/json");
  if (body === undefined || !isJson) throw new DaybookError("body_already_read", ERROR_CODES.body_already_read);
  return Buffer.from(JSON.stringify(body));
}

export interface NodeHandlerOptions<Incoming extends IncomingMessage = IncomingMessage> {
  /**
   * The path it is mounted below, such as `/analytics`, where the server leaves it in `url`, as `node:http` and Fastify do.
   * Default: none; Express and Connect take it off themselves. Outside it `next` is called, or else the answer is `route_not_found`.
   */
  readonly basePath?: string;
  /** True: a path that is no route of the handler is left to `next`, where there is one. Default false: it is answered with `route_not_found`. */
  readonly fallthrough?: boolean;
  /** Whose request it is, which bounds the trying of tokens; undefined: unknown, then nothing is bounded. Default: the address of the socket. */
  readonly address?: (incoming: Incoming) => string | undefined;
}

/** A listener of `node:http`, and middleware of Express and Connect. */
export type NodeHandler<Incoming extends IncomingMessage = IncomingMessage> = (
  incoming: Incoming,
  outgoing: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * A handler for a server that is there already: `node:http`, Express, Connect, Fastify (`request.raw`, `reply.raw`). Each request gets an answer, or
 * `next` is called. A body that a parser read before is taken from `incoming.body`; where that is none, the answer is `body_already_read`.
 * @throws invalid_parameter, unknown_parameter (an option)
 */
export function toNodeHandler<Incoming extends IncomingMessage = IncomingMessage>(
  handler: Handler,
  options: NodeHandlerOptions<Incoming> = {},
): NodeHandler<Incoming> {
  checkOptions(options);
  const basePath = checkedBasePath(options.basePath ?? "");
  const { fallthrough = false } = options;
  const callerOf = callerFrom(options.address);
  const router = createRouter(handler.front.routes);
  const limits = socketLimits();
  const streams = new OpenStreams();
  const unread = new UnreadAnswers(limits.unreadByteLength);
  const answer = answerWith(replyToMounted(handler), { limits, streams, isClosing: () => false }, handler.noteDefect);
  return (incoming, outgoing, next) => {
    const onFailed = (error: unknown) => {
      if (next !== undefined && !outgoing.headersSent) next(error);
      else writeOrCut(errorReply("problem", error, randomUUID()), outgoing, { close: false, streams, unread, ...limits }, handler.noteDefect);
    };
    const { target: whole, address } = placeOf(incoming);
    const target = targetBelow(basePath, whole);
    const found = next !== undefined && fallthrough && target !== null ? lookUp(router, target) : null;
    if (next !== undefined && (target === null || found?.isRoute === false)) return next();
    const caller = callerOf(incoming, address);
    const fault = target === null ? outside(basePath, whole) : caller.fault;
    answer({ incoming, outgoing, expectsContinue: false, place: { target: target ?? whole, address: caller.address, known: found?.known }, fault, onFailed });
  };
}

/** Whether a target is that of a route, and of which: who answers it does not look again. */
function lookUp(router: Router<RouteFace>, target: string): { readonly isRoute: boolean; readonly known?: RequestFindings } {
  try {
    const { resource, params, query } = router.find(target);
    return { isRoute: true, known: { path: resource.path, params, query } };
  } catch (error) {
    // A query that is too long is for the handler to refuse, where the path is one of its own.
    const path = pathOf(target);
    const isLong = path !== target && error instanceof DaybookError && error.code === "uri_too_long";
    return { isRoute: isLong && lookUp(router, path).isRoute };
  }
}

/** What the option `address` makes of a request, or what it threw. */
function callerFrom<Incoming>(named: ((incoming: Incoming) => string | undefined) | undefined) {
  return (incoming: Incoming, address: string | undefined): { readonly address: string | undefined; readonly fault: DaybookError | null } => {
    if (named === undefined) return { address, fault: null };
    try {
      return { address: named(incoming), fault: null };
    } catch (cause) {
      return { address, fault: new DaybookError("internal", "the option address of toNodeHandler threw", {}, { cause }) };
    }
  };
}

function replyToMounted(handler: Handler): SocketReply {
  const reply = replyOnSocket(handler);
  return (request, outgoing) => (isReadBefore(request.incoming) ? handler.answer(withParsedBody(request)) : reply(request, outgoing));
}

/** What follows the path of the mount; null: it is outside. */
function targetBelow(basePath: string, target: string): string | null {
  if (basePath === "") return target;
  if (!target.startsWith(basePath)) return null;
  const rest = target.slice(basePath.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : null;
}

function outside(basePath: string, target: string): DaybookError {
  return new DaybookError("route_not_found", `no route ${pathOf(target).slice(0, 200)}: expected a path below ${basePath}`);
}

function pathOf(target: string): string {
  const queryAt = target.indexOf("?");
  return queryAt === -1 ? target : target.slice(0, queryAt);
}

const KNOWN: KnownOptions<NodeHandlerOptions> = { basePath: true, fallthrough: true, address: true };

function checkOptions(options: object): void {
  refuseUnknown(options, KNOWN);
  const { fallthrough, address } = options as Partial<Record<keyof NodeHandlerOptions, unknown>>;
  if (fallthrough !== undefined && typeof fallthrough !== "boolean") throw unexpected("fallthrough", "true or false", fallthrough);
  if (address !== undefined && typeof address !== "function") throw unexpected("address", "a function", address);
}

function unexpected(option: string, expected: string, came: unknown): DaybookError {
  return parameterError("invalid_parameter", option, `expected ${expected}, got ${shown(came)}`);
}

/** Without a slash at its end. */
function checkedBasePath(basePath: unknown): string {
  if (basePath === "" || basePath === "/") return "";
  if (typeof basePath === "string" && /^(\/[^/?#]+)+\/?$/.test(basePath)) return basePath.replace(/\/$/, "");
  throw unexpected("basePath", "a path such as /analytics", basePath);
}
