import { grouped } from "../../core/base/arrays.js";
import { LIMITS } from "../../core/base/limits.js";
import { runYielding, Yielder } from "../../core/base/yield.js";
import type { Head } from "../../storage/segment/head.js";
import { loadYielding } from "../../storage/segment/prefetch.js";
import { whilePinned } from "../../storage/segment/rows.js";
import type { Segment } from "../../storage/segment/segment.js";
import { countRecordOnlyIds, type RecordOnlyIds } from "../batch/batch.js";
import type { FileEntry, ReceivedFileEntry, SegmentEntry } from "../files/manifest.js";
import type { Store } from "../live/store.js";

export interface Frozen {
  readonly heads: readonly Head[];
  readonly nextSequence: number;
  /** The first journal whose rows are not in the heads. */
  readonly journal: number;
  /** Dictionary sizes that the codes of the heads need. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Number of records, and the ids that only records have named. */
  readonly recordCount: number;
  readonly recordOnlyIds: RecordOnlyIds;
  readonly yielder: Yielder;
}

/** Whether heads and journal are large enough to be sealed. @param frozenSequence the first sequence that no running seal covers */
export function isSealDue({ journal, catalog, manifest, nextSequence }: Store, frozenSequence: number): boolean {
  if (journal === null) return false;
  const headRowCount = nextSequence - Math.max(manifest.nextSequence, frozenSequence);
  if (headRowCount >= LIMITS.headRowCount || journal.byteLength >= LIMITS.journalBytes) return true;
  return catalog.headColumnCount >= LIMITS.headColumnCount || catalog.headValueCount >= LIMITS.headValueCount;
}

/** Starts a seal: freezes the heads and starts a new journal for later commits. No commit may be in progress. @throws read_only */
export async function freeze(store: Store): Promise<Frozen> {
  // After a failed sync, frames may or may not be durable: a next journal could contradict them.
  store.assertWritable();
  await store.rotateJournal();
  store.catalog.freezeHeads();
  return {
    heads: store.catalog.sealing,
    nextSequence: store.nextSequence,
    journal: store.journal?.number ?? 0,
    sizes: store.journaledSizes,
    recordCount: store.records.rowCount,
    recordOnlyIds: store.recordOnlyIds,
    yielder: new Yielder(),
  };
}

interface SealedFiles {
  readonly segments: SegmentEntry[];
  readonly dictionaries: FileEntry[];
  /** Records since the previous file, or all records if one file replaces all. */
  readonly identities: FileEntry[];
  readonly received: ReceivedFileEntry[];
}

/** Number of record files at which one replaces them all. */
const IDENTITY_FILE_COUNT = 8;

/** Writes files, then one manifest that names them, then updates the catalog. Until it is durable, journals or memory still have every row. */
export async function seal(store: Store, frozen: Frozen): Promise<void> {
  const written: SealedFiles = { segments: [], dictionaries: [], identities: [], received: [] };
  const { identities: former, received: formerReceived } = store.manifest;
  const isWhole = former.length >= IDENTITY_FILE_COUNT;
  let segments: Segment[];
  try {
    segments = await writeFiles(store, frozen, isWhole, written);
  } catch (error) {
    // A full disk must not fill up further with unnamed files; if another process took over, the files may be its own.
    await store.refuseTakenOver();
    for (const key of keysOf(written)) await store.storage.remove(key).catch(() => undefined);
    throw error;
  }
  const replaced = isWhole && written.identities.length > 0 ? former : [];
  const [received] = written.received;
  const isMerged = ({ firstSequence }: ReceivedFileEntry) => received !== undefined && firstSequence >= received.firstSequence;
  await store.writeManifest((manifest) => ({
    nextSequence: frozen.nextSequence,
    firstJournal: frozen.journal,
    segments: [...manifest.segments, ...written.segments],
    dictionaries: [...manifest.dictionaries, ...written.dictionaries],
    identities: [...former.slice(replaced.length), ...written.identities],
    received: [...formerReceived.filter((entry) => !isMerged(entry)), ...written.received],
  }));
  store.sealed = { sizes: frozen.sizes, recordCount: frozen.recordCount, recordOnlyIdCount: countRecordOnlyIds(frozen.recordOnlyIds) };
  store.catalog.replace(segments, new Set(), true, () => undefined);
  for (const { key } of [...replaced, ...formerReceived.filter(isMerged)]) await store.storage.remove(key).catch(() => undefined);
  await store.removeOldJournals();
}

