import { DaybookError } from "../../core/base/errors.js";
import { crc32 } from "../../core/base/hash.js";
import { Turns } from "../../core/base/turn.js";

/** First and last bytes of every container file. */
export const CONTAINER_START = "DAYBOOK1";
export const CONTAINER_END = "1KOOBYAD";
/** Footer length, footer CRC-32 and the closing magic. */
export const TRAILER_BYTES = 16;

/** The position of a block in the file, and how to read it. */
export interface BlockEntry {
  readonly name: string;
  readonly offset: number;
  /** Bytes in the file. */
  readonly byteLength: number;
  /** Bytes once inflated; equal to `byteLength` for a raw block. */
  readonly rawByteLength: number;
  readonly deflated: boolean;
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
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Encodes a container: magic, blocks at multiples of 8, footer as JSON, trailer. */
export async function encodeContainer<M>(blocks: readonly PackedBlock[], meta: M, turns = new Turns()): Promise<Uint8Array> {
  const entries: BlockEntry[] = [];
  let offset = CONTAINER_START.length;
  for (const block of blocks) {
    offset = (offset + 7) & ~7;
    const { name, bytes, rawByteLength, deflated } = block;
    entries.push({ name, offset, byteLength: bytes.length, rawByteLength, deflated, crc32: await crc32InPieces(bytes, turns) });
    offset += bytes.length;
  }
  const footer = encoder.encode(JSON.stringify({ blocks: entries, meta } satisfies ContainerFooter<M>));
  const file = new Uint8Array(offset + footer.length + TRAILER_BYTES);
  file.set(encoder.encode(CONTAINER_START));
  for (const [index, { bytes }] of blocks.entries()) {
    const start = entries[index]?.offset ?? 0;
    await turns.inPieces(bytes.length, (from, to) => file.set(bytes.subarray(from, to), start + from));
  }
  file.set(footer, offset);
  const trailer = new DataView(file.buffer, offset + footer.length);
  trailer.setUint32(0, footer.length, true);
  trailer.setUint32(4, crc32(footer), true);
  file.set(encoder.encode(CONTAINER_END), offset + footer.length + 8);
  return file;
}

async function crc32InPieces(bytes: Uint8Array, turns: Turns): Promise<number> {
  let crc = 0;
  await turns.inPieces(bytes.length, (from, to) => {
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
