import { DaybookError, type ErrorCode } from "../../core/base/errors.js";

const codeOfErrno: Readonly<Record<string, readonly [ErrorCode, string]>> = {
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

/** A failed file operation as a Daybook error that names the operation and the key, never a path outside the store. */
export function storageError(operation: string, key: string, error: unknown): DaybookError {
  if (error instanceof DaybookError) return error;
  const errno = (error as NodeJS.ErrnoException | null)?.code ?? "unknown error";
  const [code, reason] = codeOfErrno[errno] ?? ["internal", "the file system refused it"];
  const message = `could not ${operation} ${key === "" ? "the store" : key}: ${reason} (${errno})`;
  return new DaybookError(code, message, { key, errno }, { cause: error });
}

const REASON_OF_ERRNO: Readonly<Record<string, string>> = {
  ENOENT: "its parent directory does not exist, is not mounted, or is a broken link",
  ENOTDIR: "a part of the path is not a directory",
  ELOOP: "symbolic links form a loop",
  ENAMETOOLONG: "the path is too long",
};

/**
 * The error of a store's own directory that cannot be created or read. Occurs only at opening, so it may name the path: it never reaches HTTP
 * callers.
 */
export function directoryError(path: string, error: unknown): DaybookError {
  const errno = (error as NodeJS.ErrnoException | null)?.code ?? "unknown error";
  const [code, known] = codeOfErrno[errno] ?? ["internal", "the file system refused it"];
  const reason = REASON_OF_ERRNO[errno];
  const message = `could not create or open the directory ${path}: ${reason ?? known} (${errno})`;
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

/** Whether a file operation failed because the file is missing. */
export function isMissing(error: unknown): boolean {
  const errno = (error as NodeJS.ErrnoException | null)?.code;
  return errno === "ENOENT" || errno === "ENOTDIR" || errno === "EISDIR";
}
