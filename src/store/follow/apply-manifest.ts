import type { Dictionaries, DictionaryDelta } from "../../storage/column/dictionaries.js";
import { RECORD_FIELD_COUNT, RecordTable } from "../../identity/record-table.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { RecordOnlyIds, RecordBatch } from "../batch/batch.js";
import { MANIFEST_KEY } from "../files/manifest.js";
import type { FileEntry, Manifest } from "../files/manifest.js";
import { isOtherHistory } from "../files/other-history.js";
import type { Store, UnseenCommits } from "../live/store.js";
import { otherState } from "./other-state.js";

/** The effect of another writer's manifest. */
export interface AppliedManifest {
  /** Whether commits were sealed before their journal was read. */
  readonly hasUnseen: boolean;
  /** Resolves once no query reads what was removed; null if nothing was. */
  readonly whenUnread: Promise<void> | null;
}

/** How far the journals were read. */
interface Tail {
  readonly journal: number;
  /** Sequence of the next record. */
  readonly sequence: number;
}

/** A manifest, with what was read from the files that the previous manifest does not name. */
interface ReadManifest {
  readonly store: Store;
  readonly manifest: Manifest;
  readonly privacy: string | null;
  readonly added: readonly Segment[];
  readonly removed: ReadonlySet<Segment>;
  /** Which heads have their rows in the new segments. */
  readonly seals: "all" | "frozen" | "none";
}

/**
 * Applies a newer manifest of another writer: reads the files first, then switches to them synchronously. Cost: the new files;
 * after an erasure or a deletion all dictionaries, records and segment links.
 * @param tail the journal of the rows in the live heads, and the sequence after them
 * @param forget drops what was derived from rows and records, called as they are replaced
 * @throws corruption, also if a file is missing: the writer may have replaced the manifest since
 */
export async function applyManifest(store: Store, manifest: Manifest, tail: Tail, forget: (goneProjects: readonly string[]) => void): Promise<AppliedManifest> {
  const former = store.manifest;
  const isLeftBehind = manifest.firstJournal > tail.journal;
  // Rows shown from journals that a seal leaves behind are in the sealed files.
  const isBehind = manifest.nextSequence < (isLeftBehind ? tail.sequence : former.nextSequence);
  if (isBehind || isOtherHistory(former, manifest)) throw otherState(MANIFEST_KEY);
  const named = new Set(manifest.segments.map(({ key }) => key));
  const known = new Set(store.catalog.segments.map(({ key }) => key));
  const added = await store.files.openSegments(manifest.segments.filter(({ key }) => !known.has(key)));
  const removed = new Set(store.catalog.segments.filter(({ key }) => !named.has(key)));
  const seals = manifest.firstJournal === former.firstJournal ? "none" : isLeftBehind ? "all" : "frozen";
  try {
    const privacy = manifest.privacy?.key === former.privacy?.key ? store.privacy : manifest.privacy === null ? null : await store.files.readPrivacy(manifest.privacy);
    const read = { store, manifest, privacy, added, removed, seals } as const;
    return isReplaced(store, manifest) ? await replaceAll(read, forget) : await extend(read);
  } catch (error) {
    if (store.manifest !== manifest) for (const segment of added) segment.release();
    throw error;
  }
}

/**
 * Whether rows or records may be gone: an erasure or a deletion replaces all dictionary files by one. If there was none before,
 * it may also be the first seal, unless later commits were seen.
 */
function isReplaced(store: Store, { dictionaries: [first], nextSequence }: Manifest): boolean {
  const [former] = store.manifest.dictionaries;
  if (first?.key === former?.key) return false;
  if (nextSequence >= store.nextSequence) return true;
  if (former === undefined) return false;
  throw otherState(MANIFEST_KEY);
}

async function extend({ store, manifest, ...read }: ReadManifest): Promise<AppliedManifest> {
  for (const entry of others(manifest.dictionaries, store.manifest.dictionaries)) {
    const apply = (delta: DictionaryDelta) => {
      if (!store.dictionaries.apply(delta)) throw otherState(entry.key);
      return true;
    };
    await store.files.readDictionaries(entry, { apply });
  }
  const unseen = manifest.nextSequence > store.nextSequence ? await unseenIn(store, manifest, read.added) : null;
  let unread = (): void => undefined;
  const whenUnread = new Promise<void>((resolve) => (unread = resolve));
  await store.showManifest(manifest, read.privacy, unseen, () => replaceRows(store, read, unread));
  return { hasUnseen: unseen !== null, whenUnread: read.removed.size > 0 ? whenUnread : null };
}

