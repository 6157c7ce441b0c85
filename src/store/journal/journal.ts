import { concatBytes } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";
import { crc32 } from "../../core/base/hash.js";
import type { DictionaryDelta } from "../../storage/column/dictionaries.js";
import { damaged } from "../../storage/segment/segment-file.js";
import { decodeBatch, decodeRecords, type Batch, type RecordBatch } from "../batch/batch.js";
import type { AppendFile, Storage } from "../storage/storage.js";

/** Magic number at the start of a journal, followed by its epoch. */
const JOURNAL_START = 0x314a4244;
export const JOURNAL_HEADER_BYTES = 12;
const FRAME_MAGIC = 0x314d5246;
export const FRAME_HEADER_BYTES = 40;
/** Byte offset of the CRC in a frame header. */
export const FRAME_CRC_AT = 36;

/** Frame kinds: `rows`, events with the dictionary values they introduce; `records`, identify, group, alias and unlink; `end`, a clean close. */
export const FRAME_KINDS = { rows: 1, end: 2, records: 3 } as const;

export interface Frame {
  readonly kind: number;
  readonly firstSequence: number;
  /** Sequences that the frame uses: one per event or record, 1 for dictionary values alone, 0 for the end mark. */
  readonly sequenceCount: number;
  /** All records below this sequence were known to be durable when the frame was written. */
  readonly syncedSequence: number;
  /** CRC of the previous frame, or of the journal header for the first frame. */
  readonly previousCrc: number;
  /** When the commit was accepted, epoch ms; 0 for the end mark. */
  readonly receivedMs: number;
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
  sequenceCount: number,
  syncedSequence: number,
  previousCrc: number,
  receivedMs: number,
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
  view.setUint32(24, sequenceCount, true);
  view.setFloat64(28, receivedMs, true);
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
    sequenceCount: view.getUint32(24, true),
    previousCrc: view.getUint32(20, true),
    receivedMs: view.getFloat64(28, true),
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

/** The storage key of a journal; keys sort by journal number. */
export function journalKey(number: number): string {
  return `journal/${String(number).padStart(10, "0")}`;
}

/** Parses the number from a journal key; null for other keys. */
export function journalNumber(key: string): number | null {
  const match = /^journal\/(\d{10})(?:\/|$)/.exec(key);
  return match === null ? null : Number(match[1]);
}

export interface JournalEntry {
  readonly kind: number;
  readonly firstSequence: number;
  readonly sequenceCount: number;
  readonly payload: Uint8Array;
}

interface JournalMark {
  readonly byteLength: number;
  readonly crc: number;
  readonly synced: number;
}

/** The append-only durable log of the rows in the heads. It has one writer and refuses writes after a failed sync. */
export class Journal {
  #crc: number;
  #synced: number;
  #poisoned: unknown = null;
  #lastSync: Promise<unknown> = Promise.resolve();
  #isCut = false;

  private constructor(
    readonly number: number,
    readonly file: AppendFile,
    headerCrc: number,
    syncedSequence: number,
  ) {
    this.#crc = headerCrc;
    this.#synced = syncedSequence;
  }

  /** Starts an empty journal. @param nextSequence all rows below it are already durable */
  static async create(number: number, file: AppendFile, epoch: number, nextSequence: number): Promise<Journal> {
    const header = encodeJournalHeader(epoch);
    await file.write(header);
    return new Journal(number, file, journalHeaderCrc(header) ?? 0, nextSequence);
  }

  get byteLength(): number {
    return this.file.byteLength;
  }

  get isPoisoned(): boolean {
    return this.#poisoned !== null;
  }

