import { join } from "node:path";
import type { Daybook } from "../engine/daybook.js";
import { openDaybook, type FutureEvents } from "../index.js";
import { diskReserve, fileStorage } from "../node/index.js";
import { UsageError } from "./command.js";
import { DEFAULT_ORGANIZATION, dataDirectory, isOrganizationName, isStore, type DataDirectory } from "./data-directory.js";
import { tellWait } from "./tell-wait.js";

/** Checks the name of an organization, which is also the name of its directory. @throws UsageError */
export function organizationOf(text: string | undefined): string {
  const name = text ?? DEFAULT_ORGANIZATION;
  if (isOrganizationName(name)) return name;
  throw new UsageError(`--organization: expected lower-case letters, digits, - and _, at most 63, got ${JSON.stringify(name)}`);
}

/** Where an organization's store lies, or would. @throws UsageError for another organization than that of a store */
export function directoryOf({ path, kind }: DataDirectory, name: string): string {
  if (kind !== "store") return join(path, name);
  if (name === DEFAULT_ORGANIZATION) return path;
  throw new UsageError(`${path} is a store, whose one organization is "${DEFAULT_ORGANIZATION}": there is no ${JSON.stringify(name)}`);
}

/** @throws Error when there is no such directory: what only looks into one must not make it */
export function requireDirectory({ path, kind }: DataDirectory): void {
  if (kind === "absent") throw new Error(`${path}: no such directory`);
}

export interface OpenOptions {
  readonly currency?: string | undefined;
  /** False: a lock whose owner cannot be seen is not waited for. Default true. */
  readonly waits?: boolean;
  /** As those of `openDaybook`. */
  readonly memoryBudgetBytes?: number;
  readonly futureEvents?: FutureEvents;
}

/**
 * Opens an organization for writing, making it where absent.
 * @throws store_locked, corruption, manifest_missing, invalid_parameter; Error for a directory of other things
 */
export async function openOrganization(data: DataDirectory, name: string, { currency, waits = true, ...options }: OpenOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  if (!(await isStore(directory))) {
    const { kind } = await dataDirectory(directory);
    if (kind === "organizations") throw new Error(`${directory}: is a directory of organizations, expected the store of one`);
    if (data.strangers.includes(name)) throw new Error(`${directory}: is no store, and holds other things`);
  }
  const storage = fileStorage(directory, { reserve: diskReserve(data.path), ...(waits ? { onLockWait: tellWait } : {}) });
  return openDaybook({ storage, ...options, ...(currency === undefined ? {} : { currency }) });
}

export interface ReadingOptions {
  readonly currency?: string | undefined;
  /** As that of `openDaybook`. */
  readonly memoryBudgetBytes?: number;
}

/** Opens an organization beside a running `serve`, for reading. @throws UsageError, Error when it does not exist */
export async function openForReading(data: DataDirectory, name: string, { currency, ...options }: ReadingOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  if (!data.names.includes(name)) throw new Error(`${data.path}: there is no organization ${JSON.stringify(name)} here`);
  return openDaybook({ storage: fileStorage(directory), readOnly: true, ...options, ...(currency === undefined ? {} : { currency }) });
}
