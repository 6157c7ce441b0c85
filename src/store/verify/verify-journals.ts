import { DaybookError } from "../../core/base/errors.js";
import { dayOf } from "../../core/base/time.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { FIELDS, PROJECT_COLUMN, SHAPE_COLUMN, fieldIndex, metadataColumn } from "../../core/schema/fields.js";
import type { Batch } from "../batch/batch.js";
import { decodeBatch, decodeRecords } from "../batch/batch-bytes.js";
import type { Findings } from "../files/findings.js";
import { journalKey, replayJournal } from "../journal/journal.js";
import { listJournals, readJournal } from "../journal/journal-file.js";
import { FRAME_KINDS } from "../journal/journal-frame.js";
import type { Manifest } from "../files/manifest.js";
import type { SequenceSet, RecordChecker } from "./verify-records.js";
import type { Storage } from "../storage/storage.js";
import { CodeChecker } from "./verify-dictionaries.js";

export interface JournaledEvents {
  readonly file: string;
  readonly ids: Uint8Array;
  readonly projects: Uint32Array;
}

export interface JournalChecks {
  readonly dictionaries: Dictionaries;
  readonly records: RecordChecker;
  readonly sequences: SequenceSet;
  readonly findings: Findings;
}

/** The contents of the live journals. */
export interface VerifiedJournals {
  readonly fileCount: number;
  readonly byteLength: number;
  readonly rowCount: number;
  readonly days: ReadonlySet<number>;
  /** Events, one entry per frame with rows: ids of 16 bytes and the codes of their projects. */
  readonly events: readonly JournaledEvents[];
  /** Bytes after the last whole frame: an unfinished write that was never acknowledged. */
  readonly tornByteLength: number;
}

/** Checks the live journals: chain, checksums, sequences without gaps, codes that have values. Loads one journal at a time. */
export async function verifyJournals(storage: Storage, manifest: Manifest, laws: JournalChecks): Promise<VerifiedJournals> {
  const { findings } = laws;
  const found = { fileCount: 0, byteLength: 0, rowCount: 0, tornByteLength: 0 };
  const events: JournaledEvents[] = [];
  const days = new Set<number>();
  let nextSequence = manifest.nextSequence;
  let ended = false;
  let isBroken = false;
  // Frames never bring erased values, so one set of codes without values serves all of them.
  const judge = new CodeChecker(laws.dictionaries);
  for (const number of (await listJournals(storage)).filter((live) => live >= manifest.firstJournal)) {
    const { keys, bytes } = await readJournal(storage, number);
    const file = keys[0] ?? journalKey(number);
    found.fileCount += 1;
    found.byteLength += bytes.length;
    if (isBroken) continue;
    try {
      const replay = replayJournal(file, bytes, nextSequence, (frame) => {
        const isRows = frame.kind === FRAME_KINDS.rows;
        const { deltas, batch } = isRows ? decodeBatch(frame.payload) : decodeRecords(frame.payload, frame.firstSequence);
        for (const delta of deltas)
          if (!laws.dictionaries.apply(delta)) throw new DaybookError("corruption", `values of ${delta.name} from code ${delta.start} on contradict the earlier ones`);
        if ("records" in batch) return laws.records.add(file, batch, judge);
        verifyRows(file, batch, frame.firstSequence, laws, judge);
        if (batch.rowCount > 0) events.push({ file, ids: batch.ids, projects: batch.codes[fieldIndex(PROJECT_COLUMN)] ?? new Uint32Array(0) });
        for (const time of batch.times) days.add(dayOf(time));
        found.rowCount += batch.rowCount;
      });
      if (replay.frameCount > 0 || number === manifest.firstJournal) ended = replay.ended && replay.goodByteLength === bytes.length;
      nextSequence = replay.nextSequence;
      found.tornByteLength += bytes.length - replay.goodByteLength;
    } catch (error) {
      isBroken = true;
      findings.add(file, "whole frames without gaps", error instanceof Error ? error.message : String(error));
    }
  }
  if (manifest.clean && manifest.epoch > 0 && !ended && !isBroken)
    findings.add(journalKey(manifest.firstJournal), "an end mark with nothing after it, as the store was closed cleanly", "a different end");
  return { ...found, days, events };
}

function verifyRows(file: string, batch: Batch, firstSequence: number, { findings, sequences, dictionaries }: JournalChecks, judge: CodeChecker): void {
  const { rowCount, times, codes, shapes, values } = batch;
  const check = (row: number, dictionary: string, code: number) => {
    const fault = judge.faultOf(dictionary, code);
    if (fault !== null) findings.add(file, `codes with a value in the row of sequence ${firstSequence + row}`, fault);
  };
  let valuesAt = 0;
  for (let row = 0; row < rowCount; row += 1) {
    if (!Number.isInteger(times[row])) findings.add(file, `a time in the row of sequence ${firstSequence + row}`, String(times[row]));
    if (!sequences.add(firstSequence + row)) findings.add(file, "a unique sequence in each row", `${firstSequence + row} again`);
    FIELDS.forEach(({ column }, field) => check(row, column, codes[field]?.[row] ?? 0));
    const shape = shapes[row] ?? 0;
    check(row, SHAPE_COLUMN, shape);
    if (judge.faultOf(SHAPE_COLUMN, shape) !== null) return;
    for (const key of dictionaries.keysOfShape(shape)) {
      check(row, metadataColumn(key), values[valuesAt] ?? 0);
      valuesAt += 1;
    }
  }
  if (valuesAt !== values.length) findings.add(file, `${valuesAt} metadata values from sequence ${firstSequence} on, as the shapes of the rows require`, String(values.length));
}
