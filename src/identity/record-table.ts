import { compareIds } from "../core/base/uuid.js";
import { IdIndex } from "../storage/segment/find-id.js";
import { RecordOrder } from "./record-order.js";

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
    this.kinds = grown(this.kinds, new Uint8Array(capacity));
    this.times = grown(this.times, new Float64Array(capacity));
    this.ids = grown(this.ids, new Uint8Array(capacity * 16));
    this.sequences = grown(this.sequences, new Uint32Array(capacity));
    this.codes = grown(this.codes, new Uint32Array(capacity * RECORD_FIELD_COUNT));
  }
}

function grown<T extends { set(other: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
