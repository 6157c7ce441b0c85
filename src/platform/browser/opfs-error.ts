import { DaybookError, type ErrorCode } from "../../core/base/errors.js";

const CODE_OF_NAME: Readonly<Record<string, readonly [ErrorCode, string]>> = {
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

/**
 * Runs an operation on files, and converts its errors to Daybook errors that name the operation and the key.
 * @throws storage_full, overloaded, read_only, not_supported, internal
 */
export async function attempt<T>(operation: string, key: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof DaybookError) throw error;
    const name = nameOf(error);
    const [code, reason] = CODE_OF_NAME[name] ?? ["internal", "the browser refused it"];
    const message = `could not ${operation} ${key === "" ? "the store" : key}: ${reason} (${name})`;
    throw new DaybookError(code, message, { key, name }, { cause: error });
  }
}

/** Whether an operation failed because the file is missing, or a directory has its name. */
export function isMissing(error: unknown): boolean {
  return nameOf(error) === "NotFoundError" || nameOf(error) === "TypeMismatchError";
}

/** Whether a file has changed since its snapshot was taken. */
export function isChanged(error: unknown): boolean {
  return nameOf(error) === "NotReadableError";
}

/** Whether the file is open elsewhere. */
export function isOpenElsewhere(error: unknown): boolean {
  return nameOf(error) === "NoModificationAllowedError";
}
