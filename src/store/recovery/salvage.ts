/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { getOrMake } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";
import { dayOf } from "../../core/base/time.js";
import {
  KEY_DICTIONARY, SHAPE_COLUMN, SHAPE_DICTIONARY, metadataColumn, FIELDS, PROJECT_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN,
} from "../../core/schema/fields.js";
import { RECORD_FIELDS, RECORD_FIELD_COUNT, DICTIONARY_OF_FIELD, RecordTable } from "../../identity/record-table.js";
import { Dictionaries, type DictionaryDelta } from "../../storage/column/dictionaries.js";
import { Head } from "../../storage/segment/head.js";
import { keepRows, mergeRows } from "../../storage/segment/merge-rows.js";
import { MemoryBudget } from "../../storage/segment/memory-budget.js";
import { whilePinned, type Rows } from "../../storage/segment/rows.js";
import { checkBlock, decodeFooter, footerCrcOf, type SegmentMeta } from "../../storage/segment/segment-file.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { Batch, RecordBatch, RecordOnlyIds } from "../batch/batch.js";
import { encodeDeletions } from "../files/deletions-file.js";
import type { StoreFiles, DictionaryMeta } from "../files/files.js";
import { checkFile, Findings } from "../files/findings.js";
import {
  type Manifest, MANIFEST_KEY, decodeManifest, encodeManifest, withoutMark, type FileEntry, type QuarantinedFile, type ReceivedFileEntry, type SegmentEntry,
} from "../files/manifest.js";
import { writeReceivedFile } from "../files/received-times.js";
import { readSideFiles } from "../files/read-side-files.js";
import { FRAME_KINDS, contentOf, findFrames, journalKey, journalKeys, liveJournals, replayJournal, type Frame, type LiveJournal } from "../journal/journal.js";
import type { RowsCommit } from "./recovery.js";
import { codecOf } from "../storage/codec.js";
import type { Storage } from "../storage/storage.js";
import { CodeChecker } from "../verify/verify-records.js";

/** Finds codes that lost their value with a damaged file: data that uses them is unreadable. */
class ReadableCodes extends CodeChecker {
  readonly #shapes = new Map<number, boolean>();

  has(dictionary: string, code: number): boolean {
    if (code === 0) return true;
    return dictionary === SHAPE_DICTIONARY ? this.#hasShape(code) : this.faultOf(dictionary, code) === null;
  }

  #hasShape(code: number): boolean {
    const areKeysThere = () => this.dictionaries.keysOfShape(code).every((key) => this.faultOf(KEY_DICTIONARY, key) === null);
    return getOrMake(this.#shapes, code, () => this.faultOf(SHAPE_DICTIONARY, code) === null && areKeysThere());
  }
}

/** Numbers of the rows all of whose codes have values; all columns must be loaded. Cost: one check per code. */
function readableRows(rows: Rows, readable: ReadableCodes): Uint32Array {
  const isLost = new Uint8Array(rows.rowCount);
  for (const name of rows.columnNames()) {
    const column = rows.column(name);
    const isKeyLost = /^m\d+$/.test(name) && !readable.has(KEY_DICTIONARY, Number(name.slice(1)));
    for (let at = 0; at < column.codes.length; at += 1) {
      const code = column.codes[at]!;
      if (code !== 0 && (isKeyLost || !readable.has(name, code))) isLost[column.kind === "sparse" ? column.rows[at]! : at] = 1;
    }
  }
  return Uint32Array.from(isLost.keys()).filter((row) => isLost[row] === 0);
}

/** Number of metadata values of a row; null if its shape is lost, and thus the position of all values after it. */
function valueCountOf(shape: number, readable: ReadableCodes): number | null {
  return readable.has(SHAPE_COLUMN, shape) ? readable.dictionaries.keysOfShape(shape).length : null;
}

function areValuesReadable(shape: number, values: Uint32Array, valuesAt: number, readable: ReadableCodes): boolean {
  return readable.dictionaries.keysOfShape(shape).every((key, at) => readable.has(metadataColumn(key), values[valuesAt + at]!));
}

interface BrokenJournal {
  readonly number: number;
  readonly keys: readonly string[];
  readonly byteLength: number;
  readonly reason: string;
  /** Events and records in lost frames, of unknown days. */
  lostCount: number;
}

interface SalvagedJournals {
  readonly broken: readonly BrokenJournal[];
  readonly rows: readonly RowsCommit[];
  readonly records: readonly RecordBatch[];
  readonly nextSequence: number;
  /** Number of the newest journal; 0 if there is none. */
  readonly lastNumber: number;
}

