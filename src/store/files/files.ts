import { NO_LINKS, decodeLinks, type LinkList } from "../../storage/segment/links.js";
import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { yieldToEventLoop, type Yielder } from "../../core/base/yield.js";
import { PROJECT_COLUMN } from "../../core/schema/fields.js";
import { codesOfBytes } from "../../storage/column/codes.js";
import type { Dictionaries, DictionaryDelta } from "../../storage/column/dictionaries.js";
import { valueHash } from "../../storage/column/dictionary-values.js";
import type { MemoryBudget } from "../../storage/segment/memory-budget.js";
import type { MergedRows } from "../../storage/segment/merge-rows.js";
import {
  TRAILER_BYTES, type BlockEntry, checkBlock, damaged, decodeFooter, encodeContainer, footerCrcOf, type ContainerFooter, type SegmentMeta,
  type PackedBlock, type Deflate, LINKS_BLOCK,
} from "../../storage/segment/segment-file.js";
import { Segment, factsOf, type ProjectTexts, type SegmentContents, type SegmentFacts, type SegmentSource } from "../../storage/segment/segment.js";
import type { SummaryRule } from "../../storage/segment/summaries.js";
import { type RecordBatch, decodeRecordsFile, encodeRecordsFile } from "../batch/batch.js";
import type { Allocate, ByteRange, Codec, Storage } from "../storage/storage.js";
import { codecOf, inflaterOf, sha256Of } from "../storage/codec.js";
import { encodeRows, makeSegment, type MadeSegment, type SealWorker, type SourceRows } from "./make-segment.js";
import type { FileEntry, SegmentEntry } from "./manifest.js";

/** Bytes read from the end of a segment file on opening: enough for most footers and the id links before them. */
const TAIL_GUESS_BYTES = 32 * 1024;

/** The same for a file of dictionaries. */
const DICTIONARY_TAIL_BYTES = 16 * 1024;

/** A file of at most this size stays in memory once read. */
const SMALL_FILE_BYTES = 16 * 1024;

/** Segments opened at once: each keeps its file open meanwhile, and file descriptors are limited. */
const OPEN_SEGMENT_COUNT = 32;

export const FILE_FOLDERS = ["segments/", "dictionaries/", "identities/"] as const;

interface CheckedSegment extends MadeSegment {
  readonly footer: ContainerFooter<SegmentMeta>;
}

interface WrittenSegment {
  readonly entry: SegmentEntry;
  readonly segment: Segment;
}

export class StoreFiles {
  readonly #codec: Codec;
  readonly #heldDictionaries: (() => void)[] = [];
  #projects: ProjectTexts = { valueOf: () => "" };
  readonly #projectTexts: ProjectTexts = { valueOf: (code) => this.#projects.valueOf(code) };

  constructor(
    readonly storage: Storage,
    readonly budget: MemoryBudget,
    /** Makes large segments elsewhere; null: they are made on this thread. */
    readonly sealWorker: SealWorker | null = null,
    /** Whether segments and dictionaries hold their files until released: for a reader beside a writer, which may remove them at any time. */
    readonly holdsFiles = false,
  ) {
    this.#codec = codecOf(storage);
  }

  /** Sets the dictionaries from which all segments, including open ones, read project names. */
  readWith(dictionaries: Dictionaries): void {
    this.#projects = dictionaries.named(PROJECT_COLUMN);
  }

  /** The highest number of any file, named by a manifest or not; 0 if there are none. */
  async lastNumber(): Promise<number> {
    let last = 0;
    for (const folder of FILE_FOLDERS)
      for (const key of await this.storage.list(folder)) last = Math.max(last, Number(/\/(\d+)$/.exec(key)?.[1] ?? 0));
    return last;
  }

