import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { splitDeltas, type Dictionaries, type DictionaryDelta } from "../../storage/column/dictionaries.js";
import { BatchBuilder, type Batch, type RecordBatch, encodeBatch, encodeRecords } from "../batch/batch.js";
import { Journal, journalKey, type JournalEntry, FRAME_KINDS, journalKeys, listJournals, openJournalFile } from "./journal.js";
import type { Storage } from "../storage/storage.js";

/** When an ingest resolves: `disk` after the journal sync, `os` after the write, with a sync every second. */
export type Durability = "disk" | "os";

const OS_SYNC_MS = 1_000;

/** The sequences of a commit: those of its events from `first` on, then those of its records, all below `next`. */
export interface CommittedSequences {
  readonly first: number;
  readonly next: number;
  /** When it was accepted, epoch ms. */
  readonly receivedMs: number;
}

export interface FoundJournals {
  readonly nextSequence: number;
  /** Bytes up to the last whole frame, by journal number, ascending; journals stay until their rows are sealed. */
  readonly journalByteLengths: ReadonlyMap<number, number>;
}

/** Makes commits durable: the current journal, the live ones before it, and the dictionary sizes that they cover. */
export class Journals {
  /** Null for readers and after the store is closed. */
  current: Journal | null = null;
  nextSequence: number;
  /** Bytes of the journals before the current one, by number. */
  readonly #former: Map<number, number>;
  #sizes: ReadonlyMap<string, number>;
  #syncTimer: { unref?(): void } | null = null;

  /** @param refuseLostLock throws if another process may have taken over the store */
  constructor(
    readonly storage: Storage,
    readonly durability: Durability,
    readonly dictionaries: Dictionaries,
    found: FoundJournals,
    readonly refuseLostLock: () => Promise<void>,
  ) {
    this.nextSequence = found.nextSequence;
    this.#former = new Map(found.journalByteLengths);
    this.#sizes = dictionaries.sizes();
  }

  /** Dictionary sizes whose values the journals contain; a new map after each commit. */
  get sizes(): ReadonlyMap<string, number> {
    return this.#sizes;
  }

