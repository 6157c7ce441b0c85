import { dayStartMs } from "../base/time.js";
import { uuidText } from "../base/uuid.js";
import { codeAt } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Dictionary } from "../column/dictionary.js";
import { eventRecord } from "../schema/event-record.js";
import { FIELDS, ID_COLUMN, SHAPE_COLUMN, TIME_COLUMN, metadataColumn } from "../schema/fields.js";
import type { EventRecord } from "../schema/event.js";
import type { Rows } from "../segment/rows.js";

const RECORD_COLUMNS: readonly string[] = [TIME_COLUMN, ID_COLUMN, SHAPE_COLUMN, ...FIELDS.map((field) => field.column)];

/** Brings into memory what records of these rows are made of: the metadata columns of their shapes, no others. */
export async function loadRecords(rows: Rows, selected: Iterable<number>, dictionaries: Dictionaries): Promise<void> {
  await rows.load(RECORD_COLUMNS);
  const shapes = rows.column(SHAPE_COLUMN);
  const keys = new Set<number>();
  for (const row of selected) for (const key of dictionaries.keysOfShape(codeAt(shapes, row))) keys.add(key);
  await rows.load([...keys].map(metadataColumn));
}

interface MetadataKey {
  readonly name: string;
  readonly column: string;
  readonly values: Dictionary;
}

/** Builds event records of loaded rows. Those of one segment after the other: its columns are looked up once. */
export class RecordReader {
  #rows: Rows | null = null;
  readonly #columns = new Map<string, CodeColumn>();
  readonly #fields: ReadonlyMap<string, Dictionary>;
  readonly #keys = new Map<number, MetadataKey>();

  constructor(readonly dictionaries: Dictionaries) {
    this.#fields = new Map(FIELDS.map(({ column }) => [column, dictionaries.named(column)]));
  }

  /** Text of one field; `""` where it is not set. */
  text(rows: Rows, row: number, column: string): string {
    const code = codeAt(this.#column(rows, column), row);
    return code === 0 ? "" : (this.#fields.get(column)?.valueOf(code) ?? "");
  }

  id(rows: Rows, row: number): string {
    return uuidText(rows.ids(), row * 16);
  }

  createdAtMs(rows: Rows, row: number): number {
    return dayStartMs(rows.day) + (rows.times()[row] as number);
  }

  /** The metadata object as it came: the same members in the same order, values by their JSON. */
  metadata(rows: Rows, row: number): Record<string, unknown> {
    const metadata: Record<string, unknown> = {};
    for (const key of this.dictionaries.keysOfShape(codeAt(this.#column(rows, SHAPE_COLUMN), row))) {
      const { name, column, values } = this.#key(key);
      const value = JSON.parse(values.valueOf(codeAt(this.#column(rows, column), row))) as unknown;
      // An assignment to this name would set the prototype.
      if (name === "__proto__") Object.defineProperty(metadata, name, { value, enumerable: true, configurable: true, writable: true });
      else metadata[name] = value;
    }
    return metadata;
  }

  /** The record of one row, as `searchEvents` answers it. */
  record(rows: Rows, row: number): EventRecord {
    const text = (column: string) => this.text(rows, row, column);
    return eventRecord(text, this.id(rows, row), this.createdAtMs(rows, row), this.metadata(rows, row));
  }

  #key(code: number): MetadataKey {
    let key = this.#keys.get(code);
    if (key === undefined) {
      key = { name: this.dictionaries.keyOf(code), column: metadataColumn(code), values: this.dictionaries.ofKey(code) };
      this.#keys.set(code, key);
    }
    return key;
  }

  #column(rows: Rows, name: string): CodeColumn {
    if (this.#rows !== rows) {
      this.#rows = rows;
      this.#columns.clear();
    }
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const column = rows.column(name);
    this.#columns.set(name, column);
    return column;
  }
}
