/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { sha256Hex } from "../../base/hash.js";
import { MS_PER_DAY, dayStartMs } from "../../base/time.js";
import { startOfPublic, uuidText } from "../../base/uuid.js";
import { denseCodes } from "../../column/column.js";
import { RECORD_FIELD_COUNT, RecordTable } from "../../identity/record-table.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../schema/fields.js";
import { keepRows } from "../../segment/keep-rows.js";
import type { Rows } from "../../segment/rows.js";
import type { Segment } from "../../segment/segment.js";
import type { Manifest } from "../files/manifest.js";
import type { Store } from "../live/store.js";
import { discard, exchange, settleCodes } from "./exchange.js";
import type { RemovedRows, Rewritten } from "./exchange.js";
import { CodesByDictionary, noteRecord, noteRows } from "./unused-codes.js";

/** Which rows go: those of a project that lie before an instant, or of them those that a public key brought. */
export interface Doomed {
  /** Epoch ms by the code of a project; -Infinity: all of its rows stay. */
  readonly beforeMs: (project: number) => number;
  /** The latest of these instants. */
  readonly latestMs: number;
  /** The public key that brought the rows that go, and records that go with them. Absent: any, and all records stay. */
  readonly key?: string;
}

/** What goes beside the rows. */
export interface Beside {
  /** The code of a project whose name goes too; 0: none. */
  readonly projectName: number;
  readonly changes?: Pick<Manifest, "timeToLive">;
}

/** What went. */
export interface DeletedCounts {
  readonly events: number;
  readonly segmentsRewritten: number;
  readonly segmentsRemoved: number;
  readonly dictionaryValues: number;
}

/**
 * Removes rows from files and memory, and every value that nothing else uses; records stay, but for those of a public key. Everything was sealed
 * before, and no commit or seal is under way. Cost: of segments that lose all rows one reading, of others a new file, and where something goes, a
 * scan of the columns whose values may go too.
 * @param forget drops what was made of rows, in the turn in which others take their place
 */
export async function deleteRows(
  store: Store,
  doomed: Doomed,
  { projectName, changes }: Beside,
  forget: () => void,
): Promise<RemovedRows & { readonly counts: DeletedCounts }> {
  const codes = new CodesByDictionary();
  codes.add("project", projectName);
  const table = doomed.key === undefined ? store.records : withoutRecords(store.records, doomed.key, codes);
  const rewritten = await withoutAll(store, doomed, codes);
  const isNothing = rewritten.length === 0 && table.rowCount === store.records.rowCount && codes.size === 0 && changes === undefined;
  if (isNothing) return { counts: countsOf([], codes), whenUnread: Promise.resolve() };
  const brought = await discarding(store, rewritten, () => settleCodes(store, rewritten, table, codes));
  // It takes its files away itself where it fails, and never once a manifest names them.
  const { whenUnread } = await exchange(store, { rewritten, table, codes, brought, privacy: null, changes: changes ?? {} }, forget);
  return { counts: countsOf(rewritten, codes), whenUnread };
}

async function withoutAll(store: Store, doomed: Doomed, codes: CodesByDictionary): Promise<readonly Rewritten[]> {
  const rewritten: Rewritten[] = [];
  await discarding(store, rewritten, async () => {
    for (const segment of store.catalog.segments) {
      const made = await withoutDoomed(store, segment, doomed, codes);
      if (made !== null) rewritten.push(made);
    }
  });
  return rewritten;
}

/** Takes the files that were written away where `act` fails. */
async function discarding<T>(store: Store, rewritten: readonly Rewritten[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await discard(store, rewritten.flatMap(({ entry }) => entry ?? []));
    throw error;
  }
}

/** The numbers of rows that go, ascending. The caller has pinned them. Cost: a look at each row of a day that is not wholly kept. */
export async function doomedRows(rows: Rows, { beforeMs, latestMs, key }: Doomed): Promise<Uint32Array> {
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

/** The records that others brought. */
function withoutRecords(records: RecordTable, key: string, codes: CodesByDictionary): RecordTable {
  const table = new RecordTable();
  const isGone = idsOfKey(records.ids, key);
  for (let row = 0; row < records.rowCount; row += 1) {
    const at = row * RECORD_FIELD_COUNT;
    if (isGone(row)) noteRecord(codes, records, row);
    else table.append(records.kinds[row]!, records.timeOf(row), records.ids, row * 16, records.sequences[row]!, records.codes, at);
  }
  return table;
}

/** Writes a segment without the rows that go; null where all stay. */
async function withoutDoomed(store: Store, segment: Segment, doomed: Doomed, codes: CodesByDictionary): Promise<Rewritten | null> {
  segment.pin();
  try {
    const gone = await doomedRows(segment, doomed);
    if (gone.length === 0) return null;
    await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
    noteRows(codes, segment, gone);
    if (gone.length === segment.rowCount) return { from: segment, entry: null, to: null, goneCount: gone.length };
    await store.refuseLostLock();
    const merged = keepRows(segment, others(gone, segment.rowCount), new Map());
    const written = await store.files.writeSegment(store.takeFileNumber(), merged, store.excerpts);
    return { from: segment, entry: written.entry, to: written.segment, goneCount: gone.length };
  } finally {
    segment.unpin();
  }
}

function others(gone: Uint32Array, rowCount: number): Uint32Array {
  const kept = new Uint32Array(rowCount - gone.length);
  for (let row = 0, at = 0, next = 0; row < rowCount; row += 1) {
    if (gone[next] === row) next += 1;
    else kept[at++] = row;
  }
  return kept;
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
