import { DaybookError } from "../../core/base/errors.js";
import type { ErrorCode } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { authorize } from "../access/access.js";
import type { TokenRecord } from "../access/token.js";
import type { Trace } from "../answer/request-counts.js";
import type { Handed } from "../clients/client.js";
import { writtenBytes } from "../overload/admission.js";
import type { HeldMemory } from "../overload/admission.js";
import { readBody } from "../request/body.js";
import { membersOfFields, parseQuery } from "../request/parameters.js";
import type { BodyRule, ClientAnswer, ClientKeyed, ClientRoute, ClientSent } from "../routing/route.js";
import type { WireReply, WireRequest } from "../wire/exchange.js";
import { callerOf, sentNoticesOf, type HandlerContext } from "./context.js";

/** Errors about unreadable text: their messages quote it, and it may contain the key. */
const UNREADABLE: readonly ErrorCode[] = ["malformed_json", "invalid_body", "invalid_parameter", "duplicate_parameter"];

/** Serves a request of a client library. @param trace gets the organization, and the error code of a partial failure */
export async function takeFromClient(context: HandlerContext, route: ClientRoute, query: string, request: WireRequest, requestId: string, receivedAtMs: number, trace: Trace): Promise<WireReply> {
  if (request.method === "HEAD") throw new DaybookError("method_not_allowed", `expected ${route.method}, got HEAD`, { allow: route.method });
  const address = context.addressOf(request);
  const fields = readable(() => parseQuery(query));
  const header = (name: string) => request.header(name);
  const unread: ClientKeyed = { body: route.sends === null ? readable(() => membersOfFields(fields, "data")) : {}, query: fields, header };
  const early = keyIn(context, route, unread, address);
  if (early === null) context.authenticator.checkTries(address);
  const opened = early === null ? null : await opener(context, early, address, trace);
  const enter = ({ sha256 }: TokenRecord) => context.admission.enter(sha256, writtenBytes(request));
  // Before the body is read if the token is known: a request that holds room of its organization must not wait for others of its token.
  let leave = opened === null ? null : await enter(opened);
  const held = context.admission.hold(opened?.organization ?? null);
  try {
    const keyed = route.sends === null ? unread : { ...unread, body: await bodyOf(context, request, route.sends, held) };
    const key = early ?? keyIn(context, route, keyed, address);
    if (key === null) throw missingKey(context, address);
    const token = opened ?? (await opener(context, key, address, trace));
    leave ??= await enter(token);
    const room = held.isKeyless ? held.keyKnown(token.organization) : null;
    if (room !== null) await room;
    const answer = await taken(context, route, request, { ...keyed, key, receivedAtMs, onSentNotices: sentNoticesOf(context, trace) }, token);
    trace.code = answer.code;
    const headers = { "content-type": "application/json; charset=utf-8", "x-request-id": requestId, "cache-control": "no-store" };
    const told = answer.status === 200 ? answer.value : { ...(answer.value as object), request_id: requestId };
    return { status: answer.status, headers, body: JSON.stringify(told) };
  } finally {
    leave?.();
    held.release();
  }
}

/** The token where the library puts it; null: none yet. @throws missing_token (it is empty) */
function keyIn(context: HandlerContext, route: ClientRoute, sent: ClientKeyed, address: string | undefined): string | null {
  const value = route.keyOf(sent);
  if (value === "") throw missingKey(context, address);
  return typeof value === "string" ? value : null;
}

function missingKey({ authenticator }: HandlerContext, address: string | undefined): DaybookError {
  authenticator.countMissingKey(address);
  return new DaybookError("missing_token", "expected the token where the client library sends its key");
}

/** Authenticates a key that may store events. @throws invalid_token, rate_limited, insufficient_scope */
async function opener({ authenticator }: HandlerContext, key: string, address: string | undefined, trace: Trace): Promise<TokenRecord> {
  const token = await authenticator.secretKey(key, address);
  trace.organization = token.organization;
  authorize({ scope: "events:write" }, token);
  return token;
}

/** Stores what was sent, and records the outcome for items that may be resent. */
async function taken(context: HandlerContext, route: ClientRoute, request: WireRequest, known: KeyedRequest, token: TokenRecord): Promise<ClientAnswer> {
  const handed: Handed[] = [];
  const sent = sentOf(context, route, request, known, token, handed);
  let isFailed = true;
  try {
    const answer = await route.take(await callerOf(context.services, token, undefined), sent);
    isFailed = false;
    return answer;
  } finally {
    if (isFailed) sent.senderClock.failed();
    for (const each of handed) context.repeats.answered(each, isFailed);
  }
}

type KeyedRequest = ClientKeyed & Pick<ClientSent, "key" | "receivedAtMs" | "onSentNotices">;

function sentOf(context: HandlerContext, { path }: ClientRoute, request: WireRequest, known: KeyedRequest, token: TokenRecord, handed: Handed[]): ClientSent {
  const address = context.addressOf(request) ?? "";
  const userAgent = request.header("user-agent") ?? "";
  return {
    ...known,
    readAgent: context.readAgent,
    sha256Hex: context.sha256Hex,
    senderClock: context.senderClocks.of(token.organization, known.receivedAtMs),
    repeatId: (text, named) => {
      const one = context.repeats.handedTo(`${token.sha256}\0${address}\0${userAgent}\0${path}\0${text}`, known.receivedAtMs, named);
      handed.push(one);
      return one.id;
    },
    visitor: (seen, atMs) => context.collector.visitor(token, seen.address ?? address, seen.userAgent ?? userAgent, atMs),
  };
}

/** Reads the body; it must be short as long as the organization is unknown. */
async function bodyOf({ authenticator, addressOf }: HandlerContext, request: WireRequest, sends: BodyRule, held: HeldMemory): Promise<Record<string, unknown>> {
  const maxByteLength = held.isKeyless ? Math.min(SERVER_LIMITS.keylessBodyBytes, sends.maxByteLength) : sends.maxByteLength;
  try {
    return await readBody(request, { ...sends, maxByteLength }, held);
  } catch (thrown) {
    if (held.isKeyless && isUnreadable(thrown)) authenticator.countMissingKey(addressOf(request));
    return rethrown(thrown);
  }
}

function readable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    return rethrown(thrown);
  }
}

/** @throws what reading threw, with a message that quotes nothing */
function rethrown(thrown: unknown): never {
  if (!isUnreadable(thrown)) throw thrown;
  throw new DaybookError(thrown.code, "expected what the client library sends, but the request cannot be read");
}

function isUnreadable(thrown: unknown): thrown is DaybookError {
  return thrown instanceof DaybookError && UNREADABLE.includes(thrown.code);
}
