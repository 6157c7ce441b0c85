import { parameterError, shown } from "../../core/base/errors.js";
import { instantOf } from "../../core/schema/instant.js";
import { idOfJson } from "../../core/base/json-text.js";
import type { EventInput } from "../../core/schema/event.js";
import { splitAddress, withoutUser } from "../../core/schema/web-address.js";
import { namedRejections } from "../answer/error-reply.js";
import { checkShape } from "../shapes/check-shape.js";
import type { Caller } from "../access/rights.js";
import type { RouteRequest, Agent } from "../routing/route.js";
import {
  CALL_KINDS, RECORD_KINDS, trackingBodies, callTimeMs, faultOf, objectOf, idOf, screenOf, textOf, type ReceivedItem, type TrackingCall,
  type CallKind, type EventKind, type RecordKind, type JsonObject,
} from "./call.js";
import {
  forEachYielding, authorizeRecords, errorOf, rejectedBy, storeEntries, type ReceivedEntry, type TrackingOutcome, type Rejected,
} from "./store-entries.js";

/** Event names of views; both count as page views. */
const VIEW_NAMES = { page: "pageview", screen: "screen-view" } as const;

function eventOfCall(
  kind: EventKind,
  call: TrackingCall,
  createdAtMs: number | null,
  parseUserAgent: (text: string) => Agent,
): EventInput {
  const properties = call.properties ?? {};
  const context = call.context ?? {};
  // Only page and screen calls have the members of a page among their properties.
  const page = kind === "track" ? objectOf(context["page"]) : { ...properties, ...objectOf(context["page"]) };
  const address = textOf(page["url"]);
  const screen = objectOf(context["screen"]);
  const userAgent = textOf(context["userAgent"]);
  return {
    id: call.messageId ?? null,
    name: kind === "track" ? (call.event ?? "") : VIEW_NAMES[kind],
    userId: idOfJson(call.userId ?? null),
    anonymousId: idOfJson(call.anonymousId ?? null),
    createdAt: createdAtMs,
    metadata: { ...viewOf(kind, call), ...titleOf(page), ...campaignOf(objectOf(context["campaign"])), ...propertiesOf(kind, properties) },
    ...(address === null ? {} : splitAddress(address)),
    referrer: textOf(page["referrer"]),
    language: textOf(context["locale"]),
    screen: screenOf(screen["width"], screen["height"]) ?? textOf(context["screen"]),
    ...(userAgent === null ? {} : parseUserAgent(userAgent)),
    value: typeof properties["revenue"] === "number" ? properties["revenue"] : null,
    currency: textOf(properties["currency"]),
    externalId: idOf(properties["order_id"]),
    companyId: idOf(context["groupId"]),
  };
}

function viewOf(kind: EventKind, { name, category }: TrackingCall): JsonObject {
  if (kind === "track") return {};
  return { ...(name ? { name } : {}), ...(category ? { category } : {}) };
}

/** Properties to store. Those of a view repeat its addresses, whose user names and passwords must not be stored. */
function propertiesOf(kind: EventKind, properties: JsonObject): JsonObject {
  if (kind === "track") return properties;
  const [url, referrer] = [textOf(properties["url"]), textOf(properties["referrer"])];
  return {
    ...properties,
    ...(url === null ? {} : { url: withoutUser(url) }),
    ...(referrer === null ? {} : { referrer: withoutUser(referrer) }),
  };
}

function titleOf(page: JsonObject): JsonObject {
  const title = textOf(page["title"]);
  return title === null ? {} : { title };
}

/** `name` becomes `utm_campaign`; the other members keep their names. */
function campaignOf(campaign: JsonObject): JsonObject {
  const entries = Object.entries(campaign).filter(([, value]) => textOf(value) !== null);
  return Object.fromEntries(entries.map(([key, value]) => [`utm_${key === "name" ? "campaign" : key}`, value]));
}

const SAME_BATCH_MS = 1_000;

type TrackingRequest = RouteRequest<Readonly<Record<string, unknown>>, unknown>;

