import { DaybookError, parameterError, shown } from "../base/errors.js";
import { checkKey, checkPrefix, clipRange, isKeyPart, keyTaken } from "../store/storage/key.js";
import type { AppendFile, ByteRange, Storage, StorageLock, WriteOptions } from "../store/storage/storage.js";
import { OpfsAppendFile } from "./opfs-append-file.js";
import { OpfsDirectories } from "./opfs-directories.js";
import { attempt, isChanged, isMissing } from "./opfs-error.js";
import { canOpenFiles, moveFile, openFile, readGrowing, readSnapshot, refuseReaders, removeFile, writeAll } from "./opfs-file.js";
import { alone, takeWebLock } from "./web-lock.js";

/** Of files that have no name yet; no key leads there. */
const TEMPORARY = "~";
/** How often a file that is changed meanwhile is read; a worker opens it after the first few, as that always comes to an end. */
const READ_ATTEMPT_COUNT = 200;
const SNAPSHOT_ATTEMPT_COUNT = 3;

class OpfsStorage implements Storage {
  readonly #directories: OpfsDirectories;
  /** What is open for appending: browsers may refuse to open it once more. */
  readonly #appended = new Map<string, OpfsAppendFile>();

  constructor(private readonly name: string) {
    this.#directories = new OpfsDirectories(name);
  }

  async list(prefix: string): Promise<string[]> {
    checkPrefix(prefix);
    return attempt("list", prefix, async () => {
      const keys: string[] = [];
      const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      for await (const key of this.#directories.keys(folder)) if (key.startsWith(prefix)) keys.push(key);
      return keys.sort();
    });
  }

  async read(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    checkKey(key);
    clipRange(range, 0);
    return attempt("read", key, async () => {
      for (let count = 1; ; count += 1) {
        try {
          const file = await this.#find(key);
          if (file === null) return null;
          const grows = count > SNAPSHOT_ATTEMPT_COUNT && canOpenFiles();
          return await (grows ? readGrowing(file, range) : readSnapshot(file, range));
        } catch (error) {
          if (isMissing(error)) return null;
          if (!isChanged(error) || count === READ_ATTEMPT_COUNT) throw error;
        }
      }
    });
  }

  async write(key: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
    checkKey(key);
    await attempt("write", key, async () => {
      const { folder, name } = placeOf(key);
      const directory = await this.#directories.make(folder);
      const temporaries = await this.#directories.make(TEMPORARY);
      const file = await temporaries.getFileHandle(crypto.randomUUID(), { create: true });
      try {
        await fill(file, bytes, options.durable !== false);
        if (options.ifAbsent === true) await alone(this.name, key, () => this.#moveNew(file, directory, key));
        else await moveFile(file, directory, name);
      } catch (error) {
        await temporaries.removeEntry(file.name).catch(() => undefined);
        throw error;
      }
    });
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await attempt("remove", key, async () => {
      const { folder, name } = placeOf(key);
      try {
        const directory = await this.#directories.find(folder);
        if (directory !== null) await removeFile(directory, name);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  /** Of the content alone: browsers offer nothing that makes names durable. */
  async sync(keys: readonly string[]): Promise<void> {
    keys.forEach(checkKey);
    for (const key of new Set(keys)) {
      const appended = this.#appended.get(key);
      await (appended === undefined ? attempt("sync", key, () => this.#syncFile(key)) : appended.sync());
    }
  }

  async openAppend(key: string): Promise<AppendFile> {
    checkKey(key);
    return attempt("open", key, async () => {
      const { folder, name } = placeOf(key);
      const directory = await this.#directories.make(folder);
      const handle = await openFile(await directory.getFileHandle(name, { create: true }));
      const file = new OpfsAppendFile(key, handle, () => this.#appended.delete(key));
      this.#appended.set(key, file);
      return file;
    });
  }

  /** Takes the store's lock, and removes the temporary files that others left behind. @throws store_locked, not_supported */
  async lock(): Promise<StorageLock> {
    return attempt("lock", "", async () => {
      const temporaries = await this.#directories.make(TEMPORARY);
      refuseReaders();
      const lock = await takeWebLock(this.name);
      try {
        for await (const name of temporaries.keys()) await temporaries.removeEntry(name).catch(() => undefined);
      } catch (error) {
        await lock.release();
        throw error;
      }
      return lock;
    });
  }

  async #find(key: string): Promise<FileSystemFileHandle | null> {
    const { folder, name } = placeOf(key);
    const directory = await this.#directories.find(folder);
    return directory === null ? null : await directory.getFileHandle(name);
  }

  async #moveNew(file: FileSystemFileHandle, directory: FileSystemDirectoryHandle, key: string): Promise<void> {
    const { name } = placeOf(key);
    const isFree = await directory.getFileHandle(name).then(() => false, isMissing);
    if (!isFree) throw keyTaken(key);
    await moveFile(file, directory, name);
  }

  async #syncFile(key: string): Promise<void> {
    const file = await this.#find(key);
    if (file === null) throw new DaybookError("internal", `storage key ${key} to sync is absent`, { key });
    const handle = await openFile(file);
    try {
      handle.flush();
    } finally {
      handle.close();
    }
  }
}

function placeOf(key: string): { readonly folder: string; readonly name: string } {
  const slash = key.lastIndexOf("/");
  return { folder: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}

async function fill(file: FileSystemFileHandle, bytes: Uint8Array, durable: boolean): Promise<void> {
  const handle = await openFile(file);
  try {
    writeAll(handle, bytes, 0);
    if (durable) handle.flush();
  } finally {
    handle.close();
  }
}

/**
 * A storage in the private file system of the page's origin: a directory of this name, made where absent, one file per key. It is written from a
 * dedicated worker, by one tab or worker at a time; others may read meanwhile, pages too. What it outlives is in docs/browser.md.
 * @param name 1 to 128 characters `[a-zA-Z0-9._-]`
 * @throws invalid_parameter
 */
export function opfsStorage(name: string): Storage & Required<Pick<Storage, "openAppend" | "lock">> {
  if (typeof name !== "string" || !isKeyPart(name) || name === "." || name === "..")
    throw parameterError("invalid_parameter", "name", `expected 1 to 128 characters [a-zA-Z0-9._-], got ${shown(name)}`);
  return new OpfsStorage(name);
}
