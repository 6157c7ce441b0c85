import { TRAILER_BYTES, damaged, footerCrcOf } from "../../segment/container.js";
import { codecOf, sha256Of } from "../files/check-file.js";
import { filesOf } from "../files/manifest.js";
import type { FileEntry, Manifest } from "../files/manifest.js";
import type { Storage } from "../storage/storage.js";

/** Copies files that manifests name from one storage to another, each once; those that are there already stay. */
export class CopiedFiles {
  readonly #former: ReadonlyMap<string, FileEntry>;
  readonly #settled = new Set<string>();
  #unsynced: string[] = [];
  /** Files copied so far. */
  fileCount = 0;
  /** Bytes of these. */
  byteLength = 0;

  /** @param former the manifest of the target: what it names is durable there */
  constructor(
    readonly from: Storage,
    readonly to: Storage,
    former: Manifest | null,
  ) {
    this.#former = new Map((former === null ? [] : filesOf(former)).map((entry) => [entry.key, entry]));
  }

  /** Makes all files of a manifest durable in the target. @throws corruption for what is damaged or gone, storage_full */
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
    // Left by a backup that was cut, maybe in memory alone.
    this.#unsynced.push(key);
    return true;
  }

  /** By length and footer: to read all of it is what `verify` is for. */
  async #isWhole({ key, byteLength, footerCrc32 }: FileEntry): Promise<boolean> {
    const tail = await this.to.read(key, { start: Math.max(byteLength - TRAILER_BYTES, 0), end: byteLength + 1 });
    return tail?.length === TRAILER_BYTES && footerCrcOf(tail) === footerCrc32;
  }

  async #copy({ key, byteLength, sha256 }: FileEntry): Promise<void> {
    const bytes = await this.from.read(key);
    if (bytes?.length !== byteLength) throw damaged(key, `expected ${byteLength} bytes, it is missing or has another length`);
    if ((await sha256Of(codecOf(this.from), bytes)) !== sha256) throw damaged(key, `expected the SHA-256 ${sha256}`);
    await this.to.write(key, bytes, { durable: false });
    this.#unsynced.push(key);
    this.fileCount += 1;
    this.byteLength += byteLength;
  }
}
