import { LIMITS } from "../../core/base/limits.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS, RECORD_FIELD_COUNT, RECORD_KINDS, RecordTable } from "../../identity/record-table.js";
import type { Findings } from "../files/findings.js";
import type { RecordBatch } from "../batch/batch.js";
import type { CodeChecker } from "./verify-dictionaries.js";

/** Sequences per part: 8 KiB of bits. */
const PART_COUNT = 1 << 16;

/** A set of sequences, one bit each, in parts allocated on first use. */
export class SequenceSet {
  readonly #parts = new Map<number, Uint32Array>();

  /** Returns false if the sequence is already in the set. */
  add(sequence: number): boolean {
    const key = Math.floor(sequence / PART_COUNT);
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = new Uint32Array(PART_COUNT / 32);
      this.#parts.set(key, part);
    }
    const at = (sequence % PART_COUNT) >>> 5;
    const bit = 1 << (sequence & 31);
    const word = part[at] as number;
    if ((word & bit) !== 0) return false;
    part[at] = word | bit;
    return true;
  }
}

/** Checks records file by file, in order: codes have values, ids are unique, sequences ascend and belong to no row. */
export class RecordChecker {
  readonly table = new RecordTable();
  #lastSequence = 0;

  constructor(
    readonly findings: Findings,
    /** Sequences of all rows and records. */
    readonly sequences: SequenceSet,
  ) {}

  /** @param nextSequence all sequences must be below it */
  add(file: string, { records, brought }: RecordBatch, judge: CodeChecker, nextSequence = Infinity): void {
    const { findings, table } = this;
    for (const field of ["userId", "anonymousId", "companyId"] as const)
      for (const code of brought[field]) {
        const fault = judge.faultOf(field, code);
        if (fault !== null || code === 0) findings.add(file, `ids with a value in its list of ${field}`, fault ?? "code 0");
      }
    for (let row = 0; row < records.rowCount; row += 1) {
      const kind = records.kinds[row] ?? 0;
      const place = `in record ${row}`;
      const known = table.find(records.ids, row * 16);
      if (kind < RECORD_KINDS.identify || kind > RECORD_KINDS.unlink) findings.add(file, `a kind from 1 to 4 ${place}`, String(kind));
      else if (kind !== RECORD_KINDS.unlink && known !== -1) findings.add(file, `a unique id ${place}`, `the id of record ${known}`);
      const ms = records.times[row] ?? NaN;
      if (!(Math.abs(ms) <= LIMITS.instantMaxMs)) findings.add(file, `a time ${place}`, String(ms));
      const sequence = records.sequences[row] ?? 0;
      if (sequence <= this.#lastSequence) findings.add(file, `a sequence above ${this.#lastSequence} ${place}`, String(sequence));
      else if (sequence >= nextSequence) findings.add(file, `a sequence below ${nextSequence} ${place}`, String(sequence));
      else if (!this.sequences.add(sequence)) findings.add(file, `a unique sequence ${place}`, `${sequence}, which another row or record has`);
      this.#lastSequence = Math.max(this.#lastSequence, sequence);
      RECORD_FIELDS.forEach((field, at) => {
        const fault = judge.faultOf(DICTIONARY_OF_FIELD[field], records.codes[row * RECORD_FIELD_COUNT + at] ?? 0);
        if (fault !== null) findings.add(file, `a ${field} with a value ${place}`, fault);
      });
      table.append(kind, ms, records.ids, row * 16, records.sequences[row] ?? 0, records.codes, row * RECORD_FIELD_COUNT);
    }
  }
}

/** Checks the text of privacy requests: JSON, unique ids, hashes of erased ids. */
export function verifyPrivacy(file: string, text: string, findings: Findings): void {
  let book: { requests?: unknown; suppressed?: unknown } | null;
  try {
    book = JSON.parse(text) as typeof book;
  } catch {
    return findings.add(file, "JSON", "text that is not JSON");
  }
  const { requests, suppressed } = book ?? {};
  if (!Array.isArray(requests) || !Array.isArray(suppressed)) return findings.add(file, "lists of requests and of erased ids", "something else");
  const ids = requests.map((request: { id?: unknown } | null) => request?.id);
  if (ids.some((id) => typeof id !== "string") || new Set(ids).size < ids.length) findings.add(file, "a unique id in each privacy request", "missing or duplicate ids");
  const isHash = (entry: unknown) => Array.isArray(entry) && /^[0-9a-f]{32}$/.test(String(entry[0])) && typeof entry[1] === "number";
  if (!suppressed.every(isHash)) findings.add(file, "hashes and times of erased ids", "something else");
}
