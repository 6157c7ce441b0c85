import { fixedClock, openDaybook, type Storage } from "daybook";
import { MemoryBudget } from "../../src/storage/segment/memory-budget.js";
import { decodeFooter, encodeContainer, footerCrcOf, encodeSegment } from "../../src/storage/segment/segment-file.js";
import type { ContainerFooter, PackedBlock, SegmentMeta } from "../../src/storage/segment/segment-file.js";
import { keepRows, type MergedRows } from "../../src/storage/segment/merge-rows.js";
import { codecOf, sha256Of, defaultCodec } from "../../src/store/storage/codec.js";
import { StoreFiles } from "../../src/store/files/files.js";
import { MANIFEST_KEY, decodeManifest, encodeManifest } from "../../src/store/files/manifest.js";
import type { Manifest, SegmentEntry } from "../../src/store/files/manifest.js";
import { lastingMemory } from "./objects.js";

export const clock = fixedClock(Date.UTC(2026, 3, 1));

/** A closed store of two days with events, metadata, records and a privacy request. */
export async function smallStore(): Promise<Storage> {
  const storage = lastingMemory();
  const daybook = await openDaybook({ storage, clock });
  const events = Array.from({ length: 40 }, (_, at) => ({
    id: `event ${at}`,
    name: at % 3 === 0 ? "view" : "click",
    userId: at % 4 === 0 ? null : `user ${at % 5}`,
    anonymousId: `phone ${at % 7}`,
    url: `/page/${at % 11}`,
    createdAt: Date.UTC(2026, 2, 1 + (at % 2)) + at * 1_000,
    metadata: at % 2 === 0 ? { plan: "pro", seats: at } : at === 5 ? { rare: true } : {},
  }));
  await daybook.ingest(events.slice(0, 20));
  await daybook.identify({ id: "first", userId: "user 1", email: "one@example.org", createdAt: new Date(5) });
  const { linkId } = await daybook.alias({ id: "third", from: "phone 3", to: "user 3", createdAt: new Date(7) });
  await daybook.seal();
  await daybook.ingest(events.slice(20));
  await daybook.group({ id: "second", userId: "user 2", companyId: "acme", createdAt: new Date(6) });
  await daybook.unlink(linkId);
  await daybook.privacyRequests.create({ type: "access", subject: { userId: "user 1" } });
  await daybook.close();
  return storage;
}

export async function manifestOf(storage: Storage): Promise<Manifest> {
  return decodeManifest((await storage.read(MANIFEST_KEY)) ?? new Uint8Array(0));
}

/** Replaces the manifest by one with a right checksum. */
export async function forgeManifest(storage: Storage, change: (manifest: Manifest) => Manifest): Promise<void> {
  await storage.write(MANIFEST_KEY, encodeManifest(change(await manifestOf(storage))));
}

async function replaceSegment(storage: Storage, entry: SegmentEntry, bytes: Uint8Array): Promise<void> {
  await storage.write(entry.key, bytes);
  const forged = { ...entry, byteLength: bytes.length, sha256: await sha256Of(codecOf(storage), bytes), footerCrc32: footerCrcOf(bytes) };
  await forgeManifest(storage, (manifest) => ({ ...manifest, segments: manifest.segments.map((known) => (known.key === entry.key ? forged : known)) }));
}

/** Writes the first segment anew with other rows, all checksums right. */
export async function forgeRows(storage: Storage, change: (rows: MergedRows) => MergedRows): Promise<string> {
  const [entry] = (await manifestOf(storage)).segments;
  if (entry === undefined) throw new Error("expected a segment");
  const segment = await new StoreFiles(storage, new MemoryBudget(Infinity)).openSegment(entry);
  await segment.load(["ms", "id", "sequence", ...segment.columnNames()]);
  const rows = keepRows(segment, Uint32Array.from({ length: segment.rowCount }, (_, row) => row), new Map());
  const { bytes } = await encodeSegment(change(rows), { deflate: (raw) => defaultCodec.deflate(raw), summaries: [] });
  await replaceSegment(storage, entry, bytes);
  return entry.key;
}

/** Writes the first file of records anew, its records with other sequences, all checksums right. */
export async function forgeRecordSequences(storage: Storage, change: (sequences: Uint32Array) => Uint32Array): Promise<void> {
  const files = new StoreFiles(storage, new MemoryBudget(Infinity));
  const { nextFile, identities } = await manifestOf(storage);
  const [first, ...others] = identities;
  if (first === undefined) throw new Error("expected a file of records");
  const { records, recordOnlyIds } = await files.readRecords(first);
  const forged = await files.writeRecords(nextFile, { records: { ...records, sequences: change(records.sequences) }, recordOnlyIds });
  await storage.remove(first.key);
  await forgeManifest(storage, (manifest) => ({ ...manifest, identities: [forged, ...others], nextFile: nextFile + 1 }));
}

/** What a segment file is made of. */
export interface SegmentParts {
  readonly blocks: readonly PackedBlock[];
  readonly meta: SegmentMeta;
}

/** Makes a segment file of other parts, all checksums right. */
export async function forgeSegment(storage: Storage, entry: SegmentEntry, change: (parts: SegmentParts) => SegmentParts | Promise<SegmentParts>): Promise<void> {
  const bytes = await storage.read(entry.key);
  if (bytes === null) throw new Error("expected a segment");
  const { blocks, meta } = decodeFooter<SegmentMeta>(entry.key, bytes, bytes.length) as ContainerFooter<SegmentMeta>;
  const packed = blocks.map((block) => ({ ...block, bytes: bytes.subarray(block.offset, block.offset + block.byteLength) }));
  const forged = await change({ blocks: packed, meta });
  await replaceSegment(storage, entry, await encodeContainer(forged.blocks, forged.meta));
}

/** Lets the footer of the first segment say something else, all checksums right. */
export async function forgeMeta(storage: Storage, change: (meta: SegmentMeta) => SegmentMeta): Promise<string> {
  const [entry] = (await manifestOf(storage)).segments;
  if (entry === undefined) throw new Error("expected a segment");
  await forgeSegment(storage, entry, ({ blocks, meta }) => ({ blocks, meta: change(meta) }));
  return entry.key;
}
