import { isoOfDay } from "../base/time.js";
import { filesOf } from "../store/files/manifest.js";
import type { Store } from "../store/live/store.js";
import type { DaybookStats } from "./daybook.js";
import { projectsOf } from "./projects.js";
import type { ScrubState } from "./scrub.js";

/** Numbers about a store, from its manifest and what it holds in memory. */
export function statsOf(store: Store, idTableByteLength: number, scrub: ScrubState | null, sealError: unknown): DaybookStats {
  const { catalog, manifest, dictionaries, budget } = store;
  const heads = [...catalog.sealing, ...catalog.heads].filter((head) => head.rowCount > 0);
  const days = new Set([...catalog.segments, ...heads].map((rows) => rows.day));
  const headRowCount = heads.reduce((sum, head) => sum + head.rowCount, 0);
  const sealedRowCount = catalog.segments.reduce((sum, segment) => sum + segment.rowCount, 0);
  const fileByteLength = filesOf(manifest).reduce((sum, entry) => sum + entry.byteLength, 0);
  const headByteLength = heads.reduce((sum, head) => sum + head.byteLength, 0);
  const ascending = [...days].sort((a, b) => a - b);
  const quarantine = (manifest.quarantined ?? []).map(({ lostRows, ...file }) => ({
    ...file,
    lost: lostRows.map(({ day, rowCount }) => ({ day: day === null ? null : isoOfDay(day).slice(0, 10), eventCount: rowCount })),
  }));
  const dayText = (day: number | undefined) => (day === undefined ? null : isoOfDay(day).slice(0, 10));
  return {
    health: store.isWritable ? "ok" : "read_only",
    sealError: sealError === null ? null : sealError instanceof Error ? sealError.message : String(sealError),
    eventCount: sealedRowCount + headRowCount,
    dayCount: days.size,
    segmentCount: catalog.segments.length,
    headRowCount,
    firstDay: dayText(ascending[0]),
    lastDay: dayText(ascending.at(-1)),
    projects: projectsOf(store),
    storedByteLength: fileByteLength + store.journalByteLength,
    memoryByteLength: budget.byteLength + store.records.byteLength + headByteLength + dictionaries.byteLength + idTableByteLength,
    quarantine,
    scrub,
  };
}
