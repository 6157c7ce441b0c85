import { dayStartMs } from "../../core/base/time.js";
import { uuidText } from "../../core/base/uuid.js";
import { codeAt, type CodeColumn } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Dictionary } from "../column/dictionary.js";
import { eventRecord, type EventRecord, type FoundEvent } from "../../core/schema/event.js";
import { FIELDS, fieldIndex, ID_COLUMN, SHAPE_COLUMN, TIME_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import type { Rows } from "./rows.js";

const ALL_FIELDS: readonly string[] = FIELDS.map((field) => field.column);

/**
 * Loads what the records of some rows need; of the metadata columns, only those of their shapes.
 * @param fields columns of the fields to read: `RECORD_FIELDS` for records, all fields for everything an event was sent with
 */
export async function loadRecords(rows: Rows, selected: Iterable<number>, dictionaries: Dictionaries, fields = ALL_FIELDS): Promise<void> {
  await rows.load([TIME_COLUMN, ID_COLUMN, SHAPE_COLUMN, ...fields]);
  const shapes = rows.column(SHAPE_COLUMN);
  const keys = new Set<number>();
  for (const row of selected) for (const key of dictionaries.keysOfShape(codeAt(shapes, row))) keys.add(key);
  await rows.load([...keys].map(metadataColumn));
}

const SENT = {
  anonymousId: fieldIndex("anonymousId"),
  value: fieldIndex("value"),
  currency: fieldIndex("currency"),
  externalId: fieldIndex("externalId"),
  companyId: fieldIndex("companyId"),
};

interface MetadataKey {
  readonly name: string;
  readonly column: string;
  readonly values: Dictionary;
  /** Parsed texts, numbers and booleans by code. */
  readonly scalars: Map<number, unknown>;
}

/** Maximum number of parsed values per key; most keys have few. */
const SCALAR_COUNT = 256;

/** Builds event records of loaded rows. Read segment by segment: the columns of the current one are cached. */
export class RecordReader {
  #rows: Rows | null = null;
  #row = 0;
  /** Columns by field, filled on demand. */
  readonly #fieldColumns: (CodeColumn | undefined)[] = FIELDS.map(() => undefined);
  readonly #columns = new Map<string, CodeColumn>();
  readonly #fields: readonly Dictionary[];
  readonly #keys = new Map<number, MetadataKey>();
  /** Text of a field of the current row; one closure for all records. */
  readonly #textOf = (field: number) => this.#text(field);

  constructor(readonly dictionaries: Dictionaries) {
    this.#fields = FIELDS.map(({ column }) => dictionaries.named(column));
  }

  /** Text of a field; `""` if it is not set. */
  text(rows: Rows, row: number, column: string): string {
    this.#goTo(rows, row);
    return this.#text(fieldIndex(column));
  }

  id(rows: Rows, row: number): string {
    return uuidText(rows.ids(), row * 16);
  }

  createdAtMs(rows: Rows, row: number): number {
    return dayStartMs(rows.day) + (rows.times()[row] as number);
  }

  /** The metadata object as received: the same members in the same order, values parsed from JSON. */
  metadata(rows: Rows, row: number): Record<string, unknown> {
    this.#goTo(rows, row);
    const metadata: Record<string, unknown> = {};
    for (const code of this.dictionaries.keysOfShape(codeAt(this.#column(rows, SHAPE_COLUMN), row))) {
      const key = this.#key(code);
      const { name } = key;
      const value = valueOf(key, codeAt(this.#column(rows, key.column), row));
      // Assigning to this name would set the prototype.
      if (name === "__proto__") Object.defineProperty(metadata, name, { value, enumerable: true, configurable: true, writable: true });
      else metadata[name] = value;
    }
    return metadata;
  }

  /** The record of a row, as `searchEvents` returns it. */
  record(rows: Rows, row: number): EventRecord {
    this.#goTo(rows, row);
    return eventRecord(this.#textOf, this.id(rows, row), this.createdAtMs(rows, row), this.metadata(rows, row));
  }

  /** Like `record`, with everything the event was sent with and its identity. */
  found(rows: Rows, row: number, identityId: string | null): FoundEvent {
    // Spreading so many members would take longer than everything else.
    const found = this.record(rows, row) as { -readonly [Member in keyof FoundEvent]: FoundEvent[Member] };
    const value = this.#text(SENT.value);
    found.anonymousId = this.#text(SENT.anonymousId);
    found.value = value === "" ? null : Number(value);
    found.currency = this.#text(SENT.currency);
    found.externalId = this.#text(SENT.externalId);
    found.companyId = this.#text(SENT.companyId);
    found.identityId = identityId;
    return found;
  }

  #key(code: number): MetadataKey {
    let key = this.#keys.get(code);
    if (key === undefined) {
      key = { name: this.dictionaries.keyOf(code), column: metadataColumn(code), values: this.dictionaries.ofKey(code), scalars: new Map() };
      this.#keys.set(code, key);
    }
    return key;
  }

  #goTo(rows: Rows, row: number): void {
    this.#row = row;
    if (this.#rows === rows) return;
    this.#rows = rows;
    this.#columns.clear();
    this.#fieldColumns.fill(undefined);
  }

  #text(field: number): string {
    const column = (this.#fieldColumns[field] ??= this.#rows?.column(FIELDS[field]?.column ?? ""));
    const code = column === undefined ? 0 : codeAt(column, this.#row);
    return code === 0 ? "" : (this.#fields[field]?.valueOf(code) ?? "");
  }

  #column(rows: Rows, name: string): CodeColumn {
    let column = this.#columns.get(name);
    if (column === undefined) this.#columns.set(name, (column = rows.column(name)));
    return column;
  }
}

/** Parses lists and objects anew for each row, as callers may change them. */
function valueOf({ values, scalars }: MetadataKey, code: number): unknown {
  const known = scalars.get(code);
  if (known !== undefined) return known;
  const value = JSON.parse(values.valueOf(code)) as unknown;
  if (typeof value !== "object" && scalars.size < SCALAR_COUNT) scalars.set(code, value);
  return value;
}
