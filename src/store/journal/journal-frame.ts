import { crc32 } from "../../core/base/hash.js";

/** Magic number at the start of a journal, followed by its epoch. */
export const JOURNAL_START = 0x314a4244;
export const JOURNAL_HEADER_BYTES = 12;
const FRAME_MAGIC = 0x314d5246;
export const FRAME_HEADER_BYTES = 32;
/** Byte offset of the CRC in a frame header. */
export const FRAME_CRC_AT = 28;

/** Frame kinds: `rows`, events with the dictionary values they introduce; `records`, identify, group, alias and unlink; `end`, a clean close. */
export const FRAME_KINDS = { rows: 1, end: 2, records: 3 } as const;

export interface Frame {
  readonly kind: number;
  /** Sequence of the first record. */
  readonly firstSequence: number;
  /** Sequences that the frame uses: one per event or record, 1 for dictionary values alone, 0 for the end mark. */
  readonly recordCount: number;
  /** All records below this sequence were known to be durable when the frame was written. */
  readonly syncedSequence: number;
  /** CRC of the previous frame, or of the journal header for the first frame. */
  readonly previousCrc: number;
  readonly crc: number;
  readonly payload: Uint8Array;
  readonly byteLength: number;
}

/** Encodes a journal header: magic, epoch and the CRC-32 of both. */
export function encodeJournalHeader(epoch: number): Uint8Array {
  const header = new Uint8Array(JOURNAL_HEADER_BYTES);
  const view = new DataView(header.buffer);
  view.setUint32(0, JOURNAL_START, true);
  view.setUint32(4, epoch, true);
  view.setUint32(8, crc32(header.subarray(0, 8)), true);
  return header;
}

/** Returns the CRC of a journal header, which starts the chain of frames; null if the header is damaged. */
export function journalHeaderCrc(bytes: Uint8Array): number | null {
  if (bytes.length < JOURNAL_HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, JOURNAL_HEADER_BYTES);
  const crc = view.getUint32(8, true);
  return view.getUint32(0, true) === JOURNAL_START && crc32(bytes.subarray(0, 8)) === crc ? crc : null;
}

/** Encodes a frame; its CRC covers header and payload. */
export function encodeFrame(
  kind: number,
  firstSequence: number,
  recordCount: number,
  syncedSequence: number,
  previousCrc: number,
  payload: Uint8Array,
): { bytes: Uint8Array; crc: number } {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, FRAME_MAGIC, true);
  view.setUint32(4, payload.length, true);
  view.setUint32(8, kind, true);
  view.setUint32(12, firstSequence, true);
  view.setUint32(16, syncedSequence, true);
  view.setUint32(20, previousCrc, true);
  view.setUint32(24, recordCount, true);
  bytes.set(payload, FRAME_HEADER_BYTES);
  const crc = frameCrc(bytes);
  view.setUint32(FRAME_CRC_AT, crc, true);
  return { bytes, crc };
}

/** Decodes the frame at `offset`; null if it is missing, incomplete or damaged. */
export function decodeFrame(bytes: Uint8Array, offset: number): Frame | null {
  if (offset + FRAME_HEADER_BYTES > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, FRAME_HEADER_BYTES);
  if (view.getUint32(0, true) !== FRAME_MAGIC) return null;
  const payloadLength = view.getUint32(4, true);
  const end = offset + FRAME_HEADER_BYTES + payloadLength;
  if (end > bytes.length) return null;
  const crc = view.getUint32(FRAME_CRC_AT, true);
  if (frameCrc(bytes.subarray(offset, end)) !== crc) return null;
  return {
    kind: view.getUint32(8, true),
    firstSequence: view.getUint32(12, true),
    syncedSequence: view.getUint32(16, true),
    recordCount: view.getUint32(24, true),
    previousCrc: view.getUint32(20, true),
    crc,
    payload: bytes.subarray(offset + FRAME_HEADER_BYTES, end),
    byteLength: end - offset,
  };
}

function frameCrc(frame: Uint8Array): number {
  return crc32(frame.subarray(FRAME_HEADER_BYTES), crc32(frame.subarray(0, FRAME_CRC_AT)));
}

/** Finds every undamaged frame at or after `offset`, skipping everything else. */
export function* findFrames(bytes: Uint8Array, offset: number): Generator<Frame> {
  const first = FRAME_MAGIC & 255;
  let at = bytes.indexOf(first, offset);
  while (at !== -1) {
    const frame = decodeFrame(bytes, at);
    if (frame !== null) yield frame;
    at = bytes.indexOf(first, at + (frame?.byteLength ?? 1));
  }
}
