import { isoOfDay } from "../../core/base/time.js";
import { dictionaryBytesMax } from "../../storage/column/dictionaries.js";
import { filesOf } from "../../store/files/manifest.js";
import { type Store, projectsOf } from "../../store/live/store.js";
import type { ScrubState } from "./scrub.js";

export interface DaybookStats {
  /** `read_only` after a failed sync, after another process took over the store, or on a read-only open. */
  readonly health: "ok" | "read_only" | "closed";
  /** The error of the last seal, compaction or sweep in the background, or why sweeps wait; null if all is well. No data is lost. */
  readonly sealError: string | null;
  readonly eventCount: number;
  readonly dayCount: number;
  readonly segmentCount: number;
  /** Rows not yet sealed into segments. */
  readonly headRowCount: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly projects: readonly string[];
  /** Bytes of the files that the manifest names, and of the journals in use. */
  readonly storedByteLength: number;
  /** Estimated bytes in memory of columns, dictionaries and derived structures. */
  readonly memoryByteLength: number;
  /** All texts of fields and metadata, each counted once; null if they have no bound. */
  readonly distinctValues: DistinctValues | null;
  /** Damaged files that were ever moved aside, and the events lost with them, which no answer includes. */
  readonly quarantine: readonly QuarantinedItem[];
  /** What the scrub has found so far; null if there is none. */
  readonly scrub: ScrubState | null;
}

/** Events whose texts would exceed the bound are rejected; new values from public keys are withheld from three quarters on. */
export interface DistinctValues {
  /** Estimated bytes in memory. */
  readonly byteLength: number;
  /** The bound, which depends on the heap of the process. */
  readonly byteLengthMax: number;
  readonly metadataKeyCount: number;
}

/** A damaged file that was moved aside; see `onCorruption`. */
export interface QuarantinedItem {
  /** Its former key. Its bytes, if there were any, are stored under `quarantine/` and this key. */
  readonly key: string;
  readonly byteLength: number;
  readonly reason: string;
  /** Events lost with it; day null: of unknown days, records included. */
  readonly lost: readonly { readonly day: string | null; readonly eventCount: number }[];
}

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
    distinctValues: { byteLength: dictionaries.heldByteLength, byteLengthMax: dictionaryBytesMax(), metadataKeyCount: dictionaries.keys.valueCount },
    quarantine,
    scrub,
  };
}
