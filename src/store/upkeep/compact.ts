import { LIMITS } from "../../base/limits.js";
import type { Turns } from "../../base/turn.js";
import { loadInTurns } from "../../segment/load-in-turns.js";
import type { Segment } from "../../segment/segment.js";
import type { Store } from "../live/store.js";

interface Sized {
  readonly day: number;
  readonly rowCount: number;
}

/** Segments that are to become one, and how many of their day are small enough to be merged. */
export interface Due<S extends Sized = Segment> {
  readonly group: readonly S[];
  readonly daySegmentCount: number;
}

/**
 * Segments that are to become one, at most one group a day, the day with most segments first: where merging does not keep up with
 * sealing, no day is left behind. A day that has more than its share gives segments of like size: all up to the largest that is not
 * larger than its smaller ones together. A row is then merged as often as the logarithm of its day's size, and not each time.
 * One that is more than a quarter of the largest there may be is left alone.
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

/** Merges some segments of one day into one. Answers do not change; old files go once no query reads them. @param turns the pace */
export async function compact(store: Store, sources: readonly Segment[], turns: Turns): Promise<void> {
  for (const segment of sources) segment.pin();
  try {
    for (const segment of sources) await loadInTurns(segment, turns);
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
