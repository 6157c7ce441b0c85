import { systemClock } from "../base/clock.js";
import type { Clock } from "../base/clock.js";
import { DaybookError } from "../base/errors.js";
import { sha256Hex } from "../base/hash.js";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import { tellEach } from "../base/tell.js";
import type { Daybook } from "../engine/daybook.js";
import type { Notice } from "../engine/notices.js";
import { authorize, invalidToken, projectOf } from "./access.js";
import { Admission } from "./admission.js";
import type { Answered, Trace } from "./answered.js";
import { readBody } from "./body.js";
import { checkShape } from "./check-shape.js";
import { Deadline } from "./deadline.js";
import { errorReply, inWireNames } from "./error-reply.js";
import type { Envelope } from "./error-reply.js";
import { etagOf, matchesEtag } from "./etag.js";
import { responseOf, wireRequestOf } from "./exchange.js";
import type { WireReply, WireRequest } from "./exchange.js";
import type { FrontRules, Refusal } from "./front.js";
import { Gate } from "./gate.js";
import { handlerLimits } from "./limits.js";
import type { HandlerLimits } from "./limits.js";
import { noticeHeader } from "./notice-header.js";
import { RequestCounts } from "./metrics.js";
import type { ProcessGauges } from "./metrics.js";
import { parseQuery } from "./query.js";
import { requestIdOf } from "./request-id.js";
import type { Agent, Caller, Exchange, GuardedRoute, House, Route } from "./route.js";
import { createRouter, routeOf } from "./router.js";
import type { Found, Router } from "./router.js";
import { routes } from "./routes.js";
import type { TokenRecord } from "./token.js";
import type { TokenStore } from "./tokens.js";

export interface HandlerOptions {
  /** One Daybook per organization name. A map may gain organizations later. */
  readonly organizations: Readonly<Record<string, Daybook>> | ReadonlyMap<string, Daybook>;
  readonly tokens: TokenStore;
  /** Decides whether a token has expired, and when a tracking call came in. Default: the machine's. */
  readonly clock?: Clock;
  /** Reads the user agents of tracking calls, once per call: `await loadAgentReader()`, or one of your own. Default: device, os and browser stay unset. */
  readonly readAgent?: (text: string) => Agent;
  /** Names a request that brings no usable X-Request-Id, unless it is refused on another thread. Default: a random UUID. */
  readonly requestId?: () => string;
  /** Hears of everything that is answered with status 500, before it is hidden behind the code, and of answers that a server could not write. */
  readonly onDefect?: (thrown: unknown, requestId: string) => void;
  /** Hears of every answer. */
  readonly onAnswer?: (answered: Answered) => void;
  /** Numbers about the process that `/metrics` shows, by name. Default: none; `daybook/node` has some. */
  readonly processGauges?: () => ProcessGauges;
  /** How late the event loop is, in ms: over a bound requests are refused. Default: 0, as if it never were; `daybook/node` measures it. */
  readonly lagMs?: () => number;
  /** Lower-case hex of SHA-256 over a text in UTF-8. Default: in JavaScript; that of `daybook/node` is faster. */
  readonly sha256Hex?: (text: string) => string;
  /** Replaces bounds one by one. */
  readonly limits?: Partial<HandlerLimits>;
}

/** Answers web requests; never rejects. */
export interface Handler {
  (request: Request): Promise<Response>;
  /** The same without the web objects, for a server that brings its own. */
  readonly answer: (request: WireRequest) => Promise<WireReply>;
  /** For a server that refuses on another thread what this handler would refuse. */
  readonly front: FrontRules;
  /** Counts, and tells `onAnswer` of, what such a server refused. */
  readonly noteRefused: (refusal: Refusal) => void;
  /** Tells `onDefect` of an answer that such a server could not write; never throws. */
  readonly noteDefect: (thrown: unknown, requestId: string) => void;
}

