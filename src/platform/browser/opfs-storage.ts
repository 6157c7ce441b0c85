import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import {
  checkKey, checkPrefix, clipRange, isKeyPart, cannotLengthen, type Allocate, type AppendFile, type ByteRange, type Storage, type StorageLock,
  type WriteOptions,
} from "../../store/storage/storage.js";
import {
  OpenFiles, attempt, isChanged, isMissing, isOpenElsewhere, nullIfMissing, canOpenFiles, moveFile, openFile, retryWhileOpen, readOpen, readSnapshot,
  requireWritable, withOpen, writeAll, type AccessHandle,
} from "./opfs-file.js";
import { takeWebLock } from "./web-lock.js";

/** Appends to one file. Operations are synchronous, so they stay in order. */
class OpfsAppendFile implements AppendFile {
  #byteLength: number;
  #closed = false;

  constructor(
    private readonly key: string,
    private readonly handle: AccessHandle,
    private readonly hooks: { readonly onWrite: () => void; readonly onClose: () => void },
  ) {
    this.#byteLength = handle.getSize();
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  read(range: ByteRange | undefined): Uint8Array {
    return readOpen(this.handle, range);
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#run("append to", () => {
      writeAll(this.handle, bytes, this.#byteLength);
      this.#byteLength += bytes.length;
      this.hooks.onWrite();
    });
  }

  sync(): Promise<void> {
    return this.#run("sync", () => this.handle.flush());
  }

  truncate(byteLength: number): Promise<void> {
    return this.#run("truncate", () => {
      if (!(byteLength >= 0 && byteLength <= this.#byteLength)) throw cannotLengthen(this.key, this.#byteLength, byteLength);
      this.handle.truncate(byteLength);
      this.#byteLength = byteLength;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.hooks.onClose();
    await attempt("close", this.key, () => this.handle.close());
  }

  #run(operation: string, act: () => void): Promise<void> {
    if (this.#closed) return Promise.reject(new DaybookError("closed", `${this.key}: the append file is closed`));
    return attempt(operation, this.key, act);
  }
}

/** The directories of a store, by path from its own, which is `""`. Caches their handles. */
class OpfsDirectories {
  readonly #handles = new Map<string, FileSystemDirectoryHandle>();

  constructor(private readonly store: string) {}

  /** The directory of a path; null if missing. */
  find(path: string): Promise<FileSystemDirectoryHandle | null> {
    return this.#get(path, false).catch(nullIfMissing);
  }

  make(path: string): Promise<FileSystemDirectoryHandle> {
    return this.#get(path, true);
  }

  /** Keys of all files under a path that is empty or ends with a slash, in no order; files that no key can name are skipped. */
  async *keys(path: string): AsyncGenerator<string> {
    const directory = await this.find(path.slice(0, -1));
    if (directory === null) return;
    for await (const [name, entry] of directory.entries()) {
      if (!isKeyPart(name)) continue;
      if (entry.kind === "file") yield `${path}${name}`;
      else yield* this.keys(`${path}${name}/`);
    }
  }

  async #get(path: string, create: boolean): Promise<FileSystemDirectoryHandle> {
    const cached = this.#handles.get(path);
    if (cached !== undefined) return cached;
    const slash = path.lastIndexOf("/");
    const directory = path === "" ? await originDirectory() : await this.#get(path.slice(0, Math.max(slash, 0)), create);
    const found = await directory.getDirectoryHandle(path === "" ? this.store : path.slice(slash + 1), { create });
    this.#handles.set(path, found);
    return found;
  }
}

async function originDirectory(): Promise<FileSystemDirectoryHandle> {
  const { storage, locks } = (globalThis.navigator as Partial<Navigator> | undefined) ?? {};
  if (storage?.getDirectory === undefined || locks === undefined)
    throw new DaybookError(
      "not_supported",
      "opfsStorage: expected a browser with an origin private file system, and a page served over https or from localhost",
    );
  return await storage.getDirectory();
}

/** Delay of a message, so that it covers several changes; listeners poll a few times a second anyway. */
const NOTIFY_DELAY_MS = 50;

function channelOf(store: string): BroadcastChannel {
  return new BroadcastChannel(`daybook:${store}`);
}

/** Notifies all tabs and workers of the origin that a store has changed; several changes share a message. */
class ChangeChannel {
  readonly #channel: BroadcastChannel;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(store: string) {
    this.#channel = channelOf(store);
  }

  notify(): void {
    this.#timer ??= setTimeout(() => this.#post(), NOTIFY_DELAY_MS);
  }

  close(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#post();
    }
    this.#channel.close();
  }

  #post(): void {
    this.#timer = null;
    this.#channel.postMessage(null);
  }
}

function subscribe(store: string, changed: () => void): () => void {
  const channel = channelOf(store);
  channel.addEventListener("message", changed);
  return () => channel.close();
}

/** Directory of files before they get their name; no key leads there. */
const TEMPORARY = "~";
const READ_ATTEMPT_COUNT = 200;
/** One in this many attempts opens the file, in a worker: that blocks a writer briefly, but may be the only one that succeeds. */
const OPEN_EVERY_COUNT = 4;

