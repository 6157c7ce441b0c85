import { grown, mergedSorted } from "../core/base/arrays.js";
import { compareIds } from "../core/base/uuid.js";
import { IdIndex } from "../storage/segment/event-order.js";
import { countBefore } from "../core/base/search.js";
import { isoOf } from "../core/base/time.js";
import type { StoredRecord } from "../core/schema/record.js";
import { emailOfTraits } from "./emails.js";

/** The record after which a page begins; an unlink sorts after the record of its id. */
export interface RecordPlace {
  readonly createdAtMs: number;
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly isUnlink: boolean;
}

/** The rows of a table in (createdAt, id) order. Each call sorts only the rows that are new since the last. Takes 4 bytes a record. */
class RecordOrder {
  #order: Uint32Array = new Uint32Array(0);
  #seenCount = 0;

  constructor(readonly table: RecordTable) {}

  get byteLength(): number {
    return this.#order.byteLength;
  }

  /** All rows, or those after a position; later calls do not change the result. Cost: a merge with the new rows, and a binary search. */
  rows(after: RecordPlace | null): Uint32Array {
    const { rowCount } = this.table;
    if (rowCount > this.#seenCount) {
      this.#order = mergedSorted(this.#order, this.#newRows(), this.#compare);
      this.#seenCount = rowCount;
    }
    return after === null ? this.#order : this.#order.subarray(this.#firstBehind(after));
  }

  #newRows(): Uint32Array {
    const { table } = this;
    const rows = Uint32Array.from({ length: table.rowCount - this.#seenCount }, (_, at) => this.#seenCount + at);
    // Older stores may hold two unlinks of one record.
    return rows.filter((row) => !table.isUnlink(row) || table.findUnlink(table.ids, row * 16) === row).sort(this.#compare);
  }

  readonly #compare = (a: number, b: number) => this.table.compare(a, b) || Number(this.table.isUnlink(a)) - Number(this.table.isUnlink(b));

  #firstBehind({ createdAtMs, id, isUnlink }: RecordPlace): number {
    const { table } = this;
    return countBefore(this.#order.length, (at) => {
      const row = this.#order[at] as number;
      return (table.timeOf(row) - createdAtMs || compareIds(table.ids, row * 16, id, 0) || Number(table.isUnlink(row)) - Number(isUnlink)) <= 0;
    });
  }
}

/** Kinds of records: see `record.ts`. An unlink has the id of the record it undoes. */
export const RECORD_KINDS = { identify: 1, group: 2, alias: 3, unlink: 4 } as const;

/**
 * Fields of a record, each a code of its dictionary (0: none). An alias has its `to` in userId and its `from` in both other id columns, because it
 * may be either kind of id.
 */
export const RECORD_FIELDS = ["userId", "anonymousId", "fromUserId", "email", "companyId", "traits"] as const;
export type RecordField = (typeof RECORD_FIELDS)[number];

export const RECORD_FIELD_COUNT = RECORD_FIELDS.length;

/** The dictionary of a field's values. */
export const DICTIONARY_OF_FIELD: Readonly<Record<RecordField, string>> = {
  userId: "userId",
  anonymousId: "anonymousId",
  fromUserId: "userId",
  email: "email",
  companyId: "companyId",
  traits: "traits",
};

/** Records as columns, in order of arrival: 53 bytes each, without texts. */
export interface RecordColumns {
  readonly rowCount: number;
  readonly kinds: Uint8Array;
  /** Epoch ms. */
  readonly times: Float64Array;
  /** 16 bytes a row. */
  readonly ids: Uint8Array;
  /** Store sequences, ascending; 0 when unknown: not committed yet, or sealed by a version that stored none. */
  readonly sequences: Uint32Array;
  /** rows × fields. */
  readonly codes: Uint32Array;
}

/** All records of a store. */
export class RecordTable implements RecordColumns {
  rowCount = 0;
  kinds = new Uint8Array(64);
  times = new Float64Array(64);
  ids = new Uint8Array(64 * 16);
  sequences = new Uint32Array(64);
  codes = new Uint32Array(64 * RECORD_FIELD_COUNT);
  /** Rows by id. */
  readonly #index = new IdIndex();
  readonly inOrder = new RecordOrder(this);

  get byteLength(): number {
    const { kinds, times, ids, sequences, codes } = this;
    const ofColumns = kinds.byteLength + times.byteLength + ids.byteLength + sequences.byteLength + codes.byteLength;
    return ofColumns + this.#index.byteLength + this.inOrder.byteLength;
  }

