import { DaybookError } from "../../core/base/errors.js";
import { MANIFEST_KEY, decodeManifest, encodeManifest, withoutMark, type Manifest } from "../files/manifest.js";
import type { Storage, StorageLock } from "../storage/storage.js";

/**
 * The right to write a store. If this process stalled, one that cannot see it may have considered it ended and taken over:
 * then its lock is gone, and the epoch of the manifest has advanced.
 */
export class Claim {
  #error: DaybookError | null = null;

  /** @param onLost called once another process is known to own the store */
  constructor(
    readonly storage: Storage,
    readonly lock: StorageLock | null,
    readonly onLost: (error: DaybookError) => void,
  ) {
    void lock?.lost?.then(() => this.#lost("its lock is gone"));
  }

  /** @throws store_locked, and errors of the lock check: a lock that cannot be checked cannot be relied upon */
  async refuseLostLock(): Promise<void> {
    this.refuseLost();
    if ((await this.lock?.isHeld?.()) === false) throw this.#lost("its lock is gone");
  }

  /** Checks only what is already known. @throws store_locked */
  refuseLost(): void {
    if (this.#error !== null) throw this.#error;
  }

  /** @param epoch epoch of the manifest that this process wrote or read last @throws store_locked */
  async refuseTakenOver(epoch: number): Promise<void> {
    await this.refuseLostLock();
    const stored = epochOf(await this.storage.read(MANIFEST_KEY));
    if (stored !== null && stored !== epoch) throw this.#lost(`its manifest has epoch ${stored}, this process writes ${epoch}`);
  }

  #lost(reason: string): DaybookError {
    this.#error ??= takenOver(reason);
    this.onLost(this.#error);
    return this.#error;
  }
}

export function takenOver(reason: string, cause?: unknown): DaybookError {
  return new DaybookError("store_locked", `another process has taken over the store: ${reason}; close this Daybook and open it again`, {}, { cause });
}

/** The epoch of a stored manifest; null if it is missing or unreadable, then the manifest in memory counts. */
function epochOf(manifest: Uint8Array | null): number | null {
  if (manifest === null) return null;
  try {
    return decodeManifest(manifest).epoch;
  } catch {
    return null;
  }
}

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
