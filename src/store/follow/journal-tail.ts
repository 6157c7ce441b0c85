import { grouped, concatBytes } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { areSameBytes } from "../../core/base/bytes.js";
import { decodeBatch } from "../batch/batch.js";
import {
  journalKey, journalNumber, FRAME_CRC_AT, FRAME_HEADER_BYTES, FRAME_KINDS, decodeFrame, framesAfter, journalHeaderCrc, startOf, type FoundFrame,
  type Frame, type JournalPosition,
} from "../journal/journal.js";
import type { Storage } from "../storage/storage.js";

/** The error for stored files that contradict what was shown, though none is damaged. @param key the contradicting file */
export function otherState(key: string): DaybookError {
  return new DaybookError("corruption", "the files now belong to another store, or to an earlier state than the one already shown: close this reader and open it again", { key });
}

/** Bytes compared at the end of an object; they include its checksum, so they identify it. */
const END_BYTES = 64;

/** Detects changes of an object that is replaced as a whole and ends with a checksum, by reading only its end. */
export class WatchedObject {
  #length = 0;
  #end: Uint8Array | null = null;

  /** @param known the object as last read; null if it was missing */
  constructor(
    readonly storage: Storage,
    readonly key: string,
    known: Uint8Array | null,
  ) {
    this.saw(known);
  }