  /** Merges rows of one day into a segment file without writing it. @param summaries stored with the rows @param yielder yields while working */
  async makeSegment(sources: readonly SourceRows[], summaries: readonly SummaryRule[], yielder: Yielder): Promise<CheckedSegment> {
    const rowCount = sources.reduce((sum, rows) => sum + rows.rowCount, 0);
    const isLargeEnough = this.sealWorker !== null && rowCount >= LIMITS.workerSealRowCount;
    const made = isLargeEnough ? await this.sealWorker.make(sources, summaries, this.#codec, yielder) : null;
    const checked = this.#checked(made ?? (await makeSegment(sources, summaries, this.#codec, yielder)));
    const { meta } = checked.footer;
    if (meta.rowCount === rowCount && meta.day === sources[0]?.day) return checked;
    throw new DaybookError("internal", `expected a new segment of ${rowCount} rows of day ${sources[0]?.day}, got ${meta.rowCount} of day ${meta.day}`);
  }

  /** Writes a segment of merged rows; durable only after `sync` of its key. */
  async writeSegment(number: number, merged: MergedRows, summaries: readonly SummaryRule[]): Promise<WrittenSegment> {
    return await this.writeSegmentFile(number, this.#checked(await encodeRows(merged, summaries, this.#codec)));
  }

  /** Writes a segment file; durable only after `sync` of its key. */
  async writeSegmentFile(number: number, { bytes, sha256, footer }: CheckedSegment): Promise<WrittenSegment> {
    const key = `segments/${numbered(number)}`;
    await this.storage.write(key, bytes, { durable: false });
    const entry = { ...factsOf(key, bytes.length, footer), sha256, footerCrc32: footerCrcOf(bytes) };
    return { entry, segment: await this.#segment(entry, footer, bytes) };
  }

  /** Decodes the footer of a new file. An unreadable one is no damage to stored data. @throws internal */
  #checked(made: MadeSegment): CheckedSegment {
    try {
      return { ...made, footer: this.#footer<SegmentMeta>("a new segment", made.bytes, made.bytes.length) };
    } catch (cause) {
      throw new DaybookError("internal", "a new segment cannot be read back", {}, { cause });
    }
  }

  async segmentOf({ key }: SegmentEntry, footer: ContainerFooter<SegmentMeta>, bytes: Uint8Array): Promise<Segment> {
    return await this.#inMemory(key, footer, bytes, this.budget);
  }

  /** Makes a segment of rows of one day without writing it: its bytes stay in memory, its columns as long as the budget allows. */
  async segmentInMemory(rows: SourceRows, budget: MemoryBudget, yielder: Yielder): Promise<Segment> {
    const { bytes, footer } = this.#checked(await makeSegment([rows], [], this.#codec, yielder));
    return await this.#inMemory("a segment in memory", footer, bytes, budget);
  }

  /** Opens segments; if one fails, releases the others. @throws corruption */
  async openSegments(entries: readonly SegmentEntry[]): Promise<Segment[]> {
    const segments: Segment[] = [];
    for (let from = 0; from < entries.length; from += OPEN_SEGMENT_COUNT) {
      const opened = await Promise.allSettled(entries.slice(from, from + OPEN_SEGMENT_COUNT).map((entry) => this.openSegment(entry)));
      for (const outcome of opened) if (outcome.status === "fulfilled") segments.push(outcome.value);
      const failed = opened.find((outcome) => outcome.status === "rejected");
      if (failed !== undefined) {
        for (const segment of segments) segment.release();
        throw failed.reason as unknown;
      }
      // Files may be opened on this thread.
      await yieldToEventLoop();
    }
    return segments;
  }

  /** Opens a segment. Its footer is read when it is needed if its file can be read at once, else now. @throws corruption */
  async openSegment(entry: SegmentEntry): Promise<Segment> {
    const file = await this.#open(entry);
    try {
      return this.#unreadSegment(entry, file) ?? (await this.#readSegment(entry, file));
    } catch (error) {
      file.release?.();
      throw error;
    }
  }

  async #readSegment(entry: SegmentEntry, file: OpenedFile): Promise<Segment> {
    const reading = footerOf<SegmentMeta>(entry, TAIL_GUESS_BYTES);
    for (let step = reading.next(); ; step = reading.next(await file.read(step.value)))
      if (step.done === true) return await this.#segment(entry, checkedSegment(entry, step.value.footer), step.value.tail, file);
  }

  /** Null: the file cannot be read at once. */
  #unreadSegment(entry: SegmentEntry, file: OpenedFile): Segment | null {
    const readNow = file.readNow?.bind(file);
    if (readNow === undefined) return null;
    const open = (): SegmentContents => {
      const { footer, tail } = footerNow<SegmentMeta>(entry, TAIL_GUESS_BYTES, readNow);
      const block = checkedSegment(entry, footer).blocks.find(({ name }) => name === LINKS_BLOCK);
      if (block === undefined) return { footer, links: NO_LINKS, file: smallFile(entry, tail) };
      return { footer, links: linksOf(entry.key, block, readNow(rangeOf(entry, block))), file: smallFile(entry, tail) };
    };
    return new Segment(entry, open, this.#source(file), this.budget);
  }

  /** Opens a file of the manifest, holding it for a reader. @throws corruption: it is missing */
  async #open({ key, byteLength }: FileEntry): Promise<OpenedFile> {
    if (!this.holdsFiles) return this.#byKey({ key });
    // A file that cannot be held is read while it is there.
    if (this.storage.hold === undefined) return { read: (range, allocate) => this.storage.read(key, range, allocate) };
    const held = await this.storage.hold(key);
    if (held === null) throw damaged(key, `expected ${byteLength} bytes, but it is missing or shorter`);
    return held;
  }

  #byKey({ key }: Pick<FileEntry, "key">): OpenedFile {
    const { storage } = this;
    const read: OpenedFile["read"] = (range, allocate) => storage.read(key, range, allocate);
    return storage.readNow === undefined ? { read } : { read, readNow: (range) => storage.readNow?.(key, range) ?? null };
  }

