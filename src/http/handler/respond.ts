import { DaybookError } from "../../core/base/errors.js";
import { allowedOrigin, allowedOriginOrNull } from "../../core/base/origin.js";
import { arrowStreamOf } from "../../engine/exports/to-arrow.js";
import type { QueryNotice } from "../../query/queries.js";
import { corsOf } from "../access/known-origins.js";
import { acquireOrganization } from "../access/organizations.js";
import { authorize, callerOf, type ServedDaybook } from "../access/rights.js";
import { invalidToken, type SentToken } from "../access/authenticator.js";
import { originsOfRefused, scopedCaller, signedCallerOf } from "../access/signed-token.js";
import type { TokenRecord } from "../access/token.js";
import type { Answered, Trace } from "../answer/request-counts.js";
import { errorReply, inWireNames, type Envelope } from "../answer/error-reply.js";
import { etagOf, matchesEtag } from "../answer/etag.js";
import { jsonBody, type SharedText } from "../answer/json-pieces.js";
import { joinedHeaders, NO_SNIFF, noticeHeader } from "../answer/headers.js";
import { fileReply } from "../files/browser-files.js";
import { writtenBytes } from "../overload/admission.js";
import type { Refusal } from "../overload/edge-filter.js";
import { dropBody, readBody } from "../request/body.js";
import { parseQuery } from "../request/parameters.js";
import { isWriting, type GuardedRoute, type QueryRoute, type Route, type RouteRequest } from "../routing/route.js";
import { routeOf } from "../routing/router.js";
import { checkShape } from "../shapes/check-shape.js";
import { ARROW_TYPE, acceptsArrow, isStream, requestIdOf, type BodyStream, type WireReply, type WireRequest } from "../wire/request-reply.js";
import { handleClient } from "./client.js";
import { handleCollect, preflightReply } from "./collect.js";
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
  return { status: reply.status, headers: { ...joinedHeaders(reply.headers, headers), ...NO_SNIFF }, body: request.method === "HEAD" ? null : body };
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

/** Checks a request, then handles it. In this order: overload, token, rights, a free slot, body (type, size, JSON), query string, shapes, project. */
async function runRoute(context: HandlerContext, route: Route, routed: RoutedRequest): Promise<WireReply> {
  const { admission } = context;
  const { request, requestId } = routed;
  const writeBytes = isWriting(route) ? writtenBytes(request) : null;
  try {
    const late = route.always === true ? null : admission.admitUnlessLate(writeBytes);
    if (late !== null) await late;
  } catch (thrown) {
    routed.trace.headers = knownOriginHeaders(context, route, request);
    throw thrown;
  }
  if (route.access === null) {
    if ("collects" in route) return await handleCollect(context, route, routed);
    if ("sends" in route) return await handleClient(context, route, routed);
    // The page reads its own query string; the server ignores it.
    if ("file" in route) return await fileReply(route.file, route.content, request, requestId);
    if ("preflight" in route) return preflightReply(route, routed);
    checkShape(route.query, parseQuery(routed.query));
    const { status, text } = await route.open(context.services);
    return await jsonReply(context, route, routed, status, text);
  }
  const sent = context.authenticator.sentToken(request, route.access.basic);
  const opened = sent.signed === null ? await openedBySecret(context, route, routed, sent) : await openedBySigned(context, route, routed, sent, sent.signed);
  const { token } = opened;
  const release = route.always === true ? () => undefined : await admission.acquire(token.sha256, writeBytes);
  // A streamed answer keeps its slot until it ends, and a stream of changes its organization.
  let isStreaming = false;
  let releaseOrganization: () => void = () => undefined;
  const changes = new EndedWhenWanted();
  try {
    const { organizations } = context.services;
    if (!(await organizations.has(token.organization))) throw invalidToken();
    // Called once the body is read: a sender that is slow must not keep others from the place of its organization.
    const prepare = async (): Promise<Handle> => {
      if ("usesOnlyToken" in route) return (routeRequest) => route.handle({ token }, routeRequest);
      const onWanted = route.format === "events" ? () => changes.end() : undefined;
      const { daybook, release: end } = await acquireOrganization(organizations, token.organization, onWanted);
      releaseOrganization = end;
      return await opened.handle(daybook);
    };
    const notices: QueryNotice[] = [];
    const value = await valueOf(context, { route, token, prepare }, routed, notices);
    if (route.format === undefined) {
      const arrow = acceptsArrow(request.header("accept")) ? await arrowStreamOf(value) : null;
      const text = arrow === null ? await jsonBody(value, release) : JSON.stringify(value);
      isStreaming = isStream(text);
      const reply = await jsonReply(context, route, routed, route.status ?? 200, text, arrow);
      return notices.length === 0 ? reply : { ...reply, headers: { ...reply.headers, ...noticeHeader(notices, route.keepsNames) } };
    }
    const headers = { "content-type": CONTENT_TYPES[route.format], "x-request-id": requestId, "cache-control": "no-store" };
    if (route.format !== "events") return { status: 200, headers, body: value as Uint8Array | string };
    const stream = context.streams.open(token.sha256, () => value as BodyStream, releaseOrganization);
    releaseOrganization = () => undefined;
    changes.opened(stream);
    // A proxy that buffers whole answers would never send an endless one.
    return { status: 200, headers: { ...headers, "x-accel-buffering": "no" }, body: stream };
  } finally {
    releaseOrganization();
    if (!isStreaming) release();
  }
}

