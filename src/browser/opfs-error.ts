import { DaybookError, type ErrorCode } from "../base/errors.js";

const CODE_OF_NAME: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  QuotaExceededError: ["storage_full", "the browser gives this origin no more room"],
  NoModificationAllowedError: ["overloaded", "another tab or worker has the file open"],
  NotReadableError: ["overloaded", "it changes faster than it can be read"],
  NotAllowedError: ["read_only", "the browser does not permit it"],
  SecurityError: ["not_supported", "the browser keeps nothing for this origin"],
  NotFoundError: ["internal", "there is no such file"],
};

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}

/**
 * Runs an operation on files; what it throws becomes a Daybook error that names the operation and the key.
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

/** True if an operation failed because there is no such file, or a directory in its place. */
export function isMissing(error: unknown): boolean {
  return nameOf(error) === "NotFoundError" || nameOf(error) === "TypeMismatchError";
}

/** True if a file is not any more what it was when it was looked at. */
export function isChanged(error: unknown): boolean {
  return nameOf(error) === "NotReadableError";
}

/** True if somebody else has the file open. */
export function isOpenElsewhere(error: unknown): boolean {
  return nameOf(error) === "NoModificationAllowedError";
}
