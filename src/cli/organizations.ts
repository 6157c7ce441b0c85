import { join } from "node:path";
import type { Daybook } from "../engine/daybook.js";
import { openDaybook, type FutureEvents } from "../index.js";
import { diskReserve, fileStorage } from "../platform/node/index.js";
import { UsageError } from "./command.js";
import { DEFAULT_ORGANIZATION, dataDirectory, isOrganizationName, isStore, type DataDirectory } from "./data-directory.js";
import { printLockWait } from "./lock-wait.js";

/** Checks the name of an organization, which is also its directory's name. @throws UsageError */
export function organizationOf(text: string | undefined): string {
  const name = text ?? DEFAULT_ORGANIZATION;
  if (isOrganizationName(name)) return name;
  throw new UsageError(`--organization: expected at most 63 lower-case letters, digits, - and _, got ${JSON.stringify(name)}`);
}

/** The directory of an organization's store, whether or not it exists. @throws UsageError for any name but `default` in a single store */
export function directoryOf({ path, kind }: DataDirectory, name: string): string {
  if (kind !== "store") return join(path, name);
  if (name === DEFAULT_ORGANIZATION) return path;
  throw new UsageError(`${path} is a single store, whose only organization is "${DEFAULT_ORGANIZATION}": there is no ${JSON.stringify(name)}`);
}

/** @throws Error where the directory is missing: commands that only read must not create it */
export function requireDirectory({ path, kind }: DataDirectory): void {
  if (kind === "absent") throw new Error(`${path}: no such directory`);
}

export interface OpenOptions {
  readonly currency?: string | undefined;
  /** False: fail at once on a lock whose owner is not visible, rather than wait for it. Default true. */
  readonly waits?: boolean;
  /** As in `openDaybook`. */
  readonly memoryBudgetBytes?: number;
  readonly futureEvents?: FutureEvents;
}

/**
 * Opens an organization for writing, creating it where missing.
 * @throws store_locked, corruption, manifest_missing, invalid_parameter; Error for a directory of other things
 */
export async function openOrganization(data: DataDirectory, name: string, { currency, waits = true, ...options }: OpenOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  if (!(await isStore(directory))) {
    const { kind } = await dataDirectory(directory);
    if (kind === "organizations") throw new Error(`${directory}: is a directory of organizations, expected the store of one organization`);
    if (data.strangers.includes(name)) throw new Error(`${directory}: is not a store and contains other files`);
  }
  const storage = fileStorage(directory, { reserve: diskReserve(data.path), ...(waits ? { onLockWait: printLockWait } : {}) });
  return openDaybook({ storage, ...options, ...(currency === undefined ? {} : { currency }) });
}

export interface ReadingOptions {
  readonly currency?: string | undefined;
  /** As in `openDaybook`. */
  readonly memoryBudgetBytes?: number;
}

/** Opens an organization for reading, also while `serve` runs. @throws UsageError; Error where it is missing */
export async function openForReading(data: DataDirectory, name: string, { currency, ...options }: ReadingOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  if (!data.names.includes(name)) throw new Error(`${data.path}: there is no organization ${JSON.stringify(name)} here`);
  return openDaybook({ storage: fileStorage(directory), readOnly: true, ...options, ...(currency === undefined ? {} : { currency }) });
}
