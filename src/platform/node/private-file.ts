import { join } from "node:path";
import type { FileSystem, OpenFile } from "../../store/storage/file-system.js";
import { type ProcessIdentity, type ProcessTable, identityText, isSameProcess } from "./process-table.js";

/** A character that no key contains: a file with it in its name is never an object. */
export const PRIVATE_MARK = "~";

/** The pid namespace is absent on machines without namespaces. */
const privateName = /^[^~]+~(\d+)~([^~]*)~([^~]*)~(?:([^~+]*)\+)?([^~+]*)~\d+$/;

/** The process that created a lock or temporary file, from its name; null for any other name. */
export function ownerOf(name: string): ProcessIdentity | null {
  const match = privateName.exec(name);
  if (match === null) return null;
  const [, pid = "", startTime = "", bootId = "", pidNamespace = "", host = ""] = match;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host };
}

/**
 * Whether a temporary file can be removed once the lock is ours: its owner is neither this process nor one that certainly runs. A process that cannot
 * be seen may have lost the lock to us, and must not complete the file.
 */
export function isLeftover(name: string, processes: ProcessTable): boolean {
  const owner = ownerOf(name);
  return owner !== null && !isSameProcess(owner, processes.current) && processes.stateOf(owner) !== "running";
}

let createdCount = 0;

export interface PrivateFile {
  readonly name: string;
  readonly path: string;
  readonly file: OpenFile;
}

/** Creates a file that belongs to this process alone: `<stem>~<process>~<number>`. */
export async function createPrivateFile(
  fileSystem: FileSystem,
  directory: string,
  stem: string,
  processes: ProcessTable,
): Promise<PrivateFile> {
  for (;;) {
    createdCount += 1;
    const name = `${stem}~${identityText(processes.current)}~${createdCount}`;
    const path = join(directory, name);
    try {
      return { name, path, file: await fileSystem.open(path, "create") };
    } catch (error) {
      // Another thread of this process, or a second copy of this module, also counts from 1.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
