import { DaybookError } from "../../core/base/errors.js";
import { crc32 } from "../../core/base/hash.js";
import { Scratch } from "../../core/base/scratch.js";
import { Yielder } from "../../core/base/yield.js";
import { codesOfBytes, codeWidth, narrowCodes, wideCodes, type Codes } from "../column/codes.js";
import { absentColumn, type CodeColumn } from "../column/column.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";
import {
  encodeSummary, summaryOf, actorTriplesOf, describeActors, ACTOR_BLOCKS, ACTOR_LISTS, type ActorList, type ActorListMeta, type RowsSummaryMeta, type SummaryRule,
} from "./summaries.js";
import { maskCodes, unmaskCodes } from "./masked-codes.js";
import { PackedCodes, packCodes, packDeltas, packedByteLength, unpackCodes, unpackDeltas } from "./packed-numbers.js";
import { linksOf, encodeLinks } from "./links.js";
import type { MergedRows } from "./merge-rows.js";
import type { ColumnZone } from "./rows.js";

/** First and last bytes of every container file. */
export const CONTAINER_START = "DAYBOOK1";
const CONTAINER_END = "1KOOBYAD";
/** Footer length, footer CRC-32 and the closing magic. */
export const TRAILER_BYTES = 16;

/** With as many bits as the largest needs (`packed-numbers.ts`); or, for many zeros, without these (`masked-codes.ts`). */
type NumberForm = "packed" | "masked";

export interface BlockEntry {
  readonly name: string;
  readonly offset: number;
  /** Bytes in the file. */
  readonly byteLength: number;
  /** Bytes once inflated; equal to `byteLength` for a raw block. */
  readonly rawByteLength: number;
  readonly deflated: boolean;
  /** How numbers are stored; absent: in planes of bytes. */
  readonly form?: NumberForm;
  /** CRC-32 of the bytes in the file. */
  readonly crc32: number;
}

export interface ContainerFooter<M> {
  readonly blocks: readonly BlockEntry[];
  readonly meta: M;
}

