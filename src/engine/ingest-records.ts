import { DaybookError, parameterError, shown } from "../base/errors.js";
import { decodeRecord } from "../identity/decode-record.js";
import type { DecodedRecord, NamedProject, RecordContext } from "../identity/decode-record.js";
import type { IngestResult, RejectedEvent } from "../schema/event.js";
import type { IngestQueue } from "./ingest-queue.js";

/** Stores records of every type, each checked by itself. @throws invalid_parameter (records is not an array), and what a commit throws */
export async function ingestRecords(records: unknown, context: RecordContext, queue: IngestQueue): Promise<IngestResult> {
  if (!Array.isArray(records)) throw parameterError("invalid_parameter", "records", `expected an array, got ${shown(records)}`);
  const rejected: RejectedEvent[] = [];
  const taken: (DecodedRecord | NamedProject)[] = [];
  /** Places of those that were taken. */
  const places: number[] = [];
  for (const [index, record] of records.entries()) {
    try {
      taken.push(decodeRecord(record, context));
      places.push(index);
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error;
      rejected.push({ index, code: error.code, message: error.message });
    }
  }
  const [accepted, duplicates] = taken.length === 0 ? [0, 0] : await store();
  return { accepted, duplicates, rejected: rejected.sort((a, b) => a.index - b.index) };

  async function store(): Promise<[accepted: number, duplicates: number]> {
    const outcomes = await queue.addRecords(taken);
    for (const [at, outcome] of outcomes.entries())
      if (outcome instanceof DaybookError) rejected.push({ index: places[at] ?? 0, code: outcome.code, message: outcome.message });
    const countOf = (wanted: "accepted" | "duplicate") => outcomes.filter((outcome) => outcome === wanted).length;
    return [countOf("accepted"), countOf("duplicate")];
  }
}
