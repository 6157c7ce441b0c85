import { constants, type Stats } from "node:fs";
import { lstat, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../core/base/errors.js";
import type { TokenOptions, TokenRecord } from "../http/index.js";
import { flatFileStorage } from "../platform/node/file-storage.js";
import { diskReserve, fileStorage } from "../platform/node/index.js";
import { kernelFileSystem } from "../platform/node/kernel-file-system.js";
import { linkError, NO_FOLLOW } from "../platform/node/private-files.js";
import { isFull, type Storage, type StorageLock } from "../store/storage/storage.js";
import { TOKENS_KEY, TOKENS_LOCK, dataDirectory, type DataDirectory } from "../platform/node/data-directory.js";
import { directoryOf, requireDirectory } from "./organizations.js";
import { printLockWait, texts, UsageError } from "./command.js";

const LOCK_WAIT_MS = 5_000;

/** Stored tokens; `text` shows whether they have changed. */
export interface TokensText {
  readonly text: string;
  readonly records: TokenRecord[];
}

type TokenChange = (records: readonly TokenRecord[]) => readonly TokenRecord[];

/** All tokens of a data directory; none without a token file. @throws Error naming the file */
export async function storedTokens(dataDirectory: string, options?: TokenOptions): Promise<TokenRecord[]> {
  return (await readTokens(dataDirectory, options)).records;
}

/** Imported only if there is a file: its schema library takes as long to load as the rest of a command. */
const tokenChecks = () => import("./token-check.js");

/** Like `storedTokens`, with the text of the file. */
export async function readTokens(dataDirectory: string, options?: TokenOptions): Promise<TokensText> {
  const bytes = await fileStorage(dataDirectory).read(TOKENS_KEY);
  return bytes === null ? { text: "[]", records: [] } : await parseTokensText(bytes, `${dataDirectory}/${TOKENS_KEY}`, options);
}

/** Tokens of a file written by hand or by `daybook token`: values or hashes. @throws Error naming the file */
export async function readTokenFile(path: string, options?: TokenOptions): Promise<TokensText> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw isMissing(error) ? new Error(`${path}: no such file`, { cause: error }) : withPath(path, error);
  });
  return await parseTokensText(bytes, path, options);
}

/** Whether a path can be reread, which a pipe cannot; true if it is missing. @throws Error naming the file */
export async function isRereadable(path: string): Promise<boolean> {
  return (await statsOf(path))?.isFile() ?? true;
}

async function parseTokensText(bytes: Uint8Array, path: string, options?: TokenOptions): Promise<TokensText> {
  const { readCheckedTokens } = await tokenChecks();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, records: readCheckedTokens(text, options) };
  } catch (error) {
    throw withPath(path, error);
  }
}

/** Replaces the tokens of a data directory under its lock, so that no concurrent change is lost. @throws store_locked */
export async function changeTokens(data: DataDirectory, change: TokenChange): Promise<void> {
  const { path, kind } = data;
  await withTokensLock(data, async (locked) => {
    // Write through the locked storage if possible: it rejects writes once the lock is lost.
    const storage = kind === "store" ? fileStorage(path) : locked;
    const records = change(await storedTokens(path, { insecure: true }));
    const { checkedText } = await tokenChecks();
    await storage.write(TOKENS_KEY, new TextEncoder().encode(checkedText(records)));
  });
}

/** Runs one change of tokens, or of signing keys, at a time; the lock is not that of a store, which a server holds. @throws store_locked */
export async function withTokensLock({ path, kind }: DataDirectory, run: (locked: Storage) => Promise<void>): Promise<void> {
  const locked = flatFileStorage(kind === "store" ? join(path, TOKENS_LOCK) : path, { onLockWait: printLockWait });
  const runLocked = () => withLock(locked, () => run(locked));
  // Revoking a token must also work on a full disk.
  await runLocked().catch(async (error: unknown) => {
    if (!isFull(error)) throw error;
    await diskReserve(path).use(runLocked);
  });
}

/** Key of the new file before its rename, in the lock's directory. */
const NEXT_KEY = "next";

/**
 * Replaces the tokens of a file under the lock `FILE.lock` beside it. Writes no checksums, so that the file can still be edited by hand.
 * An existing file keeps its owner, group and mode.
 * @param createsMissing whether to create a missing file
 * @throws store_locked, Error naming the file
 */
export async function changeTokenFile(path: string, change: TokenChange, createsMissing: boolean): Promise<void> {
  if (!(await isRereadable(path))) throw new Error(`${path}: expected a regular file, which can be replaced`);
  const file = await realFileOf(path);
  const read = () => readTokenFile(file, { insecure: true }).catch((error: unknown) => {
    if (createsMissing && error instanceof Error && isMissing(error.cause)) return { records: [] };
    throw error;
  });
  // Read before locking: if the file is unreadable, no lock must be left behind.
  await read();
  const locked = flatFileStorage(`${file}.lock`, { onLockWait: printLockWait });
  await withLock(locked, async () => {
    const { records } = await read();
    const { formatTokens } = await import("../http/index.js");
    await locked.write(NEXT_KEY, new TextEncoder().encode(formatTokens(change(records))));
    const next = join(`${file}.lock`, NEXT_KEY);
    await copyPermissions(file, next);
    await rename(next, file);
    await kernelFileSystem.syncDirectory(dirname(file));
  });
}

