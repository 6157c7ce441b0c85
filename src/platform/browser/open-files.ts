import { openFile, retryWhileOpen, type AccessHandle } from "./opfs-file.js";

interface OpenHandle {
  readonly handle: Promise<AccessHandle | null>;
  /** Calls that use or wait for the handle. */
  userCount: number;
}

/** Far below the limits of systems per process; a day of events is one file or a few. */
const OPEN_FILE_COUNT = 128;

/**
 * Keeps the most recently used files open: opening one takes many times as long as reading some KiB of it.
 * Requires the store's lock, because an open file can be neither removed nor replaced.
 */
export class OpenFiles {
  /** In order of use. */
  readonly #files = new Map<string, OpenHandle>();

  constructor(private readonly find: (key: string) => Promise<FileSystemFileHandle | null>) {}

  /** Null if there is no such file. */
  async use<T>(key: string, act: (handle: AccessHandle) => T): Promise<T | null> {
    const file = this.#files.get(key) ?? { handle: this.#open(key), userCount: 0 };
    this.#files.delete(key);
    this.#files.set(key, file);
    this.#dropOldest();
    file.userCount += 1;
    let handle: AccessHandle | null = null;
    try {
      handle = await file.handle;
      return handle === null ? null : act(handle);
    } finally {
      file.userCount -= 1;
      if (handle === null) this.#forget(key, file);
      else if (this.#files.get(key) !== file) closeUnused(file);
    }
  }

  /** Closes a file once no call uses it. */
  drop(key: string): void {
    const file = this.#files.get(key);
    if (file === undefined) return;
    this.#files.delete(key);
    closeUnused(file);
  }

  dropAll(): void {
    for (const key of [...this.#files.keys()]) this.drop(key);
  }

  async #open(key: string): Promise<AccessHandle | null> {
    const file = await this.find(key);
    return file === null ? null : await retryWhileOpen(() => openFile(file));
  }

  #forget(key: string, file: OpenHandle): void {
    if (this.#files.get(key) === file) this.#files.delete(key);
  }

  #dropOldest(): void {
    if (this.#files.size <= OPEN_FILE_COUNT) return;
    for (const key of this.#files.keys()) {
      this.drop(key);
      return;
    }
  }
}

/** If a call still uses the file, that call closes it. */
function closeUnused(file: OpenHandle): void {
  if (file.userCount === 0) void file.handle.then((handle) => handle?.close(), () => undefined);
}