/** Adds values after any gap that a lost file left, whose codes stay blank. Returns false if they contradict earlier values. */
function applyBehindGap(dictionaries: Dictionaries, delta: DictionaryDelta): boolean {
  const dictionary = dictionaries.named(delta.name);
  while (dictionary.size < delta.start) dictionary.add("");
  return dictionaries.apply(delta);
}

/** Reads every undamaged frame of the live journals, before and after broken ones. */
async function salvageJournals(storage: Storage, manifest: Manifest, dictionaries: Dictionaries): Promise<SalvagedJournals> {
  const broken: BrokenJournal[] = [];
  const rows: RowsCommit[] = [];
  const records: RecordBatch[] = [];
  let nextSequence = manifest.nextSequence;
  let last: BrokenJournal = { number: manifest.firstJournal, keys: [], byteLength: 0, reason: "", lostCount: 0 };
  let ended = false;
  let lastNumber = 0;
  for await (const live of liveJournals(storage, manifest.firstJournal)) {
    const { number, keys, bytes } = live;
    lastNumber = number;
    const strict = readStrictly(live, nextSequence);
    const journal = { number, keys, byteLength: bytes.length, reason: strict.fault ?? "", lostCount: 0 };
    for (const frame of strict.fault === null ? strict.frames : findFrames(bytes, 0)) {
      // Left from before, or not a frame of this chain.
      if (frame.firstSequence < nextSequence) continue;
      journal.lostCount += frame.firstSequence - nextSequence;
      nextSequence = frame.firstSequence + frame.sequenceCount;
      if (frame.kind === FRAME_KINDS.end) continue;
      const { deltas, batch, records: added } = contentOf(frame);
      for (const delta of deltas) applyBehindGap(dictionaries, delta);
      if (added !== null) records.push(added);
      else if (batch !== null && batch.rowCount > 0) rows.push({ batch, firstSequence: frame.firstSequence, receivedMs: frame.receivedMs, journal: number });
    }
    if (strict.frames.length > 0 || strict.ended || number === manifest.firstJournal) [ended, last] = [strict.ended, journal];
    if (strict.fault !== null) broken.push(journal);
  }
  if (manifest.clean && !ended && broken.length === 0) broken.push({ ...last, reason: "the store was closed cleanly, but its journal does not end with the end mark" });
  return { broken, rows, records, nextSequence, lastNumber };
}

/** Reads the frames of a journal as an opening does, or returns why an opening would refuse it. */
function readStrictly(journal: LiveJournal, nextSequence: number): { readonly fault: string | null; readonly frames: readonly Frame[]; readonly ended: boolean } {
  const frames: Frame[] = [];
  try {
    const replay = replayJournal(journal, nextSequence, (frame) => frames.push(frame));
    return { fault: null, frames, ended: replay.ended };
  } catch (error) {
    if (error instanceof DaybookError && error.code === "corruption") return { fault: error.message, frames: [], ended: false };
    throw error;
  }
}

/** Salvaged heads are only written: no budget for derived data. */
const NOTHING_KEPT = new MemoryBudget(0);

/** Appends the rows of a batch all of whose codes have values to the heads of their days. Returns the number of lost rows by day. */
function appendReadable(heads: Map<number, Head>, batch: Batch, firstSequence: number, readable: ReadableCodes): Map<number, number> {
  const { rowCount, times, codes, shapes, values } = batch;
  const lost = new Map<number, number>();
  const keysOf = (shape: number) => readable.dictionaries.keysOfShape(shape);
  let valuesAt: number | null = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const day = dayOf(times[row]!);
    const valueCount: number | null = valueCountOf(shapes[row]!, readable);
    const hasFields = FIELDS.every(({ column }, field) => readable.has(column, codes[field]![row]!));
    if (valuesAt !== null && valueCount !== null && hasFields && areValuesReadable(shapes[row]!, values, valuesAt, readable)) {
      const head = getOrMake(heads, day, () => new Head(day, NOTHING_KEPT, readable.dictionaries.named(PROJECT_COLUMN)));
      head.append(batch, row, row + 1, firstSequence, valuesAt, keysOf);
    } else lost.set(day, (lost.get(day) ?? 0) + 1);
    valuesAt = valuesAt === null || valueCount === null ? null : valuesAt + valueCount;
  }
  return lost;
}

type IdColumn = "userId" | "anonymousId" | "companyId";

/** Records which id codes events use; all others are used by records only, or by nothing. */
class UsedIds {
  readonly columns: readonly IdColumn[] = ["userId", "anonymousId", "companyId"];
  readonly #used = new Map<IdColumn, Uint8Array>();

