import { DaybookError } from "../../base/errors.js";
import type { Dictionaries } from "../../column/dictionaries.js";
import type { RecordColumns, RecordTable } from "../../identity/record-table.js";
import type { IdentityResolver } from "../../identity/resolver.js";
import { PROJECT_COLUMN } from "../../schema/fields.js";
import type { ExcerptRule } from "../../segment/excerpt.js";
import type { MemoryBudget } from "../../segment/memory-budget.js";
import type { Segment } from "../../segment/segment.js";
import type { Batch } from "../batch/batch.js";
import { BROUGHT_NOTHING, countBrought } from "../batch/record-batch.js";
import type { BroughtCodes, RecordBatch } from "../batch/record-batch.js";
import { numberRecords } from "../batch/record-bytes.js";
import { FILE_FOLDERS } from "../files/files.js";
import type { StoreFiles } from "../files/files.js";
import type { Sealer } from "../files/make-segment.js";
import { filesOf } from "../files/manifest.js";
import type { Manifest } from "../files/manifest.js";
import type { Journal } from "../journal/journal.js";
import { Journals } from "../journal/journals.js";
import type { CommittedSequences, Durability } from "../journal/journals.js";
import type { JournalPlace, Recovered } from "../recovery/recovery.js";
import type { Storage, StorageLock } from "../storage/storage.js";
import { Catalog } from "./catalog.js";
import type { Snapshot } from "./catalog.js";
import { Claim } from "./claim.js";
import { CurrentManifest } from "./current-manifest.js";
import { Identities } from "./identities.js";
import type { VisibleStore } from "./visible-store.js";

export interface StoreOptions {
  readonly storage: Storage;
  readonly durability: Durability;
  readonly memoryBudgetBytes: number;
  /** Beside a writer: no lock, no writes. */
  readonly readOnly: boolean;
  /** Why it is open for reading alone, though it was to be written: there was no room. */
  readonly full?: unknown;
  /**
   * For a reader that goes on with what the writer commits: tells whether the frames up to a place are there to stay. Null or absent: it shows one
   * moment.
   */
  readonly follow?: ((storage: Storage, end: JournalPlace) => Promise<boolean>) | null;
  /** Damaged files are moved aside instead of refusing to open. Default false. */
  readonly quarantine?: boolean;
  /** Where segments are made; absent: here. */
  readonly sealer?: Sealer | null;
  /** What is written beside the rows of a segment; absent: nothing. */
  readonly excerpts?: (dictionaries: Dictionaries) => readonly ExcerptRule[];
}

/** Commits of a writer elsewhere that were sealed before their journal was read. */
export interface UnseenCommits {
  readonly segments: readonly Segment[];
  readonly records: RecordColumns;
  /** Ids that by then only records had named; null: none came, and none went. */
  readonly brought: BroughtCodes | null;
}

/** How far the files that a manifest names hold what a store was told. */
export interface Sealed {
  /** Sizes of the dictionaries. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Records: the first of the table. */
  readonly recordCount: number;
  /** Ids in the lists of the newest file of records. */
  readonly broughtCount: number;
}

/**
 * What a store is made of at one moment: what is committed is durable first, then visible. `open-store.ts` makes it, and the files
 * of `upkeep/` move rows between its parts.
 */
export class Store implements VisibleStore {
  readonly catalog: Catalog;
  readonly dictionaries: Dictionaries;
  sealed: Sealed;
  /** Text of the file of privacy requests; null where there is none. */
  privacy: string | null;
  /** How often codes were given up that had been given: what was learned of them is worth nothing. */
  truncationCount = 0;
  /** The end of the journals at the opening. */
  readonly foundEnd: JournalPlace;
  /** The greatest sequence that a snapshot shows: those of a commit under way may be given again. */
  #visibleSequence: number;
  /** Sizes of the dictionaries without the values of a commit under way. */
  #visibleSizes: ReadonlyMap<string, number>;
  /** What `removeLater` is still at. */
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
    this.foundEnd = recovered.end;
    this.#manifest = new CurrentManifest(storage, this.#claim, recovered.manifest, ([...recovered.journalByteLengths.keys()].at(-1) ?? 0) + 1);
    this.#visibleSequence = recovered.nextSequence - 1;
    this.sealed = { sizes: recovered.sealedSizes, recordCount: 0, broughtCount: 0 };
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