  /** Returns the object if it differs from the last seen one, with null bytes if it is gone; else null. Cost while unchanged: one short read. */
  async changed(): Promise<{ readonly bytes: Uint8Array | null } | null> {
    const bytes = this.#end === null ? await this.storage.read(this.key) : await this.#readChanged(this.#end);
    return bytes === "same" || (bytes === null && this.#end === null) ? null : { bytes };
  }

  saw(bytes: Uint8Array | null): void {
    this.#length = bytes?.length ?? 0;
    this.#end = bytes === null ? null : bytes.slice(Math.max(0, bytes.length - END_BYTES));
  }

  async #readChanged(end: Uint8Array): Promise<Uint8Array | null | "same"> {
    // Read one byte beyond the known end, so that a longer object differs.
    const found = await this.storage.read(this.key, { start: this.#length - end.length, end: this.#length + 1 });
    if (found !== null && areSameBytes(found, end)) return "same";
    return await this.storage.read(this.key);
  }
}

/** Bytes of the first read after the last frame: small, so that reads without news allocate little. */
const FIRST_READ_BYTES = 4 * 1024;
const READ_BYTES_MAX = 4 * 1024 * 1024;

interface JournalNews {
  /** Frames that can no longer be cut off, in order. */
  readonly frames: readonly FoundFrame[];
  /** Whether there are whole frames that may still be cut off; a later read decides. */
  readonly isWaiting: boolean;
}

/** The end of the whole frames at an earlier read. */
interface JournalEnd {
  readonly end: JournalPosition;
  readonly atMs: number;
}

/** Reads what a writer appends to its journals, continuing after the last consumed frame. */
export class JournalTail {
  #place: JournalPosition;
  #sequence: number;
  #seen: JournalEnd | null = null;
  /** Object lengths of the current journal, if it consists of several objects. */
  #objectLengths: number[] = [];

  /** @param sequence sequence of the first record after `place` */
  constructor(
    readonly storage: Storage,
    place: JournalPosition,
    sequence: number,
  ) {
    this.#place = place;
    this.#sequence = sequence;
  }

  get place(): JournalPosition {
    return this.#place;
  }

  get sequence(): number {
    return this.#sequence;
  }

  took({ frame, end }: FoundFrame): void {
    this.#goTo(end, frame.firstSequence + frame.sequenceCount);
  }

  /** Moves to the start of a later journal: the rows before it are in other files. A deletion skips a sequence without a frame. */
  skipTo(number: number, sequence: number): void {
    if (number > this.#place.number) this.#goTo(startOf(number), sequence);
    else if (sequence > this.#sequence) this.#sequence = sequence;
  }

  /** Reads the new frames. @throws corruption if frames contradict those already consumed, or leave a gap */
  async read(): Promise<JournalNews> {
    const startedMs = performance.now();
    // List before reading: a journal that has a successor no longer changes.
    const keysOf = journalsOf(await this.storage.list("journal/"));
    const numbers = [...keysOf.keys()].filter((number) => number >= this.#place.number);
    const frames: FoundFrame[] = [];
    let place = this.#place;
    let sequence = this.#sequence;
    if (place.crc !== null && numbers[0] !== place.number) throw otherState(journalKey(place.number));
    for (const number of numbers) {
      if (number > place.number) place = startOf(number);
      const bytes = await this.#bytesBehind(place, keysOf.get(number) ?? []);
      const key = journalKey(number);
      for (const found of framesAfter(key, bytes, place, sequence, () => otherState(key))) {
        frames.push(found);
        place = found.end;
        sequence = found.frame.firstSequence + found.frame.sequenceCount;
      }
    }
    const count = this.#settledCount(frames, numbers.at(-1) ?? 0, startedMs);
    return { frames: frames.slice(0, count), isWaiting: count < frames.length };
  }

  #settledCount(frames: readonly FoundFrame[], lastJournal: number, startedMs: number): number {
    const synced = frames.reduce((most, { frame }) => Math.max(most, frame.syncedSequence), 0);
    let count = 0;
    for (const [at, { frame, end }] of frames.entries()) {
      // A journal that has a successor is final.
      const isSettled = end.number < lastJournal || (frame.sequenceCount > 0 && frame.firstSequence + frame.sequenceCount <= synced) || frame.kind === FRAME_KINDS.end;
      const stood = this.#seen !== null && startedMs - this.#seen.atMs >= LIMITS.followSettleMs && areSame(this.#seen.end, end);
      if (isSettled || stood) count = at + 1;
    }
    for (let last = frames[count - 1]; last !== undefined && last.end.number === lastJournal && isPart(last.frame); last = frames[count - 1]) count -= 1;
    const last = frames.at(-1);
    if (last === undefined || count === frames.length) this.#seen = null;
    else if (this.#seen === null || count > 0 || !frames.some(({ end }) => areSame(this.#seen?.end ?? null, end))) this.#seen = { end: last.end, atMs: performance.now() };
    return count;
  }

  #goTo(place: JournalPosition, sequence: number): void {
    if (place.number !== this.#place.number) this.#objectLengths = [];
    this.#place = place;
    this.#sequence = sequence;
  }

  /** Reads a journal from a position on. @throws corruption if the last frame before it is not the consumed one */
  async #bytesBehind({ number, byteLength, lastFrameAt, crc }: JournalPosition, keys: readonly string[]): Promise<Uint8Array> {
    const isLong = byteLength - lastFrameAt > FIRST_READ_BYTES / 2;
    const start = isLong ? byteLength : lastFrameAt;
    const bytes = await this.#bytesFrom(number, start, keys);
    const last = isLong ? await this.#headerAt(number, lastFrameAt, keys) : bytes;
    if (crc !== null && (lastFrameAt === 0 ? journalHeaderCrc(last) : crcOf(last)) !== crc) throw otherState(journalKey(number));
    return bytes.subarray(byteLength - start);
  }

  #bytesFrom(number: number, from: number, keys: readonly string[]): Promise<Uint8Array> {
    const [key] = keys;
    if (key === journalKey(number)) return readToEnd(this.storage, key, from);
    return this.#objectsFrom(number, from, keys);
  }

  /** Reads a frame header of the current journal, all of whose objects have been read. */
  async #headerAt(number: number, from: number, keys: readonly string[]): Promise<Uint8Array> {
    const { at, start } = keys[0] === journalKey(number) ? { at: 0, start: from } : objectAt(this.#objectLengths, from);
    const key = keys[at];
    return (key === undefined ? null : await this.storage.read(key, { start, end: start + FRAME_HEADER_BYTES })) ?? new Uint8Array(0);
  }

  /** Reads a journal stored as one object per write. An object after the position may be rewritten if its write failed. */
  async #objectsFrom(number: number, from: number, keys: readonly string[]): Promise<Uint8Array> {
    const lengths = number === this.#place.number ? this.#objectLengths : [];
    const { at, start } = objectAt(lengths, from);
    const parts = await Promise.all(keys.slice(at).map(async (key) => (await this.storage.read(key)) ?? new Uint8Array(0)));
    lengths.splice(at, lengths.length, ...parts.map(({ length }) => length));
    return concatBytes(parts).subarray(start);
  }
}

/** Finds the object that contains a byte, the first not known to end before it, and the offset in that object. */
function objectAt(lengths: readonly number[], byte: number): { readonly at: number; readonly start: number } {
  let [at, start] = [0, byte];
  for (let length = lengths[0]; length !== undefined && length <= start; length = lengths[at]) {
    start -= length;
    at += 1;
  }
  return { at, start };
}

function crcOf(frame: Uint8Array): number | null {
  return frame.length < FRAME_HEADER_BYTES ? null : new DataView(frame.buffer, frame.byteOffset).getUint32(FRAME_CRC_AT, true);
}

function journalsOf(keys: readonly string[]): ReadonlyMap<number, readonly string[]> {
  return grouped(keys.filter((key) => journalNumber(key) !== null), (key) => journalNumber(key) ?? 0);
}

async function readToEnd(storage: Storage, key: string, from: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let start = from, length = FIRST_READ_BYTES; ; start += length, length = Math.min(length * 32, READ_BYTES_MAX)) {
    const part = (await storage.read(key, { start, end: start + length })) ?? new Uint8Array(0);
    parts.push(part);
    if (part.length < length) return parts.length === 1 ? part : concatBytes(parts);
  }
}

/** Whether a frame contains values for a commit that later frames continue. A created project is a commit of its own. */
function isPart({ kind, sequenceCount, payload }: Frame): boolean {
  if (kind !== FRAME_KINDS.rows || sequenceCount !== 1) return false;
  const { deltas, batch } = decodeBatch(payload);
  return batch.rowCount === 0 && deltas.some(({ name }) => name !== "project");
}

function areSame(a: JournalPosition | null, b: JournalPosition): boolean {
  return a?.number === b.number && a.byteLength === b.byteLength && a.crc === b.crc;
}

/** Whether whole frames, maybe not synced, are final. Waits `LIMITS.followSettleMs`. If the journal is gone, its rows were sealed. */
export async function hasSettled(storage: Storage, { number, lastFrameAt, crc }: JournalPosition): Promise<boolean> {
  if (lastFrameAt === 0) return true;
  await new Promise((resolve) => setTimeout(resolve, LIMITS.followSettleMs));
  const keys = journalsOf(await storage.list(journalKey(number))).get(number) ?? [];
  if (keys.length === 0) return true;
  // Objects are written atomically, so existing ones stay.
  if (keys[0] !== journalKey(number)) return true;
  return decodeFrame(await readToEnd(storage, keys[0], lastFrameAt), 0)?.crc === crc;
}
