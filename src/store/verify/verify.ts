import { DaybookError } from "../../core/base/errors.js";
import { Dictionaries } from "../../storage/column/dictionaries.js";
import { MemoryBudget } from "../../storage/segment/memory-budget.js";
import type { SegmentMeta } from "../../storage/segment/segment-file.js";
import { ID_COLUMN, PROJECT_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import { uuidText } from "../../core/base/uuid.js";
import { decodeDeletions } from "../files/deletions-file.js";
import { checkFile, Findings, type Finding } from "../files/findings.js";
import { StoreFiles } from "../files/files.js";
import { MANIFEST_KEY, decodeManifest, filesOf, type FileEntry, type Manifest, type SegmentEntry, refuseStoresBelow, untilManifestStays } from "../files/manifest.js";
import type { Storage } from "../storage/storage.js";
import { readReceivedFile } from "../files/received-times.js";
import { readSideFiles } from "../files/read-side-files.js";
import { KEYS_KEY, SAVED_SEGMENTS_KEY } from "../files/side-files.js";
import { SIGNING_KEYS_KEY } from "../files/signing-keys.js";
import { journalNumber } from "../journal/journal.js";
import { IdTable, idParts } from "../batch/id-table.js";
import { SequenceSet, RecordChecker, verifyPrivacy, CodeChecker, verifyDictionaries } from "./verify-records.js";
import { verifyJournals, type VerifiedJournals, verifySegment } from "./verify-rows.js";

/** Maximum number of suspected duplicates to check: of a billion unique ids some 2,000 collide, as fingerprints have 48 bits. */
const SUSPECT_COUNT_MAX = 10_000;

/** Finds events stored twice, by project and id: about 10 bytes per id, and a second pass over the ids whose fingerprints collide. */
class UniqueIds {
  // A fixed seed is safe: crafted ids gain nothing against a check that changes nothing.
  readonly #table = new IdTable(0x5eed);
  readonly #suspects = new Map<string, string[]>();
  isCut = false;

  get hasSuspects(): boolean {
    return this.#suspects.size > 0;
  }

  /** Adds ids of 16 bytes each. */
  add(ids: Uint8Array, projectOf: (row: number) => string): void {
    this.#table.reserve(Math.ceil(ids.length / 16));
    for (const { part, first } of idParts(ids)) {
      this.#table.probe(part, part.length / 16, (row) => projectOf(first + row));
      for (let row = 0; row < part.length / 16; row += 1) {
        if (!this.#table.hasSeen(row)) this.#table.addSeen(row);
        else if (this.#suspects.size < SUSPECT_COUNT_MAX) this.#suspects.set(nameOf(part, row, projectOf(first + row)), []);
        else this.isCut = true;
      }
    }
    this.#table.keep();
  }

  /** The second pass over each file: notes where suspects occur. */
  findSuspects(file: string, ids: Uint8Array, projectOf: (row: number) => string): void {
    for (let row = 0; row < ids.length / 16; row += 1) this.#suspects.get(nameOf(ids, row, projectOf(row)))?.push(`${file} row ${row}`);
  }

  duplicates(): { readonly id: string; readonly places: readonly string[] }[] {
    return [...this.#suspects].filter(([, places]) => places.length > 1).map(([id, places]) => ({ id, places }));
  }
}

function nameOf(ids: Uint8Array, row: number, project: string): string {
  return `${uuidText(ids, row * 16)} of project ${project}`;
}

/** The result of a verification. */
export interface VerifyReport {
  /** What is wrong; at most 20 findings per file. Empty: every byte is as written, and every invariant holds. */
  readonly findings: readonly Finding[];
  /** Number of all findings, including those not kept. */
  readonly findingCount: number;
  /** Harmless observations: files that nothing names, the torn end of a journal, files in quarantine. */
  readonly notes: readonly string[];
  readonly fileCount: number;
  /** Bytes read. */
  readonly byteLength: number;
  readonly eventCount: number;
  /** Of these, events in the journal that no segment contains yet. */
  readonly journalEventCount: number;
  readonly recordCount: number;
  readonly segmentCount: number;
  readonly dayCount: number;
  /** Files that a writer replaced before they were read. */
  readonly skippedFileCount: number;
}

export async function verify(storage: Storage): Promise<VerifyReport> {
  await refuseStoresBelow(storage);
  return await untilManifestStays(storage, "read", async (bytes, isStillThere) => {
    const verification = new Verification(storage);
    const manifest = await verification.readManifest(bytes);
    if (manifest === null) return verification.report([], 0);
    await verification.verifyBase(manifest);
    // A missing file may just have been replaced by a writer.
    return verification.findings.count === 0 || (await isStillThere()) ? await verification.verifyRows(manifest) : null;
  });
}

class Verification {
  readonly findings = new Findings();
  readonly #files: StoreFiles;
  readonly #dictionaries = new Dictionaries();
  readonly #sequences = new SequenceSet();
  readonly #records = new RecordChecker(this.findings, this.#sequences);
  readonly #ids = new UniqueIds();
  #sealedSizes: ReadonlyMap<string, number> = new Map();
  #journals: VerifiedJournals | null = null;
  #fileCount = 0;
  #byteLength = 0;
  #eventCount = 0;
  #segmentCount = 0;
  #skippedFileCount = 0;

  constructor(readonly storage: Storage) {
    this.#files = new StoreFiles(storage, new MemoryBudget(Infinity));
    this.#files.readWith(this.#dictionaries);
  }

  report(notes: readonly string[], dayCount: number): VerifyReport {
    return {
      findings: this.findings.kept,
      findingCount: this.findings.count,
      notes,
      fileCount: this.#fileCount,
      byteLength: this.#byteLength,
      eventCount: this.#eventCount,
      journalEventCount: this.#journals?.rowCount ?? 0,
      recordCount: this.#records.table.rowCount,
      segmentCount: this.#segmentCount,
      dayCount,
      skippedFileCount: this.#skippedFileCount,
    };
  }

  async readManifest(bytes: Uint8Array | null): Promise<Manifest | null> {
    if (bytes === null) {
      const [other] = await this.storage.list("");
      if (other !== undefined) this.findings.add(MANIFEST_KEY, "a manifest next to the other files", "none");
      return null;
    }
    this.#count(bytes);
    return await this.#attempt(MANIFEST_KEY, () => decodeManifest(bytes));
  }

  async verifyBase(manifest: Manifest): Promise<void> {
    const { findings, storage } = this;
    verifyManifest(manifest, findings);
    for (const { key, bytes, fault } of await readSideFiles(storage, manifest)) {
      if (bytes !== null) this.#count(bytes);
      if (fault !== null) findings.add(key, bytes === null ? "the keys of the store" : "a file that can be read", bytes === null ? "none" : fault.message);
    }
    for (const entry of manifest.dictionaries)
      if ((await this.#readFile(entry)) !== null) await this.#attempt(entry.key, () => this.#files.readDictionaries(entry, this.#dictionaries));
    verifyDictionaries(this.#dictionaries, findings);
    this.#sealedSizes = this.#dictionaries.sizes();
    const judge = new CodeChecker(this.#dictionaries);
    for (const entry of manifest.identities) {
      if ((await this.#readFile(entry)) === null) continue;
      const batch = await this.#attempt(entry.key, () => this.#files.readRecords(entry));
      if (batch !== null) this.#records.add(entry.key, batch, judge, manifest.nextSequence);
    }
    const { privacy, deletions } = manifest;
    if (privacy !== null && (await this.#readFile(privacy)) !== null) {
      const text = await this.#attempt(privacy.key, () => this.#files.readText(privacy, "privacy"));
      if (text !== null) verifyPrivacy(privacy.key, text, findings);
    }
    if (deletions !== undefined && (await this.#readFile(deletions)) !== null)
      await this.#attempt(deletions.key, async () => decodeDeletions(deletions.key, await this.#files.readText(deletions, "deletions")));
    for (const entry of manifest.received)
      if ((await this.#readFile(entry)) !== null) await this.#attempt(entry.key, () => readReceivedFile(this.#files, entry));
    this.#journals = await verifyJournals(storage, manifest, { dictionaries: this.#dictionaries, records: this.#records, sequences: this.#sequences, findings });
    this.#fileCount += this.#journals.fileCount;
    this.#byteLength += this.#journals.byteLength;
    this.#eventCount += this.#journals.rowCount;
    for (const { ids, projects } of this.#journals.events) this.#ids.add(ids, this.#projectOf(projects));
  }

  async verifyRows(manifest: Manifest): Promise<VerifyReport> {
    const { findings } = this;
    const judge = new CodeChecker(this.#dictionaries, this.#sealedSizes);
    const checks = { judge, sequences: this.#sequences, nextSequence: manifest.nextSequence, findings };
    for (const entry of manifest.segments) await this.#verifySegment(entry, checks);
    if (this.#ids.hasSuspects) await this.#verifyDuplicates(manifest);
    const days = new Set([...manifest.segments.map(({ day }) => day), ...(this.#journals?.days ?? [])]);
    // Use the latest manifest: a writer may have replaced it.
    const bytes = await this.storage.read(MANIFEST_KEY);
    const notes = await notesOf(this.storage, bytes === null ? manifest : decodeManifest(bytes), this.#journals?.tornByteLength ?? 0);
    return this.report(notes, days.size);
  }

  async #verifySegment(entry: SegmentEntry, checks: Parameters<typeof verifySegment>[3]): Promise<void> {
    const read = await this.#readFile<SegmentMeta>(entry);
    if (read === null) return;
    await this.#attempt(entry.key, async () => {
      const segment = await this.#files.segmentOf(entry, read.footer, read.bytes);
      try {
        await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
        await verifySegment(entry, segment, read.footer, checks);
        this.#ids.add(segment.ids(), (row) => segment.projectOf(row));
        this.#segmentCount += 1;
        this.#eventCount += segment.rowCount;
      } finally {
        segment.release();
      }
    });
  }

  #projectOf(codes: Uint32Array): (row: number) => string {
    const texts = this.#dictionaries.named(PROJECT_COLUMN);
    return (row) => texts.valueOf(codes[row] ?? 0);
  }

  async #verifyDuplicates({ segments }: Manifest): Promise<void> {
    for (const { file, ids, projects } of this.#journals?.events ?? []) this.#ids.findSuspects(file, ids, this.#projectOf(projects));
    for (const entry of segments)
      await this.#attempt(entry.key, async () => {
        // Missing or damaged files were reported before, or have been replaced.
        const segment = await this.#files.openSegment(entry).catch(() => null);
        await segment?.load([ID_COLUMN])?.catch(() => undefined);
        if (segment?.isLoaded(ID_COLUMN) === true) this.#ids.findSuspects(entry.key, segment.ids(), (row) => segment.projectOf(row));
        segment?.release();
      });
    for (const { id, places } of this.#ids.duplicates()) this.findings.add(places[0] ?? "segments/", `event ${id} once`, places.join(", "));
    if (this.#ids.isCut) this.findings.add("segments/", "unique event ids", "too many possible duplicates to check them all");
  }

  /** Reads and checks a whole file; null if it is damaged, or a writer has replaced it. */
  async #readFile<M>(entry: FileEntry) {
    const bytes = await this.storage.read(entry.key).catch((error: unknown) => {
      // The disk itself may fail to read.
      if (!(error instanceof DaybookError) || error.code !== "internal") throw error;
      this.findings.add(entry.key, "a file that can be read", error.message);
      return undefined;
    });
    if (bytes === undefined) return null;
    if (bytes?.length !== entry.byteLength && !(await this.#isNamed(entry))) {
      this.#skippedFileCount += 1;
      return null;
    }
    if (bytes !== null) this.#count(bytes);
    const footer = await checkFile<M>(this.storage, entry, bytes, this.findings);
    return bytes === null || footer === null ? null : { bytes, footer };
  }

  async #isNamed({ key }: FileEntry): Promise<boolean> {
    const bytes = await this.storage.read(MANIFEST_KEY);
    return bytes === null || filesOf(decodeManifest(bytes)).some((entry) => entry.key === key);
  }

  /** Runs a step; a failure becomes a finding. */
  async #attempt<T>(file: string, run: () => T | Promise<T>): Promise<T | null> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof DaybookError && error.code !== "corruption") throw error;
      this.findings.add(file, "a file that can be read", error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  #count(bytes: Uint8Array): void {
    this.#fileCount += 1;
    this.#byteLength += bytes.length;
  }
}

function verifyManifest(manifest: Manifest, findings: Findings): void {
  const { nextFile, nextSequence, firstJournal, segments } = manifest;
  const keys = filesOf(manifest).map(({ key }) => key);
  if (new Set(keys).size < keys.length) findings.add(MANIFEST_KEY, "each file named once", "one twice");
  for (const key of keys) if (Number(/\d{10}$/.exec(key)?.[0] ?? NaN) < nextFile === false) findings.add(MANIFEST_KEY, `file numbers below ${nextFile}`, key);
  if (!(firstJournal >= 1 && firstJournal <= nextFile)) findings.add(MANIFEST_KEY, `a first journal from 1 to ${nextFile}`, String(firstJournal));
  let next = 1;
  for (const { key, ...entry } of manifest.received) {
    if (!(entry.firstSequence >= next && entry.nextSequence > entry.firstSequence && entry.nextSequence <= nextSequence))
      findings.add(MANIFEST_KEY, `sequences from ${next} to ${nextSequence - 1} in ${key}`, `${entry.firstSequence} to ${entry.nextSequence - 1}`);
    next = entry.nextSequence;
  }
  const rowCount = segments.reduce((sum, entry) => sum + entry.rowCount, 0);
  if (rowCount >= nextSequence) findings.add(MANIFEST_KEY, `fewer rows in segments than the next sequence, ${nextSequence}`, String(rowCount));
}

async function notesOf(storage: Storage, manifest: Manifest, tornByteLength: number): Promise<string[]> {
  const notes: string[] = [];
  const named = new Set([MANIFEST_KEY, KEYS_KEY, SAVED_SEGMENTS_KEY, SIGNING_KEYS_KEY, ...filesOf(manifest).map(({ key }) => key)]);
  for (const key of await storage.list("")) {
    const journal = journalNumber(key);
    if (named.has(key) || (journal !== null && journal >= manifest.firstJournal)) continue;
    if (key.startsWith("quarantine/")) notes.push(`${key}: kept in quarantine`);
    else if (/^(?:segments|dictionaries|identities|journal)\//.test(key)) notes.push(`${key}: the manifest does not name it; the next opening for writing removes it`);
    else notes.push(`${key}: not a file of a store`);
  }
  if (tornByteLength > 0) notes.push(`journal: ${tornByteLength} bytes after the last whole frame, from a write that was never acknowledged`);
  return notes;
}
