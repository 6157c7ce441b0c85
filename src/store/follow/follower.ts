import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { areSameBytes } from "../../core/base/bytes.js";
import { Yielder } from "../../core/base/yield.js";
import { RecordTable } from "../../identity/record-table.js";
import type { DictionaryDelta, Dictionaries } from "../../storage/column/dictionaries.js";
import type { Segment } from "../../storage/segment/segment.js";
import { NO_RECORD_ONLY_IDS, type Batch, type RecordOnlyIds } from "../batch/batch.js";
import type { StoreFiles } from "../files/files.js";
import { MANIFEST_KEY, decodeManifest, type FileEntry, type Manifest, isOtherHistory } from "../files/manifest.js";
import { FRAME_KINDS, contentOf, journalKey, type FoundFrame } from "../journal/journal.js";
import type { Store, UnseenCommits } from "../live/store.js";
import { readDeletionsText } from "../recovery/recovery.js";
import { JournalTail, otherState, WatchedObject } from "./journal-tail.js";

/** Cost of adding a row to a head, in values. */
const VALUES_PER_ROW = 64;

interface FollowerHooks {
  /** Called before anything is applied. @throws corruption if the files belong to another store */
  readonly refuseOther: () => Promise<void>;
  /** A commit is visible. @param batch null if it has only records */
  readonly committed: (batch: Batch | null, hasRecords: boolean) => void;
  /** Commits of unknown content are visible. */
  readonly changed: () => void;
  /** Called synchronously when rows and records are replaced: drops what was derived from them. */
  readonly forget: (goneProjects: readonly string[]) => void;
  /** @param whenUnread resolves once no query reads what a seal, compaction, erasure or deletion removed */
  readonly removed: (whenUnread: Promise<void>) => void;
}

/** Keeps a read-only store up to date with its writer, possibly in another process: commit by commit, manifest by manifest. */
export class Follower {
  readonly #manifest: WatchedObject;
  readonly #tail: JournalTail;

  constructor(
    readonly store: Store,
    readonly hooks: FollowerHooks,
  ) {
    this.#manifest = new WatchedObject(store.storage, MANIFEST_KEY, null);
    this.#tail = new JournalTail(store.storage, store.foundEnd, store.nextSequence);
  }

  /** Calls must not overlap. @returns whether a commit waits for a later call @throws manifest_missing, corruption, overloaded: nothing changed */
  async poll(): Promise<boolean> {
    let damage: string | null = null;
    for (let attempt = 1; attempt <= LIMITS.followTryCount; attempt += 1) {
      const newer = await this.#manifest.changed();
      try {
        if (newer !== null) await this.#takeManifest(newer.bytes);
        const { frames, isWaiting } = await this.#tail.read();
        // Rows committed after an erasure must not be visible before it.
        if (frames.length > 0 && (await this.#manifest.changed()) !== null) continue;
        if (frames.length > 0) await this.hooks.refuseOther();
        await this.#takeFrames(frames);
        return isWaiting;
      } catch (error) {
        const now = await this.#manifest.changed();
        if (!areSameBytes(now?.bytes ?? null, newer?.bytes ?? null)) continue;
        // Frames cut off while being read also look damaged, but only once.
        if (!(error instanceof DaybookError) || error.code !== "corruption" || error.message === damage) throw error;
        damage = error.message;
      }
    }
    throw new DaybookError("overloaded", "a writer replaces the files of the store faster than they can be read");
  }

  async #takeManifest(bytes: Uint8Array | null): Promise<void> {
    if (bytes === null) throw new DaybookError("manifest_missing", "the store no longer exists: its manifest is missing", { key: MANIFEST_KEY });
    await this.hooks.refuseOther();
    const manifest = decodeManifest(bytes);
    const { hasUnseen, whenUnread } = await applyManifest(this.store, manifest, { journal: this.#tail.place.number, sequence: this.#tail.sequence }, this.hooks.forget);
    this.#manifest.saw(bytes);
    this.#tail.skipTo(manifest.firstJournal, manifest.nextSequence);
    if (hasUnseen) this.hooks.changed();
    if (whenUnread !== null) this.hooks.removed(whenUnread);
  }

  async #takeFrames(frames: readonly FoundFrame[]): Promise<void> {
    const yielder = new Yielder();
    for (const found of frames) {
      const rowCount = await this.#takeFrame(found);
      await yielder.yieldAfter(rowCount * VALUES_PER_ROW);
    }
  }

  async #takeFrame(found: FoundFrame): Promise<number> {
    const { store, hooks } = this;
    const { frame, end } = found;
    if (end.number > this.#tail.place.number) store.catalog.freezeHeads();
    if (frame.kind !== FRAME_KINDS.end) {
      const { deltas, batch, records } = contentOf(frame);
      for (const delta of deltas)
        if (!store.dictionaries.apply(delta)) throw otherState(journalKey(end.number));
      const { firstSequence, sequenceCount, receivedMs } = frame;
      await store.showCommit(batch, records, { first: firstSequence, next: firstSequence + sequenceCount, receivedMs });
      if (records === null && batch?.rowCount === 0) hooks.changed();
      else hooks.committed(batch, records !== null);
    }
    this.#tail.took(found);
    store.readJournal(end.number, end.byteLength);
    return frame.sequenceCount;
  }
}

interface AppliedManifest {
  /** Whether commits were sealed before their journal was read. */
  readonly hasUnseen: boolean;
  /** Resolves once no query reads what was removed; null if nothing was. */
  readonly whenUnread: Promise<void> | null;
}

interface Tail {
  readonly journal: number;
  /** Sequence of the next record. */
  readonly sequence: number;
}

/** A manifest, with what was read from the files that the previous manifest does not name. */
interface ReadManifest {
  readonly store: Store;
  readonly manifest: Manifest;
  readonly texts: Pick<Store, "privacy" | "deletions">;
  readonly added: readonly Segment[];
  readonly removed: ReadonlySet<Segment>;
  /** Which heads have their rows in the new segments. */
  readonly seals: "all" | "frozen" | "none";
}

/**
 * Applies a newer manifest of another writer: reads the files first, then switches to them synchronously. Cost: the new files;
 * after an erasure or a deletion all dictionaries, records and segment links.
 * @param tail the journal of the rows in the live heads, and the sequence after them
 * @throws corruption, also if a file is missing: the writer may have replaced the manifest since
 */
async function applyManifest(store: Store, manifest: Manifest, tail: Tail, forget: (goneProjects: readonly string[]) => void): Promise<AppliedManifest> {
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
    const privacy = manifest.privacy?.key === former.privacy?.key ? store.privacy : manifest.privacy === null ? null : await store.files.readText(manifest.privacy, "privacy");
    const deletions = manifest.deletions?.key === former.deletions?.key ? store.deletions : await readDeletionsText(store.files, manifest);
    const read = { store, manifest, texts: { privacy, deletions }, added, removed, seals } as const;
    return isReplaced(store, manifest) ? await replaceAll(read, forget) : await extend(read);
  } catch (error) {
    if (store.manifest !== manifest) for (const segment of added) segment.release();
    throw error;
  }
}

/** Whether rows may be gone: an erasure or a deletion leaves one dictionary file, as may the first seal unless later commits were seen. */
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
  await store.showManifest(manifest, read.texts, unseen, () => replaceRows(store, read, unread));
  return { hasUnseen: unseen !== null, whenUnread: read.removed.size > 0 ? whenUnread : null };
}

