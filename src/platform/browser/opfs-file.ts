import { DaybookError } from "../../core/base/errors.js";
import { clipRange } from "../../store/storage/key.js";
import type { ByteRange } from "../../store/storage/storage.js";
import { isOpenElsewhere } from "./opfs-error.js";

/** A file opened in a dedicated worker. Only these have such handles, so the DOM types lack the handle and its methods. */
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

/** Readers keep a file open for some ms, a tab that was just killed for some more; on a busy machine all of that takes longer. */
const OPEN_ELSEWHERE_MS_MAX = 10_000;
const AGAIN_MS = 5;

/** Retries for a while if the file is open elsewhere. */
export async function retryWhileOpen<T>(run: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + OPEN_ELSEWHERE_MS_MAX;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isOpenElsewhere(error) || performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Whether files can be opened here: only in dedicated workers. */
export function canOpenFiles(): boolean {
  return "createSyncAccessHandle" in FileSystemFileHandle.prototype;
}

/** @throws not_supported if nothing can be written here */
export function refuseReaders(): void {
  if (!canOpenFiles())
    throw new DaybookError("not_supported", "opfsStorage: can write only in a dedicated worker (new Worker); elsewhere, open with readOnly: true");
  if (!("move" in FileSystemFileHandle.prototype))
    throw new DaybookError("not_supported", "opfsStorage: can write only in browsers that can rename files (FileSystemFileHandle.move); in others, open with readOnly: true");
}

/** Opens a file in a mode that lets others open it too. Browsers without that mode let no one else. @throws not_supported */
export async function openFile(file: FileSystemFileHandle): Promise<AccessHandle> {
  refuseReaders();
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
  // Following readers often poll for bytes that do not exist yet.
  if (start === end) return new Uint8Array(0);
  return new Uint8Array(await snapshot.slice(start, end).arrayBuffer());
}

/** Reads an open file. @throws internal (invalid range) */
export function readOpen(handle: AccessHandle, range: ByteRange | undefined): Uint8Array {
  const { start, end } = clipRange(range, handle.getSize());
  const bytes = new Uint8Array(end - start);
  let done = 0;
  while (done < bytes.length) {
    const byteLength = handle.read(bytes.subarray(done), { at: start + done });
    if (byteLength === 0) break;
    done += byteLength;
  }
  return bytes.subarray(0, done);
}

/** Opens a file for one operation only: it cannot be removed or replaced meanwhile. */
export async function withOpen<T>(file: FileSystemFileHandle, act: (handle: AccessHandle) => T): Promise<T> {
  const handle = await openFile(file);
  try {
    return act(handle);
  } finally {
    handle.close();
  }
}
