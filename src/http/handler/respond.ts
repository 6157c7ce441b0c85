import { DaybookError } from "../../core/base/errors.js";
import { arrowStreamOf } from "../../engine/exports/to-arrow.js";
import type { QueryNotice } from "../../query/queries.js";
import { authorize, callerOf, type Caller } from "../access/rights.js";
import type { Answered, Trace } from "../answer/request-counts.js";
import { errorReply, inWireNames, type Envelope } from "../answer/error-reply.js";
import { etagOf, matchesEtag } from "../answer/etag.js";
import { jsonBody, type SharedText } from "../answer/json-pieces.js";
import { NO_SNIFF, noticeHeader } from "../answer/headers.js";
import { fileReply } from "../files/browser-files.js";
import { writtenBytes } from "../overload/admission.js";
import type { Refusal } from "../overload/edge-filter.js";
import { dropBody, readBody } from "../request/body.js";
import { parseQuery } from "../request/parameters.js";
import { isWriting, type GuardedRoute, type Route, type RouteRequest } from "../routing/route.js";
import { routeOf } from "../routing/router.js";
import { checkShape } from "../shapes/check-shape.js";
import { ARROW_TYPE, acceptsArrow, isStream, requestIdOf, type BodyStream, type WireReply, type WireRequest } from "../wire/request-reply.js";
import { handleClient } from "./client.js";
import { handleCollect } from "./collect.js";
import { sentNoticesOf, type HandlerContext, type RoutedRequest } from "./context.js";

/** Aborts after a time, or when the caller disconnects. Queries poll it, so one that ends in time costs no timer and no listener. */
class Deadline {
  readonly #endMs: number;
  #isOver = false;

  constructor(
    readonly caller: Pick<AbortSignal, "aborted">,
    readonly timeoutMs: number,
  ) {
    this.#endMs = performance.now() + timeoutMs;
  }

  get aborted(): boolean {
    if (this.caller.aborted) return true;
    this.#isOver ||= performance.now() >= this.#endMs;
    return this.#isOver;
  }

