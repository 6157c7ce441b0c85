import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage, type Storage } from "daybook";
import { fileStorage } from "daybook/node";
import type { Random } from "daybook/testing";
import { lastingMemory } from "../store/objects.js";

/** A new storage, of files or in memory, which may last or take whole objects only; and how to remove it. */
export async function randomStorage(
  random: Random,
  onFiles: boolean,
): Promise<{ readonly storage: Storage; remove(): Promise<void> }> {
  if (onFiles) {
    const directory = await mkdtemp(join(tmpdir(), "daybook-oracle-"));
    return { storage: fileStorage(directory), remove: () => rm(directory, { recursive: true }) };
  }
  const storage = random.pick([memoryStorage, lastingMemory, () => wholeObjectsOnly(memoryStorage())])();
  return { storage, remove: async () => {} };
}

function wholeObjectsOnly(storage: Storage): Storage {
  return {
    list: (prefix) => storage.list(prefix),
    read: (key, range) => storage.read(key, range),
    write: (key, bytes, options) => storage.write(key, bytes, options),
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
  };
}
