import { LIMITS } from "../../core/base/limits.js";
import type { Turns } from "../../core/base/turn.js";
import { loadYielding } from "../../storage/segment/prefetch.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { Store } from "../live/store.js";

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
 * Groups of segments to merge, at most one per day, the day with most segments first, so that no day is left behind if merging cannot
 * keep up with sealing. Of a day with too many segments, those of similar size are merged: all up to the largest that is no larger than
 * its smaller ones together. A row is thus merged only as often as the logarithm of its day's size. Segments above a quarter of
 * `LIMITS.segmentRowCount` are left alone.
 */
export function compactionsDue<S extends Sized>(segments: readonly S[]): Due<S>[] {
  const days = new Map<number, S[]>();
  for (const segment of segments) {
    if (segment.rowCount * 4 > LIMITS.segmentRowCount) continue;
    const day = days.get(segment.day);
    if (day === undefined) days.set(segment.day, [segment]);
    else day.push(segment);
  }
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

/** Merges segments of one day into one. Results do not change; old files are removed once no query reads them. @param turns yields while working */
export async function compact(store: Store, sources: readonly Segment[], turns: Turns): Promise<void> {
  for (const segment of sources) segment.pin();
  try {
    for (const segment of sources) await loadYielding(segment, turns);
    const made = await store.files.makeSegment(sources, store.excerpts, turns);
    await store.refuseLostLock();
    const { entry, segment } = await store.files.writeSegmentFile(store.takeFileNumber(), made);
    await store.storage.sync([entry.key]);
    const removed = new Set(sources);
    const gone = new Set(sources.map((source) => source.key));
    await store.writeManifest(({ segments }) => ({ segments: [...segments.filter((known) => !gone.has(known.key)), entry] }));
    store.catalog.replace([segment], removed, false, () => {
      for (const source of sources) source.release();
      store.removeLater(gone);
    });
  } finally {
    for (const segment of sources) segment.unpin();
  }
}