  toTimeout(thrown: unknown): unknown {
    if (!this.#isOver || !(thrown instanceof DaybookError) || thrown.code !== "aborted") return thrown;
    return new DaybookError("query_timeout", `the query took longer than ${this.timeoutMs} ms`);
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
const CONTENT_TYPES = {
  ndjson: "application/x-ndjson; charset=utf-8",
  text: "text/plain; version=0.0.4; charset=utf-8",
  events: "text/event-stream",
};
/** Methods that are reported by name; callers may send any text as the method. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

const NONE: Readonly<Record<string, string>> = {};

/** Answers a request. Rejects only if `onDefect` or `onAnswer` throws. */
export async function respond(context: HandlerContext, request: WireRequest): Promise<WireReply> {
  const requestId = requestIdOf(request, context.requestId);
  const startedMs = performance.now();
  const trace: Trace = { route: null, organization: null, code: null, headers: NONE };
  let envelope: Envelope = "problem";
  let reply: WireReply;
  try {
    // Requests outside the mount path match no route.
    if (request.fault?.code === "route_not_found") throw request.fault;
    const found = request.known === undefined ? context.router.find(request.target) : context.router.resolve(request.known);
    envelope = found.resource.envelope;
    trace.route = found.resource.path;
    if (request.fault !== undefined) throw request.fault;
    const { params, query } = found;
    const route = routeOf(found.resource, request.method);
    reply = await runRoute(context, route, { request, requestId, receivedAtMs: context.clock.now(), params, query, trace });
  } catch (thrown) {
    trace.code = thrown instanceof DaybookError ? thrown.code : "internal";
    reply = errorReply(envelope, thrown, requestId);
    if (reply.status === 500) context.onDefect(thrown, requestId);
  }
  const { headers, route, organization, code } = trace;
  const { body } = reply;
  try {
    note(context, { requestId, method: request.method, route, organization, code, status: reply.status, durationMs: performance.now() - startedMs });
  } catch (thrown) {
    // Nobody will read the stream.
    if (isStream(body)) body.cancel();
    throw thrown;
  }
  if (request.method === "HEAD" && isStream(body)) body.cancel();
  return { status: reply.status, headers: { ...reply.headers, ...headers, ...NO_SNIFF }, body: request.method === "HEAD" ? null : body };
}

function note(context: HandlerContext, answered: Answered): void {
  const named = METHODS.includes(answered.method) ? answered : { ...answered, method: "other" };
  context.counts.add(named);
  context.onAnswer(named);
}

/** Counts and reports a request that was refused before it reached the handler. */
export function noteRefused(context: HandlerContext, { sha256, ...rest }: Refusal): void {
  note(context, { ...rest, organization: sha256 === null ? null : context.authenticator.organizationOf(sha256) });
}

/** Checks a request, then handles it. In this order: overload, token, rights, a free slot, project, body (type, size, JSON), query string, shapes. */
async function runRoute(context: HandlerContext, route: Route, routed: RoutedRequest): Promise<WireReply> {
  const { admission } = context;
  const { request, requestId, trace } = routed;
  const writeBytes = isWriting(route) ? writtenBytes(request) : null;
  const late = route.always === true ? null : admission.admitUnlessLate(writeBytes);
  if (late !== null) await late;
  if (route.access === null) {
    if ("collects" in route) return await handleCollect(context, route, routed);
    if ("sends" in route) return await handleClient(context, route, routed);
    // The page reads its own query string; the server ignores it.
    if ("file" in route) return await fileReply(route.file, route.content, request, requestId);
    checkShape(route.query, parseQuery(routed.query));
    const { status, text } = await route.open(context.services);
    return await jsonReply(context, route, routed, status, text);
  }
  const token = await context.authenticator.authenticate(request, context.addressOf(request), route.access.basic);
  trace.organization = token.organization;
  authorize(route.access, token);
  const release = route.always === true ? () => undefined : await admission.acquire(token.sha256, writeBytes);
  // A streamed answer keeps its slot until it ends.
  let isStreaming = false;
  try {
    const caller = await callerOf(context.services.organizations, token, routed.params["project_id"]);
    const notices: QueryNotice[] = [];
    const value = await valueOf(context, route, caller, routed, notices);
    if (route.format === undefined) {
      const arrow = acceptsArrow(request.header("accept")) ? await arrowStreamOf(value) : null;
      const text = arrow === null ? await jsonBody(value, release) : JSON.stringify(value);
      isStreaming = isStream(text);
      const reply = await jsonReply(context, route, routed, route.status ?? 200, text, arrow);
      return notices.length === 0 ? reply : { ...reply, headers: { ...reply.headers, ...noticeHeader(notices, route.keepsNames) } };
    }
    const headers = { "content-type": CONTENT_TYPES[route.format], "x-request-id": requestId, "cache-control": "no-store" };
    if (route.format !== "events") return { status: 200, headers, body: value as Uint8Array | string };
    const stream = context.streams.open(token.sha256, () => value as BodyStream);
    // A proxy that buffers whole answers would never send an endless one.
    return { status: 200, headers: { ...headers, "x-accel-buffering": "no" }, body: stream };
  } finally {
    if (!isStreaming) release();
  }
}

/** Reads what the route needs, and runs its `handle` under a deadline. */
async function valueOf(
  context: HandlerContext,
  route: GuardedRoute,
  caller: Caller,
  { request, receivedAtMs, params, query: queryText, trace }: RoutedRequest,
  notices: QueryNotice[],
): Promise<unknown> {
  const { admission, parseUserAgent, counts, processGauges } = context;
  const held = admission.hold(caller.token.organization);
  try {
    if (route.body === null && route.method === "DELETE") await dropBody(request, held);
    const body = route.body === null ? null : await readBody(request, route.body, held);
    const query = parseQuery(queryText);
    checkShape(route.query, query);
    if (route.body !== null) checkShape(route.body.schema, body);
    const deadline = new Deadline(request.signal, admission.limits.queryMs);
    // Notices reveal which names the whole organization uses, so tokens of one project get none.
    const onNotice = (notice: QueryNotice) => void (caller.token.project === null && notices.push(notice));
    const senderClock = context.senderClocks.of(caller.token.organization, receivedAtMs);
    const routeRequest: RouteRequest<unknown, unknown> = {
      params,
      query,
      body,
      signal: deadline,
      receivedAtMs,
      header: (name) => request.header(name),
      isTokenValid: () => context.authenticator.isTokenValid(caller.token.sha256),
      senderClock,
      parseUserAgent,
      counts,
      collected: context.collector.counts,
      processGauges,
      onSentNotices: sentNoticesOf(context, trace),
      onNotice,
      notices,
    };
    try {
      return await route.handle(caller, routeRequest);
    } catch (thrown) {
      senderClock.failed();
      const error = deadline.toTimeout(thrown);
      throw route.keepsNames === true ? error : inWireNames(error);
    }
  } finally {
    held.release();
  }
}

/** Answers with JSON and its ETag. @param arrow sent instead of the text */
async function jsonReply(
  context: HandlerContext,
  route: Route,
  { request, requestId }: RoutedRequest,
  status: number,
  text: string | SharedText | BodyStream,
  arrow: Uint8Array | null = null,
): Promise<WireReply> {
  const type = arrow === null ? JSON_TYPE : ARROW_TYPE;
  const isShared = typeof text === "object" && "bytes" in text;
  const body = arrow ?? (isShared ? text.bytes : text);
  // A streamed answer has no ETag, because its hash is known only at its end.
  if (!route.etag || (!isShared && typeof text === "object")) {
    const headers = { "content-type": type, "x-request-id": requestId, "cache-control": "no-store" };
    return { status, headers, body };
  }
  const etag = isShared ? await text.etag : await etagOf(arrow === null ? text : `${ARROW_TYPE} ${text}`, context.sha256Hex);
  const headers = { "x-request-id": requestId, etag, "cache-control": "private, no-cache" };
  if (matchesEtag(request.header("if-none-match"), etag)) return { status: 304, headers, body: null };
  return { status, headers: { "content-type": type, ...headers, ...(arrow === null ? {} : { vary: "Accept" }) }, body };
}
