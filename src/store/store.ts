import { DaybookError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { dayOf } from "../base/time.js";
import { Turns } from "../base/turn.js";
import type { Dictionaries } from "../column/dictionaries.js";
import { RECORD_FIELD_COUNT, RecordTable } from "../identity/record-table.js";
import type { RecordColumns } from "../identity/record-table.js";
import { IdentityResolver } from "../identity/resolver.js";
import type { ExcerptRule } from "../segment/excerpt.js";
import { MemoryBudget } from "../segment/memory-budget.js";
import { linksOfMeta } from "../segment/segment-file.js";
import { fieldIndex } from "../schema/fields.js";
import type { Batch } from "./batch.js";
import { byDay } from "./by-day.js";
import { Catalog } from "./catalog.js";
import type { Snapshot } from "./catalog.js";
import { Claim, takenOver } from "./claim.js";
import { FILE_FOLDERS, StoreFiles } from "./files.js";
import { journalKey } from "./journal.js";
import type { Journal } from "./journal.js";
import { Journals } from "./journals.js";
import type { Durability } from "./journals.js";
import type { Sealer } from "./make-segment.js";
import { MANIFEST_KEY, encodeManifest, filesOf } from "./manifest.js";
import type { Manifest } from "./manifest.js";
import { BROUGHT_NOTHING, countBrought } from "./record-batch.js";
import type { BroughtCodes, RecordBatch } from "./record-batch.js";
import { recover, recoverBesideWriter } from "./recovery.js";
import type { Recovered } from "./recovery.js";
import { salvageStore } from "./salvage.js";
import type { Storage, StorageLock } from "./storage.js";
import { refuseStoresBelow } from "./stores-below.js";

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
  /** What is written beside the rows of a segment; absent: nothing. */
  readonly excerpts?: (dictionaries: Dictionaries) => readonly ExcerptRule[];
}

const USER_ID = fieldIndex("userId");
const ANONYMOUS_ID = fieldIndex("anonymousId");
const COMPANY_ID = fieldIndex("companyId");
/** What learning of a record costs, beside a value that is worked on. */
const RECORD_VALUE_COUNT = 512;
/** And of an id that only records name. */
const BROUGHT_VALUE_COUNT = 32;

/** What a store is made of at one moment; `seal.ts` and `compact.ts` move rows between its parts. */
export class Store {
  readonly catalog: Catalog;
  /** Replaced as a whole by an erasure. */
  records: RecordTable;
  resolver: IdentityResolver;
  readonly files: StoreFiles;
  readonly dictionaries: Dictionaries;
  manifest: Manifest;
  /** The greatest sequence that a snapshot shows: those of a commit under way may be given again. */
  #visibleSequence: number;
  nextFile: number;
  /** Sizes of the dictionaries as far as segments' files hold them. */
  sealedSizes: ReadonlyMap<string, number>;
  /** Records that files of records hold: the first of the table. */
  sealedRecordCount = 0;
  /** Ids in the lists of the newest of those files. */
  sealedBroughtCount = 0;
  /** Text of the file of privacy requests; null where there is none. */
  privacy: string | null;
  /** How often codes were given up that had been given: what was learned of them is worth nothing. */
  truncationCount = 0;
  readonly #claim: Claim;
  readonly #journals: Journals;
  /** Ends, and never rejects, when no manifest is being written. */
  #manifestWritten: Promise<void> = Promise.resolve();
  /** Ends when the records of the commit under way are all learned of; null where none are. */
  #taking: Promise<void> | null = null;

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
    this.#visibleSequence = recovered.nextSequence - 1;
    this.nextFile = Math.max(recovered.manifest.nextFile, ([...recovered.journalByteLengths.keys()].at(-1) ?? 0) + 1);
    this.sealedSizes = new Map();
    this.#journals = new Journals(options.storage, options.durability, this.dictionaries, recovered, () => this.refuseLostLock());
    this.resolver.committed(this.#journals.sizes);
  }

