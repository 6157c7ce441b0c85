import { DaybookError } from "../../core/base/errors.js";
import { countBefore } from "../../core/base/search.js";
import { damaged } from "../../storage/segment/segment-file.js";
import type { Storage } from "../storage/storage.js";
import type { StoreFiles } from "./files.js";
import { decodeManifest, isOtherHistory, MANIFEST_KEY, receivedCount, untilManifestStays, type Manifest, type ReceivedFileEntry } from "./manifest.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- pairs are read within their length */

/** Pairs of first sequence and epoch ms, ascending by sequence: each time is that of all sequences up to the next pair. */
type ReceivedPairs = readonly number[];

type SequenceRange = Pick<ReceivedFileEntry, "firstSequence" | "nextSequence">;

/** Bytes of the largest safe integer. */
const VARINT_BYTES_MAX = 8;

/**
 * The number of times, then the distances of their sequences, then the differences of the times, zigzag-coded: clocks also go back. Numbers have
 * 7 bits a byte, least significant first; all but their last byte have the highest bit.
 */
export function encodeReceived(pairs: ReceivedPairs): Uint8Array {
  const sequences: number[] = [];
  const times: number[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    // Commits of one millisecond are one run.
    if (pairs[at + 1] === times.at(-1)) continue;
    sequences.push(pairs[at]!);
    times.push(pairs[at + 1]!);
  }
  const bytes = new Uint8Array((2 * times.length + 1) * VARINT_BYTES_MAX);
  let end = 0;
  const push = (value: number) => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[end++] = (rest % 0x80) | 0x80;
    bytes[end++] = rest;
  };
  push(times.length);
  sequences.forEach((sequence, at) => push(sequence - (sequences[at - 1] ?? 0)));
  times.forEach((time, at) => {
    const difference = time - (times[at - 1] ?? 0);
    push(difference < 0 ? -2 * difference - 1 : 2 * difference);
  });
  return bytes.slice(0, end);
}

/** @throws corruption */
export function decodeReceived(key: string, bytes: Uint8Array, { firstSequence, nextSequence }: SequenceRange): number[] {
  let at = 0;
  const next = () => {
    let [value, unit] = [0, 1];
    for (; bytes[at]! >= 0x80; at += 1, unit *= 0x80) value += (bytes[at]! & 0x7f) * unit;
    value += bytes[at]! * unit;
    at += 1;
    if (!Number.isSafeInteger(value)) throw damaged(key, `it has no whole number before byte ${at}`);
    return value;
  };
  const pairs: number[] = [];
  let sequence = 0;
  for (let left = next(); left > 0; left -= 1) {
    sequence += next();
    if (!(sequence >= firstSequence && sequence < nextSequence)) throw damaged(key, `expected sequences from ${firstSequence} to ${nextSequence - 1}, got ${sequence}`);
    pairs.push(sequence, 0);
  }
  let time = 0;
  for (let pair = 1; pair < pairs.length; pair += 2) {
    const coded = next();
    time += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
    pairs[pair] = time;
  }
  if (at !== bytes.length) throw damaged(key, `expected ${pairs.length / 2} times in ${at} bytes, got ${bytes.length} bytes`);
  return pairs;
}

/** @throws corruption */
export async function readReceivedFile(files: StoreFiles, entry: ReceivedFileEntry): Promise<number[]> {
  return decodeReceived(entry.key, await files.readSingle(entry, "received"), entry);
}

/** Writes when the events of a range of sequences were accepted; durable only after `sync` of the key. */
export async function writeReceivedFile(files: StoreFiles, number: number, pairs: ReceivedPairs, { firstSequence, nextSequence }: SequenceRange): Promise<ReceivedFileEntry> {
  const entry = await files.writeSingle(number, "received", encodeReceived(pairs));
  return { ...entry, firstSequence, nextSequence };
}

/** What of a `Store` has times. */
interface ReceivedStore {
  readonly storage: Storage;
  readonly files: StoreFiles;
  readonly manifest: Manifest;
  /** Those that are in no file yet. */
  readonly received: ReceivedPairs;
  takeFileNumber(): number;
}

/**
 * Writes the times of the commits that a seal covers, with those of the newest files that are not longer, so that a store has few files and writes a
 * time again about log(commits) times. @returns the new file, which replaces those from its first sequence on; none without new times
 */
export async function sealReceived(store: ReceivedStore, nextSequence: number): Promise<ReceivedFileEntry[]> {
  const { files, manifest } = store;
  const former = [...manifest.received];
  let pairs = store.received.slice(0, receivedCount(store.received, nextSequence));
  if (pairs.length === 0) return [];
  let firstSequence = manifest.nextSequence;
  for (let last = former.pop(); last !== undefined && isMerged(last, { firstSequence, nextSequence }); last = former.pop()) {
    const earlier = await readReceivedFile(files, last).catch(nullIfDamaged);
    // A damaged file stays as it is: exports report it, `verify` finds it, and nothing else needs it.
    if (earlier === null) break;
    pairs = [...earlier, ...pairs];
    ({ firstSequence } = last);
  }
  return [await writeReceivedFile(files, store.takeFileNumber(), pairs, { firstSequence, nextSequence })];
}

function isMerged(last: SequenceRange, { firstSequence, nextSequence }: SequenceRange): boolean {
  return last.nextSequence === firstSequence && last.nextSequence - last.firstSequence <= nextSequence - firstSequence;
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof DaybookError && error.code === "corruption") return null;
  throw error;
}

/** When events were accepted. */
export class ReceivedTimes {
  /** @param pairs ascending; NaN: unknown from there on */
  constructor(readonly pairs: ReceivedPairs) {}

  /** Epoch ms; null: unknown. */
  of(sequence: number): number | null {
    const { pairs } = this;
    const count = countBefore(pairs.length / 2, (at) => pairs[at * 2]! <= sequence);
    const time = pairs[count * 2 - 1] ?? NaN;
    return Number.isNaN(time) ? null : time;
  }
}

/**
 * Reads when the events behind a sequence were accepted. Cost: the files with later sequences. Memory: 16 bytes per commit.
 * Files of a newer manifest serve too, as sequences keep their times: the writer, maybe another process, may have replaced those of the snapshot.
 * @throws corruption, overloaded
 */
export async function readReceivedTimes(store: Omit<ReceivedStore, "takeFileNumber">, afterSequence: number): Promise<ReceivedTimes> {
  // Before the manifest: what it has no file for is in memory now.
  const unsealed = [...store.received];
  return await untilManifestStays(store.storage, "read", async (bytes, isStillThere) => {
    if (bytes === null) throw new DaybookError("manifest_missing", "the store no longer exists: its manifest is missing", { key: MANIFEST_KEY });
    const manifest = decodeManifest(bytes);
    if (isOtherHistory(store.manifest, manifest)) throw damaged(MANIFEST_KEY, "it belongs to another store, or to an earlier state: close this reader and open it again");
    const pairs: number[] = [];
    try {
      for (const entry of manifest.received.filter(({ nextSequence }) => nextSequence > afterSequence + 1)) {
        for (const value of await readReceivedFile(store.files, entry)) pairs.push(value);
        pairs.push(entry.nextSequence, NaN);
      }
    } catch (error) {
      if (await isStillThere()) throw error;
      return null;
    }
    for (const value of unsealed.slice(receivedCount(unsealed, manifest.nextSequence))) pairs.push(value);
    return new ReceivedTimes(pairs);
  });
}
