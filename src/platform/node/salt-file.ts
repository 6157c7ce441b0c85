import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import type { SaltKeeper } from "../../http/index.js";
import { linkError, NO_FOLLOW } from "./private-files.js";

/** Readable only by its owner. */
const MODE = 0o600;

/** Stores salts of visitors in a file, overwritten in place, because replacing the file would leave the old bytes on the disk. */
export function saltFile(path: string): SaltKeeper {
  return {
    read: async () => {
      try {
        return await readFile(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },
    keep: async (bytes) => {
      const file = await open(path, constants.O_RDWR | constants.O_CREAT | NO_FOLLOW, MODE).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "ELOOP" ? linkError(path, error) : error;
      });
      try {
        // An existing file may be readable by others.
        await file.chmod(MODE);
        await file.write(bytes, 0, bytes.length, 0);
        await file.truncate(bytes.length);
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}
