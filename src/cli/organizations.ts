import { realpath } from "node:fs/promises";
import { join, basename, dirname, relative, resolve, sep } from "node:path";
import { EXPECTED_ORGANIZATION, isOrganizationName } from "../core/base/organization-name.js";
import { DEFAULT_ORGANIZATION, dataDirectory, refuseOtherFiles, type DataDirectory } from "../platform/node/data-directory.js";
import { fileStorage, diskReserve } from "../platform/node/index.js";
import type { Daybook } from "../engine/daybook.js";
import { openDaybook, type FutureEvents, type BackupReport } from "../index.js";
import { UsageError, printLockWait } from "./command.js";
import type { Storage } from "../store/storage/storage.js";
import { bytes, count, duration, plural, printLine } from "./print/format.js";

export function organizationOf(text: string | undefined): string {
  const name = text ?? DEFAULT_ORGANIZATION;
  if (isOrganizationName(name)) return name;
  throw new UsageError(`--organization: ${EXPECTED_ORGANIZATION}, got ${JSON.stringify(name)}`);
}

/** The directory of an organization's store, whether or not it exists. @throws UsageError for any name but `default` in a single store */
export function directoryOf({ path, kind }: DataDirectory, name: string): string {
  if (kind !== "store") return join(path, name);
  if (name === DEFAULT_ORGANIZATION) return path;
  throw new UsageError(`${path} is a single store, whose only organization is "${DEFAULT_ORGANIZATION}": there is no ${JSON.stringify(name)}`);
}

/** @throws Error if the directory is missing: commands that only read must not create it */
export function requireDirectory({ path, kind }: DataDirectory): void {
  if (kind === "absent") throw new Error(`${path}: no such directory`);
}

export interface OpenOptions {
  readonly currency?: string | undefined;
  readonly memoryBudgetBytes?: number;
  readonly futureEvents?: FutureEvents;
}

/** Creates the organization if it is missing. */
export async function openOrganization(data: DataDirectory, name: string, { currency, ...options }: OpenOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  await refuseOtherFiles(directory);
  const storage = fileStorage(directory, { reserve: diskReserve(data.path), onLockWait: printLockWait });
  return openDaybook({ storage, ...options, ...(currency === undefined ? {} : { currency }) });
}

export type ReadingOptions = Pick<OpenOptions, "currency" | "memoryBudgetBytes">;

export async function openForReading(data: DataDirectory, name: string, { currency, ...options }: ReadingOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  if (!data.names.includes(name)) throw new Error(`${data.path}: there is no organization ${JSON.stringify(name)} here`);
  return openDaybook({ storage: fileStorage(directory), readOnly: true, ...options, ...(currency === undefined ? {} : { currency }) });
}

export async function sourceDirectory(path: string): Promise<DataDirectory> {
  const source = await dataDirectory(path);
  requireDirectory(source);
  if (source.names.length === 0) throw new Error(`${path}: there is no organization here`);
  return source;
}

export async function refuseOverlap(one: string, other: string): Promise<void> {
  const [a, b] = await Promise.all([realPathOf(one), realPathOf(other)]);
  const isWithin = (path: string) => path === "" || (path !== ".." && !path.startsWith(`..${sep}`));
  if (isWithin(relative(a, b)) || isWithin(relative(b, a))) throw new Error(`${one} and ${other}: expected two directories, neither of which contains the other`);
}

/** Resolves symbolic links, also in a path whose end does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(absolute) === absolute) throw error;
    return join(await realPathOf(dirname(absolute)), basename(absolute));
  }
}

/** Continues after failures, and throws their number at the end. */
export async function copyOrganizations(source: DataDirectory, target: string, copy: (from: Storage, to: Storage) => Promise<BackupReport>): Promise<void> {
  let failedCount = 0;
  for (const name of source.names) {
    const startMs = performance.now();
    try {
      const to = source.kind === "store" ? target : join(target, name);
      const report = await copy(fileStorage(directoryOf(source, name)), fileStorage(to, { onLockWait: printLockWait }));
      printLine(`${name}: ${lineOf(report)} in ${duration(performance.now() - startMs)}`);
    } catch (error) {
      failedCount += 1;
      printLine(`${name}: failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (failedCount > 0) throw new Error(`${target}: ${plural(failedCount, "organization")} of ${count(source.names.length)} failed`);
}

function lineOf({ sequence, fileCount, byteLength, copiedFileCount, copiedByteLength, removedFileCount }: BackupReport): string {
  const contents = `complete up to sequence ${count(sequence)}: ${plural(fileCount, "file")}, ${bytes(byteLength)}`;
  return `${contents}; copied ${count(copiedFileCount)}, ${bytes(copiedByteLength)}; removed ${count(removedFileCount)}`;
}
