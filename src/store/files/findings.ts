import { crc32 } from "../../core/base/hash.js";
import { CONTAINER_START, TRAILER_BYTES, decodeFooter, footerCrcOf, type ContainerFooter } from "../../storage/segment/segment-file.js";
import type { FileEntry } from "./manifest.js";
import type { Storage } from "../storage/storage.js";
import { codecOf, sha256Of } from "../storage/codec.js";

/** A violated expectation: a checksum, or an invariant of stored data. */
export interface Finding {
  /** Key of the file. */
  readonly file: string;
  /** What was expected, and where. */
  readonly expected: string;
  /** What was found. */
  readonly found: string;
}

/** Findings kept per file: more add nothing about a file that is damaged throughout. */
const KEPT_PER_FILE = 20;

export class Findings {
  readonly kept: Finding[] = [];
  count = 0;
  readonly #countByFile = new Map<string, number>();

  add(file: string, expected: string, found: string): void {
    this.count += 1;
    const ofFile = (this.#countByFile.get(file) ?? 0) + 1;
    this.#countByFile.set(file, ofFile);
    if (ofFile <= KEPT_PER_FILE) this.kept.push({ file, expected, found });
  }

  get files(): readonly string[] {
    return [...this.#countByFile.keys()];
  }
}

/** Checks every byte of a file that the manifest names. Returns its footer; null if the file is damaged. */
export async function checkFile<M>(storage: Storage, entry: FileEntry, bytes: Uint8Array | null, findings: Findings): Promise<ContainerFooter<M> | null> {
  const { key, byteLength } = entry;
  const before = findings.count;
  if (bytes === null) findings.add(key, `a file of ${byteLength} bytes`, "none");
  else if (bytes.length !== byteLength) findings.add(key, `${byteLength} bytes`, String(bytes.length));
  if (bytes === null) return null;
  const digest = await sha256Of(codecOf(storage), bytes);
  if (digest !== entry.sha256) findings.add(key, `the SHA-256 ${entry.sha256}`, digest);
  const footer = checkContainer<M>(key, bytes, findings);
  if (footer !== null && footerCrcOf(bytes) !== entry.footerCrc32)
    findings.add(key, `a footer with the CRC-32 ${entry.footerCrc32}`, `the footer of another file, ${footerCrcOf(bytes)}`);
  return findings.count === before ? footer : null;
}

function checkContainer<M>(key: string, bytes: Uint8Array, findings: Findings): ContainerFooter<M> | null {
  const start = String.fromCharCode(...bytes.subarray(0, CONTAINER_START.length));
  if (start !== CONTAINER_START) findings.add(key, `${CONTAINER_START} at byte 0`, JSON.stringify(start));
  let footer: ReturnType<typeof decodeFooter<M>>;
  try {
    footer = decodeFooter<M>(key, bytes, bytes.length);
  } catch (error) {
    findings.add(key, `a whole footer before byte ${bytes.length}`, error instanceof Error ? error.message : String(error));
    return null;
  }
  if ("need" in footer) return null;
  let end = CONTAINER_START.length;
  for (const { name, offset, byteLength, crc32: expected } of footer.blocks) {
    const found = crc32(bytes.subarray(offset, offset + byteLength));
    if (found !== expected) findings.add(key, `the CRC-32 ${expected} of block ${name}, ${byteLength} bytes from byte ${offset} on`, String(found));
    if (offset < end || offset >= end + 8) findings.add(key, `block ${name} at the next multiple of 8 from byte ${end} on`, `it begins at byte ${offset}`);
    for (let at = end; at < offset; at += 1) if (bytes[at] !== 0) findings.add(key, `zeros from byte ${end} to ${offset}`, `${bytes[at]} at byte ${at}`);
    end = offset + byteLength;
  }
  const footerAt = bytes.length - TRAILER_BYTES - new DataView(bytes.buffer, bytes.byteOffset + bytes.length - TRAILER_BYTES).getUint32(0, true);
  if (end !== footerAt) findings.add(key, `the footer directly after the last block, at byte ${end}`, `it begins at byte ${footerAt}`);
  return footer;
}
