import { LIMITS } from "../base/limits.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../schema/fields.js";
import { mergeRows } from "../segment/merge-rows.js";
import type { Segment } from "../segment/segment.js";
import type { Store } from "./store.js";

/** Segments of each day that has more than its share, newest day first. */
export function daysToCompact(segments: readonly Segment[]): Segment[][] {
  const days = new Map<number, Segment[]>();
  for (const segment of segments) days.set(segment.day, [...(days.get(segment.day) ?? []), segment]);
  return [...days.values()].filter(
    (day) =>
      day.length > LIMITS.segmentsPerDayCount &&
      day.reduce((sum, segment) => sum + segment.rowCount, 0) <= LIMITS.segmentRowCount,
  );
}

/** Merges the segments of one day into one. Answers do not change; old files go once no query reads them. */
export async function compactDay(store: Store, sources: readonly Segment[]): Promise<void> {
  for (const segment of sources) segment.pin();
  try {
    for (const segment of sources)
      await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
    await store.refuseLostLock();
    const { entry, segment } = await store.files.writeSegment(store.takeFileNumber(), mergeRows(sources));
    await store.storage.sync([entry.key]);
    const removed = new Set(sources);
    const gone = new Set(sources.map((source) => source.key));
    const kept = store.manifest.segments.filter((known) => !gone.has(known.key));
    await store.writeManifest({ segments: [...kept, entry] });
    store.catalog.replace([segment], removed, false, () => {
      for (const source of sources) source.release();
      void removeFiles(store, gone);
    });
  } finally {
    for (const segment of sources) segment.unpin();
  }
}

/** A file that cannot be removed is an orphan that the next opening removes. */
async function removeFiles(store: Store, keys: Iterable<string>): Promise<void> {
  for (const key of keys) await store.storage.remove(key).catch(() => undefined);
}
