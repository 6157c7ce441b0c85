import { DaybookError } from "../../core/base/errors.js";
import { compareCodePoints } from "../../core/base/text-order.js";
import { PROJECT_COLUMN, DEFAULT_PROJECT } from "../../core/schema/fields.js";
import type { RecordColumns, RecordTable } from "../../identity/record-table.js";
import type { IdentityResolver } from "../../identity/resolver.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { MemoryBudget } from "../../storage/segment/memory-budget.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { SummaryRule } from "../../storage/segment/summaries.js";
import { NO_RECORD_ONLY_IDS, countRecordOnlyIds, type Batch, type RecordOnlyIds, type RecordBatch, numberRecords } from "../batch/batch.js";
import { FILE_FOLDERS, type StoreFiles } from "../files/files.js";
import type { SealWorker } from "../files/make-segment.js";
import { filesOf, receivedCount, type Manifest } from "../files/manifest.js";
import type { Journal, JournalPosition } from "../journal/journal.js";
import { Journals, type CommittedSequences, type Durability } from "../journal/journals.js";
import type { Recovered } from "../recovery/recovery.js";
import type { Storage, StorageLock } from "../storage/storage.js";
import { Catalog, Identities, type Snapshot } from "./catalog.js";
import { Claim, CurrentManifest } from "./claimed-manifest.js";

/** The state that queries read: the current one, or that of an earlier sequence. */
export interface VisibleStore {
  readonly budget: MemoryBudget;
  readonly dictionaries: Dictionaries;
  readonly resolver: IdentityResolver;
  readonly codeGeneration: number;
  /** Dictionary sizes whose values stored data uses. */
  readonly journaledSizes: ReadonlyMap<string, number>;
  snapshot(): Snapshot;
  /** Calls `read` when no commit is partly visible. */
  betweenCommits<T>(read: () => T): Promise<Awaited<T>>;
}

export interface StoreOptions {
  readonly storage: Storage;
  readonly durability: Durability;
  readonly memoryBudgetBytes: number;
  /** Replaces a budget of the store alone. */
  readonly budget?: MemoryBudget | undefined;
  /** For a reader beside a writer: no lock, no writes. */
  readonly readOnly: boolean;
  /** The error of a full disk, if the store is read-only only because of it. */
  readonly full?: unknown;
  /** For a following reader: whether the frames up to a position are final. Null or absent: it shows a single snapshot. */
  readonly follow?: ((storage: Storage, end: JournalPosition) => Promise<boolean>) | null;
  /** Moves damaged files aside instead of refusing to open. Default false. */
  readonly quarantine?: boolean;
  /** Makes large segments elsewhere; absent: they are made on this thread. */
  readonly sealWorker?: SealWorker | null;
  /** Summaries stored with the rows of a segment; absent: none. */
  readonly summaries?: (dictionaries: Dictionaries) => readonly SummaryRule[];
}

/** Commits of another writer that were sealed before their journal was read. */
export interface UnseenCommits {
  readonly segments: readonly Segment[];
  readonly records: RecordColumns;
  /** Ids that only records named by then; null if no file of records was added. */
  readonly recordOnlyIds: RecordOnlyIds | null;
}

/** How much of the store is covered by the files that the manifest names. */
export interface Sealed {
  readonly sizes: ReadonlyMap<string, number>;
  /** The first records of the table. */
  readonly recordCount: number;
  /** Number of ids listed in the newest file of records. */
  readonly recordOnlyIdCount: number;
}

/** A commit becomes durable in the journal, then visible in the catalog and the identities. `open-store.ts` creates stores. */
export class Store implements VisibleStore {
  readonly catalog: Catalog;
  readonly dictionaries: Dictionaries;
  sealed: Sealed;
  /** Text of the file of privacy requests; null if there is none. */
  privacy: string | null;
  /** Text of the file of deletions, undefined if there is none, or why it is unreadable. In memory, as a writer replaces the file beside readers. */
  deletions: string | DaybookError | undefined;
  /** How often assigned codes were discarded: what was derived from them is invalid. */
  codeGeneration = 0;
  readonly foundEnd: JournalPosition;
  /** Pairs of the commits that are in no file yet: first sequence, and epoch ms when it was accepted. */
  readonly received: number[] = [];
  /** The greatest sequence that a snapshot shows; sequences of an unfinished commit may be assigned again. */
  #visibleSequence: number;
  /** Dictionary sizes without the values of an unfinished commit. */
  #visibleSizes: ReadonlyMap<string, number>;
  #removal: Promise<void> = Promise.resolve();
  readonly #claim: Claim;
  readonly #manifest: CurrentManifest;
  readonly #journals: Journals;
  readonly #identities: Identities;

