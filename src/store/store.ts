import { DaybookError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { MS_PER_DAY } from "../base/time.js";
import { splitDeltas } from "../column/dictionaries.js";
import type { Dictionaries, DictionaryDelta } from "../column/dictionaries.js";
import { IdentityResolver } from "../identity/resolver.js";
import { MemoryBudget } from "../segment/memory-budget.js";
import { linksOfMeta } from "../segment/segment-file.js";
import { FIELD_COUNT, fieldIndex } from "../schema/fields.js";
import { BatchBuilder } from "./batch.js";
import type { Batch } from "./batch.js";
import { encodeBatch } from "./batch-bytes.js";
import { Catalog } from "./catalog.js";
import type { Snapshot } from "./catalog.js";
import { StoreFiles } from "./files.js";
import { Journal, journalKey } from "./journal.js";
import { FRAME_KINDS } from "./journal-frame.js";
import { journalKeys, listJournals, openJournalFile } from "./journal-file.js";
import { MANIFEST_KEY, encodeManifest } from "./manifest.js";
import type { Manifest } from "./manifest.js";
import { recover, recoverBesideWriter } from "./recovery.js";
import type { Recovered } from "./recovery.js";
import type { Storage, StorageLock } from "./storage.js";

/** When an ingest resolves: after the sync of the journal, or after the write with a sync every second. */
export type Durability = "disk" | "os";

export interface StoreOptions {
  readonly storage: Storage;
  readonly durability: Durability;
  readonly memoryBudgetBytes: number;
  /** Beside a writer: no lock, no writes. */
  readonly readOnly: boolean;
}

const USER_ID = fieldIndex("userId");
const ANONYMOUS_ID = fieldIndex("anonymousId");
/** How often the journal is synced in `os` mode. */
const OS_SYNC_MS = 1_000;

/** What a store is made of at one moment; `seal.ts` and `compact.ts` move rows between its parts. */
export class Store {
  readonly catalog = new Catalog();
  readonly resolver: IdentityResolver;
  readonly files: StoreFiles;
  readonly dictionaries: Dictionaries;
  manifest: Manifest;
  journal: Journal | null = null;
  nextSequence: number;
  nextFile: number;
  /** Sizes of the dictionaries as far as segments' files hold them, and as far as the journal does. */
  sealedSizes: ReadonlyMap<string, number>;
  #journaledSizes: Map<string, number>;
  /** A commit failed: its values are in the dictionaries, but in no file. */
  #hasLostValues = false;
  /** In `os` mode: the sync to come. */
  #syncTimer: { unref?(): void } | null = null;

  private constructor(
    readonly options: StoreOptions,
    readonly budget: MemoryBudget,
    files: StoreFiles,
    readonly lock: StorageLock | null,
    recovered: Recovered,
  ) {
    this.files = files;
    this.dictionaries = recovered.dictionaries;
    const userIds = this.dictionaries.named("userId");
    this.resolver = new IdentityResolver((code) => userIds.valueOf(code));
    this.manifest = recovered.manifest;
    this.nextSequence = recovered.nextSequence;
    this.nextFile = Math.max(recovered.manifest.nextFile, (recovered.journals.at(-1) ?? 0) + 1);
    this.sealedSizes = new Map();
    this.#journaledSizes = this.dictionaries.sizes();
  }

  /** Opens a store, making a new one where there is none. @throws store_locked, manifest_missing, corruption, storage_full */
  static async open(options: StoreOptions): Promise<Store> {
    const { storage, readOnly } = options;
    const lock = readOnly ? null : ((await storage.lock?.()) ?? null);
    let store: Store | null = null;
    try {
      const budget = new MemoryBudget(options.memoryBudgetBytes);
      const files = new StoreFiles(storage, budget);
      const recovered = readOnly ? await recoverBesideWriter(storage, files) : await recover(storage, files, true);
      store = new Store(options, budget, files, lock, recovered);
      store.#take(recovered);
      if (!readOnly) await store.#begin();
      return store;
    } catch (error) {
      await (store === null ? lock?.release() : store.abandon());
      throw error;
    }
  }

  get storage(): Storage {
    return this.options.storage;
  }

  get isWritable(): boolean {
    return this.journal !== null && !this.journal.isPoisoned;
  }

  /** Values of a dictionary that are durable: events under way may have added more. */
  durableValues(name: string): readonly string[] {
    return this.dictionaries.named(name).values.slice(1, this.#journaledSizes.get(name) ?? 1);
  }

  snapshot(): Snapshot {
    return this.catalog.snapshot(this.nextSequence - 1);
  }

  /**
   * Makes a batch durable, then visible. The dictionary values it uses go with it.
   * @param recordCount rows, or 1 for values alone
   * @throws read_only, storage_full, internal (sequences are used up)
   */
  async commit(batch: Batch, recordCount: number): Promise<void> {
    const { journal } = this;
    if (journal === null) throw new DaybookError("read_only", "the store was opened for reading");
    if (this.nextSequence + recordCount > 0xffffffff) throw new DaybookError("internal", "a store holds at most 2^32 records");
    const sizes = this.dictionaries.sizes();
    this.#hasLostValues = true;
    const payload = encodeBatch(await this.#journalValues(journal), batch);
    await journal.append(FRAME_KINDS.rows, this.nextSequence, recordCount, payload);
    if (this.options.durability === "disk") await journal.sync(this.nextSequence + recordCount);
    else this.#syncLater();
    this.#hasLostValues = false;
    this.#journaledSizes = sizes;
    this.#append(batch, this.nextSequence);
    this.nextSequence += recordCount;
    this.catalog.changed();
  }

  /**
   * Journals the dictionary values that a commit left behind when it failed. Until that succeeds no event is worth
   * encoding: each would only leave more of them. @throws read_only, storage_full
   */
  async settle(): Promise<void> {
    if (this.#hasLostValues) await this.commit(new BatchBuilder().batch(), 1);
  }

  /** Writes frames of values alone as long as there are too many for one frame; answers the rest of them. */
  async #journalValues(journal: Journal): Promise<DictionaryDelta[]> {
    const parts = splitDeltas(this.dictionaries.deltasSince(this.#journaledSizes), LIMITS.frameValueChars);
    const last = parts.pop() ?? [];
    for (const part of parts) {
      await journal.append(FRAME_KINDS.rows, this.nextSequence, 1, encodeBatch(part, new BatchBuilder().batch()));
      this.nextSequence += 1;
      for (const { name, start, values } of part) this.#journaledSizes.set(name, start + values.length);
    }
    return last;
  }

  /** Whether heads and journal have grown to where they should become segments. */
  get wantsSeal(): boolean {
    const { journal } = this;
    if (journal === null) return false;
    const headRowCount = this.nextSequence - this.manifest.nextSequence;
    return headRowCount >= LIMITS.headRowCount || journal.byteLength >= LIMITS.journalBytes;
  }

  /** Starts the next journal. Rows committed from now on are in it. */
  async rotateJournal(): Promise<void> {
    const number = this.takeFileNumber();
    const file = await openJournalFile(this.storage, number);
    const before = this.journal;
    try {
      // What is in the next journal must never outlive what is in this one.
      if (this.options.durability === "os") await before?.sync(this.nextSequence);
      this.journal = await Journal.create(number, file, this.manifest.epoch, this.nextSequence);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    await before?.file.close();
  }

  takeFileNumber(): number {
    this.nextFile += 1;
    return this.nextFile - 1;
  }

  /** Replaces the manifest, durably, before memory follows. */
  async writeManifest(changes: Partial<Manifest>): Promise<void> {
    const manifest = { ...this.manifest, ...changes, nextFile: this.nextFile };
    await this.storage.write(MANIFEST_KEY, encodeManifest(manifest));
    this.manifest = manifest;
  }

  /** Removes journals that no manifest names any more. */
  async removeOldJournals(): Promise<void> {
    for (const number of await listJournals(this.storage)) {
      if (number >= this.manifest.firstJournal) continue;
      for (const key of await journalKeys(this.storage, number)) await this.storage.remove(key);
    }
  }

  /** Ends the journal in good order and gives the lock back; everything was sealed before. */
  async close(): Promise<void> {
    try {
      if (this.journal !== null && !this.journal.isPoisoned) {
        await this.journal.end(this.nextSequence);
        await this.writeManifest({ clean: true });
      }
    } finally {
      await this.abandon();
    }
  }

  /** Lets go without writing: after a failure, what is durable stays as it is. */
  async abandon(): Promise<void> {
    await this.journal?.file.close().catch(() => undefined);
    this.journal = null;
    await this.lock?.release();
  }

  #take(recovered: Recovered): void {
    this.catalog.replace(recovered.segments, new Set(), false, () => undefined);
    for (const segment of recovered.segments) for (const link of linksOfMeta(segment.meta)) this.resolver.link(link);
    this.sealedSizes = recovered.sealedSizes;
    for (const { batch, firstSequence } of recovered.batches) this.#append(batch, firstSequence);
  }

  /** Claims the store: a new epoch, a new journal, no files that no manifest names. */
  async #begin(): Promise<void> {
    await this.rotateJournal();
    if (this.storage.openAppend !== undefined) await this.storage.sync([journalKey(this.journal?.number ?? 0)]);
    await this.writeManifest({ epoch: this.manifest.epoch + 1, clean: false });
    await this.removeOldJournals();
    await this.#removeOrphans();
  }

  async #removeOrphans(): Promise<void> {
    const named = new Set([...this.manifest.segments, ...this.manifest.dictionaries].map((entry) => entry.key));
    for (const folder of ["segments/", "dictionaries/"])
      for (const key of await this.storage.list(folder)) if (!named.has(key)) await this.storage.remove(key);
  }

  /** A failure poisons the journal, so that the next ingest hears of it. */
  #syncLater(): void {
    if (this.#syncTimer !== null) return;
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = null;
      if (this.isWritable) this.journal?.sync(this.nextSequence).catch(() => undefined);
    }, OS_SYNC_MS);
    this.#syncTimer.unref?.();
  }

  #append(batch: Batch, firstSequence: number): void {
    const { times, ids, codes, shapes, values, rowCount } = batch;
    let valuesAt = 0;
    for (let row = 0; row < rowCount; row += 1) {
      const createdAtMs = times[row] as number;
      const day = Math.floor(createdAtMs / MS_PER_DAY);
      const keys = this.dictionaries.keysOfShape(shapes[row] as number);
      const codesAt = row * FIELD_COUNT;
      const head = this.catalog.head(day);
      head.append(createdAtMs - day * MS_PER_DAY, ids, row * 16, firstSequence + row, codes, codesAt, shapes[row] as number, keys, values, valuesAt);
      valuesAt += keys.length;
      const anonymousId = codes[codesAt + ANONYMOUS_ID] as number;
      const userId = codes[codesAt + USER_ID] as number;
      if (anonymousId !== 0 && userId !== 0) this.resolver.link({ anonymousId, userId, createdAtMs });
    }
  }
}
