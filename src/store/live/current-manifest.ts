import { MANIFEST_KEY, encodeManifest, withoutMark } from "../files/manifest.js";
import type { Manifest } from "../files/manifest.js";
import type { Storage } from "../storage/storage.js";
import type { Claim } from "./claim.js";

/** The manifest as stored, replaced as a whole, and the numbers for new files. */
export class CurrentManifest {
  #value: Manifest;
  #nextFile: number;
  /** Resolves once no manifest is being written; never rejects. */
  #written: Promise<void> = Promise.resolve();

  /** @param nextFile number of the next file, if greater than the manifest's */
  constructor(
    readonly storage: Storage,
    readonly claim: Claim,
    value: Manifest,
    nextFile: number,
  ) {
    this.#value = value;
    this.#nextFile = Math.max(value.nextFile, nextFile);
  }

  get value(): Manifest {
    return this.#value;
  }

  takeFileNumber(): number {
    this.#nextFile += 1;
    return this.#nextFile - 1;
  }

  /** Makes new file numbers start at `next` or above. */
  skipFileNumbers(next: number): void {
    this.#nextFile = Math.max(this.#nextFile, next);
  }

  /**
   * Replaces the manifest durably, before memory changes; writes run one after another.
   * @param changesOf returns the changes to the manifest that is current then
   * @throws store_locked
   */
  write(changesOf: (manifest: Manifest) => Partial<Manifest>): Promise<void> {
    const writing = this.#written.then(() => this.#replace(changesOf));
    this.#written = writing.catch(() => undefined);
    return writing;
  }

  async #replace(changesOf: (manifest: Manifest) => Partial<Manifest>): Promise<void> {
    await this.claim.refuseTakenOver(this.#value.epoch);
    const manifest = { ...withoutMark(this.#value), ...changesOf(this.#value), nextFile: this.#nextFile };
    await this.storage.write(MANIFEST_KEY, encodeManifest(manifest));
    this.#value = manifest;
  }

  /** Accepts the manifest that another writer stored. */
  replaced(manifest: Manifest): void {
    this.#value = manifest;
  }

  /** Whether the stored manifest certainly equals the one in memory: a failed write may have reached the disk. */
  async isStored(): Promise<boolean> {
    const stored = await this.storage.read(MANIFEST_KEY).catch(() => null);
    const known = encodeManifest(this.#value);
    return stored?.length === known.length && stored.every((byte, at) => byte === known[at]);
  }
}
