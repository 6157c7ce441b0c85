import { DaybookError, parameterError } from "../../core/base/errors.js";
import { Yielder } from "../../core/base/yield.js";
import type { DecodedRecord, NamedProject } from "../../identity/decode-record.js";
import { LIMITS } from "../../core/base/limits.js";
import { dictionaryBytesMax } from "../../storage/column/dictionaries.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS, RECORD_FIELD_COUNT, RECORD_KINDS, RecordTable } from "../../identity/record-table.js";
import { fieldIndex } from "../../core/schema/fields.js";
import type { Batch, RecordBatch } from "../../store/batch/batch.js";
import type { Store } from "../../store/live/store.js";
import type { Limit } from "./allowed-options.js";
import { erasedRecord, type Suppression } from "./suppression.js";

const SHARED = ["userId", "anonymousId", "companyId"] as const;
type Shared = (typeof SHARED)[number];

/** Encodes validated records as rows of dictionary codes. One per store. */
export class RecordEncoder {
  #table = new RecordTable();
  readonly #codes = new Uint32Array(RECORD_FIELD_COUNT);
  /** Codes that records added, until they are durable: a failed commit leaves them in the dictionaries. */
  readonly #recordOnlyIds: Readonly<Record<Shared, Set<number>>> = { userId: new Set(), anonymousId: new Set(), companyId: new Set() };

  /** Names of projects added since the last `take`. */
  readonly #projects = new Set<string>();

  constructor(readonly store: Store) {}

  get hasNewProject(): boolean {
    return this.#projects.size > 0;
  }

  /** Adds records in chunks and returns the outcome of each; errors pass through. Nothing else may be added meanwhile. */
  async addYielding(records: readonly (DecodedRecord | NamedProject | DaybookError)[], suppression: Suppression, limit: Limit | null): Promise<RecordOutcome[]> {
    const yielder = new Yielder();
    const outcomes: RecordOutcome[] = [];
    for (const record of records) {
      outcomes.push(record instanceof DaybookError ? record : this.add(record, suppression, limit));
      await yielder.yieldAfter("texts" in record ? record.texts.traits.length : 0);
    }
    return outcomes;
  }

  /** Adds a record unless it is stored already, suppressed or over a limit. `suppression` must have all earlier erasures. */
  add(record: DecodedRecord | NamedProject, suppression: Suppression, limit: Limit | null): RecordOutcome {
    if ("project" in record) return this.#addProject(record.project);
    const admitted = suppression.admitted(record);
    if (admitted === null) return erasedRecord();
    if (this.#isKnown(admitted)) return "duplicate";
    if (limit !== null && !limit.record(admitted, this.store.dictionaries)) return "duplicate";
    for (const field of RECORD_FIELDS) if (this.#isFull(DICTIONARY_OF_FIELD[field], admitted.texts[field])) return fullError(field);
    this.#append(admitted);
    return record.isAdjusted ? "adjusted" : "accepted";
  }

  #addProject(name: string): RecordOutcome {
    if (this.store.isVisible("project", name) || this.#projects.has(name)) return "duplicate";
    if (this.#isFull("project", name)) return fullError("name");
    this.store.dictionaries.named("project").intern(name);
    this.#projects.add(name);
    return "accepted";
  }

  /** Whether the store, or the batch, has a record with its id; for an unlink, one that revokes the same record. */
  #isKnown({ kind, id }: DecodedRecord): boolean {
    const tables = [this.store.records, this.#table];
    return tables.some((table) => (kind === RECORD_KINDS.unlink ? table.findUnlink(id) : table.find(id)) >= 0);
  }

  #isFull(name: string, text: string): boolean {
    const { dictionaries } = this.store;
    const dictionary = dictionaries.named(name);
    return (dictionaries.heldByteLength > dictionaryBytesMax() || dictionary.size > LIMITS.dictionaryValueCount) && dictionary.codeOf(text) < 0;
  }

  #append({ kind, id, createdAtMs, texts }: DecodedRecord): void {
    RECORD_FIELDS.forEach((field, index) => {
      const name = DICTIONARY_OF_FIELD[field];
      const dictionary = this.store.dictionaries.named(name);
      const size = dictionary.size;
      const code = dictionary.intern(texts[field]);
      if (code >= size && Object.hasOwn(this.#recordOnlyIds, name)) this.#recordOnlyIds[name as Shared].add(code);
      this.#codes[index] = code;
    });
    this.#table.append(kind, createdAtMs, id, 0, 0, this.#codes, 0);
  }

  /** The records added since the last call; null for none. @param events of the same commit: ids they use count as added by them */
  take(events: Batch): RecordBatch | null {
    this.#projects.clear();
    for (const name of SHARED) forgetUsed(this.#recordOnlyIds[name], events, fieldIndex(name));
    const table = this.#table;
    if (table.rowCount === 0) return null;
    this.#table = new RecordTable();
    const { userId, anonymousId, companyId } = this.#recordOnlyIds;
    const recordOnlyIds = { userId: [...userId], anonymousId: [...anonymousId], companyId: [...companyId] };
    return { records: table.slice(0), recordOnlyIds };
  }

  /** Call when the batch is durable: its codes need no more tracking. */
  keep(): void {
    for (const name of SHARED) this.#recordOnlyIds[name].clear();
  }
}

function fullError(param: string): DaybookError {
  return parameterError("invalid_parameter", param, `would exceed this store's limit of ${LIMITS.dictionaryValueCount} distinct values or of ${dictionaryBytesMax()} bytes of them`);
}

function forgetUsed(codes: Set<number>, { codes: ofFields }: Batch, field: number): void {
  if (codes.size === 0) return;
  for (const code of ofFields[field] as Uint32Array) codes.delete(code);
}

/** The outcome of a record: stored, stored as of the time of receipt, stored already, or rejected with an error. */
export type RecordOutcome = "accepted" | "adjusted" | "duplicate" | DaybookError;