  /** Whether frames were cut off since the last sync: a power loss may restore them. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Appends frames of a commit in one write, durable once `sync` resolves; cuts off a partial one. @throws read_only, store_locked, storage_full */
  async append(receivedMs: number, ...entries: readonly JournalEntry[]): Promise<void> {
    this.#refusePoisoned();
    let crc = this.#crc;
    const frames = entries.map(({ kind, firstSequence, sequenceCount, payload }) => {
      const frame = encodeFrame(kind, firstSequence, sequenceCount, this.#synced, crc, receivedMs, payload);
      crc = frame.crc;
      return frame.bytes;
    });
    const before = this.file.byteLength;
    try {
      await this.file.write(frames.length === 1 && frames[0] !== undefined ? frames[0] : concatBytes(frames));
    } catch (cause) {
      await this.#cutBack(before);
      throw cause;
    }
    this.#refusePoisoned();
    this.#crc = crc;
  }

  mark(): JournalMark {
    return { byteLength: this.file.byteLength, crc: this.#crc, synced: this.#synced };
  }

  /**
   * Cuts off the frames after a mark, none of which was acknowledged; does nothing if the journal refuses writes. Never throws: if the cut fails, the
   * journal refuses further writes.
   */
  async rollBack({ byteLength, crc, synced }: JournalMark): Promise<void> {
    if (this.isPoisoned || this.file.byteLength === byteLength) return;
    await this.#cutBack(byteLength);
    this.#crc = crc;
    this.#synced = synced;
  }

  /** Refuses all further writes without touching the file: another process may own it, or it may contradict other files. */
  poison(cause: unknown): void {
    this.#poisoned ??= cause;
  }

  /** Syncs the file, one sync at a time so that none misses a failure of another. @param nextSequence the journal contains all rows below it */
  sync(nextSequence: number): Promise<void> {
    const syncing = this.#lastSync.then(() => this.#syncNow(nextSequence));
    this.#lastSync = syncing.catch(() => undefined);
    return syncing;
  }

  async #syncNow(nextSequence: number): Promise<void> {
    this.#refusePoisoned();
    this.#isCut = false;
    try {
      await this.file.sync();
    } catch (cause) {
      // The kernel may have dropped dirty pages, so the content of the file is unknown.
      this.#poisoned = cause;
      throw new DaybookError("read_only", "the journal could not be synced; reopen the store to write again", {}, { cause });
    }
    this.#synced = nextSequence;
  }

  async end(nextSequence: number): Promise<void> {
    await this.append(0, { kind: FRAME_KINDS.end, firstSequence: nextSequence, sequenceCount: 0, payload: new Uint8Array(0) });
    await this.sync(nextSequence);
  }

  async #cutBack(byteLength: number): Promise<void> {
    this.#isCut = true;
    try {
      await this.file.truncate(byteLength);
    } catch (cause) {
      this.#poisoned = cause;
    }
  }