  /** Adds one row, with the codes from `codesAt` on. Returns its number. */
  append(kind: number, createdAtMs: number, ids: Uint8Array, idAt: number, sequence: number, codes: Uint32Array, codesAt: number): number {
    const row = this.rowCount;
    if (row === this.times.length) this.#grow();
    this.kinds[row] = kind;
    this.times[row] = createdAtMs;
    this.ids.set(ids.subarray(idAt, idAt + 16), row * 16);
    this.sequences[row] = sequence;
    this.codes.set(codes.subarray(codesAt, codesAt + RECORD_FIELD_COUNT), row * RECORD_FIELD_COUNT);
    this.rowCount = row + 1;
    return row;
  }

  /** Adds a row of other records. Returns its number. */
  copy({ kinds, times, ids, sequences, codes }: RecordColumns, row: number): number {
    return this.append(kinds[row] as number, times[row] as number, ids, row * 16, sequences[row] as number, codes, row * RECORD_FIELD_COUNT);
  }

  /** The first record of an id that is no unlink; -1 when missing. */
  find(id: Uint8Array, offset = 0): number {
    return this.#index.find(this.ids.subarray(0, this.rowCount * 16), id, offset, (row) => !this.isUnlink(row));
  }

  /** The first unlink of an id; -1 when missing. It may have arrived before its record. */
  findUnlink(id: Uint8Array, offset = 0): number {
    return this.#index.find(this.ids.subarray(0, this.rowCount * 16), id, offset, (row) => this.isUnlink(row));
  }

  code(row: number, field: RecordField): number {
    return this.codes[row * RECORD_FIELD_COUNT + RECORD_FIELDS.indexOf(field)] as number;
  }

  isUnlink(row: number): boolean {
    return this.kinds[row] === RECORD_KINDS.unlink;
  }

  timeOf(row: number): number {
    return this.times[row] as number;
  }

  /** 16 bytes: a view. */
  idOf(row: number): Uint8Array {
    return this.ids.subarray(row * 16, row * 16 + 16);
  }

  /** Order of (createdAt, id). */
  compare(a: number, b: number): number {
    return this.timeOf(a) - this.timeOf(b) || compareIds(this.ids, a * 16, this.ids, b * 16);
  }

  /** The rows from `start` to before `end`: views, valid until the table grows. */
  slice(start: number, end = this.rowCount): RecordColumns {
    return {
      rowCount: end - start,
      kinds: this.kinds.subarray(start, end),
      times: this.times.subarray(start, end),
      ids: this.ids.subarray(start * 16, end * 16),
      sequences: this.sequences.subarray(start, end),
      codes: this.codes.subarray(start * RECORD_FIELD_COUNT, end * RECORD_FIELD_COUNT),
    };
  }

  #grow(): void {
    const capacity = this.times.length * 2;
    this.kinds = grown(this.kinds, capacity);
    this.times = grown(this.times, capacity);
    this.ids = grown(this.ids, capacity * 16);
    this.sequences = grown(this.sequences, capacity);
    this.codes = grown(this.codes, capacity * RECORD_FIELD_COUNT);
  }
}

/** A record in the form of exports. @param text value of a field, `""` for none */
export function storedRecord(kind: number | undefined, id: string, createdAtMs: number, text: (field: RecordField) => string): StoredRecord {
  const some = <Name extends RecordField>(field: Name) => {
    const value = text(field);
    return (value === "" ? {} : { [field]: value }) as { readonly [Each in Name]?: string };
  };
  const createdAt = isoOf(createdAtMs);
  const traitsText = text("traits");
  const traits = traitsText === "" ? {} : { traits: JSON.parse(traitsText) as Readonly<Record<string, unknown>> };
  // The casts hold: decoding ensures that a record has a user id or an anonymous id.
  switch (kind) {
    case RECORD_KINDS.identify: {
      const email = text("email") === emailOfTraits(traits.traits) ? {} : { email: text("email") };
      return { type: "identify", id, createdAt, ...some("userId"), ...some("anonymousId"), ...email, ...traits } as StoredRecord;
    }
    case RECORD_KINDS.group:
      return { type: "group", id, createdAt, companyId: text("companyId"), ...some("userId"), ...some("anonymousId"), ...traits } as StoredRecord;
    case RECORD_KINDS.alias:
      return { type: "alias", id, createdAt, from: text("fromUserId"), to: text("userId") };
    default:
      return { type: "unlink", createdAt, linkId: id };
  }
}

const NONE: readonly number[] = [];

/** Row numbers by code, in order of arrival. */
export class RowsByCode {
  readonly #rows = new Map<number, number[]>();

  /** Read-only; valid until the next change. */
  of(code: number): readonly number[] {
    return this.#rows.get(code) ?? NONE;
  }

  add(code: number, row: number): void {
    const rows = this.#rows.get(code);
    if (rows === undefined) this.#rows.set(code, [row]);
    else rows.push(row);
  }

  remove(code: number, row: number): void {
    const rows = this.of(code).filter((other) => other !== row);
    if (rows.length === 0) this.#rows.delete(code);
    else this.#rows.set(code, rows);
  }

  codes(): Iterable<number> {
    return this.#rows.keys();
  }
}