/** A block to write, with its bytes as they will be in the file. */
export interface PackedBlock {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly rawByteLength: number;
  readonly deflated: boolean;
  readonly form?: NumberForm;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Encodes a container: magic, blocks at multiples of 8, footer as JSON, trailer. */
export async function encodeContainer<M>(blocks: readonly PackedBlock[], meta: M, yielder = new Yielder()): Promise<Uint8Array> {
  const entries: BlockEntry[] = [];
  let offset = CONTAINER_START.length;
  for (const block of blocks) {
    offset = (offset + 7) & ~7;
    const { name, bytes, ...storing } = block;
    entries.push({ name, offset, byteLength: bytes.length, ...storing, crc32: await crc32InPieces(bytes, yielder) });
    offset += bytes.length;
  }
  const footer = encoder.encode(JSON.stringify({ blocks: entries, meta } satisfies ContainerFooter<M>));
  const file = new Uint8Array(offset + footer.length + TRAILER_BYTES);
  file.set(encoder.encode(CONTAINER_START));
  for (const [index, { bytes }] of blocks.entries()) {
    const start = entries[index]?.offset ?? 0;
    await yielder.inPieces(bytes.length, (from, to) => file.set(bytes.subarray(from, to), start + from));
  }
  file.set(footer, offset);
  const trailer = new DataView(file.buffer, offset + footer.length);
  trailer.setUint32(0, footer.length, true);
  trailer.setUint32(4, crc32(footer), true);
  file.set(encoder.encode(CONTAINER_END), offset + footer.length + 8);
  return file;
}

async function crc32InPieces(bytes: Uint8Array, yielder: Yielder): Promise<number> {
  let crc = 0;
  await yielder.inPieces(bytes.length, (from, to) => {
    crc = crc32(bytes.subarray(from, to), crc);
  });
  return crc;
}

/** Decodes the footer from the last bytes of a file, or returns how many bytes it needs. @param tail must end with the file @throws corruption */
export function decodeFooter<M>(key: string, tail: Uint8Array, fileByteLength: number): ContainerFooter<M> | { readonly need: number } {
  if (tail.length < TRAILER_BYTES) throw damaged(key, "it is shorter than a trailer");
  const trailer = new DataView(tail.buffer, tail.byteOffset + tail.length - TRAILER_BYTES, TRAILER_BYTES);
  const magic = String.fromCharCode(...tail.subarray(tail.length - 8));
  const footerLength = trailer.getUint32(0, true);
  if (magic !== CONTAINER_END) throw damaged(key, "its last bytes are not those of a container");
  const need = footerLength + TRAILER_BYTES;
  if (need > fileByteLength - CONTAINER_START.length) throw damaged(key, "its footer is longer than the file");
  if (tail.length < need) return { need };
  const bytes = tail.subarray(tail.length - need, tail.length - TRAILER_BYTES);
  if (crc32(bytes) !== trailer.getUint32(4, true)) throw damaged(key, `the checksum of its footer, at byte ${fileByteLength - need}, is wrong`);
  return parseFooter<M>(key, bytes);
}

/** The CRC of a footer, which contains those of all blocks and thus identifies the file. @param tail must end with the file */
export function footerCrcOf(tail: Uint8Array): number {
  return new DataView(tail.buffer, tail.byteOffset + tail.length - TRAILER_BYTES, TRAILER_BYTES).getUint32(4, true);
}

function parseFooter<M>(key: string, bytes: Uint8Array): ContainerFooter<M> {
  try {
    return JSON.parse(decoder.decode(bytes)) as ContainerFooter<M>;
  } catch (cause) {
    throw damaged(key, "its footer is not JSON", cause);
  }
}

/** Checks the length and CRC of a block and returns its bytes. @throws corruption */
export function checkBlock(key: string, entry: BlockEntry, bytes: Uint8Array | null): Uint8Array {
  if (bytes === null || bytes.length !== entry.byteLength) throw damaged(key, `block ${entry.name}, at byte ${entry.offset}, is cut short`);
  if (crc32(bytes) !== entry.crc32) throw damaged(key, `the checksum of block ${entry.name}, at byte ${entry.offset}, is wrong`);
  return bytes;
}

export function damaged(key: string, what: string, cause?: unknown): DaybookError {
  return new DaybookError("corruption", `${key} is damaged: ${what}`, { key }, { cause });
}

export interface ColumnMeta extends ColumnZone {
  readonly name: string;
  readonly width: 1 | 2 | 4;
  /** Number of codes of a sparse column; absent for a dense one. */
  readonly entryCount?: number;
}

export interface SegmentMeta {
  readonly kind: "segment";
  readonly day: number;
  readonly rowCount: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly columns: readonly ColumnMeta[];
  readonly actors: Readonly<Record<ActorList, ActorListMeta>>;
  /** Absent if there are none. */
  readonly summaries?: readonly RowsSummaryMeta[];
}

/** Name of the block with the ids seen together on one event; absent if there are none. */
export const LINKS_BLOCK = "links";

/** Shorter blocks are stored raw: deflating takes a tenth of a millisecond and saves few bytes, compared to a hundred that describe a block. */
const DEFLATED_BYTES_MIN = 64;
/** Costs in values: per block, per deflated block, and per deflated byte. */
const VALUES_PER_BLOCK = 4 * 1024;
const VALUES_PER_DEFLATE = 16 * 1024;
const VALUES_PER_BYTE = 2;
/** Numbers that show how well the others deflate. */
const SAMPLE_COUNT = 16 * 1024;

export type Deflate = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

const PACKED: Pick<BlockEntry, "form"> = { form: "packed" };
const MASKED: Pick<BlockEntry, "form"> = { form: "masked" };

export function rowsBlock(column: string): string {
  return `${column}.rows`;
}

interface SegmentMaking {
  readonly deflate: Deflate;
  readonly summaries: readonly SummaryRule[];
}

export async function encodeSegment(merged: MergedRows, { deflate, summaries: rules }: SegmentMaking, yielder = new Yielder()): Promise<{ bytes: Uint8Array; meta: SegmentMeta }> {
  const packed = (name: string, raw: Uint8Array) => pack(name, raw, deflate, yielder);
  const deltasOf = async (name: string, values: Int32Array | Uint32Array) => {
    const deltas = await toDeltas(values, yielder);
    return await smaller(name, deltas, rawBlock(name, await packDeltas(deltas, yielder), PACKED), deflate, yielder);
  };
  const codesBlock = async (name: string, codes: Codes, max: number) => await smaller(name, codes, await codesOrMasked(name, codes, max, yielder), deflate, yielder);
  const blocks: PackedBlock[] = [
    await deltasOf(TIME_COLUMN, merged.times),
    // Random bits do not deflate; stored raw, they need no inflating.
    rawBlock(ID_COLUMN, merged.ids),
    await deltasOf(SEQUENCE_COLUMN, merged.sequences),
  ];
  const columns: ColumnMeta[] = [];
  for (const [name, column] of merged.columns) {
    const meta = await describeColumn(name, column, yielder);
    if (meta === null) continue;
    columns.push(meta);
    if (column.kind === "sparse") blocks.push(await deltasOf(rowsBlock(name), column.rows));
    blocks.push(await codesBlock(name, column.codes, meta.max));
  }
  const column = columnOf(merged);
  const triples = await actorTriplesOf(merged.times.length, column, yielder);
  const actors = describeActors(triples);
  for (const list of ACTOR_LISTS) {
    const [name, { max }] = [ACTOR_BLOCKS[list], actors[list]];
    if (max > 0) blocks.push(isAscending(list) ? await deltasOf(name, triples[list]) : await codesBlock(name, narrowCodes(triples[list], max), max));
  }
  const summaries: RowsSummaryMeta[] = [];
  for (const rule of rules) {
    const summary = await summaryOf(merged, rule, yielder);
    if (summary === null) continue;
    const encoded = await encodeSummary(rule, summary);
    summaries.push(encoded.meta);
    if (summary.rowCount > 0) blocks.push(await packed(rule.name, encoded.bytes));
  }
  const links = await linksOf({ times: () => merged.times, column }, yielder);
  // Next to the footer, so that opening the file reads both at once.
  if (links.times.length > 0) blocks.push(rawBlock(LINKS_BLOCK, await encodeLinks(links, yielder)));
  const { firstSequence, lastSequence } = await sequenceRange(merged.sequences, yielder);
  const meta: SegmentMeta = {
    kind: "segment",
    day: merged.day,
    rowCount: merged.times.length,
    minMs: merged.times[0] ?? 0,
    maxMs: merged.times.at(-1) ?? 0,
    firstSequence,
    lastSequence,
    columns,
    actors,
    ...(summaries.length === 0 ? {} : { summaries }),
  };
  return { bytes: await encodeContainer(blocks, meta, yielder), meta };
}

function rawBlock(name: string, bytes: Uint8Array, form: Pick<BlockEntry, "form"> = {}): PackedBlock {
  return { name, bytes, rawByteLength: bytes.length, deflated: false, ...form };
}

/** A masked column must be decoded whole to find one code, so this must save at least a quarter of the bytes. */
async function codesOrMasked(name: string, codes: Codes, max: number, yielder: Yielder): Promise<PackedBlock> {
  let zeroCount = 0;
  await yielder.inPieces(codes.length, (from, to) => {
    zeroCount += zerosOf(wideCodes(codes.subarray(from, to)));
  });
  const maskedByteLength = packedByteLength(codes.length, 1) + packedByteLength(codes.length - zeroCount, max);
  return maskedByteLength * 4 <= packedByteLength(codes.length, max) * 3
    ? rawBlock(name, await maskCodes(codes, max, yielder), MASKED)
    : rawBlock(name, await packCodes(codes, max, yielder), PACKED);
}

function zerosOf(codes: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < codes.length; at += 1) if (codes[at] === 0) count += 1;
  return count;
}

