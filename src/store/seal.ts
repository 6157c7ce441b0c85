import { DaybookError } from "../base/errors.js";
import type { Head } from "../segment/head.js";
import { mergeRows } from "../segment/merge-rows.js";
import type { Segment } from "../segment/segment.js";
import type { FileEntry, SegmentEntry } from "./manifest.js";
import type { Store } from "./store.js";

/** What was frozen when a seal began. */
export interface Frozen {
  readonly heads: readonly Head[];
  readonly nextSequence: number;
  /** The first journal whose rows are not in the heads. */
  readonly journal: number;
  /** Sizes of the dictionaries that the heads' codes need. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Starts a seal: heads are frozen and a new journal takes what comes. No commit may be under way. @throws read_only */
export async function freeze(store: Store): Promise<Frozen> {
  // Behind a failed sync stand frames that may be durable or not: a next journal would contradict them.
  if (!store.isWritable) throw new DaybookError("read_only", "the store does not take writes");
  await store.rotateJournal();
  store.catalog.freezeHeads();
  return {
    heads: store.catalog.sealing,
    nextSequence: store.nextSequence,
    journal: store.journal?.number ?? 0,
    sizes: store.dictionaries.sizes(),
  };
}

/**
 * Turns frozen heads into segments: files first, then one manifest that names them and leaves their journals behind,
 * then the catalog. Until the manifest is durable nothing is lost: the journals still hold every row.
 */
export async function seal(store: Store, frozen: Frozen): Promise<void> {
  const entries: SegmentEntry[] = [];
  const dictionaries: FileEntry[] = [];
  let segments: Segment[];
  try {
    segments = await writeFiles(store, frozen, entries, dictionaries);
  } catch (error) {
    // A full disk must not fill up further with files that no manifest names.
    for (const { key } of [...entries, ...dictionaries]) await store.storage.remove(key).catch(() => undefined);
    throw error;
  }
  await store.writeManifest({
    nextSequence: frozen.nextSequence,
    firstJournal: frozen.journal,
    segments: [...store.manifest.segments, ...entries],
    dictionaries: [...store.manifest.dictionaries, ...dictionaries],
  });
  store.sealedSizes = frozen.sizes;
  store.catalog.replace(segments, new Set(), true, () => undefined);
  await store.removeOldJournals();
}

/** Writes the segments of all frozen heads and the dictionary values they need, durably; tells of each file as soon as it stands. */
async function writeFiles(store: Store, frozen: Frozen, entries: SegmentEntry[], dictionaries: FileEntry[]): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const [day, heads] of byDay(frozen.heads)) {
    const merged = mergeRows(heads.map((head) => head.view()));
    if (merged.times.length === 0) continue;
    const written = await store.files.writeSegment(store.takeFileNumber(), { ...merged, day });
    entries.push(written.entry);
    segments.push(written.segment);
  }
  const deltas = store.dictionaries.deltasSince(store.sealedSizes, frozen.sizes);
  if (deltas.length > 0) dictionaries.push(await store.files.writeDictionaries(store.takeFileNumber(), deltas));
  const written = [...entries, ...dictionaries].map((entry) => entry.key);
  if (written.length > 0) await store.storage.sync(written);
  return segments;
}

function byDay(heads: readonly Head[]): Map<number, Head[]> {
  const days = new Map<number, Head[]>();
  for (const head of heads) days.set(head.day, [...(days.get(head.day) ?? []), head]);
  return days;
}
