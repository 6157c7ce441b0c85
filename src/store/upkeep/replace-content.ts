import { DaybookError } from "../../core/base/errors.js";
import { DICTIONARY_OF_FIELD, RECORD_FIELDS, type RecordTable } from "../../identity/record-table.js";
import { ID_COLUMN, KEY_DICTIONARY, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import { keepRows } from "../../storage/segment/merge-rows.js";
import { whilePinned, type Rows } from "../../storage/segment/rows.js";
import type { Segment } from "../../storage/segment/segment.js";
import { runYielding, yieldAfterSlices } from "../../core/base/yield.js";
import type { RecordOnlyIds } from "../batch/batch.js";
import { decodeDeletions, encodeDeletions, NO_DELETIONS, withDeletions, type NewDeletion, type StoredDeletions } from "../files/deletions-file.js";
import type { FileEntry, Manifest, SegmentEntry } from "../files/manifest.js";
import type { Store } from "../live/store.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- entries are bounded by their columns */
export class CodesByDictionary {
  readonly #codes = new Map<string, Set<number>>();

  add(dictionary: string, code: number): void {
    if (code === 0) return;
    const codes = this.#codes.get(dictionary);
    if (codes === undefined) this.#codes.set(dictionary, new Set([code]));
    else codes.add(code);
  }

  of(dictionary: string): ReadonlySet<number> {
    return this.#codes.get(dictionary) ?? new Set();
  }

  remove(dictionary: string, code: number): void {
    this.#codes.get(dictionary)?.delete(code);
  }

  entries(): [string, ReadonlySet<number>][] {
    return [...this.#codes].filter(([, codes]) => codes.size > 0);
  }

  get size(): number {
    return this.entries().reduce((sum, [, codes]) => sum + codes.size, 0);
  }
}

/** Projects outlive their events: their names identify no person. */
const KEPT = "project";

/** Notes every code that the removed rows use, except projects, and the keys of all metadata columns. All columns must be loaded. */
function noteRows(into: CodesByDictionary, rows: Rows, gone: Uint32Array): void {
  const isGone = new Uint8Array(rows.rowCount);
  for (const row of gone) isGone[row] = 1;
  for (const name of rows.columnNames()) {
    if (name === KEPT) continue;
    const column = rows.column(name);
    for (let at = 0; at < column.codes.length; at += 1) {
      const row = column.kind === "sparse" ? column.rows[at]! : at;
      if (isGone[row] === 1) into.add(name, column.codes[at]!);
    }
    const key = /^m(\d+)$/.exec(name);
    if (key !== null) into.add(KEY_DICTIONARY, Number(key[1]));
  }
}

export function noteRecord(into: CodesByDictionary, table: RecordTable, row: number): void {
  for (const field of RECORD_FIELDS) into.add(DICTIONARY_OF_FIELD[field], table.code(row, field));
}

/** Removes the codes that any row of a segment still uses. Loads the columns concerned, one after another. */
async function removeUsedByRows(codes: CodesByDictionary, rows: Rows): Promise<void> {
  for (const name of rows.columnNames()) {
    const key = /^m(\d+)$/.exec(name);
    if (key !== null) codes.remove(KEY_DICTIONARY, Number(key[1]));
    const wanted = codes.of(name);
    if (wanted.size === 0) continue;
    await rows.load([name]);
    const used = rows.column(name).codes;
    for (let at = 0; at < used.length; at += 1) if (wanted.has(used[at]!)) codes.remove(name, used[at]!);
  }
}

function removeUsedByRecords(codes: CodesByDictionary, table: RecordTable): void {
  for (let row = 0; row < table.rowCount; row += 1)
    for (const field of RECORD_FIELDS) codes.remove(DICTIONARY_OF_FIELD[field], table.code(row, field));
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** A segment and its replacement; null if nothing replaces it. */
export interface Rewritten {
  readonly from: Segment;
  readonly entry: SegmentEntry | null;
  readonly to: Segment | null;
  readonly goneCount: number;
}

interface Replacement {
  readonly rewritten: readonly Rewritten[];
  readonly table: RecordTable;
  /** Values that nothing uses any more. */
  readonly codes: CodesByDictionary;
  readonly recordOnlyIds: RecordOnlyIds;
  /** Text of the file of privacy requests; null: unchanged. */
  readonly privacy: string | null;
  /** Deletions that copies have to repeat. */
  readonly deletions: readonly NewDeletion[];
  readonly nowMs: number;
  readonly changes?: Pick<Manifest, "timeToLive">;
}

/** Rows that were removed and that no new query sees. */
export interface RemovedRows {
  /** Resolves once the last query that could see them has ended: then the old files may be removed (`removeOrphans`). */
  readonly whenUnread: Promise<void>;
}

/**
 * Replaces the content of a store: writes files, then one manifest that puts them into effect, then changes memory, where nothing can fail.
 * Requires that everything is sealed and no commit or seal is in progress.
 * @param forget drops what was derived from rows and records, called as they are replaced
 */
export async function replaceContent(store: Store, left: Replacement, forget: () => void): Promise<RemovedRows> {
  const { rewritten, table, codes, recordOnlyIds, privacy, deletions, nowMs, changes = {} } = left;
  const { files, storage, dictionaries, manifest } = store;
  const entries = rewritten.flatMap(({ entry }) => entry ?? []);
  const added: FileEntry[] = [...entries];
  const deletionsText = deletions.length === 0 ? null : encodeDeletions(laterDeletions(store, deletions, nowMs));
  try {
    // All values are read below, and indexed when codes are retired.
    const pause = yieldAfterSlices();
    await runYielding(dictionaries.indexing(), pause);
    // Retired values that a query may still read are already blank in the stored file, and must not come back.
    const deltas = (await runYielding(dictionaries.deltasInSteps(new Map()), pause)).map((delta) => {
      const [gone, dictionary] = [codes.of(delta.name), dictionaries.named(delta.name)];
      return withBlanks(delta, (code) => gone.has(code) || dictionary.isRetired(code));
    });
    const dictionaryEntry = await files.writeDictionaries(store.takeFileNumber(), deltas);
    added.push(dictionaryEntry);
    const recordsEntry = await files.writeRecords(store.takeFileNumber(), { records: table.slice(0), recordOnlyIds });
    added.push(recordsEntry);
    const privacyEntry = privacy === null ? manifest.privacy : await files.writeText(store.takeFileNumber(), "privacy", privacy);
    if (privacy !== null && privacyEntry !== null) added.push(privacyEntry);
    const deletionsEntry = deletionsText === null ? null : await files.writeText(store.takeFileNumber(), "deletions", deletionsText);
    if (deletionsEntry !== null) added.push(deletionsEntry);
    await storage.sync(added.map(({ key }) => key));
    const goneKeys = new Set(rewritten.map(({ from }) => from.key));
    await store.writeManifestOfOtherCodes({
      segments: [...manifest.segments.filter(({ key }) => !goneKeys.has(key)), ...entries],
      dictionaries: [dictionaryEntry],
      identities: [recordsEntry],
      privacy: privacyEntry,
      ...(deletionsEntry === null ? {} : { deletions: deletionsEntry, nextSequence: store.nextSequence + 1, received: withSequence(manifest.received, store.nextSequence) }),
      ...changes,
    });
  } catch (error) {
    await discard(store, added);
    throw error;
  }
  if (deletionsText !== null) {
    store.deletions = deletionsText;
    store.skipSequences(store.nextSequence + 1);
  }
  const whenUnread = replaceSegments(store, rewritten).then(() => {
    for (const [name, blanked] of codes.entries()) for (const code of blanked) dictionaries.named(name).blank(code);
  });
  for (const [name, blanked] of codes.entries()) for (const code of blanked) dictionaries.named(name).retire(code);
  store.replaceRecords(table, recordOnlyIds, privacy ?? store.privacy);
  forget();
  return { whenUnread };
}

/** Files of times whose ranges stay without a gap, which would keep a seal from merging them. @param sequence of a deletion: no event has it */
function withSequence(received: Manifest["received"], sequence: number): Manifest["received"] {
  const last = received.at(-1);
  return last?.nextSequence === sequence ? [...received.slice(0, -1), { ...last, nextSequence: sequence + 1 }] : received;
}

/** What was deleted lately. @throws corruption */
export function storedDeletions({ manifest, deletions }: Store): StoredDeletions {
  if (deletions instanceof DaybookError) throw deletions;
  return deletions === undefined ? NO_DELETIONS : decodeDeletions(manifest.deletions?.key ?? "", deletions);
}

/** Those to store beside new ones. Each deletion has a sequence of its own: a copy that has reached it has repeated it. */
function laterDeletions(store: Store, added: readonly NewDeletion[], nowMs: number): StoredDeletions {
  let former: StoredDeletions;
  try {
    former = storedDeletions(store);
  } catch {
    // A damaged list must not stop deletions: copies of before start over.
    former = { forgottenSequence: store.newestSequence, deletions: [] };
  }
  return withDeletions(former, added, store.nextSequence, nowMs);
}

/** Writes a pinned segment without rows, noting their codes. Loads all columns. @param gone ascending @param blank codes that become 0 in others */
export async function rewriteWithout(
  store: Store,
  segment: Segment,
  gone: Uint32Array,
  codes: CodesByDictionary,
  blank: ReadonlyMap<string, ReadonlySet<number>> = new Map(),
): Promise<Rewritten> {
  await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
  noteRows(codes, segment, gone);
  if (gone.length === segment.rowCount) return { from: segment, entry: null, to: null, goneCount: gone.length };
  await store.refuseLostLock();
  const merged = keepRows(segment, others(gone, segment.rowCount), blank);
  const { entry, segment: to } = await store.files.writeSegment(store.takeFileNumber(), merged, store.summaries);
  return { from: segment, entry, to, goneCount: gone.length };
}

function others(gone: Uint32Array, rowCount: number): Uint32Array {
  const kept = new Uint32Array(rowCount - gone.length);
  for (let row = 0, at = 0, next = 0; row < rowCount; row += 1) {
    if (gone[next] === row) next += 1;
    else kept[at++] = row;
  }
  return kept;
}

/** Removes files that no manifest names, after a failure: a full disk must not fill up further. */
export async function discard(store: Store, entries: readonly FileEntry[]): Promise<void> {
  // If the store refuses writes, the stored manifest may name these files.
  if (!store.isWritable) return;
  await store.refuseTakenOver();
  for (const { key } of entries) await store.storage.remove(key).catch(() => undefined);
}

/** Reduces `codes` to those that nothing uses any more; returns the ids that only records name from now on. */
export async function settleCodes(store: Store, rewritten: readonly Rewritten[], table: RecordTable, codes: CodesByDictionary): Promise<RecordOnlyIds> {
  const gone = new Set(rewritten.map(({ from }) => from));
  for (const segment of [...store.catalog.segments.filter((each) => !gone.has(each)), ...rewritten.flatMap(({ to }) => to ?? [])])
    await whilePinned([segment], () => removeUsedByRows(codes, segment));
  const noEventUses = { userId: [...codes.of("userId")], anonymousId: [...codes.of("anonymousId")], companyId: [...codes.of("companyId")] };
  removeUsedByRecords(codes, table);
  const former = store.recordOnlyIds;
  const still = (name: "userId" | "anonymousId" | "companyId") =>
    [...new Set([...former[name], ...noEventUses[name]])].filter((code) => !codes.of(name).has(code)).sort((a, b) => a - b);
  return { userId: still("userId"), anonymousId: still("anonymousId"), companyId: still("companyId") };
}

function withBlanks<T extends { readonly start: number; readonly values: readonly string[] }>(delta: T, isGone: (code: number) => boolean): T {
  return { ...delta, values: delta.values.map((value, at) => (isGone(delta.start + at) ? "" : value)) };
}

/** Resolves once the last query that may read the old rows has ended. */
function replaceSegments(store: Store, rewritten: readonly Rewritten[]): Promise<void> {
  return new Promise((resolve) => {
    const removed = new Set(rewritten.map(({ from }) => from));
    const added = rewritten.flatMap(({ to }) => to ?? []);
    store.catalog.replace(added, removed, false, () => {
      for (const segment of removed) segment.release();
      resolve();
    });
  });
}