  #refusePoisoned(): void {
    if (this.#poisoned instanceof DaybookError && this.#poisoned.code === "store_locked") throw this.#poisoned;
    if (this.#poisoned !== null)
      throw new DaybookError("read_only", "the journal failed earlier; reopen the store to write again", {}, { cause: this.#poisoned });
  }
}

export interface JournalPosition {
  readonly number: number;
  /** Bytes up to the end of the last whole frame. */
  readonly byteLength: number;
  /** Byte offset of that frame; 0 if there is none. */
  readonly lastFrameAt: number;
  /** CRC of that frame or of the header; null without a whole header. */
  readonly crc: number | null;
}

export function startOf(number: number): JournalPosition {
  return { number, byteLength: 0, lastFrameAt: 0, crc: null };
}

export interface FoundFrame {
  readonly frame: Frame;
  readonly end: JournalPosition;
}

/**
 * The frames after a position. A bad frame ends them, unless a later frame proves that the bad one was durable.
 * @param bytes all bytes after the position
 * @param sequence of the next record
 * @param earlierError of a frame with an earlier sequence; absent: it is a bad frame
 * @throws corruption
 */
export function* framesAfter(
  key: string, bytes: Uint8Array, { number, byteLength, crc: lastCrc }: JournalPosition, sequence: number, earlierError?: () => DaybookError,
): Generator<FoundFrame> {
  let crc = lastCrc ?? journalHeaderCrc(bytes);
  if (crc === null) return refuseIfDurable(key, bytes, 0, sequence);
  let next = sequence;
  for (let offset = lastCrc === null ? JOURNAL_HEADER_BYTES : 0; offset < bytes.length; ) {
    const frame = decodeFrame(bytes, offset);
    const isNext = frame !== null && frame.previousCrc === crc;
    if (isNext && frame.firstSequence < next && earlierError !== undefined) throw earlierError();
    if (!isNext || frame.firstSequence < next) return refuseIfDurable(key, bytes, offset, next);
    if (frame.firstSequence > next) throw damaged(key, `rows ${next} to ${frame.firstSequence - 1} are missing`);
    const lastFrameAt = byteLength + offset;
    ({ crc } = frame);
    next += frame.sequenceCount;
    offset += frame.byteLength;
    yield { frame, end: { number, byteLength: byteLength + offset, lastFrameAt, crc } };
  }
}

interface Replay {
  /** After the last good frame, or the header. */
  readonly end: JournalPosition;
  readonly nextSequence: number;
  /** Whether the journal was closed cleanly: it ends with an end mark. */
  readonly ended: boolean;
}

/** Passes every frame of a journal except end marks to `apply`, in order. @throws corruption */
export function replayJournal({ number, file, bytes }: Omit<LiveJournal, "keys">, firstSequence: number, apply: (frame: Frame) => void): Replay {
  const crc = journalHeaderCrc(bytes);
  let end = crc === null ? startOf(number) : { number, byteLength: JOURNAL_HEADER_BYTES, lastFrameAt: 0, crc };
  let nextSequence = firstSequence;
  let isEnd = false;
  for (const found of framesAfter(file, bytes, startOf(number), firstSequence)) {
    const { frame } = found;
    isEnd = frame.kind === FRAME_KINDS.end;
    if (!isEnd) apply(frame);
    ({ end } = found);
    nextSequence += frame.sequenceCount;
  }
  return { end, nextSequence, ended: isEnd && end.byteLength === bytes.length };
}

/** @throws corruption if a later frame proves that the broken frame at `offset` was durable */
function refuseIfDurable(key: string, bytes: Uint8Array, offset: number, sequence: number): void {
  for (const later of findFrames(bytes, offset))
    if (later.syncedSequence > sequence) throw damaged(key, `the frame at byte ${offset} is broken, although it had been synced`);
}

/** Opens a journal for appending; on storage that cannot append, every write becomes its own object. */
export async function openJournalFile(storage: Storage, number: number): Promise<AppendFile> {
  const key = journalKey(number);
  return storage.openAppend === undefined ? new ObjectJournalFile(storage, key) : await storage.openAppend(key);
}

export async function listJournals(storage: Storage): Promise<number[]> {
  const numbers = new Set<number>();
  for (const key of await storage.list("journal/")) {
    const number = journalNumber(key);
    if (number !== null) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}

export async function journalKeys(storage: Storage, number: number): Promise<string[]> {
  const key = journalKey(number);
  return (await storage.list(key)).filter((found) => found === key || found.startsWith(`${key}/`));
}

async function readJournal(storage: Storage, number: number): Promise<{ keys: string[]; bytes: Uint8Array }> {
  const keys = await journalKeys(storage, number);
  const parts = await Promise.all(keys.map((part) => storage.read(part)));
  return { keys, bytes: concatBytes(parts.flatMap((part) => part ?? [])) };
}

/** A journal stored as numbered objects; each write is atomic and durable. */
class ObjectJournalFile implements AppendFile {
  byteLength = 0;
  #next = 0;

  constructor(
    readonly storage: Storage,
    readonly key: string,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    await this.storage.write(`${this.key}/${String(this.#next).padStart(10, "0")}`, bytes);
    this.#next += 1;
    this.byteLength += bytes.length;
  }

  async sync(): Promise<void> {}

  truncate(byteLength: number): Promise<void> {
    if (byteLength === this.byteLength) return Promise.resolve();
    return Promise.reject(new DaybookError("internal", "an object journal is never cut within an object"));
  }

  async close(): Promise<void> {}
}

/** A live journal, with the keys of its objects; `file` is the first of them. */
export interface LiveJournal {
  readonly number: number;
  readonly file: string;
  readonly keys: readonly string[];
  readonly bytes: Uint8Array;
}

/** Reads the journals from a number on, one after another. They are listed first: a journal that has a successor no longer changes. */
export async function* liveJournals(storage: Storage, firstJournal: number): AsyncGenerator<LiveJournal> {
  for (const number of await listJournals(storage)) {
    if (number < firstJournal) continue;
    const { keys, bytes } = await readJournal(storage, number);
    yield { number, file: keys[0] ?? journalKey(number), keys, bytes };
  }
}

/** Replays the live journals; returns the sequence of the next record. @param onEnd called after each journal @throws corruption */
export async function replayLive(
  storage: Storage,
  { firstJournal, clean, epoch, ...manifest }: { readonly firstJournal: number; readonly nextSequence: number; readonly clean: boolean; readonly epoch: number },
  apply: (frame: Frame, journal: LiveJournal) => void,
  onEnd: (journal: LiveJournal, end: JournalPosition) => void = () => undefined,
): Promise<number> {
  let { nextSequence } = manifest;
  let ended = false;
  for await (const journal of liveJournals(storage, firstJournal)) {
    const replay = replayJournal(journal, nextSequence, (frame) => apply(frame, journal));
    // A journal without frames, left by an unfinished opening, says nothing about how the one before it ended.
    if (replay.end.lastFrameAt > 0 || journal.number === firstJournal) ({ ended } = replay);
    ({ nextSequence } = replay);
    onEnd(journal, replay.end);
  }
  if (clean && epoch > 0 && !ended) throw damaged(`journal ${firstJournal}`, "the store was closed cleanly, but the end mark is missing");
  return nextSequence;
}

interface FrameContent {
  readonly deltas: DictionaryDelta[];
  readonly batch: Batch | null;
  readonly records: RecordBatch | null;
}

/** Decodes a frame that is no end mark. */
export function contentOf({ kind, payload, firstSequence }: Frame): FrameContent {
  if (kind !== FRAME_KINDS.records) return { ...decodeBatch(payload), records: null };
  const { deltas, batch: records } = decodeRecords(payload, firstSequence);
  return { deltas, batch: null, records };
}
