import { DaybookError, type ErrorCode } from "../../core/base/errors.js";
import { clipRange, type Allocate, type ByteRange } from "../../store/storage/storage.js";

/** Codes and reasons by the name of the browser's error. */
const ERRORS_BY_NAME: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  QuotaExceededError: ["storage_full", "the browser's storage quota for this origin is used up"],
  NoModificationAllowedError: ["overloaded", "another tab or worker has the file open"],
  NotReadableError: ["overloaded", "the file changes faster than it can be read"],
  NotAllowedError: ["read_only", "the browser does not allow it"],
  SecurityError: ["not_supported", "the browser does not allow this origin to store files"],
  NotFoundError: ["internal", "there is no such file"],
};

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}

/** Converts errors of the browser to Daybook errors. @throws storage_full, overloaded, read_only, not_supported, internal */
export async function attempt<T>(operation: string, key: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof DaybookError) throw error;
    const name = nameOf(error);
    const [code, reason] = ERRORS_BY_NAME[name] ?? ["internal", "the browser refused it"];
    const message = `could not ${operation} ${key === "" ? "the store" : key}: ${reason} (${name})`;
    throw new DaybookError(code, message, { key, name }, { cause: error });
  }
}

/** Whether an operation failed because the file is missing, or a directory has its name. */
export function isMissing(error: unknown): boolean {
  return nameOf(error) === "NotFoundError" || nameOf(error) === "TypeMismatchError";
}

/** For `catch`: null if the file is missing. @throws any other error */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

export function isChanged(error: unknown): boolean {
  return nameOf(error) === "NotReadableError";
}

export function isOpenElsewhere(error: unknown): boolean {
  return nameOf(error) === "NoModificationAllowedError";
}

/** An open file. The DOM types lack it, because only dedicated workers have such handles. */
export interface AccessHandle {
  read(target: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(byteLength: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

interface OpfsFile extends FileSystemFileHandle {
  createSyncAccessHandle(options: { readonly mode: "readwrite-unsafe" }): Promise<AccessHandle>;
  move(directory: FileSystemDirectoryHandle, name: string): Promise<void>;
}

/** Readers keep a file open for some ms, and a killed tab for longer; both take more time on a busy machine. */
const OPEN_ELSEWHERE_MS_MAX = 10_000;
const RETRY_MS = 5;

/** Retries for a while if the file is open elsewhere. */
export async function retryWhileOpen<T>(run: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + OPEN_ELSEWHERE_MS_MAX;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isOpenElsewhere(error) || performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Whether files can be opened here: only in dedicated workers. */
export function canOpenFiles(): boolean {
  return "createSyncAccessHandle" in FileSystemFileHandle.prototype;
}

/** Checks that files can be written here. @throws not_supported */
export function requireWritable(): void {
  if (!canOpenFiles())
    throw new DaybookError("not_supported", "opfsStorage: can write only in a dedicated worker (new Worker); elsewhere, open with readOnly: true");
  if (!("move" in FileSystemFileHandle.prototype))
    throw new DaybookError(
      "not_supported",
      "opfsStorage: can write only in browsers that can rename files (FileSystemFileHandle.move); in others, open with readOnly: true",
    );
}

/** Opens a file in a mode that lets others open it too. Browsers without that mode open it exclusively. @throws not_supported */
export async function openFile(file: FileSystemFileHandle): Promise<AccessHandle> {
  requireWritable();
  return await (file as OpfsFile).createSyncAccessHandle({ mode: "readwrite-unsafe" });
}

/** Renames a closed file atomically; replaces a file with that name. */
export async function moveFile(file: FileSystemFileHandle, directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  await (file as OpfsFile).move(directory, name);
}

/** Writes all of `bytes` at `position`, in as many calls as necessary. */
export function writeAll(handle: AccessHandle, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const byteLength = handle.write(bytes.subarray(done), { at: position + done });
    if (byteLength === 0) throw new DaybookError("storage_full", "the browser wrote none of the bytes");
    done += byteLength;
  }
}

/** Reads without blocking others. Fails with NotReadableError if the file changes meanwhile. */
export async function readSnapshot(file: FileSystemFileHandle, range: ByteRange | undefined): Promise<Uint8Array> {
  const snapshot = await file.getFile();
  const { start, end } = clipRange(range, snapshot.size);
  // Readers that follow a writer often poll for bytes that do not exist yet.
  if (start === end) return new Uint8Array(0);
  return new Uint8Array(await snapshot.slice(start, end).arrayBuffer());
}

/** Reads an open file. @throws internal (invalid range) */
export function readOpen(handle: AccessHandle, range: ByteRange | undefined, allocate: Allocate = (byteLength) => new Uint8Array(byteLength)): Uint8Array {
  const { start, end } = clipRange(range, handle.getSize());
  const bytes = allocate(end - start);
  let done = 0;
  while (done < bytes.length) {
    const byteLength = handle.read(bytes.subarray(done), { at: start + done });
    if (byteLength === 0) break;
    done += byteLength;
  }
  return bytes.subarray(0, done);
}

/** Opens a file for one operation. Until it is closed, it cannot be removed or replaced. */
export async function withOpen<T>(file: FileSystemFileHandle, act: (handle: AccessHandle) => T): Promise<T> {
  const handle = await openFile(file);
  try {
    return act(handle);
  } finally {
    handle.close();
  }
}

interface OpenHandle {
  readonly handle: Promise<AccessHandle | null>;
  /** Calls that use or wait for the handle. */
  userCount: number;
}

/** Far below the limits per process of operating systems; a day of events is one file or a few. */
const OPEN_FILE_COUNT = 128;

/** Opening a file takes many times as long as reading some KiB. Requires the lock: an open file can be neither removed nor replaced. */
export class OpenFiles {
  /** In order of use. */
  readonly #files = new Map<string, OpenHandle>();

  constructor(private readonly find: (key: string) => Promise<FileSystemFileHandle | null>) {}

  /** Runs an operation on an open file; null if there is no such file. */
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
