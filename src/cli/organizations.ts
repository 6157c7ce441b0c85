import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Daybook } from "../engine/daybook.js";
import { openDaybook } from "../index.js";
import { fileStorage } from "../node/index.js";
import { UsageError } from "./command.js";
import { tellWait } from "./tell-wait.js";

const organizationPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The organization that is meant when none is named. */
export const DEFAULT_ORGANIZATION = "default";

/** Checks the name of an organization, which is also the name of its directory. @throws UsageError */
export function organizationOf(text: string | undefined): string {
  const name = text ?? DEFAULT_ORGANIZATION;
  if (organizationPattern.test(name)) return name;
  throw new UsageError(`--organization: expected lower-case letters, digits, - and _, at most 63, got ${JSON.stringify(name)}`);
}

/** @throws Error when a data directory is there but is none */
export async function checkDataDirectory(dataDirectory: string): Promise<void> {
  if ((await kindOf(dataDirectory)) === "other") throw new Error(`${dataDirectory}: is no directory`);
}

/** @throws Error when there is no such data directory: what only looks into one must not make it */
export async function requireDataDirectory(dataDirectory: string): Promise<void> {
  await checkDataDirectory(dataDirectory);
  if ((await kindOf(dataDirectory)) === "absent") throw new Error(`${dataDirectory}: no such directory`);
}

async function kindOf(path: string): Promise<"absent" | "directory" | "other"> {
  try {
    return (await stat(path)).isDirectory() ? "directory" : "other";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return "absent";
    if (code === "ENOTDIR") return "other";
    throw error;
  }
}

/** Names of the organizations under a data directory, ascending; none where the directory is absent. */
export async function organizationsIn(dataDirectory: string): Promise<string[]> {
  await checkDataDirectory(dataDirectory);
  try {
    const entries = await readdir(dataDirectory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && organizationPattern.test(entry.name)).map((entry) => entry.name).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

export interface OpenOptions {
  readonly currency?: string | undefined;
  /** False: a lock whose owner cannot be seen is not waited for. Default true. */
  readonly waits?: boolean;
}

/** Opens an organization for writing, making it where absent. @throws store_locked, corruption, manifest_missing, invalid_parameter */
export async function openOrganization(dataDirectory: string, name: string, { currency, waits = true }: OpenOptions = {}): Promise<Daybook> {
  await checkDataDirectory(dataDirectory);
  const storage = fileStorage(join(dataDirectory, name), waits ? { onLockWait: tellWait } : {});
  return openDaybook(currency === undefined ? { storage } : { storage, currency });
}

/** Opens an organization beside a running `serve`, for reading. @throws Error when it does not exist */
export async function openForReading(dataDirectory: string, name: string): Promise<Daybook> {
  await checkDataDirectory(dataDirectory);
  const directory = join(dataDirectory, name);
  if ((await kindOf(directory)) !== "directory") throw new Error(`${dataDirectory}: there is no organization ${JSON.stringify(name)} here`);
  return openDaybook({ storage: fileStorage(directory), readOnly: true });
}