  constructor(readonly dictionaries: Dictionaries) {
    for (const column of this.columns) this.#used.set(column, new Uint8Array(dictionaries.named(column).size));
  }

  /** Adds the ids of rows, whose columns must be loaded. */
  addRows(rows: Rows): void {
    for (const column of this.columns) {
      const used = this.#used.get(column)!;
      const { codes } = rows.column(column);
      for (let at = 0; at < codes.length; at += 1) used[codes[at]!] = 1;
    }
  }

  /** Codes with a value that no added row uses, ascending. */
  unusedOf(column: IdColumn): number[] {
    const used = this.#used.get(column)!;
    const { values } = this.dictionaries.named(column);
    return [...used.keys()].filter((code) => code > 0 && used[code] === 0 && values[code] !== "");
  }
}

const QUARANTINE = "quarantine/";

/** More than a journal has between two seals. */
const SKIPPED_SEQUENCES = 1_000_000;

type QuarantineEntry = Omit<QuarantinedFile, "byteLength">;

/**
 * Sets every damaged file of a store aside and makes a store of what is readable: no query reads a damaged byte, or a row that lost
 * a value. Copies bytes to `quarantine/` first, then writes one manifest that names what is left; if interrupted, it starts again.
 * The caller holds the lock. Leaves an undamaged store unchanged. Cost: reads all files once.
 * @throws corruption (the manifest itself is damaged), storage_full
 */
export async function salvageStore(storage: Storage, files: StoreFiles): Promise<void> {
  const bytes = await storage.read(MANIFEST_KEY);
  if (bytes === null) return;
  const manifest = decodeManifest(bytes);
  const readable = await readReadable(storage, files, manifest);
  const journals = await salvageJournals(storage, manifest, readable.dictionaries);
  keepKeyCodes(readable.dictionaries);
  const faults = new Map<string, string>();
  for (const { key, bytes, fault } of await readSideFiles(storage, manifest)) if (fault !== null) faults.set(key, bytes === null ? "it is missing" : fault.message);
  if (readable.broken.length === 0 && journals.broken.length === 0 && faults.size === 0) return;
  // Above the number of every file, as in `Store`.
  const nextFile = Math.max(manifest.nextFile, journals.lastNumber + 1, (await files.lastNumber()) + 1);
  await new Salvage(storage, files, manifest, readable, journals, nextFile).run(faults);
}

/** Reserves the code of a metadata key whose name is lost, so that no other key gets its values. */
function keepKeyCodes(dictionaries: Dictionaries): void {
  const { keys } = dictionaries;
  for (const name of dictionaries.sizes().keys()) {
    const code = Number(/^m(\d+)$/.exec(name)?.[1] ?? 0);
    while (keys.size <= code) keys.add("");
  }
}

class Salvage {
  readonly #readable: ReadableCodes;
  readonly #quarantined: QuarantineEntry[] = [];
  readonly #segments: SegmentEntry[] = [];
  readonly #added: FileEntry[] = [];
  readonly #used: UsedIds;

  constructor(
    readonly storage: Storage,
    readonly files: StoreFiles,
    readonly manifest: Manifest,
    readonly found: ReadableFiles,
    readonly journals: SalvagedJournals,
    private nextFile: number,
  ) {
    this.#readable = new ReadableCodes(found.dictionaries);
    this.#used = new UsedIds(found.dictionaries);
  }

