import { readdir, realpath } from "node:fs/promises";
import { join, basename, dirname, relative, resolve, sep } from "node:path";
import { PRIVATE_MARK } from "../platform/node/private-files.js";
import { fileStorage, diskReserve } from "../platform/node/index.js";
import { MANIFEST_KEY, MANIFEST_START, beginsWith, isStorePart } from "../store/files/manifest.js";
import { KEYS_KEY, KEYS_START } from "../store/files/side-files.js";
import type { Daybook } from "../engine/daybook.js";
import { openDaybook, type FutureEvents, type BackupReport } from "../index.js";
import { UsageError, printLockWait } from "./command.js";
import type { Storage } from "../store/storage/storage.js";
import { bytes, count, duration, plural, printLine } from "./print/format.js";

/** The default organization, and the only one of a single store. */
export const DEFAULT_ORGANIZATION = "default";
/** The file of a data directory's tokens: hashes, never values. */
export const TOKENS_KEY = "tokens.json";
/** The file of today's and yesterday's salts for visitors without cookies. */
export const SALTS_NAME = "visitor-salts";
/** In a single store: the lock for changing its tokens, because the writer holds the lock of the store. */
export const TOKENS_LOCK = "tokens.lock";

/** The target of `--data`: one store, a directory with one store per organization, or nothing yet. */
export interface DataDirectory {
  readonly path: string;
  readonly kind: "absent" | "empty" | "store" | "organizations";
  /** Existing organizations, ascending; `default` for a single store. */
  readonly names: readonly string[];
  readonly unrelated: readonly string[];
}

const organizationPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const FOLDERS = ["segments", "dictionaries", "identities", "journal", "quarantine"];
const ignoredPattern = /^(?:lost\+found|\.DS_Store|\.localized|\.(?:git)?keep|\.gitignore|\.snapshot|\.Trash.*|\.Spotlight-V100|\.fseventsd|\.nfs.*|System Volume Information|\$RECYCLE\.BIN|Thumbs\.db|desktop\.ini)$/;
const UNRELATED_SHOWN = 5;
/** Enough to contain one token, whose required members identify the file. */
const TOKENS_START_BYTES = 65_536;
/** Text that may precede a member within the first entry, including braces in strings. */
const PRECEDING = String.raw`(?:[^{}"]|"(?:[^"\\]|\\.)*")*?`;
const tokensStartPattern = new RegExp(String.raw`^\s*\[\s*(?:\]\s*$|\{(?=${PRECEDING}"(?:sha256|token)"\s*:)(?=${PRECEDING}"role"\s*:)${PRECEDING}"scopes"\s*:)`);

/** Writes nothing. Damaged stores count as stores; unrelated entries do not hide organizations. */
export async function dataDirectory(path: string): Promise<DataDirectory> {
  const entries = await namesIn(path, () => {
    throw new Error(`${path}: is not a directory`);
  });
  if (entries === null) return { path, kind: "absent", names: [], unrelated: [] };
  const names: string[] = [];
  const unrelated: string[] = [];
  for (const entry of entries) {
    if (ignoredPattern.test(entry) || entry.includes(PRIVATE_MARK) || entry === TOKENS_KEY || entry === TOKENS_LOCK || entry === SALTS_NAME) continue;
    const below = join(path, entry);
    if (organizationPattern.test(entry) && (await isStore(below))) names.push(entry);
    else if (!(await isEmptyDirectory(below))) unrelated.push(entry);
  }
  if (await isStore(path)) {
    const others = names.filter((name) => !FOLDERS.includes(name));
    if (others.length === 0) return { path, kind: "store", names: [DEFAULT_ORGANIZATION], unrelated: [] };
    throw new Error(`${path}: is a store and contains other stores (${listed(others)}): move one or the other to a separate directory`);
  }
  if (names.length > 0 || (await hasTokenFile(path))) return { path, kind: "organizations", names, unrelated };
  // A token file of another program: one of Daybook would have matched.
  if (entries.includes(TOKENS_KEY)) unrelated.push(TOKENS_KEY);
  if (!(await ruleOutNewDirectory(path, unrelated))) return { path, kind: "empty", names, unrelated };
  throw new Error(`${path}: is neither a store nor a directory of organizations: it contains ${listed(unrelated)}`);
}

/** Whether `tokens.json` is a token file of Daybook, damaged or not: other programs use that name, too. */
async function hasTokenFile(path: string): Promise<boolean> {
  const start = await fileStorage(path).read(TOKENS_KEY, { start: 0, end: TOKENS_START_BYTES });
  return start !== null && tokensStartPattern.test(new TextDecoder().decode(start));
}

export async function isStore(path: string): Promise<boolean> {
  if ((await namesIn(path)) === null) return false;
  const storage = fileStorage(path);
  if ((await beginsWith(storage, MANIFEST_KEY, MANIFEST_START)) || (await beginsWith(storage, KEYS_KEY, KEYS_START))) return true;
  for (const folder of FOLDERS) {
    const names = await namesIn(join(path, folder));
    if (names?.some((name) => isStorePart(`${folder}/${name}`)) === true) return true;
  }
  return false;
}

/** Whether unrelated entries rule out a new data directory: directories and hidden files do; plain files, such as files to import, do not. */
async function ruleOutNewDirectory(path: string, unrelated: readonly string[]): Promise<boolean> {
  for (const name of unrelated) {
    if (name.startsWith(".") || name === TOKENS_KEY) return true;
    if ((await namesIn(join(path, name))) !== null) return true;
  }
  return false;
}

async function isEmptyDirectory(path: string): Promise<boolean> {
  const names = await namesIn(path).catch(() => null);
  return names !== null && names.every((name) => ignoredPattern.test(name) || name.includes(PRIVATE_MARK));
}

/** Names in a directory, ascending; null if it is missing. */
async function namesIn(path: string, ofFile: () => null = () => null): Promise<string[] | null> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR") return ofFile();
    throw error;
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - UNRELATED_SHOWN;
  return `${names.slice(0, UNRELATED_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function organizationOf(text: string | undefined): string {
  const name = text ?? DEFAULT_ORGANIZATION;
  if (organizationPattern.test(name)) return name;
  throw new UsageError(`--organization: expected at most 63 lower-case letters, digits, - and _, got ${JSON.stringify(name)}`);
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
  /** Whether to wait for a lock whose owner is not visible; false: fail at once. Default true. */
  readonly waitForLock?: boolean;
  readonly memoryBudgetBytes?: number;
  readonly futureEvents?: FutureEvents;
}

/** Creates the organization if it is missing. */
export async function openOrganization(data: DataDirectory, name: string, { currency, waitForLock = true, ...options }: OpenOptions = {}): Promise<Daybook> {
  const directory = directoryOf(data, name);
  if (!(await isStore(directory))) {
    const { kind } = await dataDirectory(directory);
    if (kind === "organizations") throw new Error(`${directory}: is a directory of organizations, expected the store of one organization`);
    if (data.unrelated.includes(name)) throw new Error(`${directory}: is not a store and contains other files`);
  }
  const storage = fileStorage(directory, { reserve: diskReserve(data.path), ...(waitForLock ? { onLockWait: printLockWait } : {}) });
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