/** Stores one call. A call about an erased person succeeds, and is reported as rejected, so that the sender does not resend it. */
export async function storeCall(kind: CallKind, caller: Caller, request: TrackingRequest): Promise<object> {
  const call: TrackingCall = request.body;
  const createdAtMs = timeOf(call, request.senderClock.offsetMs(call.sentAt, [call.messageId]));
  const outcome = await storeEntries([{ index: 0, ...receivedItemOf(kind, call, createdAtMs, request) }], caller, request.onSentNotices);
  const [rejected] = outcome.rejected;
  if (rejected !== undefined && rejected.code !== "suppressed") throw errorOf(rejected);
  return answerOf(outcome);
}

/** Stores calls of every kind; a bad one does not stop the others. @throws insufficient_scope (calls that link ids need a scope of their own) */
export async function storeBatch(caller: Caller, request: TrackingRequest): Promise<object> {
  const body = request.body as { batch: readonly unknown[]; sentAt?: unknown; context?: TrackingCall["context"] };
  const entries: ReceivedEntry[] = [];
  const rejected: Rejected[] = [];
  const { senderClock } = request;
  const clockOffsetMs = senderClock.offsetMs(body.sentAt, body.batch.map((item) => objectOf(item)["messageId"]));
  await forEachYielding(body.batch, (item, index) => {
    try {
      const kind = checkedKind(item, `batch[${index}]`);
      const call = { ...(item as TrackingCall), context: { ...body.context, ...(item as TrackingCall).context } };
      const ownOffsetMs = isSentApart(call.sentAt, body.sentAt) ? senderClock.offsetMs(call.sentAt, [call.messageId]) : clockOffsetMs;
      entries.push({ index, ...receivedItemOf(kind, call, timeOf(call, ownOffsetMs), request) });
    } catch (thrown) {
      rejected.push(rejectedBy(faultOf(thrown), index));
    }
  });
  authorizeRecords(entries, caller);
  const outcome = await storeEntries(entries, caller, request.onSentNotices);
  return answerOf({ ...outcome, rejected: [...rejected, ...outcome.rejected].sort((a, b) => a.index - b.index) });
}

/** RudderStack sends the time of a call as `originalTimestamp`, and `timestamp` only if the program sets it. */
function timeOf({ timestamp, originalTimestamp }: TrackingCall, clockOffsetMs: number | null): number | null {
  return callTimeMs(timestamp ?? originalTimestamp, clockOffsetMs);
}

/** RudderStack gives each call of a batch a `sentAt` some ms before that of the batch: one offset keeps the calls of a sender in order. */
function isSentApart(sentAt: unknown, batchSentAt: unknown): boolean {
  const [ownMs, batchMs] = [instantOf(sentAt), instantOf(batchSentAt)];
  return ownMs !== null && (batchMs === null || Math.abs(ownMs - batchMs) > SAME_BATCH_MS);
}

function checkedKind(item: unknown, at: string): CallKind {
  const type = typeof item === "object" && item !== null ? (item as { type?: unknown }).type : undefined;
  const kind = CALL_KINDS.find((name) => name === type);
  if (kind === undefined) throw parameterError("invalid_parameter", `${at}.type`, `expected one of ${CALL_KINDS.join(", ")}, got ${shown(type)}`);
  checkShape(trackingBodies[kind], item, { at });
  return kind;
}

function receivedItemOf(kind: CallKind, call: TrackingCall, createdAtMs: number | null, { parseUserAgent }: TrackingRequest): ReceivedItem {
  return isRecord(kind) ? { record: kind, call, createdAtMs } : { event: eventOfCall(kind, call, createdAtMs, parseUserAgent) };
}

function isRecord(kind: EventKind | RecordKind): kind is RecordKind {
  return RECORD_KINDS.some((name) => name === kind);
}

function answerOf({ accepted, duplicates, rejected, adjusted }: TrackingOutcome): object {
  return { success: true, accepted, duplicates, ...namedRejections(rejected), adjusted };
}
