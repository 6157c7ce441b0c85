import { concatBytes } from "../../core/base/arrays.js";
import { parameterError, DaybookError } from "../../core/base/errors.js";
import { areSameBytes } from "../../core/base/bytes.js";
import { Yielder } from "../../core/base/yield.js";
import { TRAILER_BYTES, damaged, footerCrcOf } from "../../storage/segment/segment-file.js";
import { FILE_FOLDERS } from "../files/files.js";
import {
  MANIFEST_KEY, encodeManifest, filesOf, withoutMark, type BackupMark, type Manifest, decodeManifest, type FileEntry, refuseStoresBelow,
  isOtherHistory, untilManifestStays,
} from "../files/manifest.js";
import { readSideFiles, type SideFile } from "../files/read-side-files.js";
import { KEYS_KEY, parseKey } from "../files/side-files.js";
import { journalKey, replayLive, FRAME_KINDS, encodeFrame, encodeJournalHeader, journalHeaderCrc, type Frame } from "../journal/journal.js";
import type { Storage } from "../storage/storage.js";
import { codecOf, sha256Of } from "../storage/codec.js";

/** A snapshot of a store, without the files that its manifest names. */
interface StoreSnapshot {
  readonly manifest: Manifest;
  /** All whole frames of the live journals, in order, without end marks. */
  readonly frames: readonly Frame[];
  readonly nextSequence: number;
  /** Files that no manifest names. */
  readonly sideFiles: readonly SideFile[];
}

/** @param copyFiles called again with the next manifest if files of this one are gone */
async function readSnapshot(storage: Storage, copyFiles: (manifest: Manifest) => Promise<void>): Promise<StoreSnapshot> {
  let damage: string | null = null;
  return await untilManifestStays(storage, "copied", async (manifest, isStillThere) => {
    if (manifest === null) throw new DaybookError("manifest_missing", "there is no store here to back up");
    const outcome = await readOnce(storage, decodeManifest(manifest), copyFiles).catch((error: unknown) => ({ error }));
    if ("error" in outcome && !isDamage(outcome.error)) throw outcome.error;
    if (!(await isStillThere())) return null;
    if (!("error" in outcome)) return outcome;
    const { message } = outcome.error as Error;
    // Frames that were rolled back while being read also look damaged, but only once.
    if (message === damage) throw outcome.error;
    damage = message;
    return null;
  });
}

async function readOnce(storage: Storage, manifest: Manifest, copyFiles: (manifest: Manifest) => Promise<void>): Promise<StoreSnapshot> {
  await copyFiles(manifest);
  const frames: Frame[] = [];
  const nextSequence = await replayLive(storage, manifest, (frame) => frames.push(frame));
  // After the journals, as a store has its keys before its first frame, and after the manifest, as an erasure replaces saved segments first.
  const sideFiles = await readSideFiles(storage, { nextSequence, privacy: manifest.privacy });
  for (const { fault } of sideFiles) if (fault !== null) throw fault;
  return { manifest, frames, nextSequence, sideFiles };
}

function isDamage(error: unknown): boolean {
  return error instanceof DaybookError && error.code === "corruption";
}

/** Copies files that manifests name from one storage to another, each once; files that already exist stay. */
class CopiedFiles {
  readonly #former: ReadonlyMap<string, FileEntry>;
  readonly #settled = new Set<string>();
  #unsynced: string[] = [];
  fileCount = 0;
  byteLength = 0;

  /** @param former the manifest of the target: the files that it names are durable there */
  constructor(
    readonly from: Storage,
    readonly to: Storage,
    former: Manifest | null,
  ) {
    this.#former = new Map((former === null ? [] : filesOf(former)).map((entry) => [entry.key, entry]));
  }

