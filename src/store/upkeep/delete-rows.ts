/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { sha256Hex } from "../../core/base/hash.js";
import { MS_PER_DAY, dayStartMs } from "../../core/base/time.js";
import { startOfPublic, uuidText } from "../../core/base/uuid.js";
import { denseCodes } from "../../storage/column/column.js";
import { RecordTable } from "../../identity/record-table.js";
import { ID_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import { whilePinned, type Rows } from "../../storage/segment/rows.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { NewDeletion } from "../files/deletions-file.js";
import type { Manifest } from "../files/manifest.js";
import type { Store } from "../live/store.js";
import { discard, noteRecord, replaceContent, rewriteWithout, settleCodes, CodesByDictionary, type RemovedRows, type Rewritten } from "./replace-content.js";

/** Which rows to delete: those of a project before an instant, or only those of them that a public key sent. */
export interface DeletionRule {
  /** Epoch ms by project code; -Infinity: all rows of the project stay. */
  readonly beforeMs: (project: number) => number;
  readonly latestMs: number;
  /** The public key whose rows and records are deleted. Absent: rows of any key, and no records. */
  readonly key?: string;
}

export interface AlsoDeleted {
  /** The code of a project whose name is also deleted; 0: none. */
  readonly projectName: number;
  readonly changes?: Pick<Manifest, "timeToLive">;
}

export interface DeletedCounts {
  readonly events: number;
  /** Files that lost some of their events. */
  readonly segmentsRewritten: number;
  /** Files that lost all of them. */
  readonly segmentsRemoved: number;
  /** Texts of any field that nothing else uses. */
  readonly dictionaryValues: number;
}

/**
 * Deletes rows from files and memory, and every value that nothing else uses; records stay, except those of a public key. Requires that
 * everything is sealed and no commit or seal is in progress. Cost: reads segments that lose all rows once, rewrites those that lose some,
 * and if anything is deleted, scans the columns whose values may go too.
 */
export async function deleteRows(
  store: Store,
  doomed: DeletionRule,
  { projectName, changes }: AlsoDeleted,
  nowMs: number,
  forget: () => void,
): Promise<RemovedRows & { readonly counts: DeletedCounts }> {
  const codes = new CodesByDictionary();
  codes.add("project", projectName);
  const table = doomed.key === undefined ? store.records : withoutRecords(store.records, doomed.key, codes);
  const gone = new GoneRows(store, doomed);
  const rewritten = await withoutAll(store, doomed, codes, gone);
  const isNothing = rewritten.length === 0 && table.rowCount === store.records.rowCount && codes.size === 0 && changes === undefined;
  if (isNothing) return { counts: countsOf([], codes), whenUnread: Promise.resolve() };
  const recordOnlyIds = await discarding(store, rewritten, () => settleCodes(store, rewritten, table, codes));
  // On failure it removes its files itself, unless a manifest already names them.
  const { whenUnread } = await replaceContent(store, { rewritten, table, codes, recordOnlyIds, privacy: null, deletions: gone.deletions(), nowMs, changes: changes ?? {} }, forget);
  return { counts: countsOf(rewritten, codes), whenUnread };
}

/** The deleted rows as copies have to delete them: by project and time, those of a key by their ids. */
class GoneRows {
  readonly #projects = new Set<number>();

  constructor(
    readonly store: Store,
    readonly doomed: DeletionRule,
  ) {}

  /** @param segment loaded */
  add(segment: Segment, gone: Uint32Array): void {
    const projects = denseCodes(segment.column("project"));
    for (const row of gone) this.#projects.add(projects[row]!);
  }

  deletions(): NewDeletion[] {
    const { key } = this.doomed;
    const ofAnyId = { action: "delete", idPrefix: null, runs: null } as const;
    if (key !== undefined && this.#projects.size > 0) return [{ ...ofAnyId, projectSha256: null, beforeMs: null, idPrefix: startOfPublic(sha256Hex(key)) }];
    const names = this.store.dictionaries.named("project");
    return [...this.#projects].map((code): NewDeletion => {
      const ms = this.doomed.beforeMs(code);
      return { ...ofAnyId, projectSha256: sha256Hex(names.valueOf(code)), beforeMs: ms === Infinity ? null : ms };
    });
  }
}

async function withoutAll(store: Store, doomed: DeletionRule, codes: CodesByDictionary, gone: GoneRows): Promise<readonly Rewritten[]> {
  const rewritten: Rewritten[] = [];
  await discarding(store, rewritten, async () => {
    for (const segment of store.catalog.segments) {
      const made = await withoutDeleted(store, segment, doomed, codes, gone);
      if (made !== null) rewritten.push(made);
    }
  });
  return rewritten;
}

async function discarding<T>(store: Store, rewritten: readonly Rewritten[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await discard(store, rewritten.flatMap(({ entry }) => entry ?? []));
    throw error;
  }
}

interface DoomedRows {
  events: number;
  readonly days: Set<number>;
}

/** Counts the rows to delete by project code. Cost: one pass over the days that may have any. */
export async function countRowsToDelete(store: Store, doomed: DeletionRule): Promise<ReadonlyMap<number, DoomedRows>> {
  const found = new Map<number, DoomedRows>();
  const snapshot = store.snapshot();
  try {
    for (const rows of snapshot.rows)
      await whilePinned([rows], async () => {
        const gone = await rowsToDelete(rows, doomed);
        if (gone.length === 0) return;
        const codes = denseCodes(rows.column("project"));
        for (const row of gone) {
          const project = codes[row] ?? 0;
          const known = found.get(project) ?? { events: 0, days: new Set() };
          known.events += 1;
          known.days.add(rows.day);
          found.set(project, known);
        }
      });
  } finally {
    snapshot.release();
  }
  return found;
}

/** The numbers of the rows to delete, ascending; the caller has pinned the rows. Cost: all rows of a day, unless the day is kept entirely. */
async function rowsToDelete(rows: Rows, { beforeMs, latestMs, key }: DeletionRule): Promise<Uint32Array> {
  const startMs = dayStartMs(rows.day);
  if (startMs + rows.minMs >= latestMs) return new Uint32Array(0);
  await rows.load(["project", TIME_COLUMN, ...(key === undefined ? [] : [ID_COLUMN])]);
  const isOfKey = key === undefined ? () => true : idsOfKey(rows.ids(), key);
  const projects = denseCodes(rows.column("project"));
  const times = rows.times();
  const before = new Map<number, number>();
  const gone: number[] = [];
  for (let row = 0; row < rows.rowCount; row += 1) {
    const project = projects[row]!;
    let ms = before.get(project);
    if (ms === undefined) {
      ms = Math.min(beforeMs(project) - startMs, MS_PER_DAY);
      before.set(project, ms);
    }
    if (times[row]! < ms && isOfKey(row)) gone.push(row);
  }
  return Uint32Array.from(gone);
}

function idsOfKey(ids: Uint8Array, key: string): (row: number) => boolean {
  const start = startOfPublic(sha256Hex(key));
  return (row) => uuidText(ids, row * 16).startsWith(start);
}

function withoutRecords(records: RecordTable, key: string, codes: CodesByDictionary): RecordTable {
  const table = new RecordTable();
  const isGone = idsOfKey(records.ids, key);
  for (let row = 0; row < records.rowCount; row += 1) {
    if (isGone(row)) noteRecord(codes, records, row);
    else table.copy(records, row);
  }
  return table;
}

/** Writes a segment without the deleted rows; null if all rows stay. */
async function withoutDeleted(store: Store, segment: Segment, doomed: DeletionRule, codes: CodesByDictionary, all: GoneRows): Promise<Rewritten | null> {
  return await whilePinned([segment], async () => {
    const gone = await rowsToDelete(segment, doomed);
    if (gone.length === 0) return null;
    const rewritten = await rewriteWithout(store, segment, gone, codes);
    all.add(segment, gone);
    return rewritten;
  });
}

function countsOf(rewritten: readonly Rewritten[], codes: CodesByDictionary): DeletedCounts {
  const removedCount = rewritten.filter(({ entry }) => entry === null).length;
  return {
    events: rewritten.reduce((sum, { goneCount }) => sum + goneCount, 0),
    segmentsRewritten: rewritten.length - removedCount,
    segmentsRemoved: removedCount,
    dictionaryValues: codes.size,
  };
}
