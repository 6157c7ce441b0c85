import { DaybookError } from "../../base/errors.js";
import { areSameBytes } from "../../base/same-bytes.js";
import { damaged } from "../../segment/container.js";
import { MANIFEST_KEY, decodeManifest } from "../files/manifest.js";
import type { Manifest } from "../files/manifest.js";
import { SAVED_SEGMENTS_KEY, decodeSavedSegments } from "../files/saved-segments-file.js";
import { KEYS_KEY, parseKey } from "../files/store-keys.js";
import { replayJournal } from "../journal/journal.js";
import { listJournals, readJournal } from "../journal/journal-file.js";
import type { Frame } from "../journal/journal-frame.js";
import type { Storage } from "../storage/storage.js";

/** A store as it is at one moment, but for the files that its manifest names. */
export interface Moment {
  readonly manifest: Manifest;
  /** All whole frames of the live journals, in order, without end marks. */
  readonly frames: readonly Frame[];
  /** Sequence of the record that would have come next. */
  readonly nextSequence: number;
  /** Null where nothing was ever accepted. */
  readonly keys: Uint8Array | null;
  readonly savedSegments: Uint8Array | null;
}

/** How often a moment is begun again because the writer replaced the manifest meanwhile. */
const ATTEMPT_COUNT = 100;

/**
 * Reads one moment of a store that another process may be writing. What a manifest names stays as it is for as long as it is the manifest; so
 * what was read counts if it still is.
 * @param copyFiles takes the files that a manifest names; called again with the next one where files of this one are gone
 * @throws manifest_missing, corruption, overloaded, and what `copyFiles` throws
 */
export async function readMoment(storage: Storage, copyFiles: (manifest: Manifest) => Promise<void>): Promise<Moment> {
  let damage: string | null = null;
  for (let attempt = 1; attempt <= ATTEMPT_COUNT; attempt += 1) {
    const before = await storage.read(MANIFEST_KEY);
    if (before === null) throw new DaybookError("manifest_missing", "there is no store here to back up");
    const outcome = await readOnce(storage, decodeManifest(before), copyFiles).catch((error: unknown) => ({ error }));
    if ("error" in outcome && !isDamage(outcome.error)) throw outcome.error;
    if (!areSameBytes(before, await storage.read(MANIFEST_KEY))) continue;
    if (!("error" in outcome)) return outcome;
    const { message } = outcome.error as Error;
    // Frames that were rolled back while they were read look damaged as well, but only once.
    if (message === damage) throw outcome.error;
    damage = message;
  }
  throw new DaybookError("overloaded", "a writer replaces the files of the store faster than they can be copied");
}

async function readOnce(storage: Storage, manifest: Manifest, copyFiles: (manifest: Manifest) => Promise<void>): Promise<Moment> {
  await copyFiles(manifest);
  const { frames, nextSequence } = await readFrames(storage, manifest);
  // Behind the journals: a store has its keys before its first frame.
  const keys = await storage.read(KEYS_KEY);
  if (keys !== null) parseKey(keys);
  else if (nextSequence > 1 || manifest.privacy !== null) throw damaged(KEYS_KEY, "it is missing, though the store holds events");
  // Behind the manifest: an erasure replaces saved segments first.
  const savedSegments = await storage.read(SAVED_SEGMENTS_KEY);
  if (savedSegments !== null) decodeSavedSegments(savedSegments);
  return { manifest, frames, nextSequence, keys, savedSegments };
}

async function readFrames(storage: Storage, manifest: Manifest): Promise<Pick<Moment, "frames" | "nextSequence">> {
  const { clean, epoch, firstJournal } = manifest;
  const frames: Frame[] = [];
  let { nextSequence } = manifest;
  let ended = false;
  // Listed first: what is in a journal is never older than the end of the one before it.
  for (const number of await listJournals(storage)) {
    if (number < firstJournal) continue;
    const { keys, bytes } = await readJournal(storage, number);
    const replay = replayJournal(keys[0] ?? `journal ${number}`, bytes, nextSequence, (frame) => frames.push(frame));
    if (replay.frameCount > 0 || number === firstJournal) ended = replay.ended && replay.goodByteLength === bytes.length;
    nextSequence = replay.nextSequence;
  }
  if (clean && epoch > 0 && !ended) throw damaged(`journal ${firstJournal}`, "the store was closed in good order, but the end mark is missing");
  return { frames, nextSequence };
}

function isDamage(error: unknown): boolean {
  return error instanceof DaybookError && error.code === "corruption";
}