  /** What is written beside the rows of a segment that is made now. */
  get excerpts(): readonly ExcerptRule[] {
    return this.options.excerpts?.(this.dictionaries) ?? [];
  }

  get manifest(): Manifest {
    return this.#manifest.value;
  }

  /** Null for readers, and when the store was closed. */
  get journal(): Journal | null {
    return this.#journals.current;
  }

  /** Replaced as a whole by an erasure or a deletion. */
  get records(): RecordTable {
    return this.#identities.records;
  }

  /** Replaced with the records. */
  get resolver(): IdentityResolver {
    return this.#identities.resolver;
  }

  /** Ids that no event has used yet, as files of records keep them. */
  get broughtCodes(): BroughtCodes {
    return this.#identities.broughtCodes;
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

  /** Values of a dictionary by their codes, without those that are gone: of complete commits, for one under way may have added more. */
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

  /** Sizes of the dictionaries as far as the journal holds their values: what rows of heads use. */
  get journaledSizes(): ReadonlyMap<string, number> {
    return this.#journals.sizes;
  }

  /** The greatest sequence that is visible; 0 where nothing was ever accepted. */
  get newestSequence(): number {
    return this.#visibleSequence;
  }

  snapshot(): Snapshot {
    return this.catalog.snapshot(this.#visibleSequence);
  }

  /**
   * Calls `look` in a turn in which no commit is seen in part: who is who is learned over several turns. What it sees holds until its first
   * `await`.
   */
  whole<T>(look: () => T): Promise<Awaited<T>> {
    return this.#identities.whole(look);
  }

  /** Makes visible what was found when the store was opened. */
  restore({ segments, manifest, commits, end }: Recovered): void {
    this.catalog.replace(segments, new Set(), false, () => undefined);
    this.#identities.takeLinks(segments);
    const lastSealed = manifest.identities.length - 1;
    let journal = manifest.firstJournal;
    for (const [index, commit] of commits.entries()) {
      // Each file of records has the whole list of its time: only that of the newest counts.
      if ("records" in commit) this.#identities.take(index < lastSealed ? { ...commit, brought: BROUGHT_NOTHING } : commit);
      else {
        // A seal drops the rows of the journals that it leaves behind, and no others.
        if (this.#isFollower && commit.journal > journal) this.catalog.freezeHeads();
        ({ journal } = commit);
        this.#append(commit.batch, commit.firstSequence);
      }
      if (index === lastSealed) this.#sealedRecords(this.records, this.broughtCodes);
    }
    if (this.#isFollower && end.number > journal) this.catalog.freezeHeads();
    this.resolver.committed(this.#visibleSizes);
  }

  /** Makes a commit of a writer elsewhere visible, whose values the dictionaries have. */
  async showCommit(batch: Batch | null, recordBatch: RecordBatch | null, written: CommittedSequences): Promise<void> {
    this.#journals.valuesFiled();
    if (recordBatch === null) this.#complete(batch, written);
    else await this.#identities.takeInTurns(recordBatch, () => this.#complete(batch, written));
  }

  /** How far a journal of a writer elsewhere was read. */
  readJournal(number: number, byteLength: number): void {
    this.#journals.wasRead(number, byteLength);
  }

  /**
   * Takes the manifest of a writer elsewhere, whose values the dictionaries have.
   * @param unseen of sealed commits that were never in a journal that was read: their segments and records; null: there are none
   * @param replace puts segments in the place of heads and others: in the last turn, until which nobody looks
   */
  async showManifest(manifest: Manifest, privacy: string | null, unseen: UnseenCommits | null, replace: () => void): Promise<void> {
    const complete = () => {
      this.#manifest.replaced(manifest);
      this.#journals.forgetBefore(manifest.firstJournal);
      this.privacy = privacy;
      this.#journals.nextSequence = Math.max(this.#journals.nextSequence, manifest.nextSequence);
      this.#visibleSequence = this.#journals.nextSequence - 1;
      replace();
      this.#visibleSizes = this.#journals.sizes;
      this.resolver.committed(this.#visibleSizes);
      this.catalog.changed();
    };
    if (unseen === null) return complete();
    this.#journals.valuesFiled();
    const { records, brought, segments } = unseen;
    if (brought !== null) this.#identities.onlyOfRecords(brought);
    await this.#identities.takeInTurns({ records, brought: brought ?? BROUGHT_NOTHING }, complete, undefined, segments);
  }

  /**
   * Makes events and records durable, then visible. The dictionary values they use go with them; of neither, values alone.
   * @throws read_only, storage_full, internal (sequences are used up)
   */
  async commit(batch: Batch, recordBatch: RecordBatch | null = null): Promise<void> {
    const written = await this.#journals.write(batch, recordBatch);
    try {
      if (recordBatch !== null) numberRecords(recordBatch, written.next - recordBatch.records.rowCount);
      if (recordBatch === null) this.#complete(batch, written);
      else await this.#identities.takeInTurns(recordBatch, () => this.#complete(batch, written));
    } catch (error) {
      // It is durable: whatever came next would get the same sequences.
      this.journal?.poison(error);
      throw error;
    }
  }

  /** Forgets the values that events and records brought whose commit failed: codes given since then are worth nothing. */
  forgetUnjournaled(): void {
    this.truncationCount += 1;
    this.dictionaries.truncate(this.#journals.sizes);
  }

  /** Starts the next journal. Rows committed from now on are in it. */
  async rotateJournal(): Promise<void> {
    await this.#journals.rotate(this.takeFileNumber(), this.manifest.epoch);
  }

  /** Puts other records in the place of all there are, as files have them and all values already; who is who is learned anew. */
  replaceRecords(table: RecordTable, brought: BroughtCodes, privacy: string | null): void {
    this.#journals.valuesFiled();
    this.sealed = { ...this.sealed, sizes: this.journaledSizes };
    this.#visibleSizes = this.journaledSizes;
    this.#identities.replace(this.catalog.segments, this.#journals.sizes);
    this.#identities.take({ records: table.slice(0), brought });
    this.resolver.committed(this.#visibleSizes);
    this.#sealedRecords(table, brought);
    this.privacy = privacy;
  }

  takeFileNumber(): number {
    return this.#manifest.takeFileNumber();
  }

  /** No file gets a number below this one from now on. */
  skipFileNumbers(next: number): void {
    this.#manifest.skipFileNumbers(next);
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
    return this.#manifest.write(changesOf);
  }

  /**
   * Replaces the manifest by one under which codes mean something else. Where that fails and it may stand all the same, the
   * store takes no more writes: rows of the codes as memory has them would come back with other values.
   */
  async writeManifestOfOtherCodes(changes: Partial<Manifest>): Promise<void> {
    try {
      await this.writeManifest(() => changes);
    } catch (error) {
      if (!(await this.#manifest.isStored())) this.journal?.poison(error);
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
    await this.#removal;
    if (this.#isFollower) this.#letGo();
    await this.lock?.release();
  }

  /**
   * Removes files that no manifest names and no query reads, one after the other, before the lock is given back. One that cannot be removed is an
   * orphan that the next opening removes.
   */
  removeLater(keys: Iterable<string>): void {
    this.#removal = this.#removal.then(async () => {
      for (const key of keys) await this.storage.remove(key).catch(() => undefined);
    });
  }

  /** Removes every file that the manifest does not name and no query reads. No seal may be under way. */
  async removeOrphans(): Promise<void> {
    const named = new Set([...filesOf(this.manifest), ...this.catalog.leaving].map(({ key }) => key));
    for (const folder of FILE_FOLDERS)
      for (const key of await this.storage.list(folder)) if (!named.has(key)) await this.storage.remove(key);
  }

  /** Releases the files that are held, once no query reads them. */
  #letGo(): void {
    const { segments } = this.catalog;
    this.catalog.replace([], new Set(segments), false, () => {
      for (const segment of segments) segment.release();
    });
  }

  /** Makes a commit visible whose records are learned of: all of it in one turn. */
  #complete(batch: Batch | null, { first, next }: CommittedSequences): void {
    this.#visibleSizes = this.#journals.sizes;
    this.resolver.committed(this.#visibleSizes);
    if (batch !== null) this.#append(batch, first);
    this.#journals.nextSequence = next;
    this.#visibleSequence = next - 1;
    this.catalog.changed();
  }

  #append(batch: Batch, firstSequence: number): void {
    this.catalog.append(batch, firstSequence, (shape) => this.dictionaries.keysOfShape(shape));
    this.#identities.takeEvents(batch);
  }

  #sealedRecords({ rowCount }: RecordTable, brought: BroughtCodes): void {
    this.sealed = { ...this.sealed, recordCount: rowCount, broughtCount: countBrought(brought) };
  }
}
