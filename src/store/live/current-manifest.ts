import { MANIFEST_KEY, encodeManifest, withoutMark } from "../files/manifest.js";
import type { Manifest } from "../files/manifest.js";
import type { Storage } from "../storage/storage.js";
import type { Claim } from "./claim.js";

/** The manifest as it is stored, replaced as a whole, and the numbers of the files that it will name. */
export class CurrentManifest {
  #value: Manifest;
  #nextFile: number;
  /** Ends, and never rejects, when no manifest is being written. */
  #written: Promise<void> = Promise.resolve();

  /** @param nextFile the least number that no file has */
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

  /** No file gets a number below this one from now on. */
  skipFileNumbers(next: number): void {
    this.#nextFile = Math.max(this.#nextFile, next);
  }

  /**
   * Replaces the manifest, durably, before memory follows; one after the other. @throws store_locked
   * @param changesOf what becomes different of the manifest that then is
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

  /** A writer elsewhere has replaced it. */
  replaced(manifest: Manifest): void {
    this.#value = manifest;
  }

  /** Whether the stored manifest is for sure the one in memory: a writing that failed may have reached the disk. */
  async isStored(): Promise<boolean> {
    const stored = await this.storage.read(MANIFEST_KEY).catch(() => null);
    const known = encodeManifest(this.#value);
    return stored?.length === known.length && stored.every((byte, at) => byte === known[at]);
  }
}