/** Reads the commits from `store.nextSequence` on, which are no longer in any journal. */
async function unseenIn({ files, nextSequence, manifest: former }: Store, { identities }: Manifest, added: readonly Segment[]): Promise<UnseenCommits> {
  const { table, recordOnlyIds } = await readRecords(files, others(identities, former.identities), nextSequence);
  return { segments: added.filter(({ lastSequence }) => lastSequence >= nextSequence), records: table.slice(0), recordOnlyIds };
}

/** Reads records from a sequence on, and the ids that only records name by the newest file; null if there is none. */
async function readRecords(files: StoreFiles, entries: readonly FileEntry[], firstSequence: number): Promise<{ table: RecordTable; recordOnlyIds: RecordOnlyIds | null }> {
  const table = new RecordTable();
  let recordOnlyIds: RecordOnlyIds | null = null;
  for (const entry of entries) {
    const batch = await files.readRecords(entry);
    for (let row = 0; row < batch.records.rowCount; row += 1) if ((batch.records.sequences[row] ?? 0) >= firstSequence) table.copy(batch.records, row);
    ({ recordOnlyIds } = batch);
  }
  return { table, recordOnlyIds };
}

async function replaceAll({ store, manifest, ...read }: ReadManifest, forget: (goneProjects: readonly string[]) => void): Promise<AppliedManifest> {
  const { dictionaries } = store;
  const stored = new StoredValues();
  for (const entry of manifest.dictionaries) await store.files.readDictionaries(entry, stored);
  const gone = goneCodes(dictionaries, stored);
  const { table, recordOnlyIds } = await readRecords(store.files, manifest.identities, 0);
  const hasUnseen = manifest.nextSequence > store.nextSequence;
  const goneProjects = (gone.get("project") ?? []).map((code) => dictionaries.named("project").valueOf(code));
  let unread = (): void => undefined;
  const whenUnread = new Promise<void>((resolve) => (unread = resolve)).then(() => {
    for (const [name, codes] of gone) for (const code of codes) dictionaries.named(name).blank(code);
  });
  await store.showManifest(manifest, read.texts, null, () => {
    replaceRows(store, { ...read, seals: "all" }, unread);
    for (const [name, codes] of gone) for (const code of codes) dictionaries.named(name).retire(code);
    for (const [name, values] of stored.byName) {
      const start = dictionaries.named(name).size;
      dictionaries.apply({ name, start, values: values.slice(start) });
    }
    store.replaceRecords(table, recordOnlyIds ?? NO_RECORD_ONLY_IDS, read.texts.privacy);
    forget(goneProjects);
  });
  return { hasUnseen, whenUnread };
}

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
