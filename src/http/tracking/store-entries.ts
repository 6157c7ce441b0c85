import { DaybookError } from "../../base/errors.js";
import type { ErrorCode } from "../../base/errors.js";
import type { EventInput } from "../../schema/event.js";
import { authorize } from "../access/access.js";
import type { Caller } from "../routing/route.js";
import type { Call, RecordKind } from "./call.js";
import { storeRecord } from "./call-record.js";
import { faultOf } from "./fault-of.js";

/** What one thing that was sent is: an event. */
export interface ToldEvent {
  readonly event: EventInput;
}

/** What one thing that was sent is: a record that tells who is who. */
export interface ToldRecord {
  readonly record: RecordKind;
  readonly call: Call;
  readonly createdAtMs: number | null;
}

export type Told = ToldEvent | ToldRecord;

/** The same with where it stood among all that was sent. */
export type Entry = Told & { readonly index: number };

export interface Rejected {
  readonly index: number;
  readonly error: DaybookError;
}

export interface Outcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly Rejected[];
}

/** @throws insufficient_scope (what ties ids needs a scope of its own) */
export function authorizeRecords(entries: readonly Entry[], { token }: Caller): void {
  if (entries.some(isRecord)) authorize({ scope: "identities:write" }, token);
}

/** Stores what was sent, a bad one alone fails. Events go in as one batch, records one by one, all at the same time: their order does not matter. */
export async function storeEntries(entries: readonly Entry[], { daybook, project }: Caller): Promise<Outcome> {
  const [events, records] = [entries.filter(isEvent), entries.filter(isRecord)];
  const ingesting = events.length === 0 ? NOTHING : daybook.ingest(events.map(({ event }) => event), project === null ? {} : { project });
  const storing = records.map(({ record, call, createdAtMs }) => storeRecord(record, call, createdAtMs, daybook).then(() => null, faultOf));
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

function isRecord(entry: Entry): entry is Entry & ToldRecord {
  return "record" in entry;
}

function isEvent(entry: Entry): entry is Entry & ToldEvent {
  return "event" in entry;
}
