import { DaybookError } from "../../base/errors.js";
import { MANIFEST_KEY, decodeManifest } from "../files/manifest.js";
import type { Storage, StorageLock } from "../storage/storage.js";

/**
 * The right to write a store. A process that stood still may have been taken for ended, by one that cannot see it: its lock is
 * then gone, and the epoch of the manifest has moved on.
 */
export class Claim {
  #error: DaybookError | null = null;

  /** @param onLost told once the store is known to be somebody else's */
  constructor(
    readonly storage: Storage,
    readonly lock: StorageLock | null,
    readonly onLost: (error: DaybookError) => void,
  ) {
    void lock?.lost?.then(() => this.#lost("its lock is gone"));
  }

  /** @throws store_locked, and whatever looking at the lock fails with: what cannot be looked at cannot be relied upon */
  async refuseLostLock(): Promise<void> {
    this.refuseLost();
    if ((await this.lock?.isHeld?.()) === false) throw this.#lost("its lock is gone");
  }

  /** Of what is known already. @throws store_locked */
  refuseLost(): void {
    if (this.#error !== null) throw this.#error;
  }

  /** @param epoch that of the manifest this process wrote or read last; @throws store_locked */
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

/** What a writer hears that is none any more. */
export function takenOver(reason: string, cause?: unknown): DaybookError {
  return new DaybookError("store_locked", `another process has taken the store over: ${reason}; close this one and open it again`, {}, { cause });
}

/** The epoch of a stored manifest; null where there is none that can be read: the one in memory then stands for it. */
function epochOf(manifest: Uint8Array | null): number | null {
  if (manifest === null) return null;
  try {
    return decodeManifest(manifest).epoch;
  } catch {
    return null;
  }
}
