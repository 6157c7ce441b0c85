import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import {
  cannotLengthen, checkKey, checkPrefix, clipRange, isKeyPart, type Allocate, type AppendFile, type ByteRange, type Codec, type HeldObject, type Storage,
  type StorageLock, type WriteOptions,
} from "../../store/storage/storage.js";
import type { OpenFile, FileSystem, OpenMode } from "../../store/storage/file-system.js";
import { attempt, attemptNow, PRIVATE_MARK, createPrivateFile, isLeftover, directoryError, isMissing, nullIfMissing, writeAll, readFullyNow } from "./private-files.js";
import { basename, dirname, join, resolve } from "node:path";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { takenOver } from "../../store/live/claimed-manifest.js";
import type { RefilledReserve } from "./disk-reserve.js";
import { DirectoryTree } from "./directory-tree.js";
import { kernelFileSystem } from "./kernel-file-system.js";
import { LockClaims, isClaim, takeLock, type HeldLock, type LockTerms, type LockWait } from "./lock-file.js";
import { nativeCodec } from "./native-codec.js";
import { machineProcesses, type ProcessTable } from "./process-table.js";

/** Appends to one file. A failed write does not change `byteLength`, where the next write starts. Operations run in the order of their calls. */
class FileAppendFile implements AppendFile {
  #byteLength: number;
  #nameIsDurable = false;
  #closed = false;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly key: string,
    private readonly file: OpenFile,
    byteLength: number,
    private readonly syncName: () => Promise<void>,
  ) {
    this.#byteLength = byteLength;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#enqueue("append to", async () => {
      await writeAll(this.file, bytes, this.#byteLength);
      this.#byteLength += bytes.length;
    });
  }

  sync(): Promise<void> {
    return this.#enqueue("sync", async () => {
      await this.file.sync();
      if (!this.#nameIsDurable) await this.syncName();
      this.#nameIsDurable = true;
    });
  }

  truncate(byteLength: number): Promise<void> {
    return this.#enqueue("truncate", async () => {
      if (!(byteLength >= 0 && byteLength <= this.#byteLength)) throw cannotLengthen(this.key, this.#byteLength, byteLength);
      await this.file.truncate(byteLength);
      this.#byteLength = byteLength;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const closing = this.#enqueue("close", () => this.file.close());
    this.#closed = true;
    await closing;
  }

  #enqueue(operation: string, run: () => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.reject(new DaybookError("closed", `${this.key}: the append file is closed`));
    const result = this.#tail.then(() => attempt(operation, this.key, run));
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

const newBytes: Allocate = (byteLength) => new Uint8Array(byteLength);

/** Reads a range of a file; fewer bytes if the file ends earlier. */
async function readFully(file: OpenFile, { start, end }: ByteRange, allocate: Allocate = newBytes): Promise<Uint8Array> {
  const bytes = allocate(end - start);
  let done = 0;
  while (done < bytes.length) {
    const byteLength = await file.read(bytes.subarray(done), start + done);
    if (byteLength === 0) break;
    done += byteLength;
  }
  return bytes.subarray(0, done);
}

/** An open file, whose bytes stay readable even if its name is removed. */
class HeldFile implements HeldObject {
  readonly readNow?: NonNullable<HeldObject["readNow"]>;
  #readCount = 0;
  #isReleased = false;

  constructor(
    private readonly key: string,
    private readonly file: OpenFile,
  ) {
    const { readNow } = file;
    if (readNow === undefined) return;
    this.readNow = (range) => {
      if (this.#isReleased) throw this.#released();
      return attemptNow("read", key, () => readFullyNow(readNow, range));
    };
  }

  async read(range: ByteRange, allocate?: Allocate): Promise<Uint8Array> {
    if (this.#isReleased) throw this.#released();
    this.#readCount += 1;
    try {
      return await attempt("read", this.key, () => readFully(this.file, range, allocate));
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

  #released(): DaybookError {
    return new DaybookError("closed", `${this.key}: the file was released`);
  }

  /** Closes the file after its last read, because the descriptor could be reused for another file. */
  #close(): void {
    if (this.#readCount === 0) void this.file.close().catch(() => undefined);
  }
}

export interface FileStorageOptions {
  /** Default: the file system of this machine. */
  readonly fileSystem?: FileSystem;
  /** The processes that may hold the lock; default: those of this machine. */
  readonly processes?: ProcessTable;
  /**
   * How long, in ms, a lock counts without renewal if its owner is not visible from here (another host or container). The owner renews it six times
   * in that time. Must be the same for all processes that share the directory. Default 60,000.
   */
  readonly lockLeaseMs?: number;
  /**
   * Set: waits up to `lockLeaseMs` for a lock whose owner is not visible, as long as it is not renewed; called when waiting starts. Absent: throws
   * `store_locked` at once, with `details.takeoverMs`.
   */
  readonly onLockWait?: (wait: LockWait) => void;
  /** Disk space for operations that delete data on a full disk (`diskReserve`). Default: none. */
  readonly reserve?: RefilledReserve;
}

const KNOWN: KnownOptions<FileStorageOptions> = { fileSystem: true, processes: true, lockLeaseMs: true, onLockWait: true, reserve: true };

/** File systems merge concurrent syncs into one commit, and Node has four threads for them. */
const PARALLEL_SYNC_COUNT = 4;

async function forEachInParallel<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const work = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: PARALLEL_SYNC_COUNT }, work));
}

/** @param lock as it was when the operation began, as a later one is of another opening; null: not checked @throws store_locked, closed */
async function refuseLostLock(lock: HeldLock | null): Promise<void> {
  if (lock === null || (await lock.isHeld())) return;
  throw lock.isReleased ? new DaybookError("closed", "the store was closed, and its lock released") : takenOver("its lock is gone");
}

/** Limits the memory allocated for bytes that may not exist. */
const SHORT_RANGE_BYTES = 4 * 1024 * 1024;

class FileStorage implements Storage {
  readonly codec: Codec = nativeCodec;
  readonly reserve?: RefilledReserve;
  readonly readNow?: NonNullable<Storage["readNow"]>;
  readonly #tree: DirectoryTree;
  readonly #claims: LockClaims;
  #lock: HeldLock | null = null;

  constructor(
    private readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly processes: ProcessTable,
    private readonly lockTerms: LockTerms,
    private readonly isFlat: boolean,
    reserve: RefilledReserve | undefined,
  ) {
    if (reserve !== undefined) this.reserve = reserve;
    if (fileSystem.readNow !== undefined) this.readNow = (key, range) => this.#readNow(key, range);
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

  async read(key: string, range?: ByteRange, allocate?: Allocate): Promise<Uint8Array | null> {
    clipRange(range, 0);
    const readRange = async (file: OpenFile) => {
      // A short range needs no size: reading finds its end.
      const isShort = range !== undefined && range.end - range.start <= SHORT_RANGE_BYTES;
      return await readFully(file, isShort ? range : clipRange(range, await file.byteLength()), allocate);
    };
    return attempt("read", key, () => this.#withFile(key, "read", readRange).catch(nullIfMissing));
  }

  #readNow(key: string, { start, end }: ByteRange): Uint8Array | null {
    return attemptNow("read", key, () => {
      try {
        return this.fileSystem.readNow?.(this.#pathOf(key), start, end - start) ?? null;
      } catch (error) {
        return nullIfMissing(error);
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
        // If the lock is still ours here, a process that takes it over later removes this temporary file before it reads anything. So the rename
        // either happens before that, or fails because the file is gone, however long this process stalls after the check.
        await refuseLostLock(lock);
        await this.fileSystem.rename(temporaryPath, path);
      } catch (error) {
        await this.#discard(temporaryPath);
        if (isMissing(error)) await refuseLostLock(lock);
        throw error;
      }
      if (durable) await this.#tree.sync(dirname(path));
    });
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await attempt("remove", key, async () => {
      await refuseLostLock(this.#lock);
      await this.fileSystem.unlink(path).catch(nullIfMissing);
      // Also if it was missing: a failed call or a dead process may have removed it.
      await this.#tree.sync(dirname(path)).catch(nullIfMissing);
    });
    // Removing frees space. A seal, for example, ends with a removal.
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
          // If another process has taken over the store, it removed this file, which no manifest names.
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
        // Checked after opening: a file opened while the lock was ours does not belong to a process that takes over.
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
      const file = await this.fileSystem.open(this.#pathOf(key), "read").catch(nullIfMissing);
      return file === null ? null : new HeldFile(key, file);
    });
  }

  /** Also removes temporary files of other processes. @throws store_locked; invalid_parameter, read_only or storage_full naming the directory */
  async lock(): Promise<StorageLock> {
    await this.#makeRoot();
    return attempt("lock", "", async () => {
      const lock = await takeLock(this.#claims, this.lockTerms);
      this.#lock = lock;
      try {
        // A process that stalled while contending may have lost its claim, and must then not remove these files.
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
      // Must succeed: a process that only stalled could still rename it into place.
      await this.fileSystem.unlink(join(this.root, parent, name)).catch(nullIfMissing);
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

  async #discard(path: string): Promise<void> {
    await this.fileSystem.unlink(path).catch(() => undefined);
  }

  /** In no order; skips folders that no key leads to. @param parent empty or ends with `/` @param skipsLocked skips directories with a lock */
  async #walk(parent: string, visit: (name: string, parent: string) => Promise<void>, skipsLocked = false): Promise<void> {
    const entries = (await this.fileSystem.readDirectory(join(this.root, parent)).catch(nullIfMissing)) ?? [];
    if (skipsLocked && parent !== "" && entries.some(({ name }) => isClaim(name))) return;
    for (const { name, isDirectory } of entries) {
      if (!isDirectory) await visit(name, parent);
      else if (!this.isFlat && isKeyPart(name)) await this.#walk(`${parent}${name}/`, visit, skipsLocked);
    }
  }
}

/**
 * A storage in a directory, which is created if missing: one file per key, mode 0600, directories 0700. `write` resolves when the content is synced,
 * the name is in place and the directory is synced. Only one process at a time can hold the lock.
 */
export function fileStorage(
  directory: string,
  options: FileStorageOptions = {},
): Required<Omit<Storage, "volatile" | "watch" | "reserve" | "readNow">> & Pick<Storage, "reserve" | "readNow"> {
  return storageIn(directory, options, false);
}

/** A file storage for keys without folders: taking the lock reads only the directory itself, not its folders. */
export function flatFileStorage(
  directory: string,
  options: FileStorageOptions = {},
): Required<Omit<Storage, "volatile" | "watch" | "reserve" | "readNow">> & Pick<Storage, "reserve" | "readNow"> {
  return storageIn(directory, options, true);
}

function storageIn(directory: string, options: FileStorageOptions, isFlat: boolean): FileStorage {
  if (directory === "") throw new DaybookError("invalid_parameter", "directory: expected a path, got an empty text");
  rejectUnknownOptions(options, KNOWN);
  const { fileSystem = kernelFileSystem, processes = machineProcesses(), lockLeaseMs = SERVER_LIMITS.lockLeaseMs, onLockWait, reserve } = options;
  if (!(Number.isFinite(lockLeaseMs) && lockLeaseMs >= SERVER_LIMITS.lockLeaseMsMin))
    throw parameterError(
      "invalid_parameter",
      "lockLeaseMs",
      `expected a number of ms, at least ${SERVER_LIMITS.lockLeaseMsMin}, got ${shown(lockLeaseMs)}`,
    );
  return new FileStorage(resolve(directory), fileSystem, processes, { leaseMs: lockLeaseMs, onWait: onLockWait }, isFlat, reserve);
}
