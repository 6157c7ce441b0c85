import { basename, dirname, join, resolve } from "node:path";
import { DaybookError, parameterError, shown } from "../base/errors.js";
import { refuseUnknown, type KnownOptions } from "../base/known-options.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import { takenOver } from "../store/live/claim.js";
import { checkKey, checkPrefix, clipRange, isKeyPart, keyTaken } from "../store/storage/key.js";
import type { AppendFile, ByteRange, Codec, HeldObject, Storage, StorageLock, WriteOptions } from "../store/storage/storage.js";
import type { FileSystem, OpenFile, OpenMode } from "../store/storage/file-system.js";
import { FileAppendFile, writeAll } from "./append-file.js";
import type { RefilledReserve } from "./disk-reserve.js";
import { DirectoryTree } from "./directory-tree.js";
import { kernelFileSystem } from "./kernel-file-system.js";
import type { HeldLock } from "./held-lock.js";
import { LockClaims, isClaim } from "./lock-claims.js";
import { type LockTerms, type LockWait, takeLock } from "./lock-file.js";
import { nativeCodec } from "./native-codec.js";
import { PRIVATE_MARK, createPrivateFile, isLeftover } from "./private-file.js";
import { type ProcessTable, machineProcesses } from "./process-table.js";
import { attempt, directoryError, isMissing } from "./storage-error.js";

/** Reads a range of a file, fewer bytes where it ends before. */
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

/** A file that is kept open: the kernel keeps its bytes, whatever becomes of its name. */
class HeldFile implements HeldObject {
  #readCount = 0;
  #isReleased = false;

  constructor(
    private readonly key: string,
    private readonly file: OpenFile,
  ) {}

  async read(range: ByteRange): Promise<Uint8Array> {
    if (this.#isReleased) throw new DaybookError("closed", `${this.key}: it is held no more`);
    this.#readCount += 1;
    try {
      return await attempt("read", this.key, () => readFully(this.file, range));
    } finally {
      this.#readCount -= 1;
      if (this.#isReleased) this.#close();
    }
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#close();
  }

  /** Not under a read: its handle may be that of another file by then. */
  #close(): void {
    if (this.#readCount === 0) void this.file.close().catch(() => undefined);
  }
}

export interface FileStorageOptions {
  /** What stands for the disk; default: this machine's. */
  readonly fileSystem?: FileSystem;
  /** Who may hold the lock; default: this machine's processes. */
  readonly processes?: ProcessTable;
  /**
   * How long, in ms, a lock counts that is not renewed, where its owner cannot be seen from here (another host or container); the owner renews it
   * six times meanwhile. The same for all who share the directory. Default 60,000.
   */
  readonly lockLeaseMs?: number;
  /**
   * Given: a lock whose owner cannot be seen is waited for as long as it is not renewed, at most `lockLeaseMs`; called once the wait begins.
   * Absent: `store_locked` at once, with `details.takeoverMs`.
   */
  readonly onLockWait?: (wait: LockWait) => void;
  /** Room for what takes data away on a full disk (`diskReserve`). Default: none. */
  readonly reserve?: RefilledReserve;
}

const KNOWN: KnownOptions<FileStorageOptions> = { fileSystem: true, processes: true, lockLeaseMs: true, onLockWait: true, reserve: true };

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

/**
 * Nothing where none was taken.
 * @param lock the one of the moment an operation began: a later one is another writer's
 * @throws store_locked, closed
 */
async function refuseLostLock(lock: HeldLock | null): Promise<void> {
  if (lock === null || (await lock.isHeld())) return;
  throw lock.isReleased ? new DaybookError("closed", "the store was closed: its lock is given back") : takenOver("its lock is gone");
}

/** Memory that may be set aside for bytes that are not there. */
const SHORT_RANGE_BYTES = 4 * 1024 * 1024;

class FileStorage implements Storage {
  readonly codec: Codec = nativeCodec;
  readonly reserve?: RefilledReserve;
  readonly #tree: DirectoryTree;
  readonly #claims: LockClaims;
  /** Taken through this storage. */
  #lock: HeldLock | null = null;

  constructor(
    private readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly processes: ProcessTable,
    private readonly lockTerms: LockTerms,
    /** Folders hold nothing of it. */
    private readonly isFlat: boolean,
    reserve: RefilledReserve | undefined,
  ) {
    if (reserve !== undefined) this.reserve = reserve;
    this.#tree = new DirectoryTree(fileSystem, root);
    this.#claims = new LockClaims(fileSystem, root, processes);
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
        return await this.#withFile(key, "read", async (file) => {
          // The end of a short range is found by reading it.
          const isShort = range !== undefined && range.end - range.start <= SHORT_RANGE_BYTES;
          return await readFully(file, isShort ? range : clipRange(range, await file.byteLength()));
        });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }

