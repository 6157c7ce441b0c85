import { z } from "zod";
import type { ErrorCode } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { QueryNotice, ReportName } from "../../query/queries.js";
import type { Envelope } from "../answer/error-reply.js";
import type { CollectCounts, RequestCounts } from "../answer/request-counts.js";
import type { HeaderNotice } from "../answer/headers.js";
import type { OrganizationsOnDemand } from "../access/organizations.js";
import type { Caller, QueryCaller, RequiredAccess } from "../access/rights.js";
import type { SharedText } from "../answer/json-pieces.js";
import type { ServedFile, SharedFile } from "../files/browser-files.js";

export interface BodyRule {
  readonly schema: z.ZodObject;
  /** Limit of the bytes sent, and of the bytes after inflating. */
  readonly maxByteLength: number;
  /** Limit of the items in its lists. Default: `SERVER_LIMITS.bodyItemCount`. */
  readonly itemCountMax?: number;
  /** Member that a bare array or NDJSON fills; null: JSON objects only. */
  readonly list: string | null;
  /** True: an Arrow IPC stream of events may also fill the list. */
  readonly arrow?: boolean;
  /** True: the body is written soon after parsing; a long one is parsed only once there is room for it. */
  readonly isWritten?: boolean;
  /** True: JSON is also accepted under the content types that senders use to avoid a preflight, or by default. */
  readonly anyTextType?: boolean;
  /** True: a form is accepted whose field `data` holds JSON in base64; its members are `list` and the other fields. */
  readonly form?: boolean;
}

/** Properties parsed from a User-Agent text; unknown members are absent. */
export interface Agent {
  readonly device?: string;
  readonly os?: string;
  readonly browser?: string;
}

/** Gauges of the process that appear in the metrics of every organization. */
export type ProcessGauges = Readonly<Record<string, number>>;

/** A request that passed every check. */
export interface RouteRequest<Body, Query> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Aborted when the caller disconnects, and when a query times out. */
  readonly signal: Pick<AbortSignal, "aborted">;
  /** Time of receipt, epoch ms. */
  readonly receivedAtMs: number;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | null;
  readonly isTokenValid: () => Promise<boolean>;
  readonly senderClock: SenderClock;
  readonly parseUserAgent: (text: string) => Agent;
  readonly counts: RequestCounts;
  readonly collected: CollectCounts;
  readonly processGauges: () => ProcessGauges;
  /** Called with notices about the input: ids that are placeholder texts, and aliases that the token may not send. */
  readonly onSentNotices: (notices: readonly HeaderNotice[]) => void;
  /** Called with notices about a query; a token of one project gets none of them. */
  readonly onNotice: (notice: QueryNotice) => void;
  /** Called with the sequence that an export reached: a header of the answer. */
  readonly onSequence: (sequence: number) => void;
  /** Notices so far that the caller may see. */
  readonly notices: readonly QueryNotice[];
}

export interface SenderClock {
  /**
   * Our clock minus the sender's, in ms: the smallest offset seen for any of these ids; null if `sentAt` cannot be read.
   * @param ids of the items sent at that time; values that are not text are ignored
   */
  offsetMs(sentAt: unknown, ids: readonly unknown[]): number | null;
  /** Records that the request failed as a whole and will be resent. */
  failed(): void;
}

/** The organizations and routes of a handler, for routes that are open to everyone. */
export interface Services {
  readonly organizations: OrganizationsOnDemand;
  readonly routes: readonly Route[];
}

export interface OpenAnswer {
  readonly status: number;
  /** JSON text. */
  readonly text: string | SharedText;
}

/** The part of a route that is needed before it runs. Plain values, so that another thread can have a copy. */
export interface RouteSummary {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";
  /** Segments in braces are parameters. */
  readonly path: string;
  readonly envelope: Envelope;
  /** Null: open to everyone. */
  readonly access: RequiredAccess | null;
}

export interface EdgeRoute extends RouteSummary {
  /** True: the route stores data, even by GET. */
  readonly writes: boolean;
  /** True: the route answers even while everything else is refused. */
  readonly always: boolean;
}

interface RouteBase extends RouteSummary {
  readonly summary: string;
  readonly query: z.ZodObject;
  readonly answer: z.ZodType;
  /** Default 200. */
  readonly status?: 200 | 201 | 204;
  /** `ndjson`: the handler returns UTF-8 bytes; `text`: a string; `events`: a `BodyStream`. Default: a value that is sent as JSON. */
  readonly format?: "ndjson" | "text" | "events";
  /** True: the answer has an ETag, and `If-None-Match` is supported. */
  readonly etag: boolean;
  /** True: the route answers even while everything else is refused. It must be cheap, and its path has no parameters. */
  readonly always?: boolean;
}

export interface OpenRoute extends RouteBase {
  readonly access: null;
  readonly open: (services: Services) => OpenAnswer | Promise<OpenAnswer>;
}

export interface GuardedRoute extends RouteBase {
  readonly access: RequiredAccess;
  readonly body: BodyRule | null;
  /** True: errors and notices name parameters in camelCase, as the body does. */
  readonly keepsNames?: boolean;
  readonly handle: (caller: Caller, request: RouteRequest<unknown, unknown>) => Promise<unknown>;
}

/** A route that runs one query of the library, and nothing else: signed tokens open these routes alone, and browsers may send them. */
export interface QueryRoute extends GuardedRoute {
  readonly runs: ReportName;
  readonly handle: (caller: QueryCaller, request: RouteRequest<unknown, unknown>) => Promise<unknown>;
}

