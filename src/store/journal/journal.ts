import { DaybookError } from "../../core/base/errors.js";
import { damaged } from "../../storage/segment/segment-file.js";
import {
  FRAME_KINDS,
  JOURNAL_HEADER_BYTES,
  decodeFrame,
  encodeFrame,
  encodeJournalHeader,
  findFrames,
  journalHeaderCrc,
} from "./journal-frame.js";
import type { Frame } from "./journal-frame.js";
import { concat } from "../batch/batch-bytes.js";
import type { AppendFile } from "../storage/storage.js";

/** The storage key of a journal; keys sort by journal number. */
export function journalKey(number: number): string {
  return `journal/${String(number).padStart(10, "0")}`;
}

/** Parses the number from a journal key; null for other keys. */
export function journalNumber(key: string): number | null {
  const match = /^journal\/(\d{10})(?:\/|$)/.exec(key);
  return match === null ? null : Number(match[1]);
}

/** A frame to append. */
export interface JournalEntry {
  readonly kind: number;
  readonly firstSequence: number;
  readonly recordCount: number;
  readonly payload: Uint8Array;
}

/** A position in a journal: its length, the CRC of the last frame and the synced sequence. */
export interface JournalMark {
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

  /** Appends frames in one write, durable once `sync` resolves; cuts off a partial write. @throws read_only, store_locked, storage_full */
  async append(...entries: readonly JournalEntry[]): Promise<void> {
    this.#refusePoisoned();
    let crc = this.#crc;
    const frames = entries.map(({ kind, firstSequence, recordCount, payload }) => {
      const frame = encodeFrame(kind, firstSequence, recordCount, this.#synced, crc, payload);
      crc = frame.crc;
      return frame.bytes;
    });
    const before = this.file.byteLength;
    try {
      await this.file.write(frames.length === 1 && frames[0] !== undefined ? frames[0] : concat(frames));
    } catch (cause) {
      await this.#cutBack(before);
      throw cause;
    }
    this.#refusePoisoned();
    this.#crc = crc;
  }

  /** The current position, for `rollBack`. */
  mark(): JournalMark {
    return { byteLength: this.file.byteLength, crc: this.#crc, synced: this.#synced };
  }

  /** Cuts off the frames after a mark, none of which was acknowledged. Never throws: if the cut fails, the journal refuses further writes. */
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

  /** Appends an end mark and syncs: the journal is closed cleanly. */
  async end(nextSequence: number): Promise<void> {
    await this.append({ kind: FRAME_KINDS.end, firstSequence: nextSequence, recordCount: 0, payload: new Uint8Array(0) });
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

/** The result of replaying one journal. */
export interface Replay {
  /** Bytes up to the end of the last good frame. */
  readonly goodByteLength: number;
  readonly frameCount: number;
  readonly nextSequence: number;
  /** Whether the journal was closed cleanly. */
  readonly ended: boolean;
  /** CRC of the last good frame or the header, which the next frame must continue; null without a whole header. */
  readonly crc: number | null;
  /** Byte offset of the last good frame; 0 if there is none. */
  readonly lastFrameAt: number;
}

/**
 * Passes every frame of a journal except end marks to `apply`, in order. A bad frame ends the journal, unless a later frame
 * proves that the bad one was durable. @throws corruption
 */
export function replayJournal(key: string, bytes: Uint8Array, nextSequence: number, apply: (frame: Frame) => void): Replay {
  let previousCrc = journalHeaderCrc(bytes);
  if (previousCrc === null) {
    refuseIfDurable(key, bytes, 0, nextSequence);
    return { goodByteLength: 0, frameCount: 0, nextSequence, ended: false, crc: null, lastFrameAt: 0 };
  }
  let offset = JOURNAL_HEADER_BYTES;
  let sequence = nextSequence;
  let frameCount = 0;
  let ended = false;
  let lastFrameAt = 0;
  while (offset < bytes.length) {
    const frame = decodeFrame(bytes, offset);
    if (frame === null || frame.previousCrc !== previousCrc || frame.firstSequence < sequence) {
      refuseIfDurable(key, bytes, offset, sequence);
      return { goodByteLength: offset, frameCount, nextSequence: sequence, ended, crc: previousCrc, lastFrameAt };
    }
    if (frame.firstSequence > sequence) throw damaged(key, `rows ${sequence} to ${frame.firstSequence - 1} are missing`);
    if (frame.kind !== FRAME_KINDS.end) apply(frame);
    ended = frame.kind === FRAME_KINDS.end;
    sequence += frame.recordCount;
    previousCrc = frame.crc;
    lastFrameAt = offset;
    offset += frame.byteLength;
    frameCount += 1;
  }
  return { goodByteLength: offset, frameCount, nextSequence: sequence, ended, crc: previousCrc, lastFrameAt };
}

/** Throws if a later frame proves that the broken frame at `offset` was durable. @throws corruption */
export function refuseIfDurable(key: string, bytes: Uint8Array, offset: number, sequence: number): void {
  for (const later of findFrames(bytes, offset))
    if (later.syncedSequence > sequence) throw damaged(key, `the frame at byte ${offset} is broken, although it had been synced`);
}