/** Ends a stream of changes, or one that is opened later, once another organization waits for the place of its own. */
class EndedWhenWanted {
  #stream: BodyStream | null = null;
  #isWanted = false;

  opened(stream: BodyStream): void {
    this.#stream = stream;
    if (this.#isWanted) stream.cancel();
  }

  end(): void {
    this.#isWanted = true;
    this.#stream?.cancel();
  }
}

/** CORS headers of a request that is refused before its token is verified. */
function knownOriginHeaders({ authenticator, knownOrigins }: HandlerContext, { access }: Route, request: WireRequest): Readonly<Record<string, string>> {
  const origin = request.header("origin");
  const sha256 = access === null || origin === null ? null : authenticator.hashOfSigned(request);
  return knownOrigins.headersOf(sha256, origin);
}

type Handle = (request: RouteRequest<unknown, unknown>) => Promise<unknown>;

/** A route that the token of a request opens. */
interface OpenedRoute {
  readonly token: TokenRecord;
  /** Prepares the route's `handle` for the caller. @throws project_not_found */
  readonly handle: (daybook: ServedDaybook) => Promise<Handle>;
}

/** @throws invalid_token, rate_limited, and what `authorize` throws */
async function openedBySecret(context: HandlerContext, route: GuardedRoute, { request, params, trace }: RoutedRequest, sent: SentToken): Promise<OpenedRoute> {
  const token = await context.authenticator.authenticate(sent, context.addressOf(request));
  trace.organization = token.organization;
  authorize(route.access, token);
  const handle = async (daybook: ServedDaybook): Promise<Handle> => {
    const caller = await callerOf(daybook, token, params["project_id"]);
    return (routeRequest) => route.handle(caller, routeRequest);
  };
  return { token, handle };
}

/**
 * A project of the path is not looked up: the scope decides about it, and that of others looks like one without events.
 * @throws invalid_token, rate_limited, forbidden_by_scope, origin_not_allowed
 */
async function openedBySigned(
  { authenticator, knownOrigins, services, sha256Hex, addressOf }: HandlerContext,
  route: GuardedRoute | QueryRoute,
  { request, params, trace }: RoutedRequest,
  sent: SentToken,
  value: string,
): Promise<OpenedRoute> {
  const origin = request.header("origin");
  const verify = async () => {
    let origins: readonly string[] | null = null;
    try {
      const verified = await signedCallerOf(value, services.organizations, sha256Hex);
      origins = verified.origins;
      return verified;
    } catch (thrown) {
      // A page may learn that its token has expired.
      origins = originsOfRefused(thrown);
      throw thrown;
    } finally {
      const allowed = "runs" in route && origins !== null ? allowedOriginOrNull(origin, origins) : null;
      trace.headers = allowed === null ? NONE : corsOf(allowed);
      knownOrigins.remember(sent.sha256, origin, trace.headers);
    }
  };
  const caller = await authenticator.authenticateSigned(sent, addressOf(request), verify);
  trace.organization = caller.token.organization;
  // Not `insufficient_scope`: no scope that a signed token could be granted would open the route.
  if (!("runs" in route)) throw new DaybookError("forbidden_by_scope", "expected a secret token, got a signed one, which opens only routes that run a query");
  if (caller.origins !== null) allowedOrigin(origin, caller.origins);
  const handle = (daybook: ServedDaybook): Promise<Handle> => {
    const scoped = scopedCaller(daybook, caller, params["project_id"] ?? null);
    return Promise.resolve((routeRequest) => route.handle(scoped, routeRequest));
  };
  return { token: caller.token, handle };
}

/** Reads what the route needs, and runs what `prepare` returns under a deadline. */
async function valueOf(
  context: HandlerContext,
  { route, token, prepare }: { readonly route: GuardedRoute; readonly token: TokenRecord; readonly prepare: () => Promise<Handle> },
  { request, receivedAtMs, params, query: queryText, trace }: RoutedRequest,
  notices: QueryNotice[],
): Promise<unknown> {
  const { admission, parseUserAgent, counts, processGauges } = context;
  const held = admission.hold(token.organization);
  try {
    if (route.body === null && route.method === "DELETE") await dropBody(request, held);
    const body = route.body === null ? null : await readBody(request, route.body, held);
    const query = parseQuery(queryText);
    checkShape(route.query, query);
    if (route.body !== null) checkShape(route.body.schema, body);
    const handle = await prepare();
    const deadline = new Deadline(request.signal, admission.limits.queryMs);
    // Notices reveal which names the whole organization uses, so tokens of one project get none.
    const onNotice = (notice: QueryNotice) => void (token.project === null && notices.push(notice));
    const senderClock = context.senderClocks.of(token.organization, receivedAtMs);
    const routeRequest: RouteRequest<unknown, unknown> = {
      params,
      query,
      body,
      signal: deadline,
      receivedAtMs,
      header: (name) => request.header(name),
      isTokenValid: () => context.authenticator.isTokenValid(token.sha256),
      senderClock,
      parseUserAgent,
      counts,
      collected: context.collector.counts,
      processGauges,
      onSentNotices: sentNoticesOf(context, trace),
      onNotice,
      onSequence: (sequence) => void (trace.headers = { ...trace.headers, "daybook-sequence": String(sequence) }),
      notices,
    };
    try {
      return await handle(routeRequest);
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
