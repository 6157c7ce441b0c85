import { isoOfDay } from "../../base/time.js";
import { dictionaryBytesMax } from "../../column/dictionaries.js";
import { filesOf } from "../../store/files/manifest.js";
import type { Store } from "../../store/live/store.js";
import { projectsOf } from "../../store/live/projects.js";
import type { ScrubState } from "./scrub.js";

export interface DaybookStats {
  /** `read_only` after a failed sync, after another process took the store over, or on a read-only open. */
  readonly health: "ok" | "read_only" | "closed";
  /** Why the last seal, merging of segments, or sweep in the background failed, or why sweeps wait; null when all is well. Nothing is lost. */
  readonly sealError: string | null;
  readonly eventCount: number;
  readonly dayCount: number;
  readonly segmentCount: number;
  /** Rows not yet sealed into segments. */
  readonly headRowCount: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly projects: readonly string[];
  /** Bytes of the files that the manifest names, and of the journals that count. */
  readonly storedByteLength: number;
  /** Estimate of the bytes held in memory by columns, dictionaries and derived structures. */
  readonly memoryByteLength: number;
  /** All texts of fields and metadata, each once; null where they have no bound. */
  readonly distinctValues: DistinctValues | null;
  /** Damaged files that were moved aside, ever, and the events that went with them: no answer has these. */
  readonly quarantine: readonly QuarantinedItem[];
  /** What the scrub found so far; null where there is none. */
  readonly scrub: ScrubState | null;
}

/** Every event whose texts would need more is rejected; what public keys bring stays out from three quarters on. */
export interface DistinctValues {
  /** Estimate of the bytes that they take in memory. */
  readonly byteLength: number;
  /** What they may take, which depends on the heap of the process. */
  readonly byteLengthMax: number;
  readonly metadataKeyCount: number;
}

/** A damaged file that was moved aside; see `onCorruption`. */
export interface QuarantinedItem {
  /** Where it was. Its bytes, if there were any, are kept under `quarantine/` and this key. */
  readonly key: string;
  readonly byteLength: number;
  readonly reason: string;
  /** Events that went with it; day null: of unknown days, records among them. */
  readonly lost: readonly { readonly day: string | null; readonly eventCount: number }[];
}

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
    distinctValues: { byteLength: dictionaries.heldByteLength, byteLengthMax: dictionaryBytesMax(), metadataKeyCount: dictionaries.keys.valueCount },
    quarantine,
    scrub,
  };
}