/** Numbers whose first ones deflate to less than half of what is stored without deflating are deflated: inflating takes ten times as long. */
async function smaller(name: string, numbers: Codes, raw: PackedBlock, deflate: Deflate, yielder: Yielder): Promise<PackedBlock> {
  const sample = numbers.subarray(0, SAMPLE_COUNT);
  const deflated = await pack(name, await toPlanes(sample, yielder), deflate, yielder);
  if (deflated.bytes.length * 2 * numbers.length >= raw.bytes.length * sample.length) return raw;
  return sample.length === numbers.length ? deflated : await pack(name, await toPlanes(numbers, yielder), deflate, yielder);
}

export function decodeDeltas(bytes: Uint8Array): Uint32Array {
  return fromDeltas(codesOfBytes(fromPlanes(bytes, 4), 4) as Uint32Array);
}

/** The bytes of a block, inflated, and how they hold numbers. */
export interface NumberBlock {
  readonly bytes: Uint8Array;
  readonly form: BlockEntry["form"];
}

/** @param into memory for packed numbers @throws corruption */
export function numbersOfDeltas(key: string, name: string, { bytes, form }: NumberBlock, count: number, into?: (count: number) => Uint32Array): Uint32Array {
  if (form === "masked") throw damaged(key, `block ${name} has the form ${form}`);
  const numbers = form === "packed" ? unpackDeltas(bytes, count, into) : decodeDeltas(bytes);
  if (numbers?.length !== count) throw damaged(key, `block ${name} does not have ${count} numbers`);
  return numbers;
}

interface CodesMeta {
  readonly count: number;
  readonly max: number;
  readonly width: 1 | 2 | 4;
}

