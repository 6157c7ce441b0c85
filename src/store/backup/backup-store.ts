import { parameterError } from "../../base/errors.js";
import { areSameBytes } from "../../base/same-bytes.js";
import { FILE_FOLDERS } from "../files/files.js";
import { MANIFEST_KEY, encodeManifest, filesOf, withoutMark } from "../files/manifest.js";
import type { BackupMark, Manifest } from "../files/manifest.js";
import { SAVED_SEGMENTS_KEY } from "../files/saved-segments-file.js";
import { KEYS_KEY, parseKey } from "../files/store-keys.js";
import { refuseStoresBelow } from "../files/stores-below.js";
import { journalKey } from "../journal/journal.js";
import type { Storage } from "../storage/storage.js";
import { formerBackup, refuseFilled, refuseOtherHistory } from "./backup-place.js";
import { CopiedFiles } from "./copied-files.js";
import { readMoment } from "./moment.js";
import type { Moment } from "./moment.js";
import { momentJournal } from "./moment-journal.js";

/** What a backup holds, and what it took to make it. */
export interface BackupReport {
  /** Whatever came up to this sequence is in it, and nothing later. */
  readonly sequence: number;
  /** Files of the whole backup. */
  readonly fileCount: number;
  /** Bytes of these. */
  readonly byteLength: number;
  /** Segments, dictionaries and records among them that were not there yet. */
  readonly copiedFileCount: number;
  /** Bytes of these. */
  readonly copiedByteLength: number;
  /** Files of the moment before that this one does not name, or of a backup that was cut. */
  readonly removedFileCount: number;
}

/**
 * Copies one moment of a store, which another process may be writing, into a place that is empty or holds a former moment of it, which this one
 * takes the place of. Broken off anywhere it is begun again; until it is done the place holds what came up to the former moment at least, or no
 * manifest. Cost: one read of what is not there yet.
 * @throws manifest_missing, corruption, overloaded, storage_full, store_locked, invalid_parameter (the place holds something else)
 */
export function backupStore(from: Storage, to: Storage, mark: BackupMark): Promise<BackupReport> {
  return copyMoment(from, to, mark);
}

/** Copies one moment of a store, of a backup as a rule, into an empty place as a store that is to be written. @throws as `backupStore` */
export function restoreStore(from: Storage, to: Storage): Promise<BackupReport> {
  return copyMoment(from, to, null);
}

/** @param mark null: the copy is no backup */
async function copyMoment(from: Storage, to: Storage, mark: BackupMark | null): Promise<BackupReport> {
  if (from === to) throw parameterError("invalid_parameter", "storage", "expected another one than that of the store");
  await refuseStoresBelow(from);
  await refuseStoresBelow(to);
  const lock = (await to.lock?.()) ?? null;
  try {
    const keys = await from.read(KEYS_KEY);
    if (keys !== null) parseKey(keys);
    if (mark === null) await refuseFilled(to);
    const former = mark === null ? null : await formerBackup(to, keys);
    // By them a place is known in which the first backup was cut.
    if (mark !== null) await replace(to, KEYS_KEY, keys);
    const files = new CopiedFiles(from, to, former);
    const moment = await readMoment(from, async (manifest) => {
      if (former !== null) refuseOtherHistory(former, manifest);
      await files.take(manifest);
    });
    const own = await settle(to, moment, former !== null, mark);
    const { manifest } = moment;
    return {
      sequence: moment.nextSequence - 1,
      fileCount: filesOf(manifest).length + own.fileCount,
      byteLength: filesOf(manifest).reduce((sum, { byteLength }) => sum + byteLength, own.byteLength),
      copiedFileCount: files.fileCount,
      copiedByteLength: files.byteLength,
      removedFileCount: await removeOthers(to, manifest),
    };
  } finally {
    // One that cannot be given back ends with the process.
    await lock?.release().catch(() => undefined);
  }
}

/** Makes the files of a moment, which are all there, a store. A former one is one at each step, and never holds less than it did. */
async function settle(to: Storage, moment: Moment, hasFormer: boolean, mark: BackupMark | null) {
  const { keys, savedSegments } = moment;
  const manifest: Manifest = { ...withoutMark(moment.manifest), ...(mark === null ? {} : { backup: mark }) };
  // Before the journal, whose frames follow on what this manifest names and not on what the former one did.
  if (hasFormer) await to.write(MANIFEST_KEY, encodeManifest({ ...manifest, clean: false }));
  const journal = await momentJournal(moment);
  await to.write(journalKey(manifest.firstJournal), journal);
  await replace(to, KEYS_KEY, keys);
  await replace(to, SAVED_SEGMENTS_KEY, savedSegments);
  const whole = encodeManifest({ ...manifest, clean: true });
  await to.write(MANIFEST_KEY, whole);
  const others = [keys, savedSegments].flatMap((bytes) => bytes ?? []);
  return { fileCount: 2 + others.length, byteLength: others.reduce((sum, { length }) => sum + length, journal.length + whole.length) };
}

/** Writes an object, or removes it, where that changes something. */
async function replace(to: Storage, key: string, bytes: Uint8Array | null): Promise<void> {
  if (areSameBytes(await to.read(key), bytes)) return;
  await (bytes === null ? to.remove(key) : to.write(key, bytes));
}

/** Removes what a store made of other moments: no erased byte stays in what this one does not name. Answers how many files. */
async function removeOthers(to: Storage, manifest: Manifest): Promise<number> {
  const named = new Set([journalKey(manifest.firstJournal), ...filesOf(manifest).map(({ key }) => key)]);
  let count = 0;
  for (const folder of [...FILE_FOLDERS, "journal/"])
    for (const key of await to.list(folder)) {
      if (named.has(key)) continue;
      await to.remove(key);
      count += 1;
    }
  return count;
}
