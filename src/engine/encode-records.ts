import type { DecodedRecord } from "../identity/decode-record.js";
import { LIMITS } from "../base/limits.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS, RECORD_FIELD_COUNT, RECORD_KINDS, RecordTable } from "../identity/record-table.js";
import { fieldIndex } from "../schema/fields.js";
import type { Batch } from "../store/batch.js";
import type { RecordField } from "../identity/record-table.js";
import type { RecordBatch } from "../store/record-batch.js";
import type { Store } from "../store/store.js";

/** Dictionaries whose codes events use too. */
const SHARED = ["userId", "anonymousId", "companyId"] as const;
type Shared = (typeof SHARED)[number];

/** Turns checked records into rows of dictionary codes. One per store. */
export class RecordEncoder {
  #table = new RecordTable();
  readonly #codes = new Uint32Array(RECORD_FIELD_COUNT);
  /** Codes that records brought, until they are durable: a commit that failed leaves them in the dictionaries. */
  readonly #brought: Readonly<Record<Shared, Set<number>>> = { userId: new Set(), anonymousId: new Set(), companyId: new Set() };

  constructor(readonly store: Store) {}

  /** A field whose dictionary cannot take the record's text; null where there is room for all. */
  fullField({ texts }: DecodedRecord): RecordField | null {
    const isHeavy = this.store.dictionaries.heldByteLength > LIMITS.dictionaryBytes;
    for (const field of RECORD_FIELDS) {
      const dictionary = this.store.dictionaries.named(DICTIONARY_OF_FIELD[field]);
      if ((isHeavy || dictionary.size > LIMITS.dictionaryValueCount) && dictionary.codeOf(texts[field]) < 0) return field;
    }
    return null;
  }

  /** Adds a record, unless the store or the batch has its id already. */
  append({ kind, id, createdAtMs, texts }: DecodedRecord): void {
    if (kind !== RECORD_KINDS.unlink && (this.store.records.find(id) >= 0 || this.#table.find(id) >= 0)) return;
    RECORD_FIELDS.forEach((field, index) => {
      const name = DICTIONARY_OF_FIELD[field];
      const dictionary = this.store.dictionaries.named(name);
      const size = dictionary.size;
      const code = dictionary.intern(texts[field]);
      if (code >= size && Object.hasOwn(this.#brought, name)) this.#brought[name as Shared].add(code);
      this.#codes[index] = code;
    });
    this.#table.append(kind, createdAtMs, id, 0, this.#codes, 0);
  }

  /** What was appended since the last call; null for nothing. @param events of the same commit: the ids they use count as theirs */
  take(events: Batch): RecordBatch | null {
    for (const name of SHARED) forgetUsed(this.#brought[name], events, fieldIndex(name));
    const table = this.#table;
    if (table.rowCount === 0) return null;
    this.#table = new RecordTable();
    const { userId, anonymousId, companyId } = this.#brought;
    return { records: table.slice(0), brought: { userId: [...userId], anonymousId: [...anonymousId], companyId: [...companyId] } };
  }

  /** The batch is durable. */
  keep(): void {
    for (const name of SHARED) this.#brought[name].clear();
  }
}

function forgetUsed(codes: Set<number>, { codes: ofFields }: Batch, field: number): void {
  if (codes.size === 0) return;
  for (const code of ofFields[field] as Uint32Array) codes.delete(code);
}
