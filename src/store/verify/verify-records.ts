import { getOrMake } from "../../core/base/arrays.js";
import { LIMITS } from "../../core/base/limits.js";
import { KEY_DICTIONARY, SHAPE_DICTIONARY } from "../../core/schema/fields.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS, RECORD_FIELD_COUNT, RECORD_KINDS, RecordTable } from "../../identity/record-table.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { RecordBatch } from "../batch/batch.js";
import type { Findings } from "../files/findings.js";

/** Named by findings about values, which may be in any of several files. */
const FILE = "dictionaries/";
/** The record dictionary whose values are JSON; those of metadata keys, also JSON, are named `m1`, `m2`, … */
const TRAITS = "traits";

/** Checks the values: no value has two codes, JSON parses, shapes list existing keys. Cost: a set of one dictionary's values. */
export function verifyDictionaries(dictionaries: Dictionaries, findings: Findings): void {
  for (const name of dictionaries.sizes().keys()) {
    const { values } = dictionaries.named(name);
    const isJson = name === TRAITS || /^m\d+$/.test(name);
    const known = new Set<string>();
    for (let code = 1; code < values.length; code += 1) {
      const value = values[code] ?? "";
      // The value was erased.
      if (value === "") continue;
      if (known.has(value)) findings.add(FILE, `one code for each value of ${name}`, `code ${code} has the value of an earlier code`);
      known.add(value);
      if (!value.isWellFormed()) findings.add(FILE, `Unicode in ${name}`, `code ${code} has half a surrogate pair`);
      if (isJson && !isJsonText(value)) findings.add(FILE, `JSON texts in ${name}`, `code ${code} is not JSON`);
      if (name === KEY_DICTIONARY && !value.startsWith(".")) findings.add(FILE, "a dot before each metadata key", `code ${code} has none`);
      if (name === SHAPE_DICTIONARY) verifyShape(value, code, dictionaries, findings);
    }
    const key = /^m(\d+)$/.exec(name);
    if (key !== null && Number(key[1]) >= dictionaries.keys.size) findings.add(FILE, `a metadata key with the code ${key[1]}`, `values for it, but only ${dictionaries.keys.size - 1} keys`);
  }
}

function verifyShape(value: string, code: number, dictionaries: Dictionaries, findings: Findings): void {
  const keys = value.split(",").map(Number);
  const isList = keys.every((key) => Number.isInteger(key) && key > 0 && key < dictionaries.keys.size);
  if (!isList || new Set(keys).size < keys.length) findings.add(FILE, "shapes that list metadata keys, each once", `shape ${code} does not`);
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks that codes have a value in the dictionaries of a snapshot. */
export class CodeChecker {
  readonly #blanks = new Map<string, ReadonlySet<number>>();

  /** @param sizes dictionary sizes of the snapshot; absent: the current ones */
  constructor(
    readonly dictionaries: Dictionaries,
    readonly sizes?: ReadonlyMap<string, number>,
  ) {}

  /** Why no row may have this code; null for a valid one. The caller checks code 0 (not set). */
  faultOf(dictionary: string, code: number): string | null {
    const size = this.sizeOf(dictionary);
    if (code >= size) return `code ${code} of ${dictionary}, whose size is ${size}`;
    return this.blanksOf(dictionary).has(code) ? `code ${code} of ${dictionary}, whose value is missing` : null;
  }

  sizeOf(dictionary: string): number {
    return this.sizes === undefined ? this.dictionaries.named(dictionary).size : (this.sizes.get(dictionary) ?? 1);
  }

  /** Codes without a value: erased, or lost with a damaged file. */
  blanksOf(dictionary: string): ReadonlySet<number> {
    return getOrMake(this.#blanks, dictionary, () => {
      const { values } = this.dictionaries.named(dictionary);
      const blanks = new Set<number>();
      for (let code = values.indexOf("", 1); code !== -1; code = values.indexOf("", code + 1)) blanks.add(code);
      return blanks;
    });
  }
}

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
  add(file: string, { records, recordOnlyIds }: RecordBatch, judge: CodeChecker, nextSequence = Infinity): void {
    const { findings, table } = this;
    for (const field of ["userId", "anonymousId", "companyId"] as const)
      for (const code of recordOnlyIds[field]) {
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
      table.copy(records, row);
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