  /** Writes dictionary values; durable only after `sync` of the key. */
  async writeDictionaries(number: number, deltas: readonly DictionaryDelta[]): Promise<FileEntry> {
    const key = `dictionaries/${numbered(number)}`;
    return await this.#write(key, await encodeDictionaryFile(deltas, (raw) => this.#codec.deflate(raw)));
  }

  /** Reads dictionary values back. @throws corruption */
  async readDictionaries(entry: FileEntry, dictionaries: Pick<Dictionaries, "apply">): Promise<void> {
    const bytes = await this.#readWhole(entry);
    const footer = this.#footer<DictionaryMeta>(entry.key, bytes, bytes.length);
    await applyDictionaryFile(entry.key, bytes, footer, this.#codec, dictionaries);
  }

  /** Adds dictionary values that are decoded when needed. Blocks of a file that cannot be read at once are kept until then. @throws corruption */
  async openDictionaries(entry: FileEntry, dictionaries: Dictionaries): Promise<void> {
    const file = await this.#open(entry);
    const isKept = file.readNow === undefined;
    const readNow = file.readNow?.bind(file) ?? (await rangesOf(entry, file));
    if (isKept) file.release?.();
    else if (file.release !== undefined) this.#heldDictionaries.push(file.release.bind(file));
    const inflateNow = await inflaterOf(this.#codec);
    const { blocks, meta } = footerNow<DictionaryMeta>(entry, DICTIONARY_TAIL_BYTES, readNow).footer;
    checkKind(entry.key, meta);
    for (const [index, delta] of meta.deltas.entries()) {
      const block = blocks[index];
      if (block === undefined) throw damaged(entry.key, `block ${delta.name} is missing`);
      const read = textReader(blockReader(entry, block, readNow, isKept), block.rawByteLength, inflateNow);
      if (!dictionaries.applyStored(delta.name, { ...delta, read })) throw damaged(entry.key, `the values of ${delta.name} do not continue the earlier ones`);
    }
    for (const [at, { name, start, count }] of (meta.hashes ?? []).entries()) {
      const block = blocks[meta.deltas.length + at];
      dictionaries.named(name).addHashes({ start, count, read: hashReader(entry, block, count, readNow, isKept) });
    }
  }

  /** Releases the dictionary files that are held: their values are not needed any more. */
  releaseDictionaries(): void {
    for (const release of this.#heldDictionaries.splice(0)) release();
  }

  /** Writes records; durable only after `sync` of the key. */
  async writeRecords(number: number, batch: RecordBatch): Promise<FileEntry> {
    return await this.writeSingle(number, "records", await encodeRecordsFile(batch));
  }

  /** Reads records back. @throws corruption */
  async readRecords(entry: FileEntry): Promise<RecordBatch> {
    return decodeRecordsFile(await this.readSingle(entry, "records"));
  }

  /** Writes privacy requests or deletions; durable only after `sync` of the key. */
  async writeText(number: number, kind: TextKind, text: string): Promise<FileEntry> {
    return await this.writeSingle(number, kind, encoder.encode(text));
  }

  /** Reads a text back. @throws corruption */
  async readText(entry: FileEntry, kind: TextKind): Promise<string> {
    return decoder.decode(await this.readSingle(entry, kind));
  }

  /** Writes a file of one block; durable only after `sync` of the key. */
  async writeSingle(number: number, kind: SingleKind, raw: Uint8Array): Promise<FileEntry> {
    const block = { name: kind, bytes: await this.#codec.deflate(raw), rawByteLength: raw.length, deflated: true };
    return await this.#write(`identities/${numbered(number)}`, await encodeContainer([block], { kind }));
  }

  async #write(key: string, bytes: Uint8Array): Promise<FileEntry> {
    await this.storage.write(key, bytes, { durable: false });
    return { key, byteLength: bytes.length, sha256: await sha256Of(this.#codec, bytes), footerCrc32: footerCrcOf(bytes) };
  }

  /** Reads the block back. @throws corruption */
  async readSingle(entry: FileEntry, kind: SingleKind): Promise<Uint8Array> {
    const bytes = await this.#readWhole(entry);
    const footer = this.#footer<{ kind: string }>(entry.key, bytes, bytes.length);
    const [block] = footer.blocks;
    if (footer.meta.kind !== kind || block === undefined) throw damaged(entry.key, `expected ${kind}, got a file of the kind ${String(footer.meta.kind)}`);
    return await readBlock(entry.key, bytes, block, this.#codec);
  }

  async #readWhole(entry: FileEntry): Promise<Uint8Array> {
    const bytes = await this.storage.read(entry.key);
    if (bytes === null || bytes.length !== entry.byteLength)
      throw damaged(entry.key, `expected ${entry.byteLength} bytes, but it is missing or has another length`);
    if (bytes.length >= TRAILER_BYTES) refuseOther(entry, bytes);
    return bytes;
  }

  #footer<M>(key: string, file: Uint8Array, byteLength: number): ContainerFooter<M> {
    const footer = decodeFooter<M>(key, file, byteLength);
    if ("need" in footer) throw damaged(key, `its footer needs ${footer.need} bytes of ${byteLength - TRAILER_BYTES}`);
    return footer;
  }

  #source(file: OpenedFile): SegmentSource {
    const release = file.release?.bind(file);
    return {
      read: (_key, start, end, allocate) => file.read({ start, end }, allocate),
      inflate: (bytes, byteLength) => this.#codec.inflate(bytes, byteLength),
      projects: this.#projectTexts,
      ...(release === undefined ? {} : { release }),
    };
  }

  async #inMemory(key: string, footer: ContainerFooter<SegmentMeta>, file: Uint8Array, budget: MemoryBudget): Promise<Segment> {
    const source = this.#source({ read: ({ start, end }) => Promise.resolve(file.subarray(start, end)) });
    const contents = { footer, links: await readLinks(key, footer, source), file: null };
    return new Segment(factsOf(key, file.length, footer), contents, source, budget);
  }

  async #segment(entry: SegmentEntry, footer: ContainerFooter<SegmentMeta>, tail: Uint8Array, file = this.#byKey(entry)): Promise<Segment> {
    const source = this.#source(file);
    const links = await readLinks(entry.key, footer, withTail(source, tail, entry.byteLength - tail.length));
    return new Segment(entry, { footer, links, file: smallFile(entry, tail) }, source, this.budget);
  }
}

type TextKind = "privacy" | "deletions";

type SingleKind = TextKind | "records" | "received";

/** A file of the manifest: held, or read by its key. */
type OpenedFile = {
  read(range: ByteRange, allocate?: Allocate): Promise<Uint8Array | null>;
  readNow?(range: ByteRange): Uint8Array | null;
  release?(): void;
};

type ReadFile = Pick<FileEntry, "key" | "byteLength">;

type ReadNow = (range: ByteRange) => Uint8Array | null;

/** Reads a whole file into memory, and then from there. @throws corruption */
async function rangesOf({ key, byteLength }: FileEntry, file: OpenedFile): Promise<ReadNow> {
  const bytes = await file.read({ start: 0, end: byteLength + 1 });
  if (bytes?.length !== byteLength) throw damaged(key, `expected ${byteLength} bytes, but it is missing or has another length`);
  return ({ start, end }) => bytes.subarray(start, end);
}

// Functions of the module: their closures do not keep the whole file.

/** @param isKept whether the block is read and checked now, and kept */
function blockReader(entry: ReadFile, block: BlockEntry, readNow: ReadNow, isKept: boolean): () => Uint8Array {
  const read = () => checkBlock(entry.key, block, readNow(rangeOf(entry, block)));
  return isKept ? keeper(new Uint8Array(read())) : read;
}

function keeper(bytes: Uint8Array): () => Uint8Array {
  return () => bytes;
}

function textReader(read: () => Uint8Array, byteLength: number, inflateNow: NonNullable<Codec["inflateNow"]>): () => string {
  return () => decoder.decode(inflateNow(read(), byteLength));
}

/** @throws corruption */
function rangeOf({ key, byteLength }: ReadFile, { name, offset, byteLength: blockByteLength }: BlockEntry): ByteRange {
  const end = offset + blockByteLength;
  if (!(offset >= 0 && end <= byteLength)) throw damaged(key, `block ${name}, at byte ${offset}, is cut short`);
  return { start: offset, end };
}

/** @throws corruption */
function footerNow<M>(entry: FileEntry, guessByteLength: number, readNow: (range: ByteRange) => Uint8Array | null): FoundFooter<M> {
  const reading = footerOf<M>(entry, guessByteLength);
  for (let step = reading.next(); ; step = reading.next(readNow(step.value))) if (step.done === true) return step.value;
}

interface FoundFooter<M> {
  readonly footer: ContainerFooter<M>;
  /** The bytes from the end of the file that were read. */
  readonly tail: Uint8Array;
}

/** Requests the end of a file until it contains the footer. @throws corruption */
function* footerOf<M>(entry: FileEntry, guessByteLength: number): Generator<ByteRange, FoundFooter<M>, Uint8Array | null> {
  const { key, byteLength } = entry;
  let guess = Math.min(byteLength, guessByteLength);
  for (;;) {
    const tail = yield { start: byteLength - guess, end: byteLength };
    if (tail === null || tail.length !== guess) throw damaged(key, `expected ${byteLength} bytes, but it is missing or shorter`);
    const footer = decodeFooter<M>(key, tail, byteLength);
    if (!("need" in footer)) {
      refuseOther(entry, tail);
      return { footer, tail };
    }
    guess = footer.need;
  }
}

/** @throws corruption: it is not the segment of the manifest */
function checkedSegment(entry: SegmentEntry, footer: ContainerFooter<SegmentMeta>): ContainerFooter<SegmentMeta> {
  const facts = factsOf(entry.key, entry.byteLength, footer);
  const names = Object.keys(facts) as (keyof SegmentFacts)[];
  if (names.some((name) => facts[name] !== entry[name])) throw damaged(entry.key, "it is not the segment that the manifest names");
  return footer;
}

function smallFile({ byteLength }: FileEntry, tail: Uint8Array): Uint8Array | null {
  return byteLength <= SMALL_FILE_BYTES && tail.length === byteLength ? tail : null;
}

/** Reads the end of a file from memory. A separate function, so that the segment's closures do not retain the tail, maybe the whole file. */
function withTail(source: SegmentSource, tail: Uint8Array, tailAt: number): SegmentSource {
  const read: SegmentSource["read"] = (key, start, end) =>
    start >= tailAt ? Promise.resolve(tail.subarray(start - tailAt, end - tailAt)) : source.read(key, start, end);
  return { ...source, read };
}

/** Refuses a file that is whole but not the one named, such as an older version. @throws corruption */
function refuseOther({ key, footerCrc32 }: FileEntry, tail: Uint8Array): void {
  const found = footerCrcOf(tail);
  if (found !== footerCrc32)
    throw damaged(key, `its footer has the checksum ${found}, the manifest expects ${footerCrc32}: it is another file, or its last bytes are damaged`);
}

function numbered(number: number): string {
  return String(number).padStart(10, "0");
}

/** Consecutive values of one dictionary, in a block of their own. */
interface StoredDelta {
  readonly name: string;
  readonly start: number;
  readonly count: number;
  /** Of all values together. */
  readonly charCount: number;
  /** Number of values that are not `""`. */
  readonly valueCount: number;
}

export interface DictionaryMeta {
  readonly kind: "dictionary";
  readonly deltas: readonly StoredDelta[];
  /** The codes whose values have hashes, in blocks behind those of the values; absent if there are none. */
  readonly hashes?: readonly Pick<StoredDelta, "name" | "start" | "count">[];
}

/** Values of one block: showing one of them reads the others too. */
const BLOCK_VALUE_COUNT = 1_024;
/** Longer values stand alone. */
const BLOCK_CHAR_COUNT = 32 * 1024;
/** Fewer values have no hashes: searching one block of texts is fast. */
const HASHED_COUNT_MIN = BLOCK_VALUE_COUNT;

function inBlocks({ name, start, values }: DictionaryDelta): DictionaryDelta[] {
  const blocks: DictionaryDelta[] = [];
  for (let from = 0, to = 0; from < values.length; from = to) {
    for (let charCount = 0; to < values.length && to - from < BLOCK_VALUE_COUNT && (to === from || charCount < BLOCK_CHAR_COUNT); to += 1) charCount += values[to]?.length ?? 0;
    blocks.push({ name, start: start + from, values: values.slice(from, to) });
  }
  return blocks;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Encodes a container with the new values of dictionaries, each block a JSON array of some values. */
export async function encodeDictionaryFile(added: readonly DictionaryDelta[], deflate: Deflate): Promise<Uint8Array> {
  const deltas = added.flatMap(inBlocks);
  const blocks: PackedBlock[] = [];
  for (const delta of deltas) {
    const raw = encoder.encode(JSON.stringify(delta.values));
    blocks.push({ name: delta.name, bytes: await deflate(raw), rawByteLength: raw.length, deflated: true });
  }
  const hashed = added.filter(({ values }) => values.length > HASHED_COUNT_MIN);
  for (const { name, values } of hashed) {
    const bytes = new Uint8Array(Uint32Array.from(values, valueHash).buffer);
    blocks.push({ name: `${name}.hashes`, bytes, rawByteLength: bytes.length, deflated: false });
  }
  const meta: DictionaryMeta = {
    kind: "dictionary",
    deltas: deltas.map(({ name, start, values }): StoredDelta => ({
      name, start, count: values.length, charCount: values.reduce((sum, { length }) => sum + length, 0), valueCount: values.filter((value) => value !== "").length,
    })),
    ...(hashed.length === 0 ? {} : { hashes: hashed.map(({ name, start, values }) => ({ name, start, count: values.length })) }),
  };
  return encodeContainer(blocks, meta);
}

/** @throws corruption */
function checkKind(key: string, { kind }: { readonly kind: string }): void {
  if (kind !== "dictionary") throw damaged(key, `expected dictionary values, got a file of the kind ${kind}`);
}

/** @throws corruption */
function hashReader(entry: ReadFile, block: BlockEntry | undefined, count: number, readNow: ReadNow, isKept: boolean): () => Uint32Array {
  if (block?.rawByteLength !== count * 4) throw damaged(entry.key, `expected a block of ${count} hashes, got ${block?.name ?? "none"}`);
  const read = blockReader(entry, block, readNow, isKept);
  return () => codesOfBytes(read(), 4) as Uint32Array;
}

/** Adds the values of a dictionary file to the dictionaries. @throws corruption */
async function applyDictionaryFile(
  key: string,
  file: Uint8Array,
  footer: ContainerFooter<DictionaryMeta>,
  codec: Codec,
  dictionaries: Pick<Dictionaries, "apply">,
): Promise<void> {
  checkKind(key, footer.meta);
  const { deltas, hashes = [] } = footer.meta;
  const readRange = ({ start, end }: ByteRange) => file.subarray(start, end);
  const hashed = new Map(hashes.map(({ name, start, count }, at) => [name, { start, hashes: hashReader({ key, byteLength: file.length }, footer.blocks[deltas.length + at], count, readRange, false)() }]));
  for (const [index, { name, start, count }] of deltas.entries()) {
    const block = footer.blocks[index];
    if (block === undefined) throw damaged(key, `block ${name} is missing`);
    const values = JSON.parse(decoder.decode(await readBlock(key, file, block, codec))) as string[];
    if (values.length !== count || !dictionaries.apply({ name, start, values }))
      throw damaged(key, `the values of ${name} do not continue the earlier ones`);
    const own = hashed.get(name);
    if (own !== undefined && values.some((value, at) => valueHash(value) !== own.hashes[start - own.start + at])) throw damaged(key, `the hashes of ${name} are not those of its values`);
  }
}

/** Reads the id links of a segment from its file. @throws corruption */
async function readLinks(key: string, { blocks }: ContainerFooter<SegmentMeta>, { read }: SegmentSource): Promise<LinkList> {
  const block = blocks.find(({ name }) => name === LINKS_BLOCK);
  return block === undefined ? NO_LINKS : linksOf(key, block, await read(key, block.offset, block.offset + block.byteLength));
}

/** @throws corruption */
function linksOf(key: string, block: BlockEntry, bytes: Uint8Array | null): LinkList {
  const links = block.deflated ? null : decodeLinks(checkBlock(key, block, bytes));
  if (links === null) throw damaged(key, `block ${block.name}, at byte ${block.offset}, has no list of links`);
  return links;
}

/** Checks and inflates a block of a file that is in memory. @throws corruption */
async function readBlock(key: string, file: Uint8Array, entry: BlockEntry, codec: Codec): Promise<Uint8Array> {
  return await codec.inflate(checkBlock(key, entry, file.subarray(entry.offset, entry.offset + entry.byteLength)), entry.rawByteLength);
}
