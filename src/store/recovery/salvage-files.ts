import { Dictionaries } from "../../column/dictionaries.js";
import { checkBlock, decodeFooter, footerCrcOf } from "../../segment/container.js";
import type { SegmentMeta } from "../../segment/segment-file.js";
import { checkFile, codecOf } from "../files/check-file.js";
import type { DictionaryMeta } from "../files/dictionary-file.js";
import type { StoreFiles } from "../files/files.js";
import { Findings } from "../files/findings.js";
import type { FileEntry, Manifest, SegmentEntry } from "../files/manifest.js";
import type { RecordBatch } from "../batch/record-batch.js";
import { applyBehindGap } from "./salvage-journal.js";
import type { Storage } from "../storage/storage.js";

/** A file that is not as it was written. */
export interface BrokenFile {
  readonly entry: FileEntry;
  readonly reason: string;
}

/** What files beside journals and keys still hold. */
export interface ReadableFiles {
  readonly broken: readonly BrokenFile[];
  readonly segments: readonly SegmentEntry[];
  readonly dictionaries: Dictionaries;
  readonly records: readonly RecordBatch[];
  readonly privacy: string | null;
}

/** Reads all files that a manifest names, whole, one after the other; of broken dictionary files whatever block is undamaged. */
export async function readReadable(storage: Storage, files: StoreFiles, manifest: Manifest): Promise<ReadableFiles> {
  const broken: BrokenFile[] = [];
  const dictionaries = new Dictionaries();
  files.readWith(dictionaries);
  const records: RecordBatch[] = [];
  const segments: SegmentEntry[] = [];
  const isWhole = async (entry: FileEntry): Promise<boolean> => {
    const reason = await faultOf(storage, entry);
    if (reason !== null) broken.push({ entry, reason });
    return reason === null;
  };
  for (const entry of manifest.dictionaries) {
    await isWhole(entry);
    await applyReadableBlocks(storage, entry, dictionaries);
  }
  for (const entry of manifest.identities) if (await isWhole(entry)) records.push(await files.readRecords(entry));
  const { privacy } = manifest;
  const text = privacy !== null && (await isWhole(privacy)) ? await files.readPrivacy(privacy) : null;
  for (const entry of manifest.segments) if (await isWhole(entry)) segments.push(entry);
  return { broken, segments, dictionaries, records, privacy: text };
}

async function faultOf(storage: Storage, entry: FileEntry): Promise<string | null> {
  const findings = new Findings();
  await checkFile<SegmentMeta>(storage, entry, await storage.read(entry.key), findings);
  const [first] = findings.kept;
  return first === undefined ? null : `expected ${first.expected}, found ${first.found}`;
}

async function applyReadableBlocks(storage: Storage, { key, footerCrc32 }: FileEntry, dictionaries: Dictionaries): Promise<void> {
  const bytes = await storage.read(key);
  if (bytes === null) return;
  const footer = attempt(() => decodeFooter<DictionaryMeta>(key, bytes, bytes.length));
  if (footer === null || "need" in footer || footerCrcOf(bytes) !== footerCrc32) return;
  for (const [index, { name, start }] of footer.meta.deltas.entries()) {
    const block = footer.blocks[index];
    if (block === undefined) continue;
    const packed = attempt(() => checkBlock(key, block, bytes.subarray(block.offset, block.offset + block.byteLength)));
    if (packed === null) continue;
    const values = JSON.parse(new TextDecoder().decode(await codecOf(storage).inflate(packed, block.rawByteLength))) as string[];
    applyBehindGap(dictionaries, { name, start, values });
  }
}

/** What is damaged is left out. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