/** Reads the commits from `store.nextSequence` on, which are no longer in any journal. */
async function unseenIn({ files, nextSequence, manifest: former }: Store, { identities }: Manifest, added: readonly Segment[]): Promise<UnseenCommits> {
  const table = new RecordTable();
  let brought: RecordOnlyIds | null = null;
  for (const entry of others(identities, former.identities)) {
    const batch = await files.readRecords(entry);
    appendFrom(table, batch, nextSequence);
    ({ brought } = batch);
  }
  return { segments: added.filter(({ lastSequence }) => lastSequence >= nextSequence), records: table.slice(0), brought };
}

function appendFrom(table: RecordTable, { records }: RecordBatch, firstSequence: number): void {
  const { kinds, times, ids, sequences, codes } = records;
  for (let row = 0; row < records.rowCount; row += 1)
    if ((sequences[row] ?? 0) >= firstSequence)
      table.append(kinds[row] ?? 0, times[row] ?? 0, ids, row * 16, sequences[row] ?? 0, codes, row * RECORD_FIELD_COUNT);
}

async function replaceAll({ store, manifest, ...read }: ReadManifest, forget: (goneProjects: readonly string[]) => void): Promise<AppliedManifest> {
  const { dictionaries } = store;
  const stored = new StoredValues();
  for (const entry of manifest.dictionaries) await store.files.readDictionaries(entry, stored);
  const gone = goneCodes(dictionaries, stored);
  const table = new RecordTable();
  let brought: RecordOnlyIds = { userId: [], anonymousId: [], companyId: [] };
  for (const entry of manifest.identities) {
    const batch = await store.files.readRecords(entry);
    appendFrom(table, batch, 0);
    ({ brought } = batch);
  }
  const hasUnseen = manifest.nextSequence > store.nextSequence;
  const goneProjects = (gone.get("project") ?? []).map((code) => dictionaries.named("project").valueOf(code));
  let unread = (): void => undefined;
  const whenUnread = new Promise<void>((resolve) => (unread = resolve)).then(() => {
    for (const [name, codes] of gone) for (const code of codes) dictionaries.named(name).blank(code);
  });
  await store.showManifest(manifest, read.privacy, null, () => {
    replaceRows(store, { ...read, seals: "all" }, unread);
    for (const [name, codes] of gone) for (const code of codes) dictionaries.named(name).retire(code);
    for (const [name, values] of stored.byName) {
      const start = dictionaries.named(name).size;
      dictionaries.apply({ name, start, values: values.slice(start) });
    }
    store.replaceRecords(table, brought, read.privacy);
    forget(goneProjects);
  });
  return { hasUnseen, whenUnread };
}

/** All values of the dictionary files, by dictionary and code. */
class StoredValues implements Pick<Dictionaries, "apply"> {
  readonly byName = new Map<string, string[]>();

  apply({ name, start, values }: DictionaryDelta): boolean {
    const known = this.byName.get(name) ?? [""];
    this.byName.set(name, known);
    if (start !== known.length) return false;
    for (const value of values) known.push(value);
    return true;
  }
}

/** Codes whose values were removed, by dictionary. @throws corruption */
function goneCodes(dictionaries: Dictionaries, { byName }: StoredValues): ReadonlyMap<string, readonly number[]> {
  const gone = new Map<string, number[]>();
  for (const [name, size] of dictionaries.sizes()) if (size > (byName.get(name)?.length ?? 1)) throw otherState(MANIFEST_KEY);
  for (const [name, values] of byName) {
    const known = dictionaries.named(name);
    const codes: number[] = [];
    for (let code = 1; code < known.size; code += 1) {
      const [before, after = ""] = [known.valueOf(code), values[code]];
      if (before === after || (after === "" && known.isRetired(code))) continue;
      if (after !== "") throw otherState(MANIFEST_KEY);
      codes.push(code);
    }
    if (codes.length > 0) gone.set(name, codes);
  }
  return gone;
}

/** @param unread called once no query reads the removed segments */
function replaceRows({ catalog }: Store, { added, removed, seals }: Pick<ReadManifest, "added" | "removed" | "seals">, unread: () => void): void {
  if (seals === "all") catalog.freezeHeads();
  catalog.replace(added, removed, seals !== "none", () => {
    for (const segment of removed) segment.release();
    unread();
  });
}

function others(entries: readonly FileEntry[], former: readonly FileEntry[]): FileEntry[] {
  const known = new Set(former.map(({ key }) => key));
  return entries.filter(({ key }) => !known.has(key));
}
