import type { z } from "zod";
import type { ErrorCode } from "../../base/errors.js";
import type { QuestionNotice } from "../../engine/question/notices.js";
import type { Envelope } from "../answer/error-reply.js";
import type { CollectCounts } from "../answer/collect-counts.js";
import type { HeaderNotice } from "../answer/notice-header.js";
import type { RequestCounts } from "../answer/request-counts.js";
import type { RequiredAccess } from "../access/access.js";
import type { TokenRecord } from "../access/token.js";
import type { SharedText } from "../answer/shared-text.js";
import type { ServedFile, SharedFile } from "../files/browser-files.js";
import type { ServedDaybook } from "../access/served-daybook.js";

/** What a route takes as body. */
export interface BodyRule {
  readonly schema: z.ZodObject;
  /** Bound on the bytes sent, and on the bytes after inflating. */
  readonly maxByteLength: number;
  /** Bound on the items of its lists. Default: `SERVER_LIMITS.bodyItemCount`. */
  readonly itemCountMax?: number;
  /** Member that a bare array or NDJSON stands for; null: JSON objects only. */
  readonly list: string | null;
  /** True: an Arrow IPC stream of events stands for the list, too. */
  readonly arrow?: boolean;
  /** True: it is written, soon after it was parsed; a long one is not parsed before there is room for it. */
  readonly isWritten?: boolean;
  /** True: JSON is taken under the content types that senders avoiding a preflight, or not knowing better, give it. */
  readonly anyTextType?: boolean;
  /** True: a form may come, whose field `data` holds JSON in base64; its members are `list` and the other fields. */
  readonly form?: boolean;
}

/** What a user-agent text tells about its sender; absent where it tells nothing. */
export interface Agent {
  readonly device?: string;
  readonly os?: string;
  readonly browser?: string;
}

/** Who asks, and the rows they may see. */
export interface Caller {
  readonly token: TokenRecord;
  readonly daybook: ServedDaybook;
  /** The project of the path, else the token's; null: the whole organization. */
  readonly project: string | null;
}

/** What of the process shows in the metrics of every organization. */
export type ProcessGauges = Readonly<Record<string, number>>;

/** A request that passed every check. */
export interface Exchange<Body, Query> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Aborted when the caller is gone, and when a question has had its time. */
  readonly signal: Pick<AbortSignal, "aborted">;
  /** When the request came in, epoch ms. */
  readonly receivedAtMs: number;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | null;
  /** Whether the caller's token would still be taken. */
  readonly isWelcome: () => Promise<boolean>;
  readonly senderClock: SenderClock;
  readonly readAgent: (text: string) => Agent;
  readonly counts: RequestCounts;
  readonly collected: CollectCounts;
  readonly processGauges: () => ProcessGauges;
  /** Is called with what was noticed: texts that were sent as ids and are none, aliases that the token may not tell. */
  readonly onSentNotices: (notices: readonly HeaderNotice[]) => void;
  /** Hears what is noticed about a question; nothing of it is told to a token of one project. */
  readonly onNotice: (notice: QuestionNotice) => void;
  /** What it heard so far and is told. */
  readonly notices: readonly QuestionNotice[];
}

/** The clock of whoever sent one request. */
export interface SenderClock {
  /**
   * Our clock less the sender's, in ms: the smallest that was seen of any of these ids; null where `sentAt` cannot be read.
   * @param ids of what was sent at that moment; anything but text is none
   */
  offsetMs(sentAt: unknown, ids: readonly unknown[]): number | null;
  /** The request failed as a whole, and comes again. */
  failed(): void;
}

/** What routes open to everyone may use. */
export interface House {
  readonly organizations: ReadonlyMap<string, ServedDaybook>;
  readonly routes: readonly Route[];
}

export interface OpenAnswer {
  readonly status: number;
  /** JSON text. */
  readonly text: string | SharedText;
}

/** What of a route shows from outside, before anything of it is done: values only, so that another thread can have it. */
export interface RouteFace {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";
  /** Segments in braces are parameters. */
  readonly path: string;
  readonly envelope: Envelope;
  /** Null: open to everyone. */
  readonly access: RequiredAccess | null;
}

/** The same with what a front has to know of it. */
export interface FrontRoute extends RouteFace {
  /** True: it stores what it is sent, a GET of it too. */
  readonly writes: boolean;
  /** True: answered also while everything else is refused. */
  readonly always: boolean;
}