  async run(faults: ReadonlyMap<string, string>): Promise<void> {
    const { storage, manifest, found, journals } = this;
    const days = new Map(manifest.segments.map((entry) => [entry.key, entry]));
    for (const { entry, reason } of found.broken) {
      const segment = days.get(entry.key);
      this.#quarantined.push({ key: entry.key, reason, lostRows: segment === undefined ? [] : [{ day: segment.day, rowCount: segment.rowCount }] });
    }
    for (const entry of found.segments) await this.#keepSegment(entry);
    await this.#sealRows();
    for (const [key, reason] of faults) this.#quarantined.push({ key, reason, lostRows: [] });
    const dictionaries = this.#add(await this.files.writeDictionaries(this.#takeNumber(), found.dictionaries.deltasSince(new Map())));
    const identities = this.#add(await this.files.writeRecords(this.#takeNumber(), this.#records()));
    const privacy = found.privacy === null ? null : manifest.privacy;
    const isCut = journals.broken.length > 0;
    // Copies may have what was lost behind the last readable frame: its sequences must not come again.
    const nextSequence = Math.max(manifest.nextSequence, journals.nextSequence) + (isCut ? SKIPPED_SEQUENCES : 0);
    // Copies must learn that deletions, or what they have beside this store, are unknown: they have to start over.
    const deletions = isCut || found.lostDeletions ? { deletions: this.#add(await this.#forgotten(nextSequence - 1)) } : {};
    const received = [...found.received, ...(await this.#receivedOfJournals(nextSequence))];
    const quarantined = await this.#copyAside();
    await storage.sync(this.#added.map(({ key }) => key));
    await storage.write(
      MANIFEST_KEY,
      encodeManifest({
        ...withoutMark(manifest),
        clean: false,
        nextSequence,
        firstJournal: this.#takeNumber(),
        nextFile: this.nextFile,
        segments: this.#segments,
        dictionaries: [dictionaries],
        identities: [identities],
        received,
        privacy,
        ...deletions,
        quarantined: [...(manifest.quarantined ?? []), ...quarantined],
      }),
    );
    // Journals and files that are no longer named are removed as orphans.
    for (const key of faults.keys()) await storage.remove(key);
  }

  async #receivedOfJournals(nextSequence: number): Promise<ReceivedFileEntry[]> {
    const { manifest, journals } = this;
    const pairs = journals.rows.flatMap(({ firstSequence, receivedMs }) => [firstSequence, receivedMs]);
    if (pairs.length === 0) return [];
    const entry = await writeReceivedFile(this.files, this.#takeNumber(), pairs, { firstSequence: manifest.nextSequence, nextSequence });
    this.#add(entry);
    return [entry];
  }

  async #forgotten(forgottenSequence: number): Promise<FileEntry> {
    return await this.files.writeText(this.#takeNumber(), "deletions", encodeDeletions({ forgottenSequence, deletions: [] }));
  }

  /** Keeps an undamaged segment, or rewrites it without the rows that lost a value. */
  async #keepSegment(entry: SegmentEntry): Promise<void> {
    const segment = await this.files.openSegment(entry);
    await whilePinned([segment], async () => {
      await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
      const kept = readableRows(segment, this.#readable);
      if (kept.length === segment.rowCount) {
        this.#segments.push(entry);
        return this.#used.addRows(segment);
      }
      this.#quarantined.push({
        key: entry.key,
        reason: "values of some rows were lost with another file",
        lostRows: [{ day: entry.day, rowCount: segment.rowCount - kept.length }],
      });
      if (kept.length > 0) await this.#writeSegment((number) => this.files.writeSegment(number, keepRows(segment, kept, new Map()), []));
    }).finally(() => segment.release());
  }

  /** Turns the rows of journals into segments: a journal that lacks a frame cannot continue. */
  async #sealRows(): Promise<void> {
    const heads = new Map<number, Head>();
    const lostByJournal = new Map<number, Map<number, number>>();
    for (const { batch, firstSequence, journal } of this.journals.rows) {
      const lost = getOrMake(lostByJournal, journal, () => new Map<number, number>());
      for (const [day, rowCount] of appendReadable(heads, batch, firstSequence, this.#readable)) lost.set(day, (lost.get(day) ?? 0) + rowCount);
    }
    for (const [day, head] of heads) {
      const merged = await mergeRows([head.view()]);
      await this.#writeSegment((number) => this.files.writeSegment(number, { ...merged, day }, []));
    }
    const broken = new Map(this.journals.broken.map((journal) => [journal.number, journal]));
    for (const number of new Set([...broken.keys(), ...lostByJournal.keys()])) {
      const journal = broken.get(number);
      const lostRows = [...(lostByJournal.get(number) ?? [])].map(([day, rowCount]) => ({ day, rowCount }));
      if (journal === undefined && lostRows.length === 0) continue;
      const unknown = (journal?.lostCount ?? 0) > 0 ? [{ day: null, rowCount: journal?.lostCount ?? 0 }] : [];
      const reason = journal?.reason ?? "values of some rows were lost with another file";
      for (const [index, key] of (await this.#journalKeys(number)).entries()) this.#quarantined.push({ key, reason, lostRows: index === 0 ? [...unknown, ...lostRows] : [] });
    }
  }

  async #journalKeys(number: number): Promise<readonly string[]> {
    const keys = await journalKeys(this.storage, number);
    return keys.length > 0 ? keys : [journalKey(number)];
  }

  async #writeSegment(write: (number: number) => Promise<{ entry: SegmentEntry; segment: Segment }>): Promise<void> {
    const { entry, segment } = await write(this.#takeNumber());
    this.#segments.push(entry);
    this.#added.push(entry);
    await segment.load(this.#used.columns);
    this.#used.addRows(segment);
    segment.release();
  }

  #records(): RecordBatch {
    const table = new RecordTable();
    for (const { records } of [...this.found.records, ...this.journals.records])
      for (let row = 0; row < records.rowCount; row += 1) {
        const codes = records.codes.subarray(row * RECORD_FIELD_COUNT, (row + 1) * RECORD_FIELD_COUNT);
        const isReadable = RECORD_FIELDS.every((field, at) => this.#readable.has(DICTIONARY_OF_FIELD[field], codes[at] ?? 0));
        if (isReadable) table.copy(records, row);
      }
    const recordOnlyIds: RecordOnlyIds = { userId: this.#used.unusedOf("userId"), anonymousId: this.#used.unusedOf("anonymousId"), companyId: this.#used.unusedOf("companyId") };
    return { records: table.slice(0), recordOnlyIds };
  }

  /** Copies what is set aside, durably, before anything else changes. */
  async #copyAside(): Promise<QuarantinedFile[]> {
    const quarantined: QuarantinedFile[] = [];
    for (const entry of this.#quarantined) {
      const bytes = await this.storage.read(entry.key);
      if (bytes !== null) await this.storage.write(`${QUARANTINE}${entry.key}`, bytes);
      quarantined.push({ ...entry, byteLength: bytes?.length ?? 0 });
    }
    return quarantined;
  }

  #add(entry: FileEntry): FileEntry {
    this.#added.push(entry);
    return entry;
  }

  #takeNumber(): number {
    this.nextFile += 1;
    return this.nextFile - 1;
  }
}

interface BrokenFile {
  readonly entry: FileEntry;
  readonly reason: string;
}

interface ReadableFiles {
  readonly broken: readonly BrokenFile[];
  readonly segments: readonly SegmentEntry[];
  readonly dictionaries: Dictionaries;
  readonly records: readonly RecordBatch[];
  readonly privacy: string | null;
  readonly lostDeletions: boolean;
  /** Times in other files are lost. */
  readonly received: readonly ReceivedFileEntry[];
}

/** Reads all files that a manifest names, one after another; of broken dictionary files, every undamaged block. */
async function readReadable(storage: Storage, files: StoreFiles, manifest: Manifest): Promise<ReadableFiles> {
  const broken: BrokenFile[] = [];
  const dictionaries = new Dictionaries();
  files.readWith(dictionaries);
  const records: RecordBatch[] = [];
  const segments: SegmentEntry[] = [];
  const isWhole = async (entry: FileEntry): Promise<boolean> => {
    const reason = await faultOf(storage, entry);
    if (reason !== null) broken.push({ entry, reason });
    return reason === null;
  };
  for (const entry of manifest.dictionaries) {
    await isWhole(entry);
    await applyReadableBlocks(storage, entry, dictionaries);
  }
  for (const entry of manifest.identities) if (await isWhole(entry)) records.push(await files.readRecords(entry));
  const { privacy } = manifest;
  const text = privacy !== null && (await isWhole(privacy)) ? await files.readText(privacy, "privacy") : null;
  const lostDeletions = manifest.deletions !== undefined && !(await isWhole(manifest.deletions));
  const received: ReceivedFileEntry[] = [];
  for (const entry of manifest.received) if (await isWhole(entry)) received.push(entry);
  for (const entry of manifest.segments) if (await isWhole(entry)) segments.push(entry);
  return { broken, segments, dictionaries, records, privacy: text, lostDeletions, received };
}

async function faultOf(storage: Storage, entry: FileEntry): Promise<string | null> {
  const findings = new Findings();
  await checkFile<SegmentMeta>(storage, entry, await storage.read(entry.key), findings);
  const [first] = findings.kept;
  return first === undefined ? null : `expected ${first.expected}, found ${first.found}`;
}

async function applyReadableBlocks(storage: Storage, { key, footerCrc32 }: FileEntry, dictionaries: Dictionaries): Promise<void> {
  const bytes = await storage.read(key);
  if (bytes === null) return;
  const footer = attempt(() => decodeFooter<DictionaryMeta>(key, bytes, bytes.length));
  if (footer === null || "need" in footer || footerCrcOf(bytes) !== footerCrc32) return;
  for (const [index, { name, start }] of footer.meta.deltas.entries()) {
    const block = footer.blocks[index];
    if (block === undefined) continue;
    const packed = attempt(() => checkBlock(key, block, bytes.subarray(block.offset, block.offset + block.byteLength)));
    if (packed === null) continue;
    const values = JSON.parse(new TextDecoder().decode(await codecOf(storage).inflate(packed, block.rawByteLength))) as string[];
    applyBehindGap(dictionaries, { name, start, values });
  }
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
