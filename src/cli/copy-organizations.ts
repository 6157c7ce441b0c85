import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { BackupReport } from "../index.js";
import { fileStorage } from "../platform/node/index.js";
import type { Storage } from "../store/storage/storage.js";
import { dataDirectory, type DataDirectory } from "./data-directory.js";
import { directoryOf, requireDirectory } from "./organizations.js";
import { bytes, count, duration, plain, plural } from "./print/format.js";
import { printLockWait } from "./lock-wait.js";

/** The directory to copy from. @throws Error where it is missing or holds no organization */
export async function sourceDirectory(path: string): Promise<DataDirectory> {
  const source = await dataDirectory(path);
  requireDirectory(source);
  if (source.names.length === 0) throw new Error(`${path}: there is no organization here`);
  return source;
}

/** @throws Error where one directory is, or contains, the other */
export async function refuseOverlap(one: string, other: string): Promise<void> {
  const [a, b] = await Promise.all([realPathOf(one), realPathOf(other)]);
  const isWithin = (path: string) => path === "" || (path !== ".." && !path.startsWith(`..${sep}`));
  if (isWithin(relative(a, b)) || isWithin(relative(b, a))) throw new Error(`${one} and ${other}: expected two directories, neither of which contains the other`);
}

/** Resolves symbolic links, also in a path whose end does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(whole) === whole) throw error;
    return join(await realPathOf(dirname(whole)), basename(whole));
  }
}

/**
 * Copies every organization of one directory to another, and prints a line for each; a failure does not stop the others.
 * @throws Error with the number of failures
 */
export async function copyOrganizations(source: DataDirectory, target: string, copy: (from: Storage, to: Storage) => Promise<BackupReport>): Promise<void> {
  let failedCount = 0;
  for (const name of source.names) {
    const startMs = performance.now();
    try {
      const to = source.kind === "store" ? target : join(target, name);
      const report = await copy(fileStorage(directoryOf(source, name)), fileStorage(to, { onLockWait: printLockWait }));
      say(`${name}: ${lineOf(report)} in ${duration(performance.now() - startMs)}`);
    } catch (error) {
      failedCount += 1;
      say(`${name}: failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (failedCount > 0) throw new Error(`${target}: ${plural(failedCount, "organization")} of ${count(source.names.length)} failed`);
}

function lineOf({ sequence, fileCount, byteLength, copiedFileCount, copiedByteLength, removedFileCount }: BackupReport): string {
  const held = `complete up to sequence ${count(sequence)}: ${plural(fileCount, "file")}, ${bytes(byteLength)}`;
  return `${held}; copied ${count(copiedFileCount)}, ${bytes(copiedByteLength)}; removed ${count(removedFileCount)}`;
}

/** Prints one line, with control characters replaced. */
export function say(line: string): void {
  process.stdout.write(`${plain(line, 2_000)}\n`);
}
