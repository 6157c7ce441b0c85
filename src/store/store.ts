import { DaybookError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { dayOf } from "../base/time.js";
import { splitDeltas } from "../column/dictionaries.js";
import type { Dictionaries, DictionaryDelta } from "../column/dictionaries.js";
import { RECORD_FIELD_COUNT, RecordTable } from "../identity/record-table.js";
import { IdentityResolver } from "../identity/resolver.js";
import { MemoryBudget } from "../segment/memory-budget.js";
import { linksOfMeta } from "../segment/segment-file.js";
import { fieldIndex } from "../schema/fields.js";
import { BatchBuilder } from "./batch.js";
import type { Batch } from "./batch.js";
import { byDay } from "./by-day.js";
import { encodeBatch } from "./batch-bytes.js";
import { Catalog } from "./catalog.js";
import type { Snapshot } from "./catalog.js";
import { Claim, takenOver } from "./claim.js";
import { FILE_FOLDERS, StoreFiles } from "./files.js";
import { Journal, journalKey } from "./journal.js";
import type { JournalEntry } from "./journal.js";
import { FRAME_KINDS } from "./journal-frame.js";
import { journalKeys, listJournals, openJournalFile } from "./journal-file.js";
import type { Sealer } from "./make-segment.js";
import { MANIFEST_KEY, encodeManifest, filesOf } from "./manifest.js";
import type { Manifest } from "./manifest.js";
import { BROUGHT_NOTHING, countBrought } from "./record-batch.js";
import type { BroughtCodes, RecordBatch } from "./record-batch.js";
import { encodeRecords } from "./record-bytes.js";
import { recover, recoverBesideWriter } from "./recovery.js";
import type { Recovered } from "./recovery.js";
import { salvageStore } from "./salvage.js";
import type { Storage, StorageLock } from "./storage.js";
import { refuseStoresBelow } from "./stores-below.js";

/** When an ingest resolves: after the sync of the journal, or after the write with a sync every second. */
export type Durability = "disk" | "os";

export interface StoreOptions {
  readonly storage: Storage;
  readonly durability: Durability;
  readonly memoryBudgetBytes: number;
  /** Beside a writer: no lock, no writes. */
  readonly readOnly: boolean;
  /** Damaged files are moved aside instead of refusing to open. Default false. */
  readonly quarantine?: boolean;
  /** Where segments are made; absent: here. */
  readonly sealer?: Sealer | null;
}

const USER_ID = fieldIndex("userId");
const ANONYMOUS_ID = fieldIndex("anonymousId");
const COMPANY_ID = fieldIndex("companyId");
/** How often the journal is synced in `os` mode. */
const OS_SYNC_MS = 1_000;

/** What a store is made of at one moment; `seal.ts` and `compact.ts` move rows between its parts. */
export class Store {
  readonly catalog: Catalog;
  /** Bytes of the journals before the current one, by number. */
  readonly #formerJournals: Map<number, number>;
  /** Replaced as a whole by an erasure. */
  records: RecordTable;
  resolver: IdentityResolver;
  readonly files: StoreFiles;
  readonly dictionaries: Dictionaries;
  manifest: Manifest;
  journal: Journal | null = null;
  nextSequence: number;
  /** The greatest that a snapshot shows: those of a commit under way may be given again. */
  #visibleSequence: number;
  nextFile: number;
  /** Sizes of the dictionaries as far as segments' files hold them, and as far as the journal does. */
  sealedSizes: ReadonlyMap<string, number>;
  #journaledSizes: Map<string, number>;
  /** Records that files of records hold: the first of the table. */
  sealedRecordCount = 0;
  /** Ids in the lists of the newest of those files. */
  sealedBroughtCount = 0;
  /** Text of the file of privacy requests; null where there is none. */
  privacy: string | null;
  /** How often codes were given up that had been given: what was learned of them is worth nothing. */
  truncationCount = 0;
  readonly #claim: Claim;
  /** Ends, and never rejects, when no manifest is being written. */
  #manifestWritten: Promise<void> = Promise.resolve();
  /** In `os` mode: the sync to come. */
  #syncTimer: { unref?(): void } | null = null;

  private constructor(
    readonly options: StoreOptions,
    readonly budget: MemoryBudget,
    files: StoreFiles,
    readonly lock: StorageLock | null,
    recovered: Recovered,
  ) {
    this.catalog = new Catalog(budget);
    this.files = files;
    this.#claim = new Claim(options.storage, lock, (error) => this.journal?.poison(error));
    this.dictionaries = recovered.dictionaries;
    this.records = new RecordTable();
    this.resolver = new IdentityResolver(this.records, this.dictionaries);
    this.privacy = recovered.privacy;
    this.manifest = recovered.manifest;
    this.#formerJournals = new Map(recovered.journalByteLengths);
    this.nextSequence = recovered.nextSequence;
    this.#visibleSequence = recovered.nextSequence - 1;
    this.nextFile = Math.max(recovered.manifest.nextFile, ([...recovered.journalByteLengths.keys()].at(-1) ?? 0) + 1);
    this.sealedSizes = new Map();
    this.#journaledSizes = this.dictionaries.sizes();
    this.resolver.committed(this.#journaledSizes);
  }

  /** Opens a store, making a new one where there is none. @throws store_locked, manifest_missing, corruption, storage_full, invalid_parameter */
  static async open(options: StoreOptions): Promise<Store> {
    const { storage, readOnly } = options;
    // Before the lock, which is a file too.
    await refuseStoresBelow(storage);
    const lock = readOnly ? null : ((await storage.lock?.()) ?? null);
    let store: Store | null = null;
    try {
      const budget = new MemoryBudget(options.memoryBudgetBytes);
      const files = new StoreFiles(storage, budget, options.sealer ?? null);
      if (options.quarantine === true) await salvageStore(storage, files);
      const recovered = readOnly ? await recoverBesideWriter(storage, files) : await recover(storage, files, true);
      store = new Store(options, budget, files, lock, recovered);
      store.#take(recovered);
      if (!readOnly) await store.#begin();
      return store;
    } catch (failure) {
      // Files that are missing or another's are no damage where somebody took the store over meanwhile.
      const isOurs = await lock?.isHeld?.().catch(() => true);
      const error = isOurs === false ? takenOver("its lock is gone", failure) : failure;
      // A lock that cannot be given back ends with the process; why the store does not open matters more.
      await (store === null ? lock?.release() : store.abandon())?.catch(() => undefined);
      throw error;
    }
  }

  get storage(): Storage {
    return this.options.storage;
  }

  /** Nothing was ever accepted, nor asked for. */
  get isEmpty(): boolean {
    return this.nextSequence === 1 && this.privacy === null;
  }

  get isWritable(): boolean {
    return this.journal !== null && !this.journal.isPoisoned;
  }

  /** Bytes of all live journals. */
  get journalByteLength(): number {
    const ofCurrent = this.journal?.byteLength ?? 0;
    return [...this.#formerJournals].reduce((sum, [number, byteLength]) => (number < this.manifest.firstJournal ? sum : sum + byteLength), ofCurrent);
  }

  /** @throws store_locked where somebody else has taken the store over, else read_only */
  refuseUnwritable(): void {
    if (this.isWritable) return;
    this.#claim.refuseLost();
    throw new DaybookError("read_only", "the store does not take writes");
  }

  /** Values of a dictionary that are durable: events under way may have added more. */
  durableValues(name: string): readonly string[] {
    return this.dictionaries.named(name).values.slice(1, this.#journaledSizes.get(name) ?? 1);
  }

  isDurable(name: string, value: string): boolean {
    const code = this.dictionaries.named(name).codeOf(value);
    return code > 0 && code < (this.#journaledSizes.get(name) ?? 1);
  }

  /** Sizes of the dictionaries as far as the journal holds their values: what rows of heads use. */
  journaledSizes(): Map<string, number> {
    return new Map(this.#journaledSizes);
  }

  snapshot(): Snapshot {
    return this.catalog.snapshot(this.#visibleSequence);
  }

  /**
   * Makes events and records durable, then visible. The dictionary values they use go with them; of neither, values alone.
   * @throws read_only, storage_full, internal (sequences are used up)
   */
  async commit(batch: Batch, recordBatch: RecordBatch | null = null): Promise<void> {
    const { journal } = this;
    if (journal === null) throw new DaybookError("read_only", "the store was opened for reading");
    const recordCount = recordBatch?.records.rowCount ?? 0;
    const rowsCount = batch.rowCount === 0 && recordCount === 0 ? 1 : batch.rowCount;
    if (this.nextSequence + rowsCount + recordCount > 0xffffffff)
      throw new DaybookError("internal", "a store holds at most 2^32 records");
    const before = { mark: journal.mark(), nextSequence: this.nextSequence, sizes: new Map(this.#journaledSizes) };
    try {
      await this.#journalAll(journal, batch, recordBatch, rowsCount);
    } catch (error) {
      await journal.rollBack(before.mark);
      this.nextSequence = before.nextSequence;
      this.#journaledSizes = before.sizes;
      throw error;
    }
    this.resolver.committed(this.#journaledSizes);
    this.#append(batch, this.nextSequence);
    if (recordBatch !== null) this.#takeRecords(recordBatch);
    this.nextSequence += rowsCount + recordCount;
    this.#visibleSequence = this.nextSequence - 1;
    this.catalog.changed();
  }

  /** Makes values, events and records durable. */
  async #journalAll(journal: Journal, batch: Batch, recordBatch: RecordBatch | null, rowsCount: number): Promise<void> {
    const recordCount = recordBatch?.records.rowCount ?? 0;
    const sizes = this.dictionaries.sizes();
    if (this.storage.volatile === true) {
      this.#journaledSizes = sizes;
      return;
    }
    let deltas = await this.#journalValues(journal);
    const entries: JournalEntry[] = [];
    if (rowsCount > 0) {
      entries.push({ kind: FRAME_KINDS.rows, firstSequence: this.nextSequence, recordCount: rowsCount, payload: encodeBatch(deltas, batch) });
      deltas = [];
    }
    const nextSequence = this.nextSequence + rowsCount + recordCount;
    if (recordBatch !== null && recordCount > 0) {
      const payload = encodeRecords(deltas, recordBatch);
      entries.push({ kind: FRAME_KINDS.records, firstSequence: this.nextSequence + rowsCount, recordCount, payload });
    }
    await journal.append(...entries);
    // Whoever takes the store over takes the lock first, then reads and syncs the journal: while the lock is ours, they will find this.
    const isOurs = this.refuseLostLock();
    if (this.options.durability === "disk") await Promise.all([journal.sync(nextSequence), isOurs]);
    else {
      await isOurs;
      this.#syncLater();
    }
    this.#journaledSizes = sizes;
  }

  /** Forgets the values that events and records brought whose commit failed: codes given since then are worth nothing. */
  forgetUnjournaled(): void {
    this.truncationCount += 1;
    this.dictionaries.truncate(this.#journaledSizes);
  }

  /** Writes frames of values alone as long as there are too many for one frame; answers the rest of them. */
  async #journalValues(journal: Journal): Promise<DictionaryDelta[]> {
    const parts = splitDeltas(this.dictionaries.deltasSince(this.#journaledSizes), LIMITS.frameValueChars);
    const last = parts.pop() ?? [];
    for (const part of parts) {
      const payload = encodeBatch(part, new BatchBuilder().batch());
      await journal.append({ kind: FRAME_KINDS.rows, firstSequence: this.nextSequence, recordCount: 1, payload });
      this.nextSequence += 1;
      for (const { name, start, values } of part) this.#journaledSizes.set(name, start + values.length);
    }
    return last;
  }

  /** Whether heads and journal have grown to where they should become segments. @param frozenSequence the first that no seal under way has */
  wantsSeal(frozenSequence: number): boolean {
    const { journal } = this;
    if (journal === null) return false;
    const headRowCount = this.nextSequence - Math.max(this.manifest.nextSequence, frozenSequence);
    if (headRowCount >= LIMITS.headRowCount || journal.byteLength >= LIMITS.journalBytes) return true;
    return this.catalog.headColumnCount >= LIMITS.headColumnCount || this.catalog.headValueCount >= LIMITS.headValueCount;
  }

  /** Ids that no event has used yet, as files of records keep them. */
  get broughtCodes(): BroughtCodes {
    const { users, anonymous, companies } = this.resolver;
    return { userId: users.onlyOfRecords(), anonymousId: anonymous.onlyOfRecords(), companyId: companies.onlyOfRecords() };
  }

  /** Starts the next journal. Rows committed from now on are in it. */
  async rotateJournal(): Promise<void> {
    const number = this.takeFileNumber();
    const file = await openJournalFile(this.storage, number);
    const before = this.journal;
    try {
      if (file.byteLength > 0) throw new DaybookError("store_locked", `another process writes to ${journalKey(number)}`);
      // What is in the next journal must never outlive what is in this one, nor meet what was cut off it.
      if (before !== null && (this.options.durability === "os" || before.isCut)) await before.sync(this.nextSequence);
      this.journal = await Journal.create(number, file, this.manifest.epoch, this.nextSequence);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    if (before !== null) this.#formerJournals.set(before.number, before.byteLength);
    await before?.file.close();
  }

  /** Writes the privacy requests, durably. No seal may be under way. */
  async writePrivacy(text: string): Promise<void> {
    const former = this.manifest.privacy;
    const entry = await this.files.writePrivacy(this.takeFileNumber(), text);
    await this.storage.sync([entry.key]);
    await this.writeManifest(() => ({ privacy: entry }));
    this.privacy = text;
    if (former !== null) await this.storage.remove(former.key).catch(() => undefined);
  }

  /** Puts other records in the place of all there are, as files have them already; who is who is learned anew. */
  replaceRecords(table: RecordTable, brought: BroughtCodes, privacy: string): void {
    this.records = new RecordTable();
    this.resolver = new IdentityResolver(this.records, this.dictionaries);
    this.resolver.committed(this.#journaledSizes);
    for (const segment of this.catalog.segments) for (const link of linksOfMeta(segment.meta)) this.resolver.link(link);
    this.#takeRecords({ records: table.slice(0), brought });
    this.sealedRecordCount = table.rowCount;
    this.sealedBroughtCount = countBrought(brought);
    this.privacy = privacy;
  }

  takeFileNumber(): number {
    this.nextFile += 1;
    return this.nextFile - 1;
  }

  /** @throws store_locked, and writes nothing from then on */
  refuseLostLock(): Promise<void> {
    return this.#claim.refuseLostLock();
  }

  /** Before anything that others may rest on is replaced or removed. @throws store_locked, and writes nothing from then on */
  refuseTakenOver(): Promise<void> {
    return this.#claim.refuseTakenOver(this.manifest.epoch);
  }

  /**
   * Replaces the manifest, durably, before memory follows; one after the other. @throws store_locked
   * @param changesOf what becomes different of the manifest that then is
   */
  writeManifest(changesOf: (manifest: Manifest) => Partial<Manifest>): Promise<void> {
    const writing = this.#manifestWritten.then(() => this.#replaceManifest(changesOf));
    this.#manifestWritten = writing.catch(() => undefined);
    return writing;
  }

  async #replaceManifest(changesOf: (manifest: Manifest) => Partial<Manifest>): Promise<void> {
    await this.refuseTakenOver();
    const manifest = { ...this.manifest, ...changesOf(this.manifest), nextFile: this.nextFile };
    await this.storage.write(MANIFEST_KEY, encodeManifest(manifest));
    this.manifest = manifest;
  }

  /**
   * Replaces the manifest by one under which codes mean something else. Where that fails and it may stand all the same, the
   * store takes no more writes: rows of the codes as memory has them would come back with other values.
   */
  async writeManifestOfOtherCodes(changes: Partial<Manifest>): Promise<void> {
    try {
      await this.writeManifest(() => changes);
    } catch (error) {
      const stored = await this.storage.read(MANIFEST_KEY).catch(() => null);
      const former = encodeManifest(this.manifest);
      if (stored?.length !== former.length || !stored.every((byte, at) => byte === former[at])) this.journal?.poison(error);
      throw error;
    }
  }

  /** Removes journals that no manifest names any more. */
  async removeOldJournals(): Promise<void> {
    for (const number of await listJournals(this.storage)) {
      if (number >= this.manifest.firstJournal) continue;
      for (const key of await journalKeys(this.storage, number)) await this.storage.remove(key);
      this.#formerJournals.delete(number);
    }
  }

  /** Ends the journal in good order and gives the lock back; everything was sealed before. */
  async close(): Promise<void> {
    try {
      if (this.journal !== null && !this.journal.isPoisoned) {
        await this.journal.end(this.nextSequence);
        await this.writeManifest(() => ({ clean: true }));
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
    const lastSealed = recovered.manifest.identities.length - 1;
    for (const [index, commit] of recovered.commits.entries()) {
      // Each file of records has the whole list of its time: only that of the newest counts.
      if ("records" in commit) this.#takeRecords(index < lastSealed ? { ...commit, brought: BROUGHT_NOTHING } : commit);
      else this.#append(commit.batch, commit.firstSequence);
      if (index !== lastSealed) continue;
      this.sealedRecordCount = this.records.rowCount;
      this.sealedBroughtCount = countBrought(this.broughtCodes);
    }
  }

  #takeRecords({ records, brought }: RecordBatch): void {
    const { resolver } = this;
    for (const code of brought.userId) resolver.users.brought(code);
    for (const code of brought.anonymousId) resolver.anonymous.brought(code);
    for (const code of brought.companyId) resolver.companies.brought(code);
    for (let row = 0; row < records.rowCount; row += 1) {
      const { kinds, times, ids, codes } = records;
      const at = this.records.append(kinds[row] as number, times[row] as number, ids, row * 16, codes, row * RECORD_FIELD_COUNT);
      resolver.addRecord(at);
    }
  }

  /** Claims the store: a new epoch, a new journal, no files that no manifest names. */
  async #begin(): Promise<void> {
    // A writer that was taken for ended may go on to remove files that it knows: ours never have the names of theirs.
    this.nextFile = Math.max(this.nextFile, (await this.files.lastNumber()) + 1);
    await this.rotateJournal();
    if (this.storage.openAppend !== undefined) await this.storage.sync([journalKey(this.journal?.number ?? 0)]);
    await this.writeManifest(({ epoch }) => ({ epoch: epoch + 1, clean: false }));
    await this.removeOldJournals();
    await this.removeOrphans();
  }

  /** Removes every file that the manifest does not name. No seal may be under way, and no query reads what it replaced. */
  async removeOrphans(): Promise<void> {
    const named = new Set(filesOf(this.manifest).map((entry) => entry.key));
    for (const folder of FILE_FOLDERS)
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
    const keysOf = (shape: number) => this.dictionaries.keysOfShape(shape);
    const rows = byDay(batch, keysOf);
    const { times, rowCount } = rows;
    let valuesAt = 0;
    for (let from = 0, to = 0; from < rowCount; from = to) {
      const day = dayOf(times[from] as number);
      while (to < rowCount && dayOf(times[to] as number) === day) to += 1;
      valuesAt = this.catalog.head(day).append(rows, from, to, firstSequence, valuesAt, keysOf);
    }
    this.#noteIds(batch);
  }

  #noteIds({ times, codes, rowCount }: Batch): void {
    const { resolver } = this;
    const [users, anonymous, companies] = [codes[USER_ID], codes[ANONYMOUS_ID], codes[COMPANY_ID]] as [Uint32Array, Uint32Array, Uint32Array];
    for (let row = 0; row < rowCount; row += 1) {
      const anonymousId = anonymous[row] as number;
      const userId = users[row] as number;
      resolver.users.seen(userId);
      resolver.anonymous.seen(anonymousId);
      resolver.companies.seen(companies[row] as number);
      if (anonymousId !== 0 && userId !== 0) resolver.link({ anonymousId, userId, createdAtMs: times[row] as number });
    }
  }
}