/** @throws corruption */
function decodeCodes(key: string, name: string, block: NumberBlock, { count, max, width }: CodesMeta): Codes {
  const { bytes, form } = block;
  if (form === "masked") return Scratch.atOnce((scratch) => narrowCodes(maskedCodes(key, name, bytes, count, max, scratch.take(count)), max));
  const codes = form === "packed" ? unpackCodes(bytes, count, max) : codesOfBytes(fromPlanes(bytes, width), width);
  if (codes?.length !== count) throw damaged(key, `block ${name} does not have ${count} codes`);
  return codes;
}

/** @param into memory for as many codes @throws corruption */
export function maskedCodes(key: string, name: string, bytes: Uint8Array, count: number, max: number, into: Uint32Array): Uint32Array {
  const codes = unmaskCodes(bytes, count, max, into);
  if (codes === null) throw damaged(key, `block ${name} does not have ${count} codes`);
  return codes;
}

/** @throws corruption */
export function packedCodes(key: string, name: string, bytes: Uint8Array, count: number, max: number): PackedCodes {
  const packed = PackedCodes.of(bytes, count, max);
  if (packed === null) throw damaged(key, `block ${name} does not have ${count} codes`);
  return packed;
}

/** @param into memory for as many numbers @throws corruption */
export function decodeActorList(key: string, list: ActorList, { count, max }: ActorListMeta, block: NumberBlock, into: (count: number) => Uint32Array): Uint32Array {
  const name = ACTOR_BLOCKS[list];
  if (isAscending(list)) return numbersOfDeltas(key, name, block, count, into);
  const codes = into(count);
  codes.set(decodeCodes(key, name, block, { count, max, width: codeWidth(max) }));
  return codes;
}

function isAscending(list: ActorList): boolean {
  return list === "plain" || list === "members";
}

/** @throws corruption */
export function decodeColumn(key: string, meta: ColumnMeta, rowCount: number, block: NumberBlock, rows: NumberBlock | null): CodeColumn {
  const { name, width, max, entryCount = rowCount } = meta;
  const codes = decodeCodes(key, name, block, { count: entryCount, max, width });
  return rows === null ? { kind: "dense", codes } : { kind: "sparse", rows: numbersOfDeltas(key, rowsBlock(name), rows, entryCount), codes, rowCount };
}

function columnOf(merged: MergedRows): (name: string) => CodeColumn {
  const none = absentColumn(merged.times.length);
  return (name) => merged.columns.get(name) ?? none;
}

async function pack(name: string, raw: Uint8Array, deflate: Deflate, yielder: Yielder): Promise<PackedBlock> {
  const isShort = raw.length < DEFLATED_BYTES_MIN;
  const packed = isShort ? raw : await deflate(raw);
  await yielder.yieldAfter(isShort ? VALUES_PER_BLOCK : VALUES_PER_DEFLATE + raw.length * VALUES_PER_BYTE);
  const deflated = packed.length < raw.length;
  return { name, bytes: deflated ? packed : raw, rawByteLength: raw.length, deflated };
}

async function describeColumn(name: string, column: CodeColumn, yielder: Yielder): Promise<ColumnMeta | null> {
  let [min, max, hasZero] = [Infinity, 0, false];
  await yielder.inPieces(column.codes.length, (from, to) => {
    const piece = zoneOf(wideCodes(column.codes.subarray(from, to)));
    min = Math.min(min, piece.min);
    max = Math.max(max, piece.max);
    hasZero ||= piece.hasZero;
  });
  if (max === 0) return null;
  const width = column.codes.BYTES_PER_ELEMENT as 1 | 2 | 4;
  if (column.kind === "dense") return { name, width, min, max, hasZero };
  return { name, width, min, max, hasZero: column.rowCount > column.rows.length, entryCount: column.codes.length };
}

function zoneOf(codes: Uint32Array): ColumnZone {
  let [min, max, hasZero] = [Infinity, 0, false];
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] as number;
    if (code === 0) hasZero = true;
    else if (code < min) min = code;
    if (code > max) max = code;
  }
  return { min, max, hasZero };
}

async function sequenceRange(sequences: Uint32Array, yielder: Yielder): Promise<{ firstSequence: number; lastSequence: number }> {
  let firstSequence = sequences[0] ?? 0;
  let lastSequence = 0;
  await yielder.inPieces(sequences.length, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const sequence = sequences[at] as number;
      if (sequence < firstSequence) firstSequence = sequence;
      if (sequence > lastSequence) lastSequence = sequence;
    }
  });
  return { firstSequence, lastSequence };
}
