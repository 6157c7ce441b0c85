import { basename, dirname, join, resolve } from "node:path";
import { DaybookError } from "../base/errors.js";
import { checkKey, checkPrefix, clipRange, isKeyPart, keyTaken } from "../store/key.js";
import type { AppendFile, ByteRange, Codec, Storage, StorageLock, WriteOptions } from "../store/storage.js";
import { FileAppendFile, writeAll } from "./append-file.js";
import { DirectoryTree } from "./directory-tree.js";
import type { FileSystem, OpenFile, OpenMode } from "../store/file-system.js";
import { kernelFileSystem } from "./kernel-file-system.js";
import { takeLock } from "./lock-file.js";
import { nativeCodec } from "./native-codec.js";
import { PRIVATE_MARK, createPrivateFile, isLeftover } from "./private-file.js";
import { type ProcessTable, machineProcesses } from "./process-table.js";
import { attempt, isMissing } from "./storage-error.js";

export interface FileStorageOptions {
  /** What stands for the disk; default: this machine's. */
  readonly fileSystem?: FileSystem;
  /** Who may hold the lock; default: this machine's processes. */
  readonly processes?: ProcessTable;
}

/** Syncs in flight at once: file systems join them into one commit, and Node has four threads for them. */
const parallelSyncCount = 4;

async function forEachInParallel<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const work = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: parallelSyncCount }, work));
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

async function readFully(file: OpenFile, { start, end }: ByteRange): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let done = 0;
  while (done < bytes.length) {
    const byteLength = await file.read(bytes.subarray(done), start + done);
    if (byteLength === 0) break;
    done += byteLength;
  }
  return bytes.subarray(0, done);
}

class FileStorage implements Storage {
  readonly codec: Codec = nativeCodec;
  readonly #tree: DirectoryTree;

  constructor(
    private readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly processes: ProcessTable,
  ) {
    this.#tree = new DirectoryTree(fileSystem, root);
  }

  async list(prefix: string): Promise<string[]> {
    checkPrefix(prefix);
    const keys: string[] = [];
    const visit = (name: string, parent: string) => {
      const key = `${parent}${name}`;
      if (!name.includes(PRIVATE_MARK) && key.startsWith(prefix)) keys.push(key);
      return Promise.resolve();
    };
    await attempt("list", prefix, () => this.#walk(prefix.slice(0, prefix.lastIndexOf("/") + 1), visit));
    return keys.sort();
  }

  async read(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    clipRange(range, 0);
    return attempt("read", key, async () => {
      try {
        return await this.#withFile(key, "read", async (file) =>
          readFully(file, clipRange(range, await file.byteLength())),
        );
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }

  async write(key: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
    const path = this.#pathOf(key);
    const durable = options.durable !== false;
    await attempt("write", key, async () => {
      await this.#tree.ensure(dirname(path));
      const temporaryPath = await this.#writeTemporary(path, bytes, durable);
      try {
        if (options.ifAbsent === true) await this.fileSystem.renameNew(temporaryPath, path);
        else await this.fileSystem.rename(temporaryPath, path);
      } catch (error) {
        await this.#discard(temporaryPath);
        throw (error as NodeJS.ErrnoException).code === "EEXIST" ? keyTaken(key) : error;
      }
      if (durable) await this.#tree.sync(dirname(path));
    });
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await attempt("remove", key, async () => {
      try {
        await this.fileSystem.unlink(path).catch(ignoreMissing);
        // Also where there was none: it may have been removed by a call that failed, or by a process that died.
        await this.#tree.sync(dirname(path));
      } catch (error) {
        ignoreMissing(error);
      }
    });
  }

  async sync(keys: readonly string[]): Promise<void> {
    const directories = new Set(keys.map((key) => dirname(this.#pathOf(key))));
    await forEachInParallel(new Set(keys), (key) =>
      attempt("sync", key, () => this.#withFile(key, "update", (file) => file.sync())),
    );
    await forEachInParallel(directories, (directory) =>
      attempt("sync", basename(directory), () => this.#tree.sync(directory)),
    );
  }

  async openAppend(key: string): Promise<AppendFile> {
    const path = this.#pathOf(key);
    return attempt("open", key, async () => {
      await this.#tree.ensure(dirname(path));
      const file = await this.fileSystem.open(path, "append");
      return new FileAppendFile(key, file, await file.byteLength(), () => this.#tree.sync(dirname(path)));
    });
  }

  /** Takes the store's lock, and removes the temporary files of processes that ended while writing. */
  async lock(): Promise<StorageLock> {
    return attempt("lock", "", async () => {
      await this.#tree.ensure(this.root);
      const lock = await takeLock(this.fileSystem, this.root, this.processes);
      await this.#walk("", async (name, parent) => {
        if (isLeftover(name, this.processes)) await this.#discard(join(this.root, parent, name));
      });
      return lock;
    });
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.root, key);
  }

  async #withFile<T>(key: string, mode: OpenMode, run: (file: OpenFile) => Promise<T>): Promise<T> {
    const file = await this.fileSystem.open(this.#pathOf(key), mode);
    try {
      return await run(file);
    } finally {
      await file.close();
    }
  }

  async #writeTemporary(path: string, bytes: Uint8Array, durable: boolean): Promise<string> {
    const temporary = await createPrivateFile(this.fileSystem, dirname(path), basename(path), this.processes);
    try {
      await writeAll(temporary.file, bytes, 0);
      if (durable) await temporary.file.sync();
    } catch (error) {
      await temporary.file.close();
      await this.#discard(temporary.path);
      throw error;
    }
    await temporary.file.close();
    return temporary.path;
  }

  /** Removes a file that nobody will miss or look for. */
  async #discard(path: string): Promise<void> {
    await this.fileSystem.unlink(path).catch(() => undefined);
  }

  /** Visits every file under `parent` (empty, or a path that ends with `/`), in no order; not in folders that no key leads to. */
  async #walk(parent: string, visit: (name: string, parent: string) => Promise<void>): Promise<void> {
    let entries;
    try {
      entries = await this.fileSystem.readDirectory(join(this.root, parent));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    for (const { name, isDirectory } of entries) {
      if (!isDirectory) await visit(name, parent);
      else if (isKeyPart(name)) await this.#walk(`${parent}${name}/`, visit);
    }
  }
}

/**
 * A storage in a directory, made where absent: one file per key, mode 0600, directories 0700. `write` resolves when the
 * content is synced, the name is in place and the directory is synced. One process at a time may hold the lock.
 */
export function fileStorage(directory: string, options: FileStorageOptions = {}): Required<Omit<Storage, "volatile">> {
  if (directory === "") throw new DaybookError("invalid_parameter", "directory: expected a path, got an empty text");
  const { fileSystem = kernelFileSystem, processes = machineProcesses() } = options;
  return new FileStorage(resolve(directory), fileSystem, processes);
}
