import { Yielder } from "../../core/base/yield.js";
import { mergeRows, type MergedRows, type SourceRows } from "../../storage/segment/merge-rows.js";
import type { SummaryRule } from "../../storage/segment/summaries.js";
import { encodeSegment } from "../../storage/segment/segment-file.js";
import { sha256Of } from "../storage/codec.js";
import type { Codec } from "../storage/storage.js";
import { absentColumn, codeAt, type CodeColumn } from "../../storage/column/column.js";
import { PROJECT_COLUMN } from "../../core/schema/fields.js";

export type { SummaryRule } from "../../storage/segment/summaries.js";
export type { SourceRows } from "../../storage/segment/merge-rows.js";

export interface MadeSegment {
  readonly bytes: Uint8Array;
  /** Of all bytes, in hex. */
  readonly sha256: string;
}

export type SegmentCodec = Pick<Codec, "deflate" | "createSha256">;

/** Makes segment files off the calling thread. */
export interface SealWorker {
  /**
   * Makes the file that `makeSegment` would make, byte for byte; null if it cannot, and the caller has to make it.
   * The sources are read one by one until the promise settles, and must not change before.
   * @param summaries stored with the rows
   * @param yielder yields while the sources are read
   */
  make(sources: readonly SourceRows[], summaries: readonly SummaryRule[], codec: Codec, yielder: Yielder): Promise<MadeSegment | null>;
}

export async function makeSegment(
  sources: readonly SourceRows[],
  summaries: readonly SummaryRule[],
  codec: SegmentCodec,
  yielder = new Yielder(),
): Promise<MadeSegment> {
  return await encodeRows(await mergeRows(sources, yielder), summaries, codec, yielder);
}

export async function encodeRows(merged: MergedRows, summaries: readonly SummaryRule[], codec: SegmentCodec, yielder = new Yielder()): Promise<MadeSegment> {
  const { bytes } = await encodeSegment(merged, { deflate: (raw) => codec.deflate(raw), summaries }, yielder);
  return { bytes, sha256: await sha256Of(codec, bytes, yielder) };
}

type RowArray = Int32Array | Uint8Array | Uint16Array | Uint32Array;

/** Rows as plain arrays, for transfer to another thread. */
export interface CopiedRows {
  readonly day: number;
  readonly rowCount: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  readonly sequences: Uint32Array;
  readonly columns: ReadonlyMap<string, CodeColumn>;
  /** Project names by code. */
  readonly projects: ReadonlyMap<number, string>;
  /** The buffer of all arrays: transferring one buffer costs less than many. */
  readonly memory: ArrayBuffer;
}

/** Copies rows into one buffer. Cost: the bytes of all columns. */
export function copyRows(rows: SourceRows): CopiedRows {
  const columns = new Map(rows.columnNames().map((name) => [name, rows.column(name)]));
  const [times, ids, sequences] = [rows.times(), rows.ids(), rows.sequences()];
  const { day, rowCount } = rows;
  let byteLength = paddedByteLength(times) + paddedByteLength(ids) + paddedByteLength(sequences);
  for (const column of columns.values()) byteLength += paddedByteLength(column.codes) + (column.kind === "sparse" ? paddedByteLength(column.rows) : 0);
  const memory = new ArrayBuffer(byteLength);
  let at = 0;
  const placed = <V extends RowArray>(own: V, values: RowArray): V => {
    own.set(values);
    at += paddedByteLength(values);
    return own;
  };
  const numbers = (values: Uint32Array) => placed(new Uint32Array(memory, at, values.length), values);
  const codesOf = (codes: CodeColumn["codes"]) => {
    if (codes instanceof Uint32Array) return numbers(codes);
    if (codes instanceof Uint16Array) return placed(new Uint16Array(memory, at, codes.length), codes);
    return placed(new Uint8Array(memory, at, codes.length), codes);
  };
  for (const [name, column] of columns) {
    const codes = codesOf(column.codes);
    columns.set(name, column.kind === "dense" ? { kind: "dense", codes } : { ...column, codes, rows: numbers(column.rows) });
  }
  return {
    day,
    rowCount,
    times: placed(new Int32Array(memory, at, times.length), times),
    ids: placed(new Uint8Array(memory, at, ids.length), ids),
    sequences: numbers(sequences),
    columns,
    projects: projectsOf(rows),
    memory,
  };
}

function projectsOf(rows: SourceRows): Map<number, string> {
  const projects = new Map<number, string>();
  const column = rows.column(PROJECT_COLUMN);
  for (let row = 0; row < rows.rowCount; row += 1) {
    const code = codeAt(column, row);
    if (!projects.has(code)) projects.set(code, rows.projectOf(row));
  }
  return projects;
}

/** Padded so that the next array in the buffer is aligned to 4 bytes. */
function paddedByteLength({ byteLength }: RowArray): number {
  return Math.ceil(byteLength / 4) * 4;
}

export function sourceOf({ day, rowCount, times, ids, sequences, columns, projects }: CopiedRows): SourceRows {
  const column = (name: string) => columns.get(name) ?? absentColumn(rowCount);
  return {
    day,
    rowCount,
    times: () => times,
    ids: () => ids,
    sequences: () => sequences,
    columnNames: () => [...columns.keys()],
    column,
    projectOf: (row) => projects.get(codeAt(column(PROJECT_COLUMN), row)) ?? "",
  };
}
