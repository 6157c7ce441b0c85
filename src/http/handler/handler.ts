import { systemClock } from "../../base/clock.js";
import type { Clock } from "../../base/clock.js";
import { sha256Hex } from "../../base/hash.js";
import { refuseUnknown, type KnownOptions } from "../../base/known-options.js";
import { tellEach } from "../../base/tell.js";
import type { ServedDaybook } from "../access/served-daybook.js";
import { Gate } from "../access/gate.js";
import type { TokenStore } from "../access/tokens.js";
import type { Answered } from "../answer/answered.js";
import { RequestCounts } from "../answer/request-counts.js";
import { Admission } from "../overload/admission.js";
import type { FrontRules, Refusal } from "../overload/front.js";
import { handlerLimits } from "../overload/limits.js";
import type { HandlerLimits } from "../overload/limits.js";
import { clientAddress } from "../access/client-address.js";
import { Collector } from "../collect/collector.js";
import { Repeats } from "../clients/repeats.js";
import { collectOptions } from "../collect/options.js";
import type { CollectOptions } from "../collect/options.js";
import type { BrowserFiles } from "../files/browser-files.js";
import { fileRoutes } from "../routes/browser.js";
import { routes } from "../routes/table.js";
import { SenderClocks } from "../tracking/sender-clocks.js";
import type { AgentReader } from "../tracking/agent-reader.js";
import { isWriting } from "../routing/route.js";
import type { FrontRoute, ProcessGauges, Route } from "../routing/route.js";
import { createRouter } from "../routing/router.js";
import { responseOf, wireRequestOf } from "../wire/exchange.js";
import type { WireReply, WireRequest } from "../wire/exchange.js";
import { noteRefused, respond } from "./respond.js";
import type { HandlerContext } from "./respond.js";
import { Streams } from "./streams.js";

export interface HandlerOptions {
  /** One Daybook per organization name. A map may gain organizations later. */
  readonly organizations: Readonly<Record<string, ServedDaybook>> | ReadonlyMap<string, ServedDaybook>;
  readonly tokens: TokenStore;
  /** Decides whether a token has expired, and when a tracking call came in. Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Reads the user agents of tracking calls, once per call: `await loadAgentReader()`, or one of your own. Default: device, os and browser stay
   * unset.
   */
  readonly readAgent?: AgentReader;
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
  /** How events of pages are taken: where salts are kept, where an address is, which bounds there are. */
  readonly collect?: CollectOptions;
  /**
   * Proxies whose `X-Forwarded-For` is believed, as addresses or networks: `127.0.0.1/8`, `fd00::/8`. Default: nobody's, the address of a caller is
   * that of the connection.
   */
  readonly trustProxy?: readonly string[];
  /** The address of whoever sent a web request, where the server around knows it. Default: nobody knows; requests off a socket tell it themselves. */
  readonly address?: (request: Request) => string | undefined;
  /** The script for sites and the page that shows the numbers: `await loadBrowserFiles()` of `daybook/node`. Default: neither is served. */
  readonly files?: BrowserFiles;
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
  /** Forgets what it remembers of visitors, waits for no midnight any more, and watches no tokens: for whoever makes another in its place. */
  readonly stop: () => void;
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
  collect: true,
  trustProxy: true,
  address: true,
  files: true,
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
  const byName: ReadonlyMap<string, ServedDaybook> = organizations instanceof Map ? organizations : new Map(Object.entries(organizations));
  const files = fileRoutes(options.files ?? {});
  // The same table is described once.
  const all: readonly Route[] = files.length === 0 ? routes : [...files, ...routes];
  const readAgent = options.readAgent ?? (() => ({}));
  const hash = options.sha256Hex ?? sha256Hex;
  const context: HandlerContext = {
    house: { organizations: byName, routes: all },
    router: createRouter(all),
    clock,
    gate: new Gate(options.tokens, clock, limits, hash),
    admission: new Admission(limits, options.lagMs ?? (() => 0)),
    streams: new Streams(limits.requestsPerTokenCount),
    collector: new Collector(collectOptions(options.collect), readAgent, byName, clock),
    repeats: new Repeats(clock, hash),
    senderClocks: new SenderClocks(),
    addressOf: clientAddress(options.trustProxy ?? []),
    readAgent,
    sha256Hex: hash,
    requestId: options.requestId ?? (() => globalThis.crypto.randomUUID()),
    onDefect: options.onDefect ?? (() => undefined),
    onAnswer: options.onAnswer ?? (() => undefined),
    counts: new RequestCounts(),
    processGauges: options.processGauges ?? (() => ({})),
  };
  const unwatch = options.tokens.watch?.(() => void context.streams.endRevoked((sha256) => context.gate.isWelcome(sha256)));
  const answer = (request: WireRequest) => respond(context, request);
  const handle = async (request: Request) => responseOf(await answer(wireRequestOf(request, options.address?.(request))));
  const front: FrontRules = { routes: all.map(faceOf), limits };
  const noteDefect = (thrown: unknown, requestId: string) => tellEach((defect: unknown) => context.onDefect(defect, requestId), [thrown]);
  const stop = () => {
    unwatch?.();
    context.collector.stop();
  };
  return Object.assign(handle, { answer, front, noteRefused: (refusal: Refusal) => noteRefused(context, refusal), noteDefect, stop });
}

function faceOf(route: Route): FrontRoute {
  const { method, path, envelope, access } = route;
  return { method, path, envelope, access, writes: isWriting(route), always: route.always === true };
}
