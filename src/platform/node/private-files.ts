import { DaybookError, type ErrorCode } from "../../core/base/errors.js";
import { join } from "node:path";
import type { FileSystem, OpenFile } from "../../store/storage/file-system.js";
import type { ByteRange } from "../../store/storage/storage.js";
import { identityText, isSameProcess, type ProcessIdentity, type ProcessTable } from "./process-table.js";
import { constants, type WriteStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

const CODE_OF_ERRNO: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: ["storage_full", "the disk is full"],
  EDQUOT: ["storage_full", "the disk quota is used up"],
  EFBIG: ["storage_full", "the file is larger than the file system allows"],
  EROFS: ["read_only", "the file system is read-only"],
  EACCES: ["read_only", "access is denied"],
  EPERM: ["read_only", "the operation is not permitted"],
  EMFILE: ["overloaded", "this process has too many open files"],
  ENFILE: ["overloaded", "this machine has too many open files"],
  ENOTDIR: ["invalid_parameter", "a part of the path is not a directory"],
  ELOOP: ["invalid_parameter", "it is a symbolic link, and files are not written through links"],
  ENOENT: ["internal", "there is no such file"],
  EIO: ["internal", "the disk reports an error"],
};

/** Converts the error of a file operation to a Daybook error that names the operation and the key, never a path outside the store. */
function storageError(operation: string, key: string, error: unknown): DaybookError {
  if (error instanceof DaybookError) return error;
  const errno = (error as NodeJS.ErrnoException | null)?.code ?? "unknown error";
  const [code, reason] = CODE_OF_ERRNO[errno] ?? ["internal", "the file system refused it"];
  const message = `could not ${operation} ${key === "" ? "the store" : key}: ${reason} (${errno})`;
  return new DaybookError(code, message, { key, errno }, { cause: error });
}

const REASON_OF_ERRNO: Readonly<Record<string, string>> = {
  ENOENT: "its parent directory does not exist, is not mounted, or is a broken link",
  ENOTDIR: "a part of the path is not a directory",
  ELOOP: "symbolic links form a loop",
  ENAMETOOLONG: "the path is too long",
};

/** For a store's own directory. Occurs only at opening, so it may name the path: it never reaches HTTP callers. */
export function directoryError(path: string, error: unknown): DaybookError {
  const errno = (error as NodeJS.ErrnoException | null)?.code ?? "unknown error";
  const [code, generalReason] = CODE_OF_ERRNO[errno] ?? ["internal", "the file system refused it"];
  const reason = REASON_OF_ERRNO[errno];
  const message = `could not create or open the directory ${path}: ${reason ?? generalReason} (${errno})`;
  return new DaybookError(reason === undefined ? code : "invalid_parameter", message, { key: "", errno, path }, { cause: error });
}

/** Runs a file operation and converts its errors to Daybook errors. @throws storage_full, read_only, overloaded, invalid_parameter, internal */
export async function attempt<T>(operation: string, key: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw storageError(operation, key, error);
  }
}

/** The same for an operation on the calling thread. */
export function attemptNow<T>(operation: string, key: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw storageError(operation, key, error);
  }
}

/** Reads a range of a file on the calling thread; fewer bytes if the file ends earlier. */
export function readFullyNow(read: NonNullable<OpenFile["readNow"]>, { start, end }: ByteRange): Uint8Array {
  const bytes = new Uint8Array(end - start);
  let done = 0;
  for (let byteLength = -1; done < bytes.length && byteLength !== 0; done += byteLength) byteLength = read(bytes.subarray(done), start + done);
  return bytes.subarray(0, done);
}

export function isMissing(error: unknown): boolean {
  const errno = (error as NodeJS.ErrnoException | null)?.code;
  return errno === "ENOENT" || errno === "ENOTDIR" || errno === "EISDIR";
}

/** For `catch`: null if the file is missing. @throws any other error */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** A character that no key contains: a file with it in its name is never an object. */
export const PRIVATE_MARK = "~";

/** The pid namespace is absent on machines without namespaces. */
const PRIVATE_NAME = /^[^~]+~(\d+)~([^~]*)~([^~]*)~(?:([^~+]*)\+)?([^~+]*)~\d+$/;

/** The process that created a lock or temporary file, from its name; null for any other name. */
export function ownerOf(name: string): ProcessIdentity | null {
  const match = PRIVATE_NAME.exec(name);
  if (match === null) return null;
  const [, pid = "", startTime = "", bootId = "", pidNamespace = "", host = ""] = match;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host };
}

/** False if its owner is this process or certainly runs. One that is not visible may have lost the lock, and must not complete the file. */
export function isLeftover(name: string, processes: ProcessTable): boolean {
  const owner = ownerOf(name);
  return owner !== null && !isSameProcess(owner, processes.current) && processes.stateOf(owner) !== "running";
}

let createdCount = 0;

export interface PrivateFile {
  readonly name: string;
  readonly path: string;
  readonly file: OpenFile;
}

/** Creates a file that belongs to this process alone: `<stem>~<process>~<number>`. */
export async function createPrivateFile(
  fileSystem: FileSystem,
  directory: string,
  stem: string,
  processes: ProcessTable,
): Promise<PrivateFile> {
  for (;;) {
    createdCount += 1;
    const name = `${stem}~${identityText(processes.current)}~${createdCount}`;
    const path = join(directory, name);
    try {
      return { name, path, file: await fileSystem.open(path, "create") };
    } catch (error) {
      // Another thread of this process, or a second copy of this module, also counts from 1.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** A flag of `open` that rejects a symbolic link as the last part of a path (ELOOP): a user who can place a link must not choose what is written. */
export const NO_FOLLOW = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;

/** Starts the file anew. Rejects symbolic links, except to a pipe or a device, such as `/dev/stdout`. @throws Error naming the path */
export async function writeFileAnew(path: string): Promise<WriteStream> {
  try {
    return (await open(path, O_WRONLY | O_CREAT | O_TRUNC | NO_FOLLOW)).createWriteStream();
  } catch (error) {
    if (errnoOf(error) !== "ELOOP") throw error;
    const target = await openTarget(path);
    if (target === null) throw linkError(path, error);
    return target.createWriteStream();
  }
}

export function linkError(path: string, cause?: unknown): Error {
  return new Error(`${path}: is a symbolic link, and files are not written through links: name the file itself`, { cause });
}

/** Null if the link leads to a file or to nothing. Follows it safely, since it neither creates nor truncates. */
async function openTarget(path: string): Promise<FileHandle | null> {
  const target = await open(path, O_WRONLY).catch(() => null);
  if (target === null || !(await target.stat()).isFile()) return target;
  await target.close();
  return null;
}

function errnoOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

/** Writes all of `bytes` at `position`, in as many calls as necessary. @throws storage_full (the file system accepts no byte) */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const byteLength = await file.write(bytes.subarray(done), position + done);
    if (byteLength === 0) throw new DaybookError("storage_full", "the file system wrote none of the bytes");
    done += byteLength;
  }
}
