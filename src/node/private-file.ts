import { join } from "node:path";
import type { FileSystem, OpenFile } from "../store/storage/file-system.js";
import { type ProcessIdentity, type ProcessTable, identityText, isSameProcess } from "./process-table.js";

/** The character that no key holds: a name with it is never an object. */
export const PRIVATE_MARK = "~";

/** The pid namespace is missing in names of a machine that has none. */
const privateName = /^[^~]+~(\d+)~([^~]*)~([^~]*)~(?:([^~+]*)\+)?([^~+]*)~\d+$/;

/** The process that made a lock or temporary file, from its name; null for the name of anything else. */
export function ownerOf(name: string): ProcessIdentity | null {
  const match = privateName.exec(name);
  if (match === null) return null;
  const [, pid = "", startTime = "", bootId = "", pidNamespace = "", host = ""] = match;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host };
}

/**
 * True for a temporary file that nobody may go on with once the lock is ours: not of this process, nor of one that certainly
 * runs. A process that cannot be seen may have lost the lock to us; what it has not finished it must not finish.
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

/** Creates a file of this process that no other has: `<stem>~<process>~<number>`. */
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
      // Another thread of this process, or a second copy of this module, counts from 1 too.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