interface Context {
  readonly house: House;
  readonly router: Router<Route>;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly admission: Admission;
  readonly readAgent: (text: string) => Agent;
  readonly requestId: () => string;
  readonly sha256Hex: (text: string) => string;
  readonly onDefect: (thrown: unknown, requestId: string) => void;
  readonly onAnswer: (answered: Answered) => void;
  readonly counts: RequestCounts;
  readonly processGauges: () => ProcessGauges;
}

const KNOWN: KnownOptions<HandlerOptions> = {
  organizations: true,
  tokens: true,
  clock: true,
  readAgent: true,
  requestId: true,
  onDefect: true,
  onAnswer: true,
  processGauges: true,
  lagMs: true,
  sha256Hex: true,
  limits: true,
};

/**
 * Serves organizations over HTTP, as a function from request to response. Holds no socket, and between requests only what bounds them.
 * @throws invalid_parameter, unknown_parameter (an option)
 */
export function createHandler(options: HandlerOptions): Handler {
  refuseUnknown(options, KNOWN);
  const limits = handlerLimits(options.limits);
  const clock = options.clock ?? systemClock;
  const { organizations } = options;
  const hash = options.sha256Hex ?? sha256Hex;
  const context: Context = {
    house: { organizations: organizations instanceof Map ? organizations : new Map(Object.entries(organizations)), routes },
    router: createRouter(routes),
    clock,
    gate: new Gate(options.tokens, clock, limits, hash),
    admission: new Admission(limits, options.lagMs ?? (() => 0)),
    readAgent: options.readAgent ?? (() => ({})),
    sha256Hex: hash,
    requestId: options.requestId ?? (() => globalThis.crypto.randomUUID()),
    onDefect: options.onDefect ?? (() => undefined),
    onAnswer: options.onAnswer ?? (() => undefined),
    counts: new RequestCounts(),
    processGauges: options.processGauges ?? (() => ({})),
  };
  const answer = (request: WireRequest) => respond(context, request);
  const handle = async (request: Request) => responseOf(await answer(wireRequestOf(request)));
  const front: FrontRules = { routes: routes.map(({ method, path, envelope, access }) => ({ method, path, envelope, access })), limits };
  const noteDefect = (thrown: unknown, requestId: string) => tellEach((defect: unknown) => context.onDefect(defect, requestId), [thrown]);
  return Object.assign(handle, { answer, front, noteRefused: (refusal: Refusal) => noteRefused(context, refusal), noteDefect });
}

