import { DaybookError, type ErrorCode } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { useOrganization } from "../access/organizations.js";
import { authorize, callerOf, type ServedDaybook } from "../access/rights.js";
import type { TokenRecord } from "../access/token.js";
import type { Trace } from "../answer/request-counts.js";
import type { RepeatableItem } from "../clients/client.js";
import { writtenBytes, type HeldMemory } from "../overload/admission.js";
import { readBody } from "../request/body.js";
import { membersOfFields, parseQuery } from "../request/parameters.js";
import type { BodyRule, ClientAnswer, KeySource, ClientRoute, ClientRequest } from "../routing/route.js";
import type { WireReply, WireRequest } from "../wire/request-reply.js";
import { sentNoticesOf, type HandlerContext, type RoutedRequest } from "./context.js";

/** Errors about text that cannot be read: their messages quote it, and it may contain the key. */
const UNREADABLE: readonly ErrorCode[] = ["malformed_json", "invalid_body", "invalid_parameter", "duplicate_parameter"];

export async function handleClient(
  context: HandlerContext,
  route: ClientRoute,
  { request, requestId, receivedAtMs, query, trace }: RoutedRequest,
): Promise<WireReply> {
  if (request.method === "HEAD") throw new DaybookError("method_not_allowed", `expected ${route.method}, got HEAD`, { allow: route.method });
  const address = context.addressOf(request);
  const fields = withoutQuotes(() => parseQuery(query));
  const header = (name: string) => request.header(name);
  const withoutBody: KeySource = { body: route.sends === null ? withoutQuotes(() => membersOfFields(fields, "data")) : {}, query: fields, header };
  const earlyKey = keyIn(context, route, withoutBody, address);
  if (earlyKey === null) context.authenticator.failedTokens.checkTries(address);
  const earlyToken = earlyKey === null ? null : await authenticateKey(context, earlyKey, address, trace);
  const acquire = ({ sha256 }: TokenRecord) => context.admission.acquire(sha256, writtenBytes(request));
  // Before the body is read if the token is known by then: a request that holds memory of its organization must not wait for others of its token.
  let release = earlyToken === null ? null : await acquire(earlyToken);
  const held = context.admission.hold(earlyToken?.organization ?? null);
  try {
    const keyed = route.sends === null ? withoutBody : { ...withoutBody, body: await bodyOf(context, request, route.sends, held) };
    const key = earlyKey ?? keyIn(context, route, keyed, address);
    if (key === null) throw missingKey(context, address);
    const token = earlyToken ?? (await authenticateKey(context, key, address, trace));
    release ??= await acquire(token);
    const room = held.isKeyless ? held.assignOrganization(token.organization) : null;
    if (room !== null) await room;
    const answer = await storeSent(context, route, request, { ...keyed, key, receivedAtMs, onSentNotices: sentNoticesOf(context, trace) }, token);
    trace.code = answer.code;
    const headers = { "content-type": "application/json; charset=utf-8", "x-request-id": requestId, "cache-control": "no-store" };
    const value = answer.status === 200 ? answer.value : { ...(answer.value as object), request_id: requestId };
    return { status: answer.status, headers, body: JSON.stringify(value) };
  } finally {
    release?.();
    held.release();
  }
}

/** The token where the library puts it; null: not found in these parts. @throws missing_token (it is empty) */
function keyIn(context: HandlerContext, route: ClientRoute, sent: KeySource, address: string | undefined): string | null {
  const value = route.keyOf(sent);
  if (value === "") throw missingKey(context, address);
  return typeof value === "string" ? value : null;
}

function missingKey({ authenticator }: HandlerContext, address: string | undefined): DaybookError {
  authenticator.failedTokens.countFailure(address);
  return new DaybookError("missing_token", "expected the token where the client library sends its key");
}

/** Authenticates a key that may store events. @throws invalid_token, rate_limited, insufficient_scope */
async function authenticateKey({ authenticator }: HandlerContext, key: string, address: string | undefined, trace: Trace): Promise<TokenRecord> {
  const token = await authenticator.authenticateKey(key, address);
  trace.organization = token.organization;
  authorize({ scope: "events:write" }, token);
  return token;
}

/** Stores what was sent, and records the outcome for items that may be resent. */
async function storeSent(
  context: HandlerContext,
  route: ClientRoute,
  request: WireRequest,
  keyed: KeyedRequest,
  token: TokenRecord,
): Promise<ClientAnswer> {
  const repeatable: RepeatableItem[] = [];
  const sent = clientRequestOf(context, route, request, keyed, token, repeatable);
  let isFailed = true;
  try {
    const handle = async (daybook: ServedDaybook) => route.handle(await callerOf(daybook, token, undefined), sent);
    const answer = await useOrganization(context.services.organizations, token.organization, handle);
    isFailed = false;
    return answer;
  } finally {
    if (isFailed) sent.senderClock.failed();
    for (const item of repeatable) context.repeats.answered(item, isFailed);
  }
}

type KeyedRequest = KeySource & Pick<ClientRequest, "key" | "receivedAtMs" | "onSentNotices">;

/** @param repeatable gets the items whose ids may be repeated */
function clientRequestOf(
  context: HandlerContext,
  { path }: ClientRoute,
  request: WireRequest,
  keyed: KeyedRequest,
  token: TokenRecord,
  repeatable: RepeatableItem[],
): ClientRequest {
  const address = context.addressOf(request) ?? "";
  const userAgent = request.header("user-agent") ?? "";
  return {
    ...keyed,
    parseUserAgent: context.parseUserAgent,
    sha256Hex: context.sha256Hex,
    senderClock: context.senderClocks.of(token.organization, keyed.receivedAtMs),
    repeatId: (text, makeId) => {
      const item = context.repeats.assign(`${token.sha256}\0${address}\0${userAgent}\0${path}\0${text}`, keyed.receivedAtMs, makeId);
      repeatable.push(item);
      return item.id;
    },
    identifyVisitor: (source, atMs) => context.collector.identifyVisitor(token, source.address ?? address, source.userAgent ?? userAgent, atMs),
  };
}

/** Reads the body. While the organization is unknown, only a short one is accepted. */
async function bodyOf(
  { authenticator, addressOf }: HandlerContext,
  request: WireRequest,
  sends: BodyRule,
  held: HeldMemory,
): Promise<Record<string, unknown>> {
  const maxByteLength = held.isKeyless ? Math.min(SERVER_LIMITS.keylessBodyBytes, sends.maxByteLength) : sends.maxByteLength;
  try {
    return await readBody(request, { ...sends, maxByteLength }, held);
  } catch (thrown) {
    if (held.isKeyless && isUnreadable(thrown)) authenticator.failedTokens.countFailure(addressOf(request));
    return rethrow(thrown);
  }
}

function withoutQuotes<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    return rethrow(thrown);
  }
}

/** @throws the error, with a message that quotes no text of the request */
function rethrow(thrown: unknown): never {
  if (!isUnreadable(thrown)) throw thrown;
  throw new DaybookError(thrown.code, "expected what the client library sends, but the request cannot be read");
}

function isUnreadable(thrown: unknown): thrown is DaybookError {
  return thrown instanceof DaybookError && UNREADABLE.includes(thrown.code);
}
