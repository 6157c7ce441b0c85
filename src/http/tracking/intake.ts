import { parameterError, shown } from "../../base/errors.js";
import { instantOf } from "../../schema/moment.js";
import { namedRejections } from "../answer/named-rejections.js";
import { checkShape } from "../shapes/check-shape.js";
import type { Caller, Exchange } from "../routing/route.js";
import { CALL_KINDS, RECORD_KINDS, trackingBodies } from "./call.js";
import type { Call, CallKind, EventKind, RecordKind } from "./call.js";
import { eventOfCall } from "./call-event.js";
import { callTimeMs } from "./call-time.js";
import { faultOf } from "./fault-of.js";
import { eachInTurns } from "./in-turns.js";
import { objectOf } from "./members.js";
import { authorizeRecords, errorOf, rejectedBy, storeEntries } from "./store-entries.js";
import type { Entry, Outcome, Rejected, Told } from "./store-entries.js";

const SENT_TOGETHER_MS = 1_000;

type Sent = Exchange<Readonly<Record<string, unknown>>, unknown>;

/** Stores one call. That its person was erased is no mistake of the sender: it is told, but the call is not to be sent again. */
export async function takeCall(kind: CallKind, caller: Caller, exchange: Sent): Promise<object> {
  const call: Call = exchange.body;
  const createdAtMs = timeOf(call, exchange.senderClock.offsetMs(call.sentAt, [call.messageId]));
  const outcome = await storeEntries([{ index: 0, ...toldBy(kind, call, createdAtMs, exchange) }], caller, exchange.onSentNotices);
  const [rejected] = outcome.rejected;
  if (rejected !== undefined && rejected.code !== "suppressed") throw errorOf(rejected);
  return answerOf(outcome);
}

/** Stores calls of every kind; a bad one fails none of the others. @throws insufficient_scope (calls that tie ids need a scope of their own) */
export async function takeBatch(caller: Caller, exchange: Sent): Promise<object> {
  const body = exchange.body as { batch: readonly unknown[]; sentAt?: unknown; context?: Call["context"] };
  const entries: Entry[] = [];
  const rejected: Rejected[] = [];
  const { senderClock } = exchange;
  const clockOffsetMs = senderClock.offsetMs(body.sentAt, body.batch.map((item) => objectOf(item)["messageId"]));
  await eachInTurns(body.batch, (item, index) => {
    try {
      const kind = checkedKind(item, `batch[${index}]`);
      const call = { ...(item as Call), context: { ...body.context, ...(item as Call).context } };
      const ownOffsetMs = isSentApart(call.sentAt, body.sentAt) ? senderClock.offsetMs(call.sentAt, [call.messageId]) : clockOffsetMs;
      entries.push({ index, ...toldBy(kind, call, timeOf(call, ownOffsetMs), exchange) });
    } catch (thrown) {
      rejected.push(rejectedBy(faultOf(thrown), index));
    }
  });
  authorizeRecords(entries, caller);
  const outcome = await storeEntries(entries, caller, exchange.onSentNotices);
  return answerOf({ ...outcome, rejected: [...rejected, ...outcome.rejected].sort((a, b) => a.index - b.index) });
}

/** Of RudderStack `timestamp` is only what a program tells; the client has the time of a call under another name. */
function timeOf({ timestamp, originalTimestamp }: Call, clockOffsetMs: number | null): number | null {
  return callTimeMs(timestamp ?? originalTimestamp, clockOffsetMs);
}

/** RudderStack says of each call of a batch when it was sent, some ms before the batch: calls of one sender keep their order by one offset. */
function isSentApart(sentAt: unknown, batchSentAt: unknown): boolean {
  const [ownMs, batchMs] = [instantOf(sentAt), instantOf(batchSentAt)];
  return ownMs !== null && (batchMs === null || Math.abs(ownMs - batchMs) > SENT_TOGETHER_MS);
}

function checkedKind(item: unknown, at: string): CallKind {
  const type = typeof item === "object" && item !== null ? (item as { type?: unknown }).type : undefined;
  const kind = CALL_KINDS.find((each) => each === type);
  if (kind === undefined) throw parameterError("invalid_parameter", `${at}.type`, `expected one of ${CALL_KINDS.join(", ")}, got ${shown(type)}`);
  checkShape(trackingBodies[kind], item, { at });
  return kind;
}

function toldBy(kind: CallKind, call: Call, createdAtMs: number | null, { readAgent }: Sent): Told {
  return isRecord(kind) ? { record: kind, call, createdAtMs } : { event: eventOfCall(kind, call, createdAtMs, readAgent) };
}

function isRecord(kind: EventKind | RecordKind): kind is RecordKind {
  return RECORD_KINDS.some((each) => each === kind);
}

function answerOf({ accepted, duplicates, rejected, adjusted }: Outcome): object {
  return { success: true, accepted, duplicates, ...namedRejections(rejected), adjusted };
}