/** A route that opens no organization. */
export interface TokenRoute extends GuardedRoute {
  readonly usesOnlyToken: true;
  readonly handle: (caller: Pick<Caller, "token">, request: RouteRequest<unknown, unknown>) => Promise<unknown>;
}

/** Answers the CORS preflight of a browser, and grants nothing: the request that follows must pass the checks of its own route. */
export interface PreflightRoute extends RouteBase {
  readonly access: null;
  /** Values of the headers of its answer. */
  readonly preflight: { readonly methods: string; readonly headers: string; readonly maxAgeSec: number };
}

export interface FileRoute extends RouteBase {
  readonly access: null;
  readonly file: ServedFile;
  readonly content: SharedFile;
}

/** Reads key and events from the body of a page; the events are read after the key is verified. */
export interface CollectReader {
  readonly key: (body: Readonly<Record<string, unknown>>) => string;
  readonly events: (body: Readonly<Record<string, unknown>>) => readonly unknown[];
}

/** A route that pages of other origins send to, with a public key in the body. */
export interface CollectRoute extends RouteBase {
  readonly access: null;
  readonly collects: BodyRule;
  /** Reads key and events from a body with other member names. Default: the members `key` and `events`. */
  readonly reads?: CollectReader;
}

/** The parts of a request in which a client library may put its token. */
export interface KeySource {
  /** Without a body: the query parameters. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | null;
}

/** A request of a client library with a valid token. */
export interface ClientRequest extends KeySource {
  /** The token as sent; it must not be stored or reported. */
  readonly key: string;
  readonly receivedAtMs: number;
  readonly parseUserAgent: (text: string) => Agent;
  readonly sha256Hex: (text: string) => string;
  /** Called with notices about the input: ids that are placeholder texts, and aliases that the token may not send. */
  readonly onSentNotices: (notices: readonly HeaderNotice[]) => void;
  readonly senderClock: SenderClock;
  /** An id for an item that the client may resend without one. @param makeId makes the id from the index among equal items; null: random */
  readonly repeatId: (text: string, makeId: ((nth: number) => string) | null) => string;
  /** Identifies the visitor of an event without an id, as for pages. @param source overrides the address and user agent of the connection */
  readonly identifyVisitor: (source: VisitorSource, atMs: number) => Promise<Visitor>;
}

/** The values that identify a visitor; null: taken from the request. */
export interface VisitorSource {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A visitor who was identified by address and user agent. */
export interface Visitor {
  readonly anonymousId: string;
  readonly agent: Agent;
  readonly place: { readonly country?: string; readonly region?: string; readonly city?: string };
}

export interface ClientAnswer {
  readonly status: 200 | 400;
  readonly code: ErrorCode | null;
  /** Sent as JSON. */
  readonly value: unknown;
}

/** A route for unmodified client libraries of other products, which put the token in places of their own. */
export interface ClientRoute extends RouteBase {
  readonly access: null;
  /** Rules for the body; null: the data is in the query. */
  readonly sends: BodyRule | null;
  /** Called without the body first, and with it if that returned no text. A value that is not text counts as no token. */
  readonly keyOf: (sent: KeySource) => unknown;
  readonly handle: (caller: Caller, sent: ClientRequest) => Promise<ClientAnswer>;
}

export type Route = OpenRoute | FileRoute | PreflightRoute | CollectRoute | ClientRoute | GuardedRoute | QueryRoute | TokenRoute;

export function isWriting(route: Route): boolean {
  return "sends" in route || "collects" in route || ("body" in route && route.body?.isWritten === true);
}

export const noQuery = z.strictObject({});

/** The rule for a JSON object of the size of a query. */
export function objectBody<Body extends z.ZodObject>(schema: Body): BodyRule & { readonly schema: Body } {
  return { schema, maxByteLength: SERVER_LIMITS.queryBodyBytes, list: null };
}

type Defaulted = "method" | "envelope" | "query" | "etag";

type GuardedParts<Body extends z.ZodObject, Query extends z.ZodObject, By> = Omit<RouteBase, Defaulted> & Partial<Pick<RouteBase, Defaulted>> & {
  readonly access: RequiredAccess;
  readonly query?: Query;
  readonly body?: BodyRule & { readonly schema: Body };
  readonly keepsNames?: boolean;
  readonly handle: (caller: By, request: RouteRequest<z.infer<Body>, z.infer<Query>>) => Promise<unknown>;
};

/** A route whose handler gets body and query in the types of their schemas. By default, it is a GET without query and ETag. */
export function guarded<Body extends z.ZodObject, Query extends z.ZodObject = typeof noQuery>(route: GuardedParts<Body, Query, Caller>): GuardedRoute {
  // The pipeline passes only values that these schemas accepted.
  return { method: "GET", envelope: "problem", query: noQuery, body: null, etag: false, ...route, handle: route.handle as GuardedRoute["handle"] };
}

/** The same for a route that opens no organization. */
export function ofToken<Query extends z.ZodObject = typeof noQuery>(route: GuardedParts<z.ZodObject, Query, Pick<Caller, "token">>): TokenRoute {
  return { ...guarded(route), usesOnlyToken: true, handle: route.handle as TokenRoute["handle"] };
}

/** The same for a route that runs one query. */
export function querying<Body extends z.ZodObject, Query extends z.ZodObject = typeof noQuery>(
  runs: ReportName,
  route: GuardedParts<Body, Query, QueryCaller>,
): QueryRoute {
  return { ...guarded(route), runs, handle: route.handle as QueryRoute["handle"] };
}