  /** Makes all files of a manifest durable in the target. @throws corruption for damaged or missing files, storage_full */
  async take(manifest: Manifest): Promise<void> {
    for (const entry of filesOf(manifest)) {
      if (this.#settled.has(entry.key)) continue;
      if (!(await this.#isThere(entry))) await this.#copy(entry);
      this.#settled.add(entry.key);
    }
    if (this.#unsynced.length > 0) await this.to.sync(this.#unsynced);
    this.#unsynced = [];
  }

  async #isThere(entry: FileEntry): Promise<boolean> {
    const { key, byteLength, sha256 } = entry;
    if (this.#former.get(key)?.sha256 === sha256) return await this.#isWhole(entry);
    const bytes = await this.to.read(key);
    if (bytes?.length !== byteLength || (await sha256Of(codecOf(this.to), bytes)) !== sha256) return false;
    // Left by an interrupted backup, maybe not synced.
    this.#unsynced.push(key);
    return true;
  }

  /** Checks length and footer only; reading whole files is the task of `verify`. */
  async #isWhole({ key, byteLength, footerCrc32 }: FileEntry): Promise<boolean> {
    const tail = await this.to.read(key, { start: Math.max(byteLength - TRAILER_BYTES, 0), end: byteLength + 1 });
    return tail?.length === TRAILER_BYTES && footerCrcOf(tail) === footerCrc32;
  }

  async #copy({ key, byteLength, sha256 }: FileEntry): Promise<void> {
    const bytes = await this.from.read(key);
    if (bytes?.length !== byteLength) throw damaged(key, `expected ${byteLength} bytes, but it is missing or has another length`);
    if ((await sha256Of(codecOf(this.from), bytes)) !== sha256) throw damaged(key, `expected the SHA-256 ${sha256}`);
    await this.to.write(key, bytes, { durable: false });
    this.#unsynced.push(key);
    this.fileCount += 1;
    this.byteLength += byteLength;
  }
}

/** The contents of a backup and the cost of making it. */
export interface BackupReport {
  /** The backup contains everything up to this sequence and nothing later. */
  readonly sequence: number;
  /** Files of the whole backup. */
  readonly fileCount: number;
  /** Bytes of these files. */
  readonly byteLength: number;
  /** Of these, segments, dictionaries and records that did not exist there yet. */
  readonly copiedFileCount: number;
  /** Bytes of the copied files. */
  readonly copiedByteLength: number;
  /** Files of the former snapshot that this one does not name, or of an interrupted backup. */
  readonly removedFileCount: number;
}

/**
 * Copies a snapshot of a store, which another process may be writing, to a location that is empty or contains an earlier backup of it,
 * which it replaces. If interrupted, run it again; until it finishes, the location contains at least the former snapshot, or no manifest.
 * Cost: one read of everything that is not there yet.
 * @throws manifest_missing, corruption, overloaded, storage_full, store_locked, invalid_parameter (the location contains something else)
 */
export function backupStore(from: Storage, to: Storage, mark: BackupMark): Promise<BackupReport> {
  return copyMoment(from, to, mark);
}

/** Copies a snapshot of a store, usually of a backup, to an empty location as a writable store. @throws as `backupStore` */
export function restoreStore(from: Storage, to: Storage): Promise<BackupReport> {
  return copyMoment(from, to, null);
}

/** @param mark null: the copy is not a backup */
async function copyMoment(from: Storage, to: Storage, mark: BackupMark | null): Promise<BackupReport> {
  if (from === to) throw parameterError("invalid_parameter", "storage", "expected a storage other than that of the store");
  await refuseStoresBelow(from);
  await refuseStoresBelow(to);
  const lock = (await to.lock?.()) ?? null;
  try {
    const keys = await from.read(KEYS_KEY);
    if (keys !== null) parseKey(keys);
    if (mark === null) await refuseFilled(to);
    const former = mark === null ? null : await formerBackup(to, keys);
    // The keys identify the location of an interrupted first backup.
    if (mark !== null) await replace(to, KEYS_KEY, keys);
    const files = new CopiedFiles(from, to, former);
    const moment = await readSnapshot(from, async (manifest) => {
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
    // A lock that cannot be released ends with the process.
    await lock?.release().catch(() => undefined);
  }
}

/** Makes a store of the files of a snapshot, all of them copied. A former backup stays a store at each step and never loses content. */
async function settle(to: Storage, moment: StoreSnapshot, hasFormer: boolean, mark: BackupMark | null) {
  const manifest: Manifest = { ...withoutMark(moment.manifest), ...(mark === null ? {} : { backup: mark }) };
  // Before the journal, whose frames continue this manifest and not the former one.
  if (hasFormer) await to.write(MANIFEST_KEY, encodeManifest({ ...manifest, clean: false }));
  const journal = await momentJournal(moment);
  await to.write(journalKey(manifest.firstJournal), journal);
  for (const { key, bytes } of moment.sideFiles) await replace(to, key, bytes);
  const whole = encodeManifest({ ...manifest, clean: true });
  await to.write(MANIFEST_KEY, whole);
  const others = moment.sideFiles.flatMap(({ bytes }) => (bytes === null ? [] : [bytes]));
  return { fileCount: 2 + others.length, byteLength: others.reduce((sum, { length }) => sum + length, journal.length + whole.length) };
}

/** Writes or removes an object if that changes anything. */
async function replace(to: Storage, key: string, bytes: Uint8Array | null): Promise<void> {
  if (areSameBytes(await to.read(key), bytes)) return;
  await (bytes === null ? to.remove(key) : to.write(key, bytes));
}

/** Removes store files of other snapshots, so that no erased byte remains; returns their number. */
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

/** Encodes one journal with all frames of a snapshot, chained again, and an end mark, so that no frame can be lost unnoticed. */
async function momentJournal({ manifest, frames, nextSequence }: StoreSnapshot): Promise<Uint8Array> {
  const yielder = new Yielder();
  const header = encodeJournalHeader(manifest.epoch);
  const parts = [header];
  let previousCrc = journalHeaderCrc(header) ?? 0;
  const append = (kind: number, firstSequence: number, sequenceCount: number, syncedSequence: number, receivedMs: number, payload: Uint8Array) => {
    const { bytes, crc } = encodeFrame(kind, firstSequence, sequenceCount, syncedSequence, previousCrc, receivedMs, payload);
    previousCrc = crc;
    parts.push(bytes);
  };
  for (const { kind, firstSequence, sequenceCount, syncedSequence, receivedMs, payload } of frames) {
    append(kind, firstSequence, sequenceCount, syncedSequence, receivedMs, payload);
    await yielder.yieldAfter(payload.length);
  }
  append(FRAME_KINDS.end, nextSequence, 0, nextSequence, 0, new Uint8Array(0));
  return concatBytes(parts);
}

/** Null if the place is empty, or has only the keys of an interrupted first backup. @throws invalid_parameter for anything else, corruption */
async function formerBackup(place: Storage, keys: Uint8Array | null): Promise<Manifest | null> {
  const stored = await place.read(MANIFEST_KEY);
  const former = stored === null ? null : decodeManifest(stored);
  if (former !== null && former.backup === undefined) throw unfit("it contains a store that is not a backup");
  const formerKeys = await place.read(KEYS_KEY);
  if (formerKeys !== null && !areSameBytes(formerKeys, keys)) throw unfit("it contains a backup of another store");
  if (former === null && formerKeys === null) await refuseFilled(place);
  return former;
}

/** @throws invalid_parameter unless the location is empty */
async function refuseFilled(place: Storage): Promise<void> {
  const [key] = await place.list("");
  if (key !== undefined) throw unfit(`it contains ${key}`);
}

/** As after a restore from an older backup. @throws invalid_parameter if numbers or files prove it */
function refuseOtherHistory(former: Manifest, manifest: Manifest): void {
  if (isOtherHistory(former, manifest)) throw unfit("it contains a snapshot that this store does not descend from, as after a restore from an older backup");
}

function unfit(reason: string): DaybookError {
  return parameterError("invalid_parameter", "storage", `expected an empty location or a backup of this store: ${reason}`);
}
