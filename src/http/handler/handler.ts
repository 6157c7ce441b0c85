import { responseOf, wireRequestOf, type WireReply, type WireRequest } from "../wire/request-reply.js";
import { systemClock, type Clock } from "../../core/base/time.js";
import { sha256Hex } from "../../core/base/hash.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { notifyEach } from "../../core/base/promises.js";
import { KnownOrigins } from "../access/known-origins.js";
import { organizationsOnDemand, type ServedOrganizations } from "../access/organizations.js";
import { Authenticator } from "../access/authenticator.js";
import type { TokenStore } from "../access/tokens.js";
import { RequestCounts, type Answered } from "../answer/request-counts.js";
import { Admission, handlerLimits, type HandlerLimits } from "../overload/admission.js";
import type { EdgeRules, Refusal } from "../overload/edge-filter.js";
import { clientAddress } from "../access/client-address.js";
import { Collector, collectOptions, type CollectOptions } from "../collect/collector.js";
import { Repeats } from "../clients/client.js";
import { readFrameAncestors, type BrowserFiles } from "../files/browser-files.js";
import { fileRoutes, preflightRoutes } from "../routes/browser.js";
import { routes } from "../routes/table.js";
import { SenderClocks } from "../tracking/call.js";
import type { UserAgentParser } from "../tracking/user-agent-parser.js";
import { isWriting, type EdgeRoute, type ProcessGauges, type Route } from "../routing/route.js";
import { createRouter } from "../routing/router.js";
import { Streams, type HandlerContext } from "./context.js";
import { noteRefused, respond } from "./respond.js";

export interface HandlerOptions {
  /**
   * One Daybook per organization name; organizations may be added to a map later. Or `openOrganizations` of `daybook/node`, which opens each when a
   * request needs it. A change stream ends when another organization waits for its place, and its client reconnects.
   */
  readonly organizations: ServedOrganizations;
  readonly tokens: TokenStore;
  /** Clock for the expiry of tokens and the time of receipt. Default: the system clock. */
  readonly clock?: Clock;
  /**
   * Parses the user agents of tracking calls, once per call: `await loadUserAgentParser()`, or your own.
   * Default: device, os and browser stay unset.
   */
  readonly parseUserAgent?: UserAgentParser;
  /** Makes the id of a request without a usable X-Request-Id, unless it is refused on another thread. Default: a random UUID. */
  readonly requestId?: () => string;
  /** Called with every error that becomes a status 500, before its details are hidden, and for answers that a server could not write. */
  readonly onDefect?: (thrown: unknown, requestId: string) => void;
  /** Called for every answer. */
  readonly onAnswer?: (answered: Answered) => void;
  /** Gauges of the process for `/metrics`, by name. Default: none; `daybook/node` has some. */
  readonly processGauges?: () => ProcessGauges;
  /** Delay of the event loop, in ms: above a limit requests are refused. Default: 0, which refuses none; `daybook/node` measures it. */
  readonly lagMs?: () => number;
  /** SHA-256 of a text in UTF-8, as lower-case hex. Default: in JavaScript; that of `daybook/node` is faster. */
  readonly sha256Hex?: (text: string) => string;
  /** Overrides single limits. */
  readonly limits?: Partial<HandlerLimits>;
  /** Options for collecting page events: storage of salts, location of addresses, limits. */
  readonly collect?: CollectOptions;
  /**
   * Proxies whose `X-Forwarded-For` is trusted, as addresses or networks: `127.0.0.1/8`, `fd00::/8`.
   * Default: none; the address of a caller is that of the connection.
   */
  readonly trustProxy?: readonly string[];
  /** Address of the sender of a web request, if the surrounding server has it. Default: unknown. Socket requests have their own. */
  readonly address?: (request: Request) => string | undefined;
  /** The tracker script, the elements and the dashboard page: `await loadBrowserFiles()` of `daybook/node`. Default: none is served. */
  readonly files?: BrowserFiles;
  /** Origins whose pages may frame the dashboard: `https://app.example`, or `'self'`. Default: none. */
  readonly frameAncestors?: readonly string[];
}

