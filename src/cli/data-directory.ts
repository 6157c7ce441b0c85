import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_MARK } from "../platform/node/private-file.js";
import { fileStorage } from "../platform/node/index.js";
import { MANIFEST_KEY, MANIFEST_START } from "../store/files/manifest.js";
import { KEYS_KEY, KEYS_START } from "../store/files/store-keys.js";
import { beginsWith, isStorePart } from "../store/files/stores-below.js";

/** The organization used where none is named, and the only one of a single store. */
export const DEFAULT_ORGANIZATION = "default";
/** The file of a data directory's tokens: hashes, never values. */
export const TOKENS_KEY = "tokens.json";
/** The file of today's and yesterday's salts for visitors without cookies. */
export const SALTS_NAME = "visitor-salts";
/** In a store: the lock for changing its tokens, since its writer holds the store's own lock. */
export const TOKENS_LOCK = "tokens.lock";

/** The target of `--data`: one store, a directory with one store per organization, or nothing yet. */
export interface DataDirectory {
  readonly path: string;
  readonly kind: "absent" | "empty" | "store" | "organizations";
  /** Existing organizations, ascending; `default` for a single store. */
  readonly names: readonly string[];
  /** Entries that belong to no organization. */
  readonly strangers: readonly string[];
}

const organizationPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const FOLDERS = ["segments", "dictionaries", "identities", "journal", "quarantine"];
/** Entries left by file systems, file managers and version control. */
const litterPattern = /^(?:lost\+found|\.DS_Store|\.localized|\.(?:git)?keep|\.gitignore|\.snapshot|\.Trash.*|\.Spotlight-V100|\.fseventsd|\.nfs.*|System Volume Information|\$RECYCLE\.BIN|Thumbs\.db|desktop\.ini)$/;
const STRANGERS_SHOWN = 5;
/** Longer than one token, whose required members identify the file. */
const TOKENS_START_BYTES = 65_536;
/** What may precede a member within the first entry, including braces in strings. */
const BEFORE = String.raw`(?:[^{}"]|"(?:[^"\\]|\\.)*")*?`;
const tokensStartPattern = new RegExp(String.raw`^\s*\[\s*(?:\]\s*$|\{(?=${BEFORE}"(?:sha256|token)"\s*:)(?=${BEFORE}"role"\s*:)${BEFORE}"scopes"\s*:)`);

/** Whether a text is a valid organization name, which is also its directory's name. */
export function isOrganizationName(text: string): boolean {
  return organizationPattern.test(text);
}

/**
 * Finds out what a directory is, writing nothing. A damaged store still counts as one, and an organization among unrelated entries as one too.
 * @throws Error for a file, for a directory of other things, and for a store that contains other stores
 */
export async function dataDirectory(path: string): Promise<DataDirectory> {
  const entries = await namesIn(path);
  if (entries === null) return { path, kind: "absent", names: [], strangers: [] };
  const names: string[] = [];
  const strangers: string[] = [];
  for (const entry of entries) {
    if (litterPattern.test(entry) || entry.includes(PRIVATE_MARK) || entry === TOKENS_KEY || entry === TOKENS_LOCK || entry === SALTS_NAME) continue;
    const below = join(path, entry);
    if (isOrganizationName(entry) && (await isStore(below))) names.push(entry);
    else if (!(await isBare(below))) strangers.push(entry);
  }
  if (await isStore(path)) {
    const others = names.filter((name) => !FOLDERS.includes(name));
    if (others.length === 0) return { path, kind: "store", names: [DEFAULT_ORGANIZATION], strangers: [] };
    throw new Error(`${path}: is a store and contains other stores (${listed(others)}): move one or the other to a separate directory`);
  }
  if (names.length > 0 || (await holdsTokens(path))) return { path, kind: "organizations", names, strangers };
  // The file belongs to another program: ours would have matched.
  if (entries.includes(TOKENS_KEY)) strangers.push(TOKENS_KEY);
  if (!(await hinder(path, strangers))) return { path, kind: "empty", names, strangers };
  throw new Error(`${path}: is neither a store nor a directory of organizations: it contains ${listed(strangers)}`);
}

/** Whether its token file is ours, damaged or not: other programs use that name too. */
async function holdsTokens(path: string): Promise<boolean> {
  const start = await fileStorage(path).read(TOKENS_KEY, { start: 0, end: TOKENS_START_BYTES });
  return start !== null && tokensStartPattern.test(new TextDecoder().decode(start));
}

/** Whether a directory holds anything the engine wrote. */
export async function isStore(path: string): Promise<boolean> {
  if ((await namesIn(path).catch(ignoreFile)) === null) return false;
  const storage = fileStorage(path);
  if ((await beginsWith(storage, MANIFEST_KEY, MANIFEST_START)) || (await beginsWith(storage, KEYS_KEY, KEYS_START))) return true;
  for (const folder of FOLDERS) {
    const names = await namesIn(join(path, folder)).catch(ignoreFile);
    if (names?.some((name) => isStorePart(`${folder}/${name}`)) === true) return true;
  }
  return false;
}

/** Whether unrelated entries rule out a new data directory: directories and hidden files do, plain files such as ones to import do not. */
async function hinder(path: string, strangers: readonly string[]): Promise<boolean> {
  for (const name of strangers) {
    if (name.startsWith(".") || name === TOKENS_KEY) return true;
    if ((await namesIn(join(path, name)).catch(ignoreFile)) !== null) return true;
  }
  return false;
}

/** Whether a directory is empty apart from litter. */
async function isBare(path: string): Promise<boolean> {
  const names = await namesIn(path).catch(() => null);
  return names !== null && names.every((name) => litterPattern.test(name) || name.includes(PRIVATE_MARK));
}

/** Names in a directory, ascending; null where it is missing. @throws NoDirectory for a file */
async function namesIn(path: string): Promise<string[] | null> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR") throw new NoDirectory(`${path}: is not a directory`);
    throw error;
  }
}

class NoDirectory extends Error {}

function ignoreFile(error: unknown): null {
  if (error instanceof NoDirectory) return null;
  throw error;
}

function listed(names: readonly string[]): string {
  const more = names.length - STRANGERS_SHOWN;
  return `${names.slice(0, STRANGERS_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
