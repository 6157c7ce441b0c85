import type { Dictionaries } from "../../column/dictionaries.js";
import { RECORD_FIELDS, RECORD_FIELD_COUNT, DICTIONARY_OF_FIELD, RecordTable } from "../../identity/record-table.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import type { Head } from "../../segment/head.js";
import { keepRows } from "../../segment/keep-rows.js";
import { mergeRows } from "../../segment/merge-rows.js";
import type { Segment } from "../../segment/segment.js";
import type { StoreFiles } from "../files/files.js";
import { journalKey } from "../journal/journal.js";
import { journalKeys } from "../journal/journal-file.js";
import { MANIFEST_KEY, decodeManifest, encodeManifest, withoutMark } from "../files/manifest.js";
import type { FileEntry, Manifest, QuarantinedFile, SegmentEntry } from "../files/manifest.js";
import type { BroughtCodes, RecordBatch } from "../batch/record-batch.js";
import { readReadable } from "./salvage-files.js";
import type { ReadableFiles } from "./salvage-files.js";
import { appendReadable, salvageJournals } from "./salvage-journal.js";
import type { SalvagedJournals } from "./salvage-journal.js";
import type { Storage } from "../storage/storage.js";
import { SAVED_SEGMENTS_KEY, decodeSavedSegments } from "../files/saved-segments-file.js";
import { KEYS_KEY, parseKey } from "../files/store-keys.js";
import { ReadableCodes, readableRows } from "./unreadable-rows.js";
import { UsedIds } from "./used-ids.js";

/** Where damaged files are kept. */
export const QUARANTINE = "quarantine/";

/** A key of files and journals that are set aside, with its reason and losses. */
type Aside = Omit<QuarantinedFile, "byteLength">;

/**
 * Sets every damaged file of a store aside and makes a store of what can be read: no answer rests on a damaged byte, and none
 * on a row of which a value is lost. Bytes are copied to `quarantine/` first, one manifest then names what is left; broken
 * off anywhere, it begins again. The lock is held. Does nothing to a store that is whole. Cost: all files are read once.
 * @throws corruption (the manifest itself is damaged), storage_full
 */
export async function salvageStore(storage: Storage, files: StoreFiles): Promise<void> {
  const bytes = await storage.read(MANIFEST_KEY);
  if (bytes === null) return;
  const manifest = decodeManifest(bytes);
  const readable = await readReadable(storage, files, manifest);
  const journals = await salvageJournals(storage, manifest, readable.dictionaries);
  keepKeyCodes(readable.dictionaries);
  const faults = await faultsBeside(storage, manifest);
  if (readable.broken.length === 0 && journals.broken.length === 0 && faults.size === 0) return;
  // Above every file there is, as in `Store`.
  const nextFile = Math.max(manifest.nextFile, journals.lastNumber + 1, (await files.lastNumber()) + 1);
  await new Salvage(storage, files, manifest, readable, journals, nextFile).run(faults);
}

/** A metadata key whose name is lost keeps its code: no other key is to come by its values. */
function keepKeyCodes(dictionaries: Dictionaries): void {
  const { keys } = dictionaries;
  for (const name of dictionaries.sizes().keys()) {
    const code = Number(/^m(\d+)$/.exec(name)?.[1] ?? 0);
    while (keys.size <= code) keys.add("");
  }
}

/** What is wrong with files that no manifest names, by key. */
async function faultsBeside(storage: Storage, { nextSequence, privacy }: Manifest): Promise<ReadonlyMap<string, string>> {
  const faults = new Map<string, string>();
  const look = async (key: string, decode: (bytes: Uint8Array) => unknown, mayBeMissing: boolean) => {
    const bytes = await storage.read(key);
    try {
      if (bytes !== null) decode(bytes);
      else if (!mayBeMissing) faults.set(key, "it is missing");
    } catch (error) {
      faults.set(key, error instanceof Error ? error.message : String(error));
    }
  };
  await look(KEYS_KEY, parseKey, nextSequence === 1 && privacy === null);
  await look(SAVED_SEGMENTS_KEY, decodeSavedSegments, true);
  return faults;
}

