/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { KEY_DICTIONARY, SHAPE_COLUMN, SHAPE_DICTIONARY, metadataColumn, FIELDS, PROJECT_COLUMN } from "../../core/schema/fields.js";
import type { Rows } from "../../storage/segment/rows.js";
import { CodeChecker } from "../verify/verify-dictionaries.js";
import { DaybookError } from "../../core/base/errors.js";
import { dayOf } from "../../core/base/time.js";
import type { Dictionaries, DictionaryDelta } from "../../storage/column/dictionaries.js";
import { Head } from "../../storage/segment/head.js";
import { MemoryBudget } from "../../storage/segment/memory-budget.js";
import type { Batch, RecordBatch } from "../batch/batch.js";
import { decodeBatch, decodeRecords } from "../batch/batch-bytes.js";
import { replayJournal } from "../journal/journal.js";
import { listJournals, readJournal } from "../journal/journal-file.js";
import { FRAME_KINDS, findFrames, type Frame } from "../journal/journal-frame.js";
import type { Manifest } from "../files/manifest.js";
import type { Storage } from "../storage/storage.js";

/** Finds codes that lost their value with a damaged file: data that uses them is unreadable. */
export class ReadableCodes extends CodeChecker {
  readonly #shapes = new Map<number, boolean>();

  has(dictionary: string, code: number): boolean {
    if (code === 0) return true;
    return dictionary === SHAPE_DICTIONARY ? this.#hasShape(code) : this.faultOf(dictionary, code) === null;
  }

  #hasShape(code: number): boolean {
    let known = this.#shapes.get(code);
    if (known === undefined) {
      known = this.faultOf(SHAPE_DICTIONARY, code) === null;
      if (known) known = this.dictionaries.keysOfShape(code).every((key) => this.faultOf(KEY_DICTIONARY, key) === null);
      this.#shapes.set(code, known);
    }
    return known;
  }
}

/** Numbers of the rows all of whose codes have values; all columns must be loaded. Cost: one check per code. */
export function readableRows(rows: Rows, readable: ReadableCodes): Uint32Array {
  const isLost = new Uint8Array(rows.rowCount);
  for (const name of rows.columnNames()) {
    const column = rows.column(name);
    const isKeyLost = /^m\d+$/.test(name) && !readable.has(KEY_DICTIONARY, Number(name.slice(1)));
    for (let at = 0; at < column.codes.length; at += 1) {
      const code = column.codes[at]!;
      if (code !== 0 && (isKeyLost || !readable.has(name, code))) isLost[column.kind === "sparse" ? column.rows[at]! : at] = 1;
    }
  }
  return Uint32Array.from(isLost.keys()).filter((row) => isLost[row] === 0);
}

/** Number of metadata values of a row; null if its shape is lost, and thus the position of all values after it. */
export function valueCountOf(shape: number, readable: ReadableCodes): number | null {
  return readable.has(SHAPE_COLUMN, shape) ? readable.dictionaries.keysOfShape(shape).length : null;
}

/** Whether the metadata values of a row, starting at `valuesAt`, are readable. */
export function areValuesReadable(shape: number, values: Uint32Array, valuesAt: number, readable: ReadableCodes): boolean {
  return readable.dictionaries.keysOfShape(shape).every((key, at) => readable.has(metadataColumn(key), values[valuesAt + at]!));
}

/** A journal that strict reading refuses. */
export interface BrokenJournal {
  readonly number: number;
  readonly keys: readonly string[];
  readonly byteLength: number;
  readonly reason: string;
  /** Events and records in lost frames, of unknown days. */
  lostCount: number;
}

export interface SalvagedJournals {
  readonly broken: readonly BrokenJournal[];
  readonly rows: readonly { readonly batch: Batch; readonly firstSequence: number; readonly journal: number }[];
  readonly records: readonly RecordBatch[];
  readonly nextSequence: number;
  /** Number of the newest journal; 0 if there is none. */
  readonly lastNumber: number;
}

/** Adds values after any gap that a lost file left, whose codes stay blank. Returns false if they contradict earlier values. */
export function applyBehindGap(dictionaries: Dictionaries, delta: DictionaryDelta): boolean {
  const dictionary = dictionaries.named(delta.name);
  while (dictionary.size < delta.start) dictionary.add("");
  return dictionaries.apply(delta);
}

