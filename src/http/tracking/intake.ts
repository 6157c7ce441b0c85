import { DaybookError, parameterError, shown } from "../../base/errors.js";
import type { ErrorCode } from "../../base/errors.js";
import { authorize } from "../access/access.js";
import { checkShape } from "../shapes/check-shape.js";
import type { Caller, Exchange } from "../routing/route.js";
import { CALL_KINDS, RECORD_KINDS, trackingBodies } from "./call.js";
import type { Call, CallKind, EventKind, RecordKind } from "./call.js";
import { eventOfCall } from "./call-event.js";
import { storeRecord } from "./call-record.js";
import { callTimeMs } from "./call-time.js";

interface Rejected {
  readonly index: number;
  readonly error: DaybookError;
}

interface Outcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly Rejected[];
}

/** One call as it goes in: where it stood, and what it is. */
interface Entry<Kind extends CallKind = CallKind> {
  readonly index: number;
  readonly kind: Kind;
  readonly call: Call;
  readonly createdAtMs: number | null;
}

type Sent = Exchange<Readonly<Record<string, unknown>>, unknown>;

/** What is wrong with one call alone; any other error is the whole request's, and the sender tries again. */
const FAULTS_OF_A_CALL: readonly ErrorCode[] = ["invalid_parameter", "unknown_parameter", "invalid_event", "suppressed", "project_not_allowed"];

/** Stores one call. That its person was erased is no mistake of the sender: it is told, but the call is not to be sent again. */
export async function takeCall(kind: CallKind, caller: Caller, exchange: Sent): Promise<object> {
  const call: Call = exchange.body;
  const createdAtMs = callTimeMs(call.timestamp, call.sentAt, exchange.receivedAtMs);
  const outcome = await store([{ index: 0, kind, call, createdAtMs }], caller, exchange);
  const error = outcome.rejected[0]?.error;
  if (error !== undefined && error.code !== "suppressed") throw error;
  return answerOf(outcome);
}

/** Stores calls of every kind; a bad one fails none of the others. @throws insufficient_scope (calls that tie ids need a scope of their own) */
export async function takeBatch(caller: Caller, exchange: Sent): Promise<object> {
  const body = exchange.body as { batch: readonly unknown[]; sentAt?: unknown; context?: Call["context"] };
  const entries: Entry[] = [];
  const rejected: Rejected[] = [];
  for (const [index, item] of body.batch.entries()) {
    try {
      const kind = checkedKind(item, `batch[${index}]`);
      const call = { ...(item as Call), context: { ...body.context, ...(item as Call).context } };
      entries.push({ index, kind, call, createdAtMs: callTimeMs(call.timestamp, call.sentAt ?? body.sentAt, exchange.receivedAtMs) });
    } catch (thrown) {
      rejected.push({ index, error: faultOf(thrown) });
    }
  }
  if (entries.some(isRecord)) authorize({ scope: "identities:write" }, caller.token);
  const outcome = await store(entries, caller, exchange);
  return answerOf({ ...outcome, rejected: [...rejected, ...outcome.rejected].sort((a, b) => a.index - b.index) });
}

function checkedKind(item: unknown, at: string): CallKind {
  const type = typeof item === "object" && item !== null ? (item as { type?: unknown }).type : undefined;
  const kind = CALL_KINDS.find((each) => each === type);
  if (kind === undefined) throw parameterError("invalid_parameter", `${at}.type`, `expected one of ${CALL_KINDS.join(", ")}, got ${shown(type)}`);
  checkShape(trackingBodies[kind], item, { at });
  return kind;
}

/** Events go in as one batch, records one by one, all at the same time: their order does not matter. */
async function store(entries: readonly Entry[], { daybook, project }: Caller, { readAgent }: Sent): Promise<Outcome> {
  const [events, records] = [entries.filter(isEvent), entries.filter(isRecord)];
  const inputs = events.map(({ kind, call, createdAtMs }) => eventOfCall(kind, call, createdAtMs, readAgent));
  const ingesting = inputs.length === 0 ? NOTHING : daybook.ingest(inputs, project === null ? {} : { project });
  const storing = records.map(({ kind, call, createdAtMs }) => storeRecord(kind, call, createdAtMs, daybook).then(() => null, faultOf));
  // Also when one fails: nothing is still being written when the answer goes out.
  await Promise.allSettled([ingesting, ...storing]);
  const [ingested, faults] = [await ingesting, await Promise.all(storing)];
  const ofEvents = ingested.rejected.map(({ index, code, message }) => ({
    index: events[index]?.index ?? 0,
    error: new DaybookError(code as ErrorCode, message),
  }));
  const ofRecords = faults.flatMap((error, at) => (error === null ? [] : [{ index: records[at]?.index ?? 0, error }]));
  const accepted = ingested.accepted + records.length - ofRecords.length;
  return { accepted, duplicates: ingested.duplicates, rejected: [...ofEvents, ...ofRecords] };
}

const NOTHING = { accepted: 0, duplicates: 0, rejected: [] };

function isRecord(entry: Entry): entry is Entry<RecordKind> {
  return RECORD_KINDS.some((kind) => kind === entry.kind);
}

function isEvent(entry: Entry): entry is Entry<EventKind> {
  return !isRecord(entry);
}

/** The fault of one call. @throws anything else */
function faultOf(thrown: unknown): DaybookError {
  if (thrown instanceof DaybookError && FAULTS_OF_A_CALL.includes(thrown.code)) return thrown;
  throw thrown;
}

function answerOf({ accepted, duplicates, rejected }: Outcome): object {
  return { success: true, accepted, duplicates, rejected: rejected.map(({ index, error }) => ({ index, code: error.code, message: error.message })) };
}
