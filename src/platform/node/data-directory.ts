import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isOrganizationName } from "../../core/base/organization-name.js";
import { MANIFEST_KEY, MANIFEST_START, beginsWith, isStorePart } from "../../store/files/manifest.js";
import { KEYS_KEY, KEYS_START } from "../../store/files/side-files.js";
import { fileStorage } from "./file-storage.js";
import { PRIVATE_MARK } from "./private-files.js";

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
    if (isOrganizationName(entry) && (await isStore(below))) names.push(entry);
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

/** Refuses a directory in which no store may be created because of what it contains; accepts a store. @throws Error naming the directory */
export async function refuseOtherFiles(directory: string): Promise<void> {
  if (await isStore(directory)) return;
  const { kind, unrelated } = await dataDirectory(directory);
  if (kind === "organizations") throw new Error(`${directory}: is a directory of organizations, expected the store of one organization`);
  if (unrelated.length > 0) throw new Error(`${directory}: is not a store and contains other files`);
}

/** The existing organizations of a data directory, ascending. Cost: reads the start of each store's manifest. */
export async function organizationNames(path: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of (await namesIn(path)) ?? []) if (isOrganizationName(entry) && (await isStore(join(path, entry)))) names.push(entry);
  return names;
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
export async function namesIn(path: string, ofFile: () => null = () => null): Promise<string[] | null> {
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
