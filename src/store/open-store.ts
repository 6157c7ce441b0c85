import { MemoryBudget } from "../storage/segment/memory-budget.js";
import { StoreFiles } from "./files/files.js";
import { refuseStoresBelow } from "./files/manifest.js";
import { journalKey } from "./journal/journal.js";
import { takenOver } from "./live/claimed-manifest.js";
import { Store, type StoreOptions } from "./live/store.js";
import { recover, recoverBesideWriter, type Recovered } from "./recovery/recovery.js";
import type { Storage } from "./storage/storage.js";
import type { VerifyReport } from "./verify/verify.js";

/** Opens a store, creating it if missing. @throws store_locked, manifest_missing, corruption, storage_full, invalid_parameter */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { storage, readOnly } = options;
  // Before the lock, which creates a file.
  await refuseStoresBelow(storage);
  const lock = readOnly ? null : ((await storage.lock?.()) ?? null);
  let store: Store | null = null;
  try {
    const budget = options.budget ?? new MemoryBudget(options.memoryBudgetBytes);
    const files = new StoreFiles(storage, budget, options.sealWorker ?? null, readOnly);
    // Imported on demand: most stores are never damaged.
    if (options.quarantine === true) await (await import("./recovery/rarely-used.js")).salvageStore(storage, files);
    const recovered = await found(options, files);
    store = new Store(options, budget, files, lock, recovered);
    store.restore(recovered);
    if (!readOnly) await begin(store);
    return store;
  } catch (failure) {
    // If another process has taken over meanwhile, missing or foreign files are not damage.
    const isOurs = await lock?.isHeld?.().catch(() => true);
    const error = isOurs === false ? takenOver("its lock is gone", failure) : failure;
    // A lock that cannot be released ends with the process; the reason why the store does not open matters more.
    await (store === null ? lock?.release() : store.abandon())?.catch(() => undefined);
    throw error;
  }
}

async function found({ storage, readOnly, follow = null }: StoreOptions, files: StoreFiles): Promise<Recovered> {
  if (!readOnly) return await recover(storage, files, true);
  for (;;) {
    const recovered = await recoverBesideWriter(storage, files);
    // A reader of a single snapshot never has to take rows back.
    if (follow === null || recovered.manifest.clean || (await follow(storage, recovered.end))) return recovered;
    for (const segment of recovered.segments) segment.release();
  }
}

/** Claims the store: raises the epoch, starts a journal and removes files that no manifest names. */
async function begin(store: Store): Promise<void> {
  const { storage } = store;
  // A writer wrongly considered ended may still remove files by name, so never reuse a number that it may have used.
  store.skipFileNumbers((await store.files.lastNumber()) + 1);
  await store.rotateJournal();
  if (storage.openAppend !== undefined) await storage.sync([journalKey(store.journal?.number ?? 0)]);
  await store.writeManifest(({ epoch }) => ({ epoch: epoch + 1, clean: false }));
  await store.removeOldJournals();
  await store.removeOrphans();
}

/**
 * Checks every stored byte and every invariant of stored data without changing anything; a writer may be active.
 * Cost: reads all files once. Memory: the dictionaries, one segment at a time, and about 10 bytes per event.
 * @throws what reading throws (overloaded, internal), invalid_parameter for a directory of organizations; corruption is reported instead
 */
export async function verifyStore(storage: Storage): Promise<VerifyReport> {
  // Imported on demand: most programs never verify.
  const { verify } = await import("./recovery/rarely-used.js");
  return await verify(storage);
}
