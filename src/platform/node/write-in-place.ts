import { constants, type WriteStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

/** A flag of `open` that rejects a symbolic link as the last part of a path (ELOOP): a user who can place a link must not choose what is written. */
export const NO_FOLLOW = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;

/**
 * Opens a file for writing from the start. Rejects symbolic links, except to a pipe or a device, such as `/dev/stdout`.
 * @throws Error naming the path
 */
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

/** The error for a link instead of a file. */
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
