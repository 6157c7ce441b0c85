import fc from "fast-check";
import { MS_PER_DAY } from "../../../src/core/base/time.js";
import { codeAt } from "../../../src/storage/column/column.js";
import { FIELDS } from "../../../src/core/schema/fields.js";
import { Head } from "../../../src/storage/segment/head.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import type { MergedRows } from "../../../src/storage/segment/merge-rows.js";
import type { Rows } from "../../../src/storage/segment/rows.js";

/** One row as a test writes it: codes of two fields, and of metadata values by key. */
export interface PlainRow {
  readonly ms: number;
  readonly id: number;
  readonly sequence: number;
  readonly name: number;
  readonly url: number;
  readonly metadata: Readonly<Record<number, number>>;
}

/** Rows in which equal times, equal ids and missing values are frequent. */
export const plainRows = fc.array(
  fc.record({
    ms: fc.oneof(fc.nat({ max: 4 }), fc.constantFrom(86_399_999, 86_399_998)),
    id: fc.nat({ max: 300 }),
    sequence: fc.nat({ max: 1_000 }),
    name: fc.integer({ min: 1, max: 300 }),
    url: fc.oneof(fc.constant(0), fc.nat({ max: 70_000 })),
    metadata: fc.dictionary(fc.constantFrom("1", "2"), fc.integer({ min: 1, max: 300 }), { maxKeys: 2 }),
  }),
  { maxLength: 60 },
);

/** Code 0 is the project of rows that name none here. */
export const PROJECT_TEXTS = { valueOf: (code: number) => `project ${String(code).padStart(3, "0")}` };

/** 16 bytes that order like the number. */
export function idBytes(id: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(12, id);
  return bytes;
}

/** A row as heads take it: codes of fields by their columns, and of metadata values by key. */
export interface ArrivedRow {
  readonly ms: number;
  readonly id: Uint8Array;
  readonly sequence: number;
  readonly fields?: Readonly<Record<string, number>>;
  readonly metadata?: Readonly<Record<number, number>>;
}

export function appendRow(head: Head, { ms, id, sequence, fields = {}, metadata = {} }: ArrivedRow): void {
  const codes = FIELDS.map(({ column }) => Uint32Array.of(fields[column] ?? 0));
  const keys = Object.keys(metadata).map(Number);
  const values = Uint32Array.from(Object.values(metadata));
  const batch = { times: Float64Array.of(head.day * MS_PER_DAY + ms), ids: id, codes, shapes: Uint32Array.of(keys.length), values };
  head.append(batch, 0, 1, sequence, 0, () => keys);
}

export function headOf(rows: readonly PlainRow[], day = 7): Head {
  const head = new Head(day, new MemoryBudget(1e9), PROJECT_TEXTS);
  for (const row of rows) appendPlain(head, row);
  return head;
}

export function appendPlain(head: Head, { ms, id, sequence, name, url, metadata }: PlainRow): void {
  appendRow(head, { ms, id: idBytes(id), sequence, fields: { name, url }, metadata });
}

/** What loaded or merged rows hold, row by row. */
export function plain(rows: Rows | MergedRows): PlainRow[] {
  const isMerged = "columns" in rows && !("load" in rows);
  const times = isMerged ? rows.times : (rows as Rows).times();
  const ids = isMerged ? rows.ids : (rows as Rows).ids();
  const sequences = isMerged ? rows.sequences : (rows as Rows).sequences();
  const code = (name: string, row: number) => {
    const column = isMerged ? rows.columns.get(name) : (rows as Rows).column(name);
    return column === undefined ? 0 : codeAt(column, row);
  };
  return Array.from(times, (ms, row) => ({
    ms,
    id: new DataView(ids.buffer, ids.byteOffset + row * 16).getUint32(12),
    sequence: sequences[row] ?? -1,
    name: code("name", row),
    url: code("url", row),
    metadata: Object.fromEntries(["1", "2"].flatMap((key) => (code(`m${key}`, row) === 0 ? [] : [[key, code(`m${key}`, row)]]))),
  }));
}

/** In (time, id) order; rows that agree in both in any order, so by sequence. */
export function inOrder(rows: readonly PlainRow[]): PlainRow[] {
  return [...rows].sort((a, b) => a.ms - b.ms || a.id - b.id || a.sequence - b.sequence || a.name - b.name || a.url - b.url);
}
