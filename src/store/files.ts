import { sha256, toHex } from "../base/hash.js";
import type { Dictionaries, DictionaryDelta } from "../column/dictionaries.js";
import { TRAILER_BYTES, damaged, decodeFooter } from "../segment/container.js";
import type { ContainerFooter } from "../segment/container.js";
import type { MemoryBudget } from "../segment/memory-budget.js";
import type { MergedRows } from "../segment/merge-rows.js";
import { Segment } from "../segment/segment.js";
import { encodeSegment } from "../segment/segment-file.js";
import type { SegmentMeta } from "../segment/segment-file.js";
import { defaultCodec } from "./codec.js";
import { applyDictionaryFile, encodeDictionaryFile } from "./dictionary-file.js";
import type { DictionaryMeta } from "./dictionary-file.js";
import type { FileEntry, SegmentEntry } from "./manifest.js";
import type { Codec, Storage } from "./storage.js";

/** Bytes read from the end of a segment file at opening: most footers fit, and the whole of a small day, which is then kept. */
const FOOTER_GUESS_BYTES = 16 * 1024;

/** Reads and writes the immutable files of a store: segments and dictionaries. */
export class StoreFiles {
  readonly #codec: Codec;

  constructor(
    readonly storage: Storage,
    readonly budget: MemoryBudget,
  ) {
    this.#codec = storage.codec ?? defaultCodec;
  }

  /** Writes a segment; durable only after `sync` named its key. */
  async writeSegment(number: number, merged: MergedRows): Promise<{ entry: SegmentEntry; segment: Segment }> {
    const key = `segments/${numbered(number)}`;
    const { bytes, meta } = await encodeSegment(merged, (raw) => this.#codec.deflate(raw));
    await this.storage.write(key, bytes, { durable: false });
    const footer = this.#footer<SegmentMeta>(key, bytes, bytes.length);
    const entry = { ...this.#entry(key, bytes), day: meta.day, rowCount: meta.rowCount };
    return { entry, segment: this.#segment(entry, footer, bytes) };
  }

  /** Opens a segment: its footer is read, its columns are not. @throws corruption */
  async openSegment(entry: SegmentEntry): Promise<Segment> {
    const { key, byteLength } = entry;
    let guess = Math.min(byteLength, FOOTER_GUESS_BYTES);
    for (;;) {
      const tail = await this.storage.read(key, { start: byteLength - guess, end: byteLength });
      if (tail === null || tail.length !== guess) throw damaged(key, `expected ${byteLength} bytes, it is missing or shorter`);
      const footer = decodeFooter<SegmentMeta>(key, tail, byteLength);
      if (!("need" in footer)) {
        const { day, rowCount } = footer.meta;
        if (day !== entry.day || rowCount !== entry.rowCount) throw damaged(key, "it is not the segment that the manifest names");
        return this.#segment(entry, footer, tail);
      }
      guess = footer.need;
    }
  }

  /** Writes dictionary values; durable only after `sync` named its key. */
  async writeDictionaries(number: number, deltas: readonly DictionaryDelta[]): Promise<FileEntry> {
    const key = `dictionaries/${numbered(number)}`;
    const bytes = await encodeDictionaryFile(deltas, (raw) => this.#codec.deflate(raw));
    await this.storage.write(key, bytes, { durable: false });
    return this.#entry(key, bytes);
  }

  /** Reads dictionary values back. @throws corruption */
  async readDictionaries(entry: FileEntry, dictionaries: Dictionaries): Promise<void> {
    const bytes = await this.storage.read(entry.key);
    if (bytes === null || bytes.length !== entry.byteLength)
      throw damaged(entry.key, `expected ${entry.byteLength} bytes, it is missing or has another length`);
    const footer = this.#footer<DictionaryMeta>(entry.key, bytes, bytes.length);
    await applyDictionaryFile(entry.key, bytes, footer, (raw, length) => this.#codec.inflate(raw, length), dictionaries);
  }

  #entry(key: string, bytes: Uint8Array): FileEntry {
    const digest = this.#codec.sha256?.(bytes) ?? sha256(bytes);
    return { key, byteLength: bytes.length, sha256: toHex(digest) };
  }

  #footer<M>(key: string, file: Uint8Array, byteLength: number): ContainerFooter<M> {
    const footer = decodeFooter<M>(key, file, byteLength);
    if ("need" in footer) throw damaged(key, `its footer needs ${footer.need} bytes of ${byteLength - TRAILER_BYTES}`);
    return footer;
  }

  #segment(entry: SegmentEntry, footer: ContainerFooter<SegmentMeta>, tail: Uint8Array): Segment {
    const { storage } = this;
    const source = {
      read: (key: string, start: number, end: number) => storage.read(key, { start, end }),
      inflate: (bytes: Uint8Array, byteLength: number) => this.#codec.inflate(bytes, byteLength),
    };
    const isSmall = entry.byteLength <= FOOTER_GUESS_BYTES && tail.length === entry.byteLength;
    return new Segment(entry.key, entry.byteLength, footer, source, this.budget, isSmall ? tail : null);
  }
}

function numbered(number: number): string {
  return String(number).padStart(10, "0");
}