interface RouteBase extends RouteFace {
  readonly summary: string;
  readonly query: z.ZodObject;
  /** Shape of the answer. */
  readonly answer: z.ZodType;
  /** Status of the answer. Default 200. */
  readonly status?: 200 | 201 | 204;
  /** `ndjson`: the handler answers bytes of UTF-8; `text`: a text; `events`: a `BodyStream`. Default: what is written as JSON. */
  readonly format?: "ndjson" | "text" | "events";
  /** True: the answer carries an ETag and `If-None-Match` is honoured. */
  readonly etag: boolean;
  /** True: answered also while everything else is refused. It costs next to nothing, and its path has no parameters. */
  readonly always?: boolean;
}

export interface OpenRoute extends RouteBase {
  readonly access: null;
  readonly open: (house: House) => OpenAnswer | Promise<OpenAnswer>;
}

export interface GuardedRoute extends RouteBase {
  readonly access: RequiredAccess;
  readonly body: BodyRule | null;
  /** True: errors and notices name parameters in camelCase, as the body does. */
  readonly keepsNames?: boolean;
  readonly handle: (caller: Caller, exchange: Exchange<unknown, unknown>) => Promise<unknown>;
}

/** A file for browsers. */
export interface FileRoute extends RouteBase {
  readonly access: null;
  readonly file: ServedFile;
  readonly content: SharedFile;
}

/** Where a body of a page has what is wanted; events are asked for once the key is known. */
export interface CollectReader {
  readonly key: (body: Readonly<Record<string, unknown>>) => string;
  readonly events: (body: Readonly<Record<string, unknown>>) => readonly unknown[];
}

/** What pages of other origins may send to, with a public key in the body. */
export interface CollectRoute extends RouteBase {
  readonly access: null;
  /** The body; null: a browser asks whether it may send one. */
  readonly collects: BodyRule | null;
  /** Key and events of a body that has them under other names. Default: they are its members. */
  readonly reads?: CollectReader;
}

/** Where a client library puts its token. */
export interface ClientKeyed {
  /** Without a body: the parameters of the query. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | null;
}

/** A request of a client library whose token is known. */
export interface ClientSent extends ClientKeyed {
  /** The token as it came, which is kept out of all that is stored and told. */
  readonly key: string;
  readonly receivedAtMs: number;
  readonly readAgent: (text: string) => Agent;
  readonly sha256Hex: (text: string) => string;
  /** Is called with what was noticed: texts that were sent as ids and are none, aliases that the token may not tell. */
  readonly onSentNotices: (notices: readonly HeaderNotice[]) => void;
  readonly senderClock: SenderClock;
  /** An id for what a client sends again without one, after a pause. @param named makes it of which of equal things this is; null: it is random */
  readonly repeatId: (text: string, named: ((nth: number) => string) | null) => string;
  /** Who somebody is that has no id, as of browsers. @param seen what is known of them better than by the connection */
  readonly visitor: (seen: VisitorSource, atMs: number) => Promise<Visitor>;
}

/** By what a visitor is told apart; null: by what the request says. */
export interface VisitorSource {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A visitor without an id, and what is told of them. */
export interface Visitor {
  readonly anonymousId: string;
  readonly agent: Agent;
  readonly place: { readonly country?: string; readonly region?: string; readonly city?: string };
}

/** What a client is answered. */
export interface ClientAnswer {
  readonly status: 200 | 400;
  readonly code: ErrorCode | null;
  /** What is written as JSON. */
  readonly value: unknown;
}

/** What client libraries of others send to, unchanged: their token stands where they put it. */
export interface ClientRoute extends RouteBase {
  readonly access: null;
  /** Null: what is sent stands in the query. */
  readonly sends: BodyRule | null;
  /** Asked before the body is read, with none, and again with it where that gave nothing. Anything but text is no token. */
  readonly keyOf: (sent: ClientKeyed) => unknown;
  readonly take: (caller: Caller, sent: ClientSent) => Promise<ClientAnswer>;
}

/** One row of the table of routes. */
export type Route = OpenRoute | FileRoute | CollectRoute | ClientRoute | GuardedRoute;

/** Whether a route stores what it is sent. */
export function isWriting(route: Route): boolean {
  if ("sends" in route) return true;
  return "collects" in route ? route.collects !== null : "body" in route && route.body?.isWritten === true;
}

/** A row whose handler sees body and query in the types of their schemas. */
export function guarded<Body extends z.ZodObject, Query extends z.ZodObject>(
  row: RouteBase & {
    readonly access: RequiredAccess;
    readonly query: Query;
    readonly body: (BodyRule & { readonly schema: Body }) | null;
    readonly keepsNames?: boolean;
    readonly handle: (caller: Caller, exchange: Exchange<z.infer<Body>, z.infer<Query>>) => Promise<unknown>;
  },
): GuardedRoute {
  // The pipeline hands over only what these very schemas accepted.
  return { ...row, handle: row.handle as GuardedRoute["handle"] };
}
