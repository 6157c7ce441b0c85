import { absentColumn } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import type { SourceRows } from "../segment/merge-rows.js";

/** Rows as another thread can have them: nothing but arrays. */
export interface CopiedRows {
  readonly day: number;
  readonly rowCount: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  readonly sequences: Uint32Array;
  readonly columns: ReadonlyMap<string, CodeColumn>;
}

/** A copy of rows, and the memory that is all its own: to be given away. Cost: the bytes of all columns. */
export function copyRows(rows: SourceRows): { copy: CopiedRows; memory: ArrayBuffer[] } {
  const memory: ArrayBuffer[] = [];
  const own = <A extends { readonly buffer: ArrayBuffer }>(copied: A): A => {
    memory.push(copied.buffer);
    return copied;
  };
  // Not by `slice`, which of a `Buffer` would be a view of the same place.
  const ownCodes = (codes: CodeColumn["codes"]) =>
    codes instanceof Uint32Array ? own(new Uint32Array(codes)) : codes instanceof Uint16Array ? own(new Uint16Array(codes)) : own(new Uint8Array(codes));
  const ownColumn = (column: CodeColumn): CodeColumn =>
    column.kind === "dense" ? { kind: "dense", codes: ownCodes(column.codes) } : { ...column, rows: own(new Uint32Array(column.rows)), codes: ownCodes(column.codes) };
  const columns = new Map(rows.columnNames().map((name) => [name, ownColumn(rows.column(name))]));
  const { day, rowCount } = rows;
  const [times, ids, sequences] = [own(new Int32Array(rows.times())), own(new Uint8Array(rows.ids())), own(new Uint32Array(rows.sequences()))];
  return { copy: { day, rowCount, times, ids, sequences, columns }, memory };
}

/** Copied rows as they are merged. */
export function sourceOf({ day, rowCount, times, ids, sequences, columns }: CopiedRows): SourceRows {
  return {
    day,
    rowCount,
    times: () => times,
    ids: () => ids,
    sequences: () => sequences,
    columnNames: () => [...columns.keys()],
    column: (name) => columns.get(name) ?? absentColumn(rowCount),
  };
}