  byteLengthFrom(firstNumber: number): number {
    const ofCurrent = this.current?.byteLength ?? 0;
    return [...this.#former].reduce((sum, [number, byteLength]) => (number < firstNumber ? sum : sum + byteLength), ofCurrent);
  }

  /**
   * Writes a commit and syncs it. After a failed write nothing of it is kept; after a failed sync nobody knows, and the journal refuses further
   * writes. The caller sets `nextSequence` when it makes the commit visible. @throws read_only, storage_full, internal
   */
  async write(batch: Batch, recordBatch: RecordBatch | null, receivedMs: number): Promise<CommittedSequences> {
    const { current } = this;
    if (current === null) throw new DaybookError("read_only", "the store was opened read-only");
    const recordCount = recordBatch?.records.rowCount ?? 0;
    // A commit without events and records stores values alone, and uses one sequence.
    const rowSequenceCount = batch.rowCount === 0 && recordCount === 0 ? 1 : batch.rowCount;
    if (this.nextSequence + rowSequenceCount + recordCount > 0xffffffff)
      throw new DaybookError("internal", "expected at most 2^32 events and records in a store");
    const before = { mark: current.mark(), nextSequence: this.nextSequence, sizes: this.#sizes };
    try {
      await this.#writeAll(current, batch, recordBatch, rowSequenceCount, receivedMs);
    } catch (error) {
      await current.rollBack(before.mark);
      this.nextSequence = before.nextSequence;
      this.#sizes = before.sizes;
      throw error;
    }
    return { first: this.nextSequence, next: this.nextSequence + rowSequenceCount + recordCount, receivedMs };
  }

  async #writeAll(journal: Journal, batch: Batch, recordBatch: RecordBatch | null, rowSequenceCount: number, receivedMs: number): Promise<void> {
    const recordCount = recordBatch?.records.rowCount ?? 0;
    const sizes = this.dictionaries.sizes();
    if (this.storage.volatile === true) {
      this.#sizes = sizes;
      return;
    }
    let deltas = await this.#writeValues(journal, receivedMs);
    const entries: JournalEntry[] = [];
    if (rowSequenceCount > 0) {
      entries.push({ kind: FRAME_KINDS.rows, firstSequence: this.nextSequence, sequenceCount: rowSequenceCount, payload: encodeBatch(deltas, batch) });
      deltas = [];
    }
    const nextSequence = this.nextSequence + rowSequenceCount + recordCount;
    if (recordBatch !== null && recordCount > 0) {
      const payload = encodeRecords(deltas, recordBatch);
      entries.push({ kind: FRAME_KINDS.records, firstSequence: this.nextSequence + rowSequenceCount, sequenceCount: recordCount, payload });
    }
    await journal.append(receivedMs, ...entries);
    // A process that takes over acquires the lock before it reads and syncs the journal: while the lock is ours, it will find these frames.
    const isOurs = this.refuseLostLock();
    if (this.durability === "disk") await Promise.all([journal.sync(nextSequence), isOurs]);
    else {
      await isOurs;
      this.#syncLater();
    }
    this.#sizes = sizes;
  }

  /** Writes frames of values alone until the rest fits into one frame; returns the rest. */
  async #writeValues(journal: Journal, receivedMs: number): Promise<DictionaryDelta[]> {
    const parts = splitDeltas(this.dictionaries.deltasSince(this.#sizes), LIMITS.frameValueChars);
    const last = parts.pop() ?? [];
    for (const part of parts) {
      const payload = encodeBatch(part, new BatchBuilder().batch());
      await journal.append(receivedMs, { kind: FRAME_KINDS.rows, firstSequence: this.nextSequence, sequenceCount: 1, payload });
      this.nextSequence += 1;
      this.#sizes = new Map([...this.#sizes, ...part.map(({ name, start, values }) => [name, start + values.length] as const)]);
    }
    return last;
  }

  /** Call when a file named by the manifest contains all values, so that no journal has to. */
  markValuesPersisted(): void {
    this.#sizes = this.dictionaries.sizes();
  }

  markRead(number: number, byteLength: number): void {
    this.#former.set(number, byteLength);
  }

  /** Forgets the journals before a number, which another writer removes. */
  forgetBefore(number: number): void {
    for (const known of [...this.#former.keys()]) if (known < number) this.#former.delete(known);
  }

  /** Starts the next journal; later commits go there. @throws store_locked */
  async rotate(number: number, epoch: number): Promise<void> {
    const file = await openJournalFile(this.storage, number);
    const before = this.current;
    try {
      if (file.byteLength > 0) throw new DaybookError("store_locked", `another process writes to ${journalKey(number)}`);
      // Sync first: rows of the next journal must not survive without those of this one, nor follow frames that were cut off.
      if (before !== null && (this.durability === "os" || before.isCut)) await before.sync(this.nextSequence);
      this.current = await Journal.create(number, file, epoch, this.nextSequence);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    if (before !== null) this.#former.set(before.number, before.byteLength);
    await before?.file.close();
  }

  async removeBefore(firstNumber: number): Promise<void> {
    for (const number of await listJournals(this.storage)) {
      if (number >= firstNumber) continue;
      for (const key of await journalKeys(this.storage, number)) await this.storage.remove(key);
      this.#former.delete(number);
    }
  }

  /** Closes the journal without writing. */
  async abandon(): Promise<void> {
    await this.current?.file.close().catch(() => undefined);
    this.current = null;
  }

  /** A failure poisons the journal, so the next ingest reports it. */
  #syncLater(): void {
    if (this.#syncTimer !== null) return;
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = null;
      if (this.current?.isPoisoned === false) this.current.sync(this.nextSequence).catch(() => undefined);
    }, OS_SYNC_MS);
    this.#syncTimer.unref?.();
  }
}