class Salvage {
  readonly #readable: ReadableCodes;
  readonly #aside: Aside[] = [];
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
      this.#aside.push({ key: entry.key, reason, lostRows: segment === undefined ? [] : [{ day: segment.day, rowCount: segment.rowCount }] });
    }
    for (const entry of found.segments) await this.#keepSegment(entry);
    await this.#sealRows();
    for (const [key, reason] of faults) this.#aside.push({ key, reason, lostRows: [] });
    const dictionaries = this.#add(await this.files.writeDictionaries(this.#takeNumber(), found.dictionaries.deltasSince(new Map())));
    const identities = this.#add(await this.files.writeRecords(this.#takeNumber(), this.#records()));
    const privacy = found.privacy === null ? null : manifest.privacy;
    const quarantined = await this.#copyAside();
    await storage.sync(this.#added.map(({ key }) => key));
    await storage.write(
      MANIFEST_KEY,
      encodeManifest({
        ...withoutMark(manifest),
        clean: false,
        nextSequence: Math.max(manifest.nextSequence, journals.nextSequence),
        firstJournal: this.#takeNumber(),
        nextFile: this.nextFile,
        segments: this.#segments,
        dictionaries: [dictionaries],
        identities: [identities],
        privacy,
        quarantined: [...(manifest.quarantined ?? []), ...quarantined],
      }),
    );
    // Journals and other files that are named no longer go with the orphans.
    for (const key of faults.keys()) await storage.remove(key);
  }

  /** An undamaged segment stays; one with rows that lost a value is written anew without them. */
  async #keepSegment(entry: SegmentEntry): Promise<void> {
    const segment = await this.files.openSegment(entry);
    segment.pin();
    try {
      await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
      const kept = readableRows(segment, this.#readable);
      if (kept.length === segment.rowCount) {
        this.#segments.push(entry);
        return this.#used.addRows(segment);
      }
      this.#aside.push({
        key: entry.key,
        reason: "values of some rows were lost with another file",
        lostRows: [{ day: entry.day, rowCount: segment.rowCount - kept.length }],
      });
      if (kept.length > 0) await this.#writeSegment((number) => this.files.writeSegment(number, keepRows(segment, kept, new Map()), []));
    } finally {
      segment.unpin();
      segment.release();
    }
  }

  /** What journals hold becomes segments: a journal that lacks a frame cannot go on. */
  async #sealRows(): Promise<void> {
    const heads = new Map<number, Head>();
    const lostByJournal = new Map<number, Map<number, number>>();
    for (const { batch, firstSequence, journal } of this.journals.rows) {
      const lost = lostByJournal.get(journal) ?? new Map<number, number>();
      lostByJournal.set(journal, lost);
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
      for (const [index, key] of (await this.#journalKeys(number)).entries()) this.#aside.push({ key, reason, lostRows: index === 0 ? [...unknown, ...lostRows] : [] });
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

  /** The records whose every value can be read. */
  #records(): RecordBatch {
    const table = new RecordTable();
    for (const { records } of [...this.found.records, ...this.journals.records])
      for (let row = 0; row < records.rowCount; row += 1) {
        const codes = records.codes.subarray(row * RECORD_FIELD_COUNT, (row + 1) * RECORD_FIELD_COUNT);
        const isReadable = RECORD_FIELDS.every((field, at) => this.#readable.has(DICTIONARY_OF_FIELD[field], codes[at] ?? 0));
        if (isReadable) table.append(records.kinds[row] ?? 0, records.times[row] ?? 0, records.ids, row * 16, records.sequences[row] ?? 0, codes, 0);
      }
    const brought: BroughtCodes = { userId: this.#used.unusedOf("userId"), anonymousId: this.#used.unusedOf("anonymousId"), companyId: this.#used.unusedOf("companyId") };
    return { records: table.slice(0), brought };
  }

  /** Copies what is set aside, durably: nothing else is changed before. */
  async #copyAside(): Promise<QuarantinedFile[]> {
    const quarantined: QuarantinedFile[] = [];
    for (const aside of this.#aside) {
      const bytes = await this.storage.read(aside.key);
      if (bytes !== null) await this.storage.write(`${QUARANTINE}${aside.key}`, bytes);
      quarantined.push({ ...aside, byteLength: bytes?.length ?? 0 });
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
