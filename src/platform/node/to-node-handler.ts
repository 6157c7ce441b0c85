import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { DaybookError, parameterError, shown, ERROR_CODES } from "../../core/base/errors.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { errorReply } from "../../http/answer/error-reply.js";
import type { RouteSummary } from "../../http/routing/route.js";
import { createRouter, type Router } from "../../http/routing/router.js";
import { type RequestFindings, bodyTooLarge, type WireRequest } from "../../http/wire/request-reply.js";
import type { Handler } from "../../http/index.js";
import { answeringOf, answerWith, originOf, replyOnSocket, writeOrCut, type SocketReply, type SocketRequest } from "./socket-request.js";
import { socketLimits } from "./listen-options.js";

/** Content types whose parsed objects were JSON; objects under other types were something else. */
const JSON_TEXT = /^\s*(application\/json|text\/plain)\s*(;|$)/i;

/** Whether other code has read from the body, so that the rest is incomplete. */
function isReadBefore({ readableDidRead, readableEnded }: IncomingMessage): boolean {
  return readableDidRead || readableEnded;
}

/** A request whose body a parser has read, with the content of `incoming.body`: bytes and texts unchanged, objects as JSON. */
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

/** Whether the parsed bytes are still compressed; most parsers inflate them. No JSON starts like this. */
function isCompressed({ body }: IncomingMessage & { readonly body?: unknown }): boolean {
  if (!(body instanceof Uint8Array)) return false;
  const [first = 0, second = 0] = body;
  const isGzip = first === 0x1f && second === 0x8b;
  const isZlib = (first & 0x0f) === 8 && first >>> 4 < 8 && (first * 256 + second) % 31 === 0;
  return isGzip || isZlib;
}

/** The body that a parser has read. @throws body_already_read */
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
   * The mount path, such as `/analytics`, for servers that leave it in `url`, like `node:http` and Fastify. Default: none, since Express and Connect
   * remove it. Requests outside it go to `next`, or else get `route_not_found`.
   */
  readonly basePath?: string;
  /** True: paths without a route go to `next`, if there is one. Default false: they get `route_not_found`. */
  readonly fallthrough?: boolean;
  /** Identifies the caller, to limit its attempts with unknown tokens; undefined: unknown, and not limited. Default: the address of the socket. */
  readonly address?: (incoming: Incoming) => string | undefined;
}

/** A listener of `node:http`, and middleware for Express and Connect. */
export type NodeHandler<Incoming extends IncomingMessage = IncomingMessage> = (
  incoming: Incoming,
  outgoing: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * A handler for an existing server: `node:http`, Express, Connect, Fastify (`request.raw`, `reply.raw`). Every request is answered or passed to
 * `next`. If a parser has read the body, it is taken from `incoming.body`; if that is missing, the answer is `body_already_read`.
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
  const router = createRouter(handler.edgeRules.routes);
  const answering = answeringOf(socketLimits(), () => false, handler.noteDefect);
  const answer = answerWith(replyToMounted(handler), answering);
  return (incoming, outgoing, next) => {
    const onFailed = (error: unknown) => {
      if (next !== undefined && !outgoing.headersSent) next(error);
      else writeOrCut(errorReply("problem", error, randomUUID()), outgoing, answering);
    };
    const { target: fullTarget, address } = originOf(incoming);
    const target = targetBelow(basePath, fullTarget);
    const found = next !== undefined && fallthrough && target !== null ? lookUp(router, target) : null;
    if (next !== undefined && (target === null || found?.isRoute === false)) return next();
    const caller = callerOf(incoming, address);
    const fault = target === null ? outsideMount(basePath, fullTarget) : caller.fault;
    const origin = { target: target ?? fullTarget, address: caller.address, known: found?.known };
    answer({ incoming, outgoing, expectsContinue: false, origin, fault, onFailed });
  };
}

/** Whether a target is a route, with the findings, so that the handler does not route it again. */
function lookUp(router: Router<RouteSummary>, target: string): { readonly isRoute: boolean; readonly known?: RequestFindings } {
  try {
    const { resource, params, query } = router.find(target);
    return { isRoute: true, known: { path: resource.path, params, query } };
  } catch (error) {
    // The handler rejects a query that is too long, if the path is one of its routes.
    const path = pathOf(target);
    const isLong = path !== target && error instanceof DaybookError && error.code === "uri_too_long";
    return { isRoute: isLong && lookUp(router, path).isRoute };
  }
}

function callerFrom<Incoming>(addressOf: ((incoming: Incoming) => string | undefined) | undefined) {
  return (incoming: Incoming, address: string | undefined): { readonly address: string | undefined; readonly fault: DaybookError | null } => {
    if (addressOf === undefined) return { address, fault: null };
    try {
      return { address: addressOf(incoming), fault: null };
    } catch (cause) {
      return { address, fault: new DaybookError("internal", "the option address of toNodeHandler threw", {}, { cause }) };
    }
  };
}

function replyToMounted(handler: Handler): SocketReply {
  const reply = replyOnSocket(handler);
  return (request, outgoing) => (isReadBefore(request.incoming) ? handler.answer(withParsedBody(request)) : reply(request, outgoing));
}

/** The target below the mount path; null if it is outside. */
function targetBelow(basePath: string, target: string): string | null {
  if (basePath === "") return target;
  if (!target.startsWith(basePath)) return null;
  const rest = target.slice(basePath.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : null;
}

function outsideMount(basePath: string, target: string): DaybookError {
  return new DaybookError("route_not_found", `no route ${pathOf(target).slice(0, 200)}: expected a path below ${basePath}`);
}

function pathOf(target: string): string {
  const queryAt = target.indexOf("?");
  return queryAt === -1 ? target : target.slice(0, queryAt);
}

const KNOWN: KnownOptions<NodeHandlerOptions> = { basePath: true, fallthrough: true, address: true };

function checkOptions(options: object): void {
  rejectUnknownOptions(options, KNOWN);
  const { fallthrough, address } = options as Partial<Record<keyof NodeHandlerOptions, unknown>>;
  if (fallthrough !== undefined && typeof fallthrough !== "boolean") throw unexpected("fallthrough", "true or false", fallthrough);
  if (address !== undefined && typeof address !== "function") throw unexpected("address", "a function", address);
}

function unexpected(option: string, expected: string, actual: unknown): DaybookError {
  return parameterError("invalid_parameter", option, `expected ${expected}, got ${shown(actual)}`);
}

/** A mount path without a trailing slash. @throws invalid_parameter */
function checkedBasePath(basePath: unknown): string {
  if (basePath === "" || basePath === "/") return "";
  if (typeof basePath === "string" && /^(\/[^/?#]+)+\/?$/.test(basePath)) return basePath.replace(/\/$/, "");
  throw unexpected("basePath", "a path such as /analytics", basePath);
}
