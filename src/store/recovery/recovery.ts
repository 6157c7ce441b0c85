import { DaybookError } from "../../core/base/errors.js";
import { Dictionaries } from "../../storage/column/dictionaries.js";
import { damaged } from "../../storage/segment/segment-file.js";
import type { Segment } from "../../storage/segment/segment.js";
import type { Batch, RecordBatch } from "../batch/batch.js";
import { FILE_FOLDERS, type StoreFiles } from "../files/files.js";
import { JOURNAL_HEADER_BYTES, contentOf, journalKey, replayLive, startOf, type JournalPosition } from "../journal/journal.js";
import type { FoundJournals } from "../journal/journals.js";
import { EMPTY_MANIFEST, MANIFEST_KEY, decodeManifest, untilManifestStays, type Manifest } from "../files/manifest.js";
import type { Storage } from "../storage/storage.js";

export interface RowsCommit {
  readonly batch: Batch;
  readonly firstSequence: number;
  readonly receivedMs: number;
  readonly journal: number;
}

export interface Recovered extends FoundJournals {
  readonly manifest: Manifest;
  readonly isNew: boolean;
  readonly dictionaries: Dictionaries;
  readonly segments: readonly Segment[];
  /** In order: sealed records, then the records and batches of events of the live journals. */
  readonly commits: readonly (RecordBatch | RowsCommit)[];
  /** Text of the file of privacy requests; null if there is none. */
  readonly privacy: string | null;
  readonly deletions: string | DaybookError | undefined;
  /** Dictionary sizes covered by dictionary files. */
  readonly sealedSizes: ReadonlyMap<string, number>;
  readonly end: JournalPosition;
}

const FOLDERS = [...FILE_FOLDERS, "journal/"] as const;

/**
 * Writes only what it read, so it may be interrupted and repeated.
 * @param durable false for a reader beside a writer: nothing is written @throws manifest_missing, corruption
 */
export async function recover(storage: Storage, files: StoreFiles, durable: boolean): Promise<Recovered> {
  const { manifest, isNew } = await readManifest(storage);
  const dictionaries = new Dictionaries();
  files.readWith(dictionaries);
  files.releaseDictionaries();
  for (const entry of manifest.dictionaries) await files.openDictionaries(entry, dictionaries);
  const sealedSizes = dictionaries.sizes();
  const segments = await files.openSegments(manifest.segments);
  try {
    const commits: (RecordBatch | RowsCommit)[] = [];
    for (const entry of manifest.identities) commits.push(await files.readRecords(entry));
    const privacy = manifest.privacy === null ? null : await files.readText(manifest.privacy, "privacy");
    const deletions = await readDeletionsText(files, manifest);
    const journalByteLengths = new Map<number, number>();
    let end = startOf(manifest.firstJournal);
    const read: { readonly key: string; readonly bytes: Uint8Array }[] = [];
    const nextSequence = await replayLive(storage, manifest, (frame, { file, number }) => {
      const { deltas, batch, records } = contentOf(frame);
      for (const delta of deltas) if (!dictionaries.apply(delta)) throw damaged(file, `values of ${delta.name} contradict the earlier ones`);
      if (records !== null) commits.push(records);
      else if (batch !== null && batch.rowCount > 0) commits.push({ batch, firstSequence: frame.firstSequence, receivedMs: frame.receivedMs, journal: number });
    }, ({ number, file, bytes }, endOfJournal) => {
      end = endOfJournal;
      journalByteLengths.set(number, end.byteLength);
      if (file === journalKey(number)) read.push({ key: file, bytes: bytes.subarray(0, end.byteLength) });
    });
    if (durable && !manifest.clean) await writeAnew(storage, read);
    return { manifest, isNew, dictionaries, segments, commits, privacy, deletions, sealedSizes, nextSequence, journalByteLengths, end };
  } catch (error) {
    for (const segment of segments) segment.release();
    throw error;
  }
}

/** Text of the file of deletions, or the error of a damaged one: only copies of events need it, so the store opens all the same. */
export async function readDeletionsText(files: StoreFiles, { deletions }: Manifest): Promise<string | DaybookError | undefined> {
  return deletions && (await files.readText(deletions, "deletions").catch((error: unknown) => {
    if (error instanceof DaybookError && error.code === "corruption") return error;
    throw error;
  }));
}

async function readManifest(storage: Storage): Promise<{ manifest: Manifest; isNew: boolean }> {
  const bytes = await storage.read(MANIFEST_KEY);
  if (bytes !== null) return { manifest: decodeManifest(bytes), isNew: false };
  for (const folder of FOLDERS)
    for (const found of await storage.list(folder)) {
      if (folder === "journal/" && (await isBareJournal(storage, found))) continue;
      throw new DaybookError("manifest_missing", `${MANIFEST_KEY} is missing, but there are files such as ${found}`, { key: found });
    }
  return { manifest: EMPTY_MANIFEST, isNew: true };
}

/** Whether a journal has no frame, which is all that the first opening leaves if it ends before it writes a manifest. */
async function isBareJournal(storage: Storage, key: string): Promise<boolean> {
  const start = await storage.read(key, { start: 0, end: JOURNAL_HEADER_BYTES + 1 });
  return start === null || start.length <= JOURNAL_HEADER_BYTES;
}

/**
 * Rewrites journals without a torn end. What was read may be only in the kernel's cache, and a sync does not help for certain: after
 * a failed one the kernel may consider the pages clean. Journals without frames are rewritten too, as frames cut off them could come back.
 */
async function writeAnew(storage: Storage, journals: readonly { readonly key: string; readonly bytes: Uint8Array }[]): Promise<void> {
  for (const { key, bytes } of journals) await storage.write(key, bytes);
}

/** Reads a store that another process may be writing. @throws manifest_missing, corruption, overloaded */
export async function recoverBesideWriter(storage: Storage, files: StoreFiles): Promise<Recovered> {
  return await untilManifestStays(storage, "read", async (_, isStillThere) => {
    const outcome = await recover(storage, files, false).catch((error: unknown) => ({ error }));
    if (!(await isStillThere())) {
      if ("segments" in outcome) for (const segment of outcome.segments) segment.release();
      return null;
    }
    if ("error" in outcome) throw outcome.error;
    // Refuse to show an empty store: most likely the path is mistyped, or a volume is missing.
    if (outcome.isNew) throw new DaybookError("manifest_missing", "there is no store here to read; only opening it for writing would create one");
    return outcome;
  });
}