  async write(key: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
    const path = this.#pathOf(key);
    const durable = options.durable !== false;
    const lock = this.#lock;
    await attempt("write", key, async () => {
      await this.#tree.ensure(dirname(path));
      const temporaryPath = await this.#writeTemporary(path, bytes, durable);
      try {
        // Whoever takes the lock over removes our temporary files before anything else. While it is ours there is one, so behind this look either
        // the name is in place before they read, or it never will be: however long we stand still here.
        await refuseLostLock(lock);
        if (options.ifAbsent === true) await this.fileSystem.renameNew(temporaryPath, path);
        else await this.fileSystem.rename(temporaryPath, path);
      } catch (error) {
        await this.#discard(temporaryPath);
        if (isMissing(error)) await refuseLostLock(lock);
        throw (error as NodeJS.ErrnoException).code === "EEXIST" ? keyTaken(key) : error;
      }
      if (durable) await this.#tree.sync(dirname(path));
    });
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await attempt("remove", key, async () => {
      await refuseLostLock(this.#lock);
      try {
        await this.fileSystem.unlink(path).catch(ignoreMissing);
        // Also where there was none: it may have been removed by a call that failed, or by a process that died.
        await this.#tree.sync(dirname(path));
      } catch (error) {
        ignoreMissing(error);
      }
    });
    // What went leaves room, and a seal ends with it.
    await this.reserve?.refill();
  }

  async sync(keys: readonly string[]): Promise<void> {
    const lock = this.#lock;
    const directories = new Set(keys.map((key) => dirname(this.#pathOf(key))));
    await forEachInParallel(new Set(keys), (key) =>
      attempt("sync", key, async () => {
        try {
          await this.#withFile(key, "update", (file) => file.sync());
        } catch (error) {
          // To whoever took the store over it was a file that no manifest names.
          if (isMissing(error)) await refuseLostLock(lock);
          throw error;
        }
      }),
    );
    await forEachInParallel(directories, (directory) =>
      attempt("sync", basename(directory), () => this.#tree.sync(directory)),
    );
  }

  async openAppend(key: string): Promise<AppendFile> {
    const path = this.#pathOf(key);
    const lock = this.#lock;
    return attempt("open", key, async () => {
      await this.#tree.ensure(dirname(path));
      const file = await this.fileSystem.open(path, "append");
      try {
        // After the opening: what was opened while the lock was ours is not the file of whoever takes it over.
        await refuseLostLock(lock);
      } catch (error) {
        await file.close();
        throw error;
      }
      return new FileAppendFile(key, file, await file.byteLength(), () => this.#tree.sync(dirname(path)));
    });
  }

  async hold(key: string): Promise<HeldObject | null> {
    return attempt("open", key, async () => {
      try {
        return new HeldFile(key, await this.fileSystem.open(this.#pathOf(key), "read"));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }

  /**
   * Takes the store's lock, and removes the temporary files that others left behind.
   * @throws store_locked; invalid_parameter, read_only or storage_full naming the directory, where none can be made
   */
  async lock(): Promise<StorageLock> {
    await this.#makeRoot();
    return attempt("lock", "", async () => {
      const lock = await takeLock(this.#claims, this.lockTerms);
      this.#lock = lock;
      try {
        // One that stood still while it contended may have lost its claim already: what lies here is then not ours to remove.
        await refuseLostLock(lock);
        await this.#removeLeftovers();
      } catch (error) {
        await lock.release().catch(() => undefined);
        throw error;
      }
      await this.reserve?.refill();
      return lock;
    });
  }

  async #makeRoot(): Promise<void> {
    try {
      await this.#tree.ensure(this.root);
      await this.fileSystem.readDirectory(this.root);
    } catch (error) {
      throw directoryError(this.root, error);
    }
  }

  async #removeLeftovers(): Promise<void> {
    await this.#walk("", async (name, parent) => {
      if (isClaim(name) || !isLeftover(name, this.processes)) return;
      // One that stays could still get its name, from a process that only stood still.
      await this.fileSystem.unlink(join(this.root, parent, name)).catch(ignoreMissing);
    }, true);
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

  /**
   * Visits every file under `parent` (empty, or a path that ends with `/`), in no order; not in folders that no key leads to.
   * @param stays leaves out directories that have a lock of their own
   */
  async #walk(parent: string, visit: (name: string, parent: string) => Promise<void>, stays = false): Promise<void> {
    let entries;
    try {
      entries = await this.fileSystem.readDirectory(join(this.root, parent));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    if (stays && parent !== "" && entries.some(({ name }) => isClaim(name))) return;
    for (const { name, isDirectory } of entries) {
      if (!isDirectory) await visit(name, parent);
      else if (!this.isFlat && isKeyPart(name)) await this.#walk(`${parent}${name}/`, visit, stays);
    }
  }
}

/**
 * A storage in a directory, made where absent: one file per key, mode 0600, directories 0700. `write` resolves when the
 * content is synced, the name is in place and the directory is synced. One process at a time may hold the lock.
 */
export function fileStorage(directory: string, options: FileStorageOptions = {}): Required<Omit<Storage, "volatile" | "watch" | "reserve">> & Pick<Storage, "reserve"> {
  return storageIn(directory, options, false);
}

/** A file storage for keys without folders: taking its lock costs what the directory itself holds, whatever lies in the folders below. */
export function flatFileStorage(directory: string, options: FileStorageOptions = {}): Required<Omit<Storage, "volatile" | "watch" | "reserve">> & Pick<Storage, "reserve"> {
  return storageIn(directory, options, true);
}

function storageIn(directory: string, options: FileStorageOptions, isFlat: boolean): FileStorage {
  if (directory === "") throw new DaybookError("invalid_parameter", "directory: expected a path, got an empty text");
  refuseUnknown(options, KNOWN);
  const { fileSystem = kernelFileSystem, processes = machineProcesses(), lockLeaseMs = SERVER_LIMITS.lockLeaseMs, onLockWait, reserve } = options;
  if (!(Number.isFinite(lockLeaseMs) && lockLeaseMs >= SERVER_LIMITS.lockLeaseMsMin))
    throw parameterError("invalid_parameter", "lockLeaseMs", `expected a number of ms, at least ${SERVER_LIMITS.lockLeaseMsMin}, got ${shown(lockLeaseMs)}`);
  return new FileStorage(resolve(directory), fileSystem, processes, { leaseMs: lockLeaseMs, onWait: onLockWait }, isFlat, reserve);
}
