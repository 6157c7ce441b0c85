import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { isoOf } from "../../core/base/time.js";
import { decodeRecord } from "../../identity/decode-record.js";
import type { RecordContext } from "../../identity/decode-record.js";
import type { AdjustedEvent, IngestResult, RejectedEvent } from "../../core/schema/event.js";
import type { IngestQueue } from "./queue.js";

/** Stores records of every type, each validated by itself. @throws invalid_parameter (records is not an array), and what a commit throws */
export async function ingestRecords(records: unknown, context: RecordContext, queue: IngestQueue): Promise<IngestResult> {
  if (!Array.isArray(records)) throw parameterError("invalid_parameter", "records", `expected an array, got ${shown(records)}`);
  const outcomes = await queue.addRecords(records, (record) => decodeRecord(record, context));
  const rejected: RejectedEvent[] = [];
  const adjusted: AdjustedEvent[] = [];
  const counts = { accepted: 0, adjusted: 0, duplicate: 0 };
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof DaybookError) rejected.push({ index, code: outcome.code, message: outcome.message });
    else counts[outcome] += 1;
    if (outcome === "adjusted") adjusted.push({ index, createdAt: isoOf(context.nowMs) });
  }
  return { accepted: counts.accepted + counts.adjusted, duplicates: counts.duplicate, rejected, adjusted };
}