  /** What is written beside the rows of a segment that is made now. */
  get excerpts(): readonly ExcerptRule[] {
    return this.options.excerpts?.(this.dictionaries) ?? [];
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

  /** Null for readers, and when the store was closed. */
  get journal(): Journal | null {
    return this.#journals.current;
  }

  /** That of the next event or record. */
  get nextSequence(): number {
    return this.#journals.nextSequence;
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
    return this.#journals.byteLengthFrom(this.manifest.firstJournal);
  }

  /** @throws store_locked where somebody else has taken the store over, else read_only */
  refuseUnwritable(): void {
    if (this.isWritable) return;
    this.#claim.refuseLost();
    throw new DaybookError("read_only", "the store does not take writes");
  }

  /** Values of a dictionary that are durable: events under way may have added more. */
  durableValues(name: string): readonly string[] {
    return this.dictionaries.named(name).values.slice(1, this.#journals.sizes.get(name) ?? 1);
  }

  isDurable(name: string, value: string): boolean {
    const code = this.dictionaries.named(name).codeOf(value);
    return code > 0 && code < (this.#journals.sizes.get(name) ?? 1);
  }

  /** Sizes of the dictionaries as far as the journal holds their values: what rows of heads use. */
  journaledSizes(): Map<string, number> {
    return new Map(this.#journals.sizes);
  }

  snapshot(): Snapshot {
    return this.catalog.snapshot(this.#visibleSequence);
  }

  /**
   * Makes events and records durable, then visible. The dictionary values they use go with them; of neither, values alone.
   * @throws read_only, storage_full, internal (sequences are used up)
   */
  async commit(batch: Batch, recordBatch: RecordBatch | null = null): Promise<void> {
    // First: a former version that replayed the journal would let the record live.
    if (recordBatch?.isTakenBackBefore === true && this.journal !== null && this.manifest.format === 1) await this.writeManifest(() => ({ format: 2 }));
    const { first, next } = await this.#journals.write(batch, recordBatch);
    if (recordBatch !== null) await this.#takeRecordsInTurns(recordBatch);
    this.resolver.committed(this.#journals.sizes);
    this.#append(batch, first);
    this.#journals.nextSequence = next;
    this.#visibleSequence = next - 1;
    this.catalog.changed();
  }

  /** Forgets the values that events and records brought whose commit failed: codes given since then are worth nothing. */
  forgetUnjournaled(): void {
    this.truncationCount += 1;
    this.dictionaries.truncate(this.#journals.sizes);
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
    await this.#journals.rotate(this.takeFileNumber(), this.manifest.epoch);
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
    this.resolver.committed(this.#journals.sizes);
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
    await this.#journals.removeBefore(this.manifest.firstJournal);
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
    await this.#journals.abandon();
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

  /** Resolves when no commit is seen in part: who is who is learned over several turns. To be awaited right before anybody looks. */
  async whole(): Promise<void> {
    while (this.#taking !== null) await this.#taking;
  }

  async #takeRecordsInTurns({ records, brought }: RecordBatch): Promise<void> {
    const turns = new Turns();
    const take = async () => {
      for (const [ids, codes] of this.#broughtIds(brought))
        await turns.inPieces(codes.length, (from, to) => codes.slice(from, to).forEach((code) => ids.brought(code)), BROUGHT_VALUE_COUNT);
      await turns.inPieces(records.rowCount, (from, to) => this.#takeRows(records, from, to), RECORD_VALUE_COUNT);
    };
    this.#taking = take().finally(() => (this.#taking = null));
    await this.#taking;
  }

  #takeRecords({ records, brought }: RecordBatch): void {
    for (const [ids, codes] of this.#broughtIds(brought)) for (const code of codes) ids.brought(code);
    this.#takeRows(records, 0, records.rowCount);
  }

  #broughtIds({ userId, anonymousId, companyId }: BroughtCodes) {
    const { users, anonymous, companies } = this.resolver;
    return [[users, userId], [anonymous, anonymousId], [companies, companyId]] as const;
  }

  #takeRows(records: RecordColumns, from: number, to: number): void {
    for (let row = from; row < to; row += 1) {
      const { kinds, times, ids, codes } = records;
      const at = this.records.append(kinds[row] as number, times[row] as number, ids, row * 16, codes, row * RECORD_FIELD_COUNT);
      this.resolver.addRecord(at);
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
