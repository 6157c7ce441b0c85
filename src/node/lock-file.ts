import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../base/errors.js";
import type { StorageLock } from "../store/storage.js";
import type { FileSystem } from "../store/file-system.js";
import { type PrivateFile, createPrivateFile, ownerOf } from "./private-file.js";
import type { ProcessIdentity, ProcessTable } from "./process-table.js";
import { attempt, isMissing } from "./storage-error.js";

// Everyone who wants the lock first creates a claim (a file under a name of its own that tells the process), then
// looks for claims of others. Of two holders the later claim would have been made while the earlier one stood, so its
// maker would have seen it: there is never a second holder. The claim of an ended process is removed by whoever sees
// it; as names are never used again, this cannot hit a claim in use. Of claims made at the same moment the smallest
// name stays and waits for the rest to go. A claim with content is a held lock.
const stem = "LOCK";
const pollMs = 5;
const waitMsMax = 2_000;

interface Claim {
  readonly name: string;
  readonly owner: ProcessIdentity;
}

async function removeFile(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function claimsOfOthers(
  fileSystem: FileSystem,
  directory: string,
  own: PrivateFile,
  processes: ProcessTable,
): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const { name } of await fileSystem.readDirectory(directory)) {
    const owner = name.startsWith(`${stem}~`) && name !== own.name ? ownerOf(name) : null;
    if (owner === null) continue;
    if (processes.isRunning(owner)) claims.push({ name, owner });
    else await removeFile(fileSystem, join(directory, name));
  }
  return claims;
}

/** Null where there is no such file. */
async function byteLengthOf(fileSystem: FileSystem, path: string): Promise<number | null> {
  try {
    const file = await fileSystem.open(path, "read");
    try {
      return await file.byteLength();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function lockedBy({ name, owner }: Claim, current: ProcessIdentity): DaybookError {
  const where = owner.host === current.host ? "" : ` on host ${owner.host}`;
  const who = where === "" && owner.pid === current.pid ? `this process (pid ${owner.pid})` : `process ${owner.pid}${where}`;
  const advice = where === "" ? "close it there first" : "if that process has ended, remove the lock file";
  const message = `The store is open in ${who}, as its lock file ${name} says: ${advice}.`;
  return new DaybookError("store_locked", message, { pid: owner.pid, host: owner.host, lockFile: name });
}

async function waitUntilAlone(
  fileSystem: FileSystem,
  directory: string,
  own: PrivateFile,
  processes: ProcessTable,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const others = await claimsOfOthers(fileSystem, directory, own, processes);
    if (others.length === 0) return;
    for (const other of others) {
      const yields = other.name < own.name || waitedMs >= waitMsMax;
      if (yields || ((await byteLengthOf(fileSystem, join(directory, other.name))) ?? 0) > 0) throw lockedBy(other, processes.current);
    }
    await sleep(pollMs);
  }
}

/** Takes the lock of a directory, which must exist. Nothing is synced: a loss of power ends every holder anyway. @throws store_locked */
export async function takeLock(
  fileSystem: FileSystem,
  directory: string,
  processes: ProcessTable,
): Promise<StorageLock> {
  const own = await createPrivateFile(fileSystem, directory, stem, processes);
  try {
    await waitUntilAlone(fileSystem, directory, own, processes);
    await own.file.write(new TextEncoder().encode("held\n"), 0);
  } catch (error) {
    await removeFile(fileSystem, own.path);
    throw error;
  } finally {
    await own.file.close();
  }
  return {
    isHeld: async () => (await byteLengthOf(fileSystem, own.path)) !== null,
    release: () => attempt("unlock", "", () => removeFile(fileSystem, own.path)),
  };
}