  constructor(
    readonly options: StoreOptions,
    readonly budget: MemoryBudget,
    readonly files: StoreFiles,
    readonly lock: StorageLock | null,
    recovered: Recovered,
  ) {
    const { storage, durability } = options;
    this.#claim = new Claim(storage, lock, (error) => this.journal?.poison(error));
    this.dictionaries = recovered.dictionaries;
    this.catalog = new Catalog(budget, this.dictionaries.named(PROJECT_COLUMN));
    this.privacy = recovered.privacy;
    this.deletions = recovered.deletions;
    this.foundEnd = recovered.end;
    this.#manifest = new CurrentManifest(storage, this.#claim, recovered.manifest, ([...recovered.journalByteLengths.keys()].at(-1) ?? 0) + 1);
    this.#visibleSequence = recovered.nextSequence - 1;
    this.sealed = { sizes: recovered.sealedSizes, recordCount: 0, recordOnlyIdCount: 0 };
    this.#journals = new Journals(storage, durability, this.dictionaries, recovered, () => this.refuseLostLock());
    this.#visibleSizes = this.#journals.sizes;
    this.#identities = new Identities(this.dictionaries, this.#journals.sizes);
  }

  get #isFollower(): boolean {
    return (this.options.follow ?? null) !== null;
  }

  get storage(): Storage {
    return this.options.storage;
  }

  get summaries(): readonly SummaryRule[] {
    return this.options.summaries?.(this.dictionaries) ?? [];
  }

  get manifest(): Manifest {
    return this.#manifest.value;
  }

  /** Null for readers and after the store is closed. */
  get journal(): Journal | null {
    return this.#journals.current;
  }

  /** Replaced as a whole by an erasure or a deletion. */
  get records(): RecordTable {
    return this.#identities.records;
  }

  /** Replaced together with the records. */
  get resolver(): IdentityResolver {
    return this.#identities.resolver;
  }

  get recordOnlyIds(): RecordOnlyIds {
    return this.#identities.recordOnlyIds;
  }

  get nextSequence(): number {
    return this.#journals.nextSequence;
  }

  /** Whether nothing was ever accepted, and no privacy request was made. */
  get isEmpty(): boolean {
    return this.nextSequence === 1 && this.privacy === null;
  }

  get isWritable(): boolean {
    return this.journal !== null && !this.journal.isPoisoned;
  }

  get journalByteLength(): number {
    return this.#journals.byteLengthFrom(this.manifest.firstJournal);
  }

  /** @throws store_locked if another process has taken over the store, else read_only */
  assertWritable(): void {
    if (this.isWritable) return;
    this.#claim.refuseLost();
    throw new DaybookError("read_only", "the store does not accept writes");
  }

  /** Values of a dictionary by code, without those that are gone and without those of an unfinished commit. */
  visibleValues(name: string): ReadonlyMap<number, string> {
    const dictionary = this.dictionaries.named(name);
    const size = this.#visibleSizes.get(name) ?? 1;
    const entries = dictionary.values.slice(0, size).map((value, code) => [code, value] as const);
    return new Map(entries.filter(([code, value]) => value !== "" && !dictionary.isRetired(code)));
  }

  isVisible(name: string, value: string): boolean {
    const code = this.dictionaries.named(name).codeOf(value);
    return code > 0 && code < (this.#visibleSizes.get(name) ?? 1);
  }

  get journaledSizes(): ReadonlyMap<string, number> {
    return this.#journals.sizes;
  }

  /** The greatest visible sequence; 0 if nothing was ever accepted. */
  get newestSequence(): number {
    return this.#visibleSequence;
  }

  snapshot(): Snapshot {
    return this.catalog.snapshot(this.#visibleSequence);
  }

  /** Adding identities yields, so a commit may be partly visible meanwhile. What `read` sees is consistent until its first `await`. */
  betweenCommits<T>(read: () => T): Promise<Awaited<T>> {
    return this.#identities.betweenCommits(read);
  }

  restore({ segments, manifest, commits, end }: Recovered): void {
    this.catalog.replace(segments, new Set(), false, () => undefined);
    this.#identities.addLinks(segments);
    const lastSealed = manifest.identities.length - 1;
    let journal = manifest.firstJournal;
    for (const [index, commit] of commits.entries()) {
      // Each file of records has the whole list of its time: only that of the newest counts.
      if ("records" in commit) this.#identities.add(index < lastSealed ? { ...commit, recordOnlyIds: NO_RECORD_ONLY_IDS } : commit);
      else {
        // A seal drops the rows of the journals that it leaves behind, and no others.
        if (this.#isFollower && commit.journal > journal) this.catalog.freezeHeads();
        ({ journal } = commit);
        this.#append(commit.batch, commit.firstSequence, commit.receivedMs);
      }
      if (index === lastSealed) this.#sealedRecords(this.records, this.recordOnlyIds);
    }
    if (this.#isFollower && end.number > journal) this.catalog.freezeHeads();
    this.resolver.committed(this.#visibleSizes);
  }

  /** Makes a commit of another writer visible; the dictionaries must already contain its values. */
  async showCommit(batch: Batch | null, recordBatch: RecordBatch | null, written: CommittedSequences): Promise<void> {
    this.#journals.markValuesPersisted();
    await this.#show(batch, recordBatch, written);
  }

  readJournal(number: number, byteLength: number): void {
    this.#journals.markRead(number, byteLength);
  }

  /**
   * Applies a manifest of another writer; the dictionaries must already contain its values.
   * @param unseen segments and records of sealed commits that were never read from a journal; null if there are none
   * @param replace replaces heads and other segments; called at the end, until which `betweenCommits` waits
   */
  async showManifest(
    manifest: Manifest,
    { privacy, deletions }: Pick<Store, "privacy" | "deletions">,
    unseen: UnseenCommits | null,
    replace: () => void,
  ): Promise<void> {
    const complete = () => {
      this.#manifest.replaced(manifest);
      this.#dropReceived();
      this.#journals.forgetBefore(manifest.firstJournal);
      this.privacy = privacy;
      this.deletions = deletions;
      this.skipSequences(manifest.nextSequence);
      replace();
      this.#visibleSizes = this.#journals.sizes;
      this.resolver.committed(this.#visibleSizes);
      this.catalog.changed();
    };
    if (unseen === null) return complete();
    this.#journals.markValuesPersisted();
    const { records, recordOnlyIds, segments } = unseen;
    if (recordOnlyIds !== null) this.#identities.keepRecordOnly(recordOnlyIds);
    await this.#identities.addYielding({ records, recordOnlyIds: recordOnlyIds ?? NO_RECORD_ONLY_IDS }, complete, undefined, segments);
  }

  /** Makes events and records durable, then visible; with neither, only dictionary values. @throws read_only, storage_full, internal */
  async commit(batch: Batch, recordBatch: RecordBatch | null, receivedMs: number): Promise<void> {
    const written = await this.#journals.write(batch, recordBatch, receivedMs);
    try {
      if (recordBatch !== null) numberRecords(recordBatch, written.next - recordBatch.records.rowCount);
      await this.#show(batch, recordBatch, written);
    } catch (error) {
      // The commit is durable: any later one would get the same sequences.
      this.journal?.poison(error);
      throw error;
    }
  }

  /** Discards the values of events and records whose commit failed: codes assigned since the last commit are invalid. */
  forgetUnjournaled(): void {
    this.codeGeneration += 1;
    this.dictionaries.truncate(this.#journals.sizes);
  }

  async rotateJournal(): Promise<void> {
    await this.#journals.rotate(this.takeFileNumber(), this.manifest.epoch);
  }

  /** Replaces all records by those in files, whose values are all in the dictionaries, and rebuilds identities. */
  replaceRecords(table: RecordTable, recordOnlyIds: RecordOnlyIds, privacy: string | null): void {
    this.#journals.markValuesPersisted();
    this.sealed = { ...this.sealed, sizes: this.journaledSizes };
    this.#visibleSizes = this.journaledSizes;
    this.#identities.replace(this.catalog.segments, this.#journals.sizes);
    this.#identities.add({ records: table.slice(0), recordOnlyIds });
    this.resolver.committed(this.#visibleSizes);
    this.#sealedRecords(table, recordOnlyIds);
    this.privacy = privacy;
  }

  /** Never uses the sequences before `next`, which a stored manifest names. */
  skipSequences(next: number): void {
    this.#journals.nextSequence = Math.max(this.#journals.nextSequence, next);
    this.#visibleSequence = this.#journals.nextSequence - 1;
  }

  takeFileNumber(): number {
    return this.#manifest.takeFileNumber();
  }

  skipFileNumbers(next: number): void {
    this.#manifest.skipFileNumbers(next);
  }

  /** Ends all writing if the lock is lost. @throws store_locked */
  refuseLostLock(): Promise<void> {
    return this.#claim.refuseLostLock();
  }

  /** Call before replacing or removing anything that others may rely on; ends all writing if the store was taken over. @throws store_locked */
  refuseTakenOver(): Promise<void> {
    return this.#claim.refuseTakenOver(this.manifest.epoch);
  }

  /** As `CurrentManifest.write`. @throws store_locked */
  async writeManifest(changesOf: (manifest: Manifest) => Partial<Manifest>): Promise<void> {
    await this.#manifest.write(changesOf);
    this.#dropReceived();
  }

  /** For a manifest that changes the meaning of codes. If a failed write may be on disk, refuses writes: rows would return with other values. */
  async writeManifestOfOtherCodes(changes: Partial<Manifest>): Promise<void> {
    try {
      await this.writeManifest(() => changes);
    } catch (error) {
      if (!(await this.#manifest.isStored())) this.journal?.poison(error);
      throw error;
    }
  }

  /** Writes the privacy requests durably. No seal may be in progress. @throws store_locked, storage_full */
  async writePrivacy(text: string): Promise<void> {
    const former = this.manifest.privacy;
    const entry = await this.files.writeText(this.takeFileNumber(), "privacy", text);
    await this.storage.sync([entry.key]);
    await this.writeManifest(() => ({ privacy: entry }));
    this.privacy = text;
    if (former !== null) await this.storage.remove(former.key).catch(() => undefined);
  }

  async removeOldJournals(): Promise<void> {
    await this.#journals.removeBefore(this.manifest.firstJournal);
  }

  /** Ends the journal cleanly and releases the lock; seal everything before. */
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

  /** Closes without writing: after a failure, durable content stays as it is. */
  async abandon(): Promise<void> {
    await this.#journals.abandon();
    await this.#removal;
    if (this.files.holdsFiles) this.#releaseFiles();
    await this.lock?.release();
  }

  /** Removes files that no manifest names and no query reads, one by one, before the lock is released. The next opening removes those left. */
  removeLater(keys: Iterable<string>): void {
    this.#removal = this.#removal.then(async () => {
      for (const key of keys) await this.storage.remove(key).catch(() => undefined);
    });
  }

  /** Removes every file that the manifest does not name and no query reads. No seal may be in progress. */
  async removeOrphans(): Promise<void> {
    const named = new Set([...filesOf(this.manifest), ...this.catalog.removedInUse].map(({ key }) => key));
    for (const folder of FILE_FOLDERS)
      for (const key of await this.storage.list(folder)) if (!named.has(key)) await this.storage.remove(key);
  }

  /** Releases held files once no query reads them. */
  #releaseFiles(): void {
    const { segments } = this.catalog;
    this.catalog.replace([], new Set(segments), false, () => {
      for (const segment of segments) segment.release();
      this.files.releaseDictionaries();
    });
  }

  async #show(batch: Batch | null, recordBatch: RecordBatch | null, written: CommittedSequences): Promise<void> {
    if (recordBatch === null) this.#complete(batch, written);
    else await this.#identities.addYielding(recordBatch, () => this.#complete(batch, written));
  }

  /** Makes a commit visible in one step; its records have already been added. */
  #complete(batch: Batch | null, { first, next, receivedMs }: CommittedSequences): void {
    this.#visibleSizes = this.#journals.sizes;
    this.resolver.committed(this.#visibleSizes);
    if (batch !== null) this.#append(batch, first, receivedMs);
    this.#journals.nextSequence = next;
    this.#visibleSequence = next - 1;
    this.catalog.changed();
  }

  #append(batch: Batch, firstSequence: number, receivedMs: number): void {
    this.received.push(firstSequence, receivedMs);
    this.catalog.append(batch, firstSequence, (shape) => this.dictionaries.keysOfShape(shape));
    this.#identities.addEvents(batch);
  }

  /** Drops the times that files of the manifest have. */
  #dropReceived(): void {
    this.received.splice(0, receivedCount(this.received, this.manifest.nextSequence));
  }

  #sealedRecords({ rowCount }: RecordTable, recordOnlyIds: RecordOnlyIds): void {
    this.sealed = { ...this.sealed, recordCount: rowCount, recordOnlyIdCount: countRecordOnlyIds(recordOnlyIds) };
  }
}

/** Names of all projects by code point: those of events, those created explicitly, and the default one of events that name none. */
export function projectsOf(store: Store): string[] {
  return [...new Set([DEFAULT_PROJECT, ...store.visibleValues("project").values()])].sort(compareCodePoints);
}
