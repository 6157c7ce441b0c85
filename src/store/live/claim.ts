import { DaybookError } from "../../core/base/errors.js";
import { MANIFEST_KEY, decodeManifest } from "../files/manifest.js";
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

/** The error for a writer that has lost the store. */
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