/** Reads every undamaged frame of the live journals, before and after broken ones. */
export async function salvageJournals(storage: Storage, manifest: Manifest, dictionaries: Dictionaries): Promise<SalvagedJournals> {
  const broken: BrokenJournal[] = [];
  const rows: { batch: Batch; firstSequence: number; journal: number }[] = [];
  const records: RecordBatch[] = [];
  let nextSequence = manifest.nextSequence;
  let last: BrokenJournal = { number: manifest.firstJournal, keys: [], byteLength: 0, reason: "", lostCount: 0 };
  let ended = false;
  const numbers = (await listJournals(storage)).filter((live) => live >= manifest.firstJournal);
  for (const number of numbers) {
    const { keys, bytes } = await readJournal(storage, number);
    const strict = readStrictly(keys[0] ?? "", bytes, nextSequence);
    const journal = { number, keys, byteLength: bytes.length, reason: strict.fault ?? "", lostCount: 0 };
    for (const frame of strict.fault === null ? strict.frames : findFrames(bytes, 0)) {
      // Left from before, or not a frame of this chain.
      if (frame.firstSequence < nextSequence) continue;
      journal.lostCount += frame.firstSequence - nextSequence;
      nextSequence = frame.firstSequence + frame.recordCount;
      if (frame.kind === FRAME_KINDS.end) continue;
      const { deltas, batch } = frame.kind === FRAME_KINDS.rows ? decodeBatch(frame.payload) : decodeRecords(frame.payload, frame.firstSequence);
      for (const delta of deltas) applyBehindGap(dictionaries, delta);
      if ("records" in batch) records.push(batch);
      else if (batch.rowCount > 0) rows.push({ batch, firstSequence: frame.firstSequence, journal: number });
    }
    if (strict.frames.length > 0 || strict.ended || number === manifest.firstJournal) [ended, last] = [strict.ended, journal];
    if (strict.fault !== null) broken.push(journal);
  }
  if (manifest.clean && !ended && broken.length === 0) broken.push({ ...last, reason: "the store was closed cleanly, but its journal does not end with the end mark" });
  return { broken, rows, records, nextSequence, lastNumber: numbers.at(-1) ?? 0 };
}

/** Reads the frames of a journal as an opening does, or returns why an opening would refuse it. */
function readStrictly(key: string, bytes: Uint8Array, nextSequence: number): { readonly fault: string | null; readonly frames: readonly Frame[]; readonly ended: boolean } {
  const frames: Frame[] = [];
  try {
    const replay = replayJournal(key, bytes, nextSequence, (frame) => frames.push(frame));
    return { fault: null, frames, ended: replay.ended && replay.goodByteLength === bytes.length };
  } catch (error) {
    if (error instanceof DaybookError && error.code === "corruption") return { fault: error.message, frames: [], ended: false };
    throw error;
  }
}

/** Salvaged heads are only written: no budget for derived data. */
const NOTHING_KEPT = new MemoryBudget(0);

/** Appends the rows of a batch all of whose codes have values to the heads of their days. Returns the number of lost rows by day. */
export function appendReadable(heads: Map<number, Head>, batch: Batch, firstSequence: number, readable: ReadableCodes): Map<number, number> {
  const { rowCount, times, codes, shapes, values } = batch;
  const lost = new Map<number, number>();
  const keysOf = (shape: number) => readable.dictionaries.keysOfShape(shape);
  let valuesAt: number | null = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const day = dayOf(times[row]!);
    const valueCount: number | null = valueCountOf(shapes[row]!, readable);
    const hasFields = FIELDS.every(({ column }, field) => readable.has(column, codes[field]![row]!));
    if (valuesAt !== null && valueCount !== null && hasFields && areValuesReadable(shapes[row]!, values, valuesAt, readable)) {
      const head = heads.get(day) ?? new Head(day, NOTHING_KEPT, readable.dictionaries.named(PROJECT_COLUMN));
      heads.set(day, head);
      head.append(batch, row, row + 1, firstSequence, valuesAt, keysOf);
    } else lost.set(day, (lost.get(day) ?? 0) + 1);
    valuesAt = valuesAt === null || valueCount === null ? null : valuesAt + valueCount;
  }
  return lost;
}