/** Gives a new file the owner, group and mode of the old one: the server may run as another user. @throws Error if the user may not do so */
async function copyPermissions(file: string, next: string): Promise<void> {
  const existing = await statsOf(file);
  if (existing === null) return;
  const handle = await open(next, constants.O_RDWR | NO_FOLLOW);
  try {
    const created = await handle.stat();
    if (created.uid !== existing.uid || created.gid !== existing.gid) await handle.chown(existing.uid, existing.gid);
    if (created.mode !== existing.mode) await handle.chmod(existing.mode & 0o7777);
    await handle.sync();
  } catch (error) {
    await rm(next);
    const permissions = `its owner (${existing.uid}), group (${existing.gid}) and mode (${(existing.mode & 0o7777).toString(8)})`;
    throw withPath(file, new Error(`it cannot be rewritten with ${permissions}, so it is left unchanged: ${messageOf(error)}`, { cause: error }));
  } finally {
    await handle.close();
  }
}

/** Null if the file is missing. @throws Error naming the file */
async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw withPath(path, error);
  }
}

/** Resolves links in the directory of a file, so that every path to it uses one lock. @throws Error for a link, or a missing directory */
async function realFileOf(path: string): Promise<string> {
  const directory = dirname(path);
  const realDirectory = await realpath(directory).catch((error: unknown) => {
    throw isMissing(error) ? new Error(`${directory}: no such directory`, { cause: error }) : withPath(path, error);
  });
  const real = join(realDirectory, basename(path));
  if ((await lstat(real).catch(() => null))?.isSymbolicLink() === true) throw linkError(path);
  return real;
}

async function withLock(locked: Required<Pick<Storage, "lock">>, run: () => Promise<void>): Promise<void> {
  const lock = await acquireLock(() => locked.lock());
  try {
    await run();
  } finally {
    await lock.release();
  }
}

/** Retries, because other changes hold the lock only for milliseconds. */
async function acquireLock(take: () => Promise<StorageLock>): Promise<StorageLock> {
  const untilMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof DaybookError) || error.code !== "store_locked" || performance.now() > untilMs) throw error;
      await sleep(20);
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function withPath(path: string, error: unknown): Error {
  return new Error(`${path}: ${messageOf(error)}`, { cause: error });
}

/** The message of an error; if a token is too short, it mentions `--insecure-token`. */
export function messageOf(error: unknown): string {
  if (error instanceof DaybookError && error.details["charCount"] !== undefined) return `${error.message}; serve --insecure-token accepts it`;
  return error instanceof Error ? error.message : String(error);
}

/** Where tokens are stored: in a data directory, or in a file for `serve --tokens`. */
interface TokenFile {
  readonly path: string;
  /** @throws Error naming the file, also if it is missing */
  read(): Promise<readonly TokenRecord[]>;
  /** Changes existing tokens. @throws what `read` throws, and store_locked */
  change(change: TokenChange): Promise<void>;
  /** Adds a token; creates the file or directory if it is missing. @throws UsageError for an organization other than that of a single store */
  add(record: TokenRecord): Promise<void>;
}

export const TOKEN_LOCATION_OPTIONS = texts("data", "tokens");

/** Resolves the token file that the options name. @throws UsageError */
export function tokenFileOf({ data, tokens }: { readonly data?: string | undefined; readonly tokens?: string | undefined }): TokenFile {
  if (data !== undefined && tokens !== undefined) throw new UsageError("--data and --tokens cannot be combined");
  if (tokens !== undefined && tokens !== "") return inFile(tokens);
  if (data !== undefined && data !== "") return inDirectory(data);
  throw new UsageError("expected --data or --tokens");
}

function inFile(path: string): TokenFile {
  return {
    path,
    // Accept short tokens, so that they can be listed and revoked.
    read: async () => (await readTokenFile(path, { insecure: true })).records,
    change: (change) => changeTokenFile(path, change, false),
    add: (record) => changeTokenFile(path, (records) => [...records, record], true),
  };
}

function inDirectory(path: string): TokenFile {
  const existing = async () => {
    const data = await dataDirectory(path);
    requireDirectory(data);
    return data;
  };
  return {
    path,
    read: async () => await storedTokens((await existing()).path, { insecure: true }),
    change: async (change) => await changeTokens(await existing(), change),
    add: async (record) => {
      const data = await dataDirectory(path);
      directoryOf(data, record.organization);
      await changeTokens(data, (records) => [...records, record]);
    },
  };
}
