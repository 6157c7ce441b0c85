import { codesOfBytes } from "../column/codes.js";
import { absentColumn } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../schema/fields.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";
import { encodeContainer } from "./container.js";
import type { PackedBlock } from "./container.js";
import { linksOf } from "./id-links.js";
import type { MergedRows } from "./merge-rows.js";
import type { ColumnZone, IdLink } from "./rows.js";

/** A dictionary-coded column as the footer describes it. */
export interface ColumnMeta extends ColumnZone {
  readonly name: string;
  readonly width: 1 | 2 | 4;
  /** Number of codes of a sparse column; absent for a dense one. */
  readonly entryCount?: number;
}

/** What a segment says of itself. */
export interface SegmentMeta {
  readonly kind: "segment";
  readonly day: number;
  readonly rowCount: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly columns: readonly ColumnMeta[];
  /** Ids seen together on one event, as [anonymousId, userId, createdAtMs]. */
  readonly links: readonly (readonly [number, number, number])[];
}

export type Deflate = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Name of the block with the row numbers of a sparse column. */
export function rowsBlock(column: string): string {
  return `${column}.rows`;
}

/** The bytes of a segment file, and what its footer says. */
export async function encodeSegment(merged: MergedRows, deflate: Deflate): Promise<{ bytes: Uint8Array; meta: SegmentMeta }> {
  const blocks: PackedBlock[] = [
    await pack(TIME_COLUMN, toPlanes(bytesOf(toDeltas(merged.times)), 4), deflate),
    // Random bits do not deflate: stored as they are, they cost nothing to read.
    { name: ID_COLUMN, bytes: merged.ids, rawByteLength: merged.ids.length, deflated: false },
    await pack(SEQUENCE_COLUMN, toPlanes(bytesOf(toDeltas(merged.sequences)), 4), deflate),
  ];
  const columns: ColumnMeta[] = [];
  for (const [name, column] of merged.columns) {
    const meta = describeColumn(name, column);
    if (meta === null) continue;
    columns.push(meta);
    if (column.kind === "sparse") blocks.push(await pack(rowsBlock(name), toPlanes(bytesOf(toDeltas(column.rows)), 4), deflate));
    blocks.push(await pack(name, toPlanes(bytesOf(column.codes), meta.width), deflate));
  }
  const { firstSequence, lastSequence } = sequenceRange(merged.sequences);
  const meta: SegmentMeta = {
    kind: "segment",
    day: merged.day,
    rowCount: merged.times.length,
    minMs: merged.times[0] ?? 0,
    maxMs: merged.times.at(-1) ?? 0,
    firstSequence,
    lastSequence,
    columns,
    links: linksOf(asLinkSource(merged)).map((link) => [link.anonymousId, link.userId, link.createdAtMs]),
  };
  return { bytes: encodeContainer(blocks, meta), meta };
}

/** The links of a segment's footer. */
export function linksOfMeta(meta: SegmentMeta): IdLink[] {
  return meta.links.map(([anonymousId, userId, createdAtMs]) => ({ anonymousId, userId, createdAtMs }));
}

/** Times, sequences and sparse row numbers from the inflated bytes of their block. */
export function decodeDeltas(bytes: Uint8Array): Uint32Array {
  return fromDeltas(codesOfBytes(fromPlanes(bytes, 4), 4) as Uint32Array);
}

/** A column from the inflated bytes of its blocks. */
export function decodeColumn(meta: ColumnMeta, rowCount: number, bytes: Uint8Array, rows: Uint8Array | null): CodeColumn {
  const codes = codesOfBytes(fromPlanes(bytes, meta.width), meta.width);
  return rows === null ? { kind: "dense", codes } : { kind: "sparse", rows: decodeDeltas(rows), codes, rowCount };
}

function asLinkSource(merged: MergedRows) {
  const none = absentColumn(merged.times.length);
  return { day: merged.day, times: () => merged.times, column: (name: string) => merged.columns.get(name) ?? none };
}

function bytesOf(values: Uint8Array | Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

async function pack(name: string, raw: Uint8Array, deflate: Deflate): Promise<PackedBlock> {
  const packed = await deflate(raw);
  const deflated = packed.length < raw.length;
  return { name, bytes: deflated ? packed : raw, rawByteLength: raw.length, deflated };
}

function describeColumn(name: string, column: CodeColumn): ColumnMeta | null {
  let min = Infinity;
  let max = 0;
  let zeros = 0;
  const { codes } = column;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] as number;
    if (code === 0) zeros += 1;
    else if (code < min) min = code;
    if (code > max) max = code;
  }
  if (max === 0) return null;
  const width = column.codes.BYTES_PER_ELEMENT as 1 | 2 | 4;
  if (column.kind === "dense") return { name, width, min, max, hasZero: zeros > 0 };
  return { name, width, min, max, hasZero: column.rowCount > column.rows.length, entryCount: column.codes.length };
}

function sequenceRange(sequences: Uint32Array): { firstSequence: number; lastSequence: number } {
  let firstSequence = sequences[0] ?? 0;
  let lastSequence = 0;
  for (let at = 0; at < sequences.length; at += 1) {
    const sequence = sequences[at] as number;
    if (sequence < firstSequence) firstSequence = sequence;
    if (sequence > lastSequence) lastSequence = sequence;
  }
  return { firstSequence, lastSequence };
}