class OpfsStorage implements Storage {
  readonly #directories: OpfsDirectories;
  /** Files open for appending: browsers may refuse to open them a second time. */
  readonly #appended = new Map<string, OpfsAppendFile>();
  /** Null if the lock was not taken through this storage. */
  #open: OpenFiles | null = null;
  #changes: ChangeChannel | null = null;

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

  async read(key: string, range?: ByteRange, allocate?: Allocate): Promise<Uint8Array | null> {
    checkKey(key);
    clipRange(range, 0);
    return attempt("read", key, async () => {
      const appended = this.#appended.get(key);
      if (appended !== undefined) return appended.read(range);
      return this.#open === null ? await this.#readWithoutLock(key, range) : await this.#open.use(key, (handle) => readOpen(handle, range, allocate));
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
        await withOpen(file, (handle) => {
          writeAll(handle, bytes, 0);
          if (options.durable !== false) handle.flush();
        });
        await this.#onClosed(key, () => moveFile(file, directory, name));
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
      const directory = await this.#directories.find(folder);
      if (directory !== null) await this.#onClosed(key, () => directory.removeEntry(name)).catch(nullIfMissing);
    });
  }

  /** Makes only contents durable: browsers cannot sync names. */
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
      this.#open?.drop(key);
      const file = await directory.getFileHandle(name, { create: true });
      const appended = new OpfsAppendFile(key, await retryWhileOpen(() => openFile(file)), {
        onWrite: () => this.#changes?.notify(),
        onClose: () => this.#appended.delete(key),
      });
      this.#appended.set(key, appended);
      return appended;
    });
  }

  watch(changed: () => void): () => void {
    return subscribe(this.name, changed);
  }

  /** Takes the store's lock, and removes temporary files of earlier holders. @throws store_locked, not_supported */
  async lock(): Promise<StorageLock> {
    return attempt("lock", "", async () => {
      await this.#directories.find("");
      requireWritable();
      const temporaries = await this.#directories.make(TEMPORARY);
      const lock = await takeWebLock(this.name);
      const open = new OpenFiles((key) => this.#find(key));
      const changes = new ChangeChannel(this.name);
      const release = async () => {
        if (this.#open === open) this.#open = null;
        if (this.#changes === changes) this.#changes = null;
        changes.close();
        open.dropAll();
        await lock.release();
      };
      try {
        for await (const name of temporaries.keys()) await temporaries.removeEntry(name).catch(() => undefined);
      } catch (error) {
        await release();
        throw error;
      }
      this.#open = open;
      this.#changes = changes;
      return { lost: lock.lost, isHeld: () => lock.isHeld(), release };
    });
  }

  /** Null if missing. */
  async #find(key: string): Promise<FileSystemFileHandle | null> {
    const { folder, name } = placeOf(key);
    return (await (await this.#directories.find(folder))?.getFileHandle(name).catch(nullIfMissing)) ?? null;
  }

  async #readWithoutLock(key: string, range: ByteRange | undefined): Promise<Uint8Array | null> {
    for (let count = 1; ; count += 1) {
      const file = await this.#find(key);
      if (file === null) return null;
      try {
        const isOpening = count % OPEN_EVERY_COUNT === 0 && canOpenFiles();
        return await (isOpening ? withOpen(file, (handle) => readOpen(handle, range)) : readSnapshot(file, range));
      } catch (error) {
        // A file that was removed meanwhile is missing in the next round.
        if (!(isChanged(error) || isMissing(error) || isOpenElsewhere(error)) || count === READ_ATTEMPT_COUNT) throw error;
      }
    }
  }

  /** Runs an operation that adds or removes the name of a file, for which the file must be closed. */
  async #onClosed(key: string, run: () => Promise<void>): Promise<void> {
    await retryWhileOpen(() => {
      this.#open?.drop(key);
      return run();
    });
    // A concurrent read may have cached that the file is missing.
    this.#open?.drop(key);
    this.#changes?.notify();
  }

  async #syncFile(key: string): Promise<void> {
    const flush = (handle: AccessHandle) => {
      handle.flush();
      return true;
    };
    const file = await this.#find(key);
    const exists = file !== null && (await (this.#open === null ? retryWhileOpen(() => withOpen(file, flush)) : this.#open.use(key, flush)));
    if (exists !== true) throw new DaybookError("internal", `storage key ${key} cannot be synced: it does not exist`, { key });
  }
}

function placeOf(key: string): { readonly folder: string; readonly name: string } {
  const slash = key.lastIndexOf("/");
  return { folder: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}

/**
 * A storage in the private file system of the page's origin: a directory of this name, created if missing, with one file per key.
 * Only dedicated workers can write, one at a time for all tabs; pages and other workers may read meanwhile. See docs/guide/browser.md.
 * @param name 1 to 128 characters `[a-zA-Z0-9._-]`
 * @throws invalid_parameter
 */
export function opfsStorage(name: string): Storage & Required<Pick<Storage, "openAppend" | "lock">> {
  if (typeof name !== "string" || !isKeyPart(name) || name === "." || name === "..")
    throw parameterError("invalid_parameter", "name", `expected 1 to 128 characters [a-zA-Z0-9._-], got ${shown(name)}`);
  return new OpfsStorage(name);
}