/** Answers web requests; never rejects. */
export interface Handler {
  (request: Request): Promise<Response>;
  /** The same without web objects, for other servers. */
  readonly answer: (request: WireRequest) => Promise<WireReply>;
  /** Rules for a server that refuses requests on another thread, as this handler would. */
  readonly edgeRules: EdgeRules;
  /** Counts a request that such a server has refused, and reports it to `onAnswer`. */
  readonly noteRefused: (refusal: Refusal) => void;
  /** Reports an answer that such a server could not write to `onDefect`; never throws. */
  readonly noteDefect: (thrown: unknown, requestId: string) => void;
  /** Forgets the state of visitors, stops the midnight timer and the watch on tokens; for use before the handler is replaced. */
  readonly stop: () => void;
}

const KNOWN: KnownOptions<HandlerOptions> = {
  organizations: true,
  tokens: true,
  clock: true,
  parseUserAgent: true,
  requestId: true,
  onDefect: true,
  onAnswer: true,
  processGauges: true,
  lagMs: true,
  sha256Hex: true,
  limits: true,
  collect: true,
  trustProxy: true,
  address: true,
  files: true,
  frameAncestors: true,
};

/**
 * Serves organizations over HTTP, as a function from request to response. Opens no socket; its state between requests is bounded.
 * @throws invalid_parameter, unknown_parameter (an option)
 */
export function createHandler(options: HandlerOptions): Handler {
  rejectUnknownOptions(options, KNOWN);
  const limits = handlerLimits(options.limits);
  const clock = options.clock ?? systemClock;
  const organizations = organizationsOnDemand(options.organizations);
  const files = fileRoutes(options.files ?? {}, readFrameAncestors(options.frameAncestors ?? []));
  // Reuse the table if possible: its OpenAPI document is cached by identity.
  const all: readonly Route[] = files.length === 0 ? routes : [...files, ...routes];
  // Apart from the table: browsers send them unasked, so its description leaves them out.
  const withPreflights: readonly Route[] = [...all, ...preflightRoutes(all)];
  const parseUserAgent = options.parseUserAgent ?? (() => ({}));
  const hash = options.sha256Hex ?? sha256Hex;
  const context: HandlerContext = {
    services: { organizations, routes: all },
    router: createRouter(withPreflights),
    clock,
    authenticator: new Authenticator(options.tokens, clock, limits, hash),
    admission: new Admission(limits, options.lagMs ?? (() => 0)),
    streams: new Streams(limits.requestsPerTokenCount),
    collector: new Collector(collectOptions(options.collect), parseUserAgent, organizations, clock),
    repeats: new Repeats(clock, hash),
    knownOrigins: new KnownOrigins(),
    senderClocks: new SenderClocks(),
    addressOf: clientAddress(options.trustProxy ?? []),
    parseUserAgent,
    sha256Hex: hash,
    requestId: options.requestId ?? (() => globalThis.crypto.randomUUID()),
    onDefect: options.onDefect ?? (() => undefined),
    onAnswer: options.onAnswer ?? (() => undefined),
    counts: new RequestCounts(),
    processGauges: options.processGauges ?? (() => ({})),
  };
  const unwatch = options.tokens.watch?.(() => void context.streams.endRevoked((sha256) => context.authenticator.isTokenValid(sha256)));
  const answer = (request: WireRequest) => respond(context, request);
  const answerWeb = async (request: Request) => responseOf(await answer(wireRequestOf(request, options.address?.(request))));
  const edgeRules: EdgeRules = { routes: withPreflights.map(edgeRouteOf), limits };
  const noteDefect = (thrown: unknown, requestId: string) => notifyEach((defect: unknown) => context.onDefect(defect, requestId), [thrown]);
  const stop = () => {
    unwatch?.();
    context.collector.stop();
  };
  return Object.assign(answerWeb, { answer, edgeRules, noteRefused: (refusal: Refusal) => noteRefused(context, refusal), noteDefect, stop });
}

function edgeRouteOf(route: Route): EdgeRoute {
  const { method, path, envelope, access } = route;
  return { method, path, envelope, access, writes: isWriting(route), always: route.always === true };
}