function keysOf(written: SealedFiles): string[] {
  return Object.values(written).flat().map(({ key }) => key);
}

/** Writes the segments of all frozen heads, their values, times and the records, durably; notes each file in `written` as soon as it exists. */
async function writeFiles(store: Store, frozen: Frozen, isWhole: boolean, written: SealedFiles): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const heads of grouped(frozen.heads.filter(({ rowCount }) => rowCount > 0), ({ day }) => day).values()) {
    const made = await store.files.makeSegment(heads.map((head) => head.view()), store.summaries, frozen.yielder);
    await store.refuseLostLock();
    const { entry, segment } = await store.files.writeSegmentFile(store.takeFileNumber(), made);
    written.segments.push(entry);
    segments.push(segment);
  }
  const deltas = await runYielding(store.dictionaries.deltasInSteps(store.sealed.sizes, frozen.sizes), () => frozen.yielder.yield());
  if (deltas.length > 0) written.dictionaries.push(await store.files.writeDictionaries(store.takeFileNumber(), deltas));
  if (frozen.recordCount > store.sealed.recordCount || countRecordOnlyIds(frozen.recordOnlyIds) !== store.sealed.recordOnlyIdCount) {
    const records = store.records.slice(isWhole ? 0 : store.sealed.recordCount, frozen.recordCount);
    written.identities.push(await store.files.writeRecords(store.takeFileNumber(), { records, recordOnlyIds: frozen.recordOnlyIds }));
  }
  // Loaded on demand: queries need no times.
  const { sealReceived } = await import("../recovery/rarely-used.js");
  written.received.push(...(await sealReceived(store, frozen.nextSequence)));
  const keys = keysOf(written);
  if (keys.length > 0) await store.storage.sync(keys);
  return segments;
}

interface Sized {
  readonly day: number;
  readonly rowCount: number;
}

/** Segments to merge into one, and the number of segments of their day that are small enough to be merged. */
export interface Due<S extends Sized = Segment> {
  readonly group: readonly S[];
  readonly daySegmentCount: number;
}

/**
 * At most one group for each day with too many segments, days with most of them first. A group has the smallest segments, so that a row is merged
 * about log(day size) times; segments above a quarter of `LIMITS.segmentRowCount` are never merged.
 */
export function compactionsDue<S extends Sized>(segments: readonly S[]): Due<S>[] {
  const days = grouped(segments.filter(({ rowCount }) => rowCount * 4 <= LIMITS.segmentRowCount), ({ day }) => day);
  const due: Due<S>[] = [];
  for (const day of days.values()) {
    const group = day.length > LIMITS.segmentsPerDayCount ? groupOf(day) : [];
    if (group.length > 1) due.push({ group, daySegmentCount: day.length });
  }
  return due.sort((a, b) => b.daySegmentCount - a.daySegmentCount);
}

function groupOf<S extends Sized>(day: readonly S[]): S[] {
  const ascending = [...day].sort((a, b) => a.rowCount - b.rowCount);
  let count = 0;
  let smallerRowCount = 0;
  for (const [at, { rowCount }] of ascending.entries()) {
    if (smallerRowCount + rowCount > LIMITS.segmentRowCount) break;
    if (rowCount <= smallerRowCount) count = at + 1;
    smallerRowCount += rowCount;
  }
  return ascending.slice(0, count);
}

/** Merges segments of one day into one. Results do not change; old files are removed once no query reads them. @param yielder yields while working */
export async function compact(store: Store, sources: readonly Segment[], yielder: Yielder): Promise<void> {
  await whilePinned(sources, async () => {
    for (const segment of sources) await loadYielding(segment, yielder);
    const made = await store.files.makeSegment(sources, store.summaries, yielder);
    await store.refuseLostLock();
    const { entry, segment } = await store.files.writeSegmentFile(store.takeFileNumber(), made);
    await store.storage.sync([entry.key]);
    const gone = new Set(sources.map((source) => source.key));
    await store.writeManifest(({ segments }) => ({ segments: [...segments.filter((known) => !gone.has(known.key)), entry] }));
    store.catalog.replace([segment], new Set(sources), false, () => {
      for (const source of sources) source.release();
      store.removeLater(gone);
    });
  });
}