const JSON_TYPE = "application/json; charset=utf-8";
const CONTENT_TYPES = { ndjson: "application/x-ndjson; charset=utf-8", text: "text/plain; version=0.0.4; charset=utf-8" };
/** Methods that are named to whoever listens: a method is a word of the caller's. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

async function respond(context: Context, request: WireRequest): Promise<WireReply> {
  const requestId = requestIdOf(request, context.requestId);
  const startedMs = performance.now();
  const trace: Trace = { route: null, organization: null, code: null };
  let envelope: Envelope = "problem";
  let reply: WireReply;
  try {
    // Outside the path that the handler is mounted below nothing is a route, whatever it is called.
    if (request.fault?.code === "route_not_found") throw request.fault;
    const found = context.router.find(request.target);
    envelope = found.resource.envelope;
    trace.route = found.resource.path;
    if (request.fault !== undefined) throw request.fault;
    reply = await run(context, routeOf(found.resource, request.method), found, request, requestId, trace);
  } catch (thrown) {
    trace.code = thrown instanceof DaybookError ? thrown.code : "internal";
    reply = errorReply(envelope, thrown, requestId);
    if (reply.status === 500) context.onDefect(thrown, requestId);
  }
  note(context, { requestId, method: request.method, ...trace, status: reply.status, durationMs: performance.now() - startedMs });
  return request.method === "HEAD" ? { ...reply, body: null } : reply;
}

function note(context: Context, answered: Answered): void {
  const named = METHODS.includes(answered.method) ? answered : { ...answered, method: "other" };
  context.counts.add(named);
  context.onAnswer(named);
}

function noteRefused(context: Context, { sha256, ...rest }: Refusal): void {
  note(context, { ...rest, organization: sha256 === null ? null : context.gate.organizationOf(sha256) });
}

/** The checks in their order: load, authentication, scope and role, project, media type and size, parse, validate. */
async function run(context: Context, route: Route, found: Found<Route>, request: WireRequest, requestId: string, trace: Trace): Promise<WireReply> {
  const { admission } = context;
  if (route.access === null) {
    if (route.always !== true) admission.refuseLate();
    checkShape(route.query, parseQuery(found.query));
    const { status, text } = route.open(context.house);
    return await jsonReply(context, route, request, requestId, status, text);
  }
  admission.refuseLate();
  const token = await context.gate.authenticate(request, route.access.basic);
  trace.organization = token.organization;
  authorize(route.access, token);
  const caller = callerOf(context.house, token, found.params["project_id"]);
  const leave = admission.enter(token.sha256);
  try {
    const notices: Notice[] = [];
    const value = await ask(context, route, caller, found, request, notices);
    if (route.format === undefined) {
      const reply = await jsonReply(context, route, request, requestId, route.status ?? 200, JSON.stringify(value));
      return notices.length === 0 ? reply : { ...reply, headers: { ...reply.headers, ...noticeHeader(notices, route.keepsNames) } };
    }
    const headers = { "content-type": CONTENT_TYPES[route.format], "x-request-id": requestId, "cache-control": "no-store" };
    return { status: 200, headers, body: value as Uint8Array | string };
  } finally {
    leave();
  }
}

function callerOf({ organizations }: House, token: TokenRecord, projectId: string | undefined): Caller {
  const daybook = organizations.get(token.organization);
  if (daybook === undefined) throw invalidToken();
  return { token, daybook, project: projectOf(projectId, token, daybook) };
}

async function ask(context: Context, route: GuardedRoute, caller: Caller, found: Found<Route>, request: WireRequest, notices: Notice[]): Promise<unknown> {
  const { admission, clock, readAgent, counts, processGauges } = context;
  const receivedAtMs = clock.now();
  const held = admission.hold(caller.token.organization);
  try {
    const body = route.body === null ? null : await readBody(request, route.body, held);
    const query = parseQuery(found.query);
    checkShape(route.query, query);
    if (route.body !== null) checkShape(route.body.schema, body);
    const deadline = new Deadline(request.signal, admission.limits.questionMs);
    // Which names events have is noticed of the whole organization: somebody who sees one project alone is told nothing of it.
    const onNotice = (notice: Notice) => void (caller.token.project === null && notices.push(notice));
    const told = { signal: deadline, receivedAtMs, readAgent, counts, processGauges, onNotice, notices };
    const exchange: Exchange<unknown, unknown> = { params: found.params, query, body, ...told };
    try {
      return await route.handle(caller, exchange);
    } catch (thrown) {
      const blamed = deadline.blame(thrown);
      throw route.keepsNames === true ? blamed : inWireNames(blamed);
    }
  } finally {
    held.release();
  }
}

async function jsonReply(context: Context, route: Route, request: WireRequest, requestId: string, status: number, text: string): Promise<WireReply> {
  if (!route.etag) {
    const headers = { "content-type": JSON_TYPE, "x-request-id": requestId, "cache-control": "no-store" };
    return { status, headers, body: text };
  }
  const etag = await etagOf(text, context.sha256Hex);
  const headers = { "x-request-id": requestId, etag, "cache-control": "private, no-cache" };
  if (matchesEtag(request.header("if-none-match"), etag)) return { status: 304, headers, body: null };
  return { status, headers: { "content-type": JSON_TYPE, ...headers }, body: text };
}
