import { constants, type Stats } from "node:fs";
import { lstat, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../base/errors.js";
import type { TokenOptions, TokenRecord } from "../http/index.js";
import { flatFileStorage } from "../node/file-storage.js";
import { diskReserve, fileStorage } from "../node/index.js";
import { kernelFileSystem } from "../node/kernel-file-system.js";
import { linkError, NO_FOLLOW } from "../node/write-in-place.js";
import { isFull } from "../store/storage/is-full.js";
import type { Storage, StorageLock } from "../store/storage/storage.js";
import { TOKENS_KEY, TOKENS_LOCK, type DataDirectory } from "./data-directory.js";
import { tellWait } from "./tell-wait.js";

const LOCK_WAIT_MS = 5_000;

/** Tokens as they lie somewhere: the text tells whether they have changed. */
export interface TokensText {
  readonly text: string;
  readonly records: TokenRecord[];
}

export type ChangeOfTokens = (records: readonly TokenRecord[]) => readonly TokenRecord[];

/** All tokens of a data directory; none where it has no token file. @throws Error naming the file */
export async function storedTokens(dataDirectory: string, options?: TokenOptions): Promise<TokenRecord[]> {
  return (await readTokens(dataDirectory, options)).records;
}

/** Loaded for a file that is there: describing its shape needs a library that takes as long to load as all the rest of a command. */
const tokenChecks = () => import("./token-check.js");

/** The same, and their text. */
export async function readTokens(dataDirectory: string, options?: TokenOptions): Promise<TokensText> {
  const bytes = await fileStorage(dataDirectory).read(TOKENS_KEY);
  return bytes === null ? { text: "[]", records: [] } : await textOf(bytes, `${dataDirectory}/${TOKENS_KEY}`, options);
}

/** The tokens of a file that a person wrote, or `daybook token` did: values or hashes. @throws Error naming the file */
export async function readTokenFile(path: string, options?: TokenOptions): Promise<TokensText> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw isMissing(error) ? new Error(`${path}: no such file`, { cause: error }) : naming(path, error);
  });
  return await textOf(bytes, path, options);
}

/** Whether the tokens of a path may be read again: what a pipe held is gone. @throws Error naming the file */
export async function canBeReadAgain(path: string): Promise<boolean> {
  return (await statsOf(path))?.isFile() ?? true;
}

async function textOf(bytes: Uint8Array, path: string, options?: TokenOptions): Promise<TokensText> {
  const { readCheckedTokens } = await tokenChecks();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, records: readCheckedTokens(text, options) };
  } catch (error) {
    throw naming(path, error);
  }
}

/** Replaces the tokens of a data directory under its lock, so that two changes at once both count. @throws store_locked */
export async function changeTokens({ path, kind }: DataDirectory, change: ChangeOfTokens): Promise<void> {
  const locked = flatFileStorage(kind === "store" ? join(path, TOKENS_LOCK) : path, { onLockWait: tellWait });
  // The one that has the lock writes where it can: it refuses once the lock is lost.
  const storage = kind === "store" ? fileStorage(path) : locked;
  const replace = () =>
    underLock(locked, async () => {
      const records = change(await storedTokens(path, { insecure: true }));
      const { checkedText } = await tokenChecks();
      await storage.write(TOKENS_KEY, new TextEncoder().encode(checkedText(records)));
    });
  // A token is to be revoked on a full disk, too.
  await replace().catch(async (error: unknown) => {
    if (!isFull(error)) throw error;
    await diskReserve(path).use(replace);
  });
}

/** A file that is being made, in the directory that is its lock. */
const NEXT_KEY = "next";

/**
 * Replaces the tokens of a file, under a lock beside it that is called `FILE.lock`. Without checksums: a person may go on writing there.
 * A file that is there keeps its owner, group and mode.
 * @param makes a file where there is none
 * @throws store_locked, Error naming the file
 */
export async function changeTokenFile(path: string, change: ChangeOfTokens, makes: boolean): Promise<void> {
  if (!(await canBeReadAgain(path))) throw new Error(`${path}: expected a file, which can be replaced`);
  const file = await placeOf(path);
  const read = () => readTokenFile(file, { insecure: true }).catch((error: unknown) => {
    if (makes && error instanceof Error && isMissing(error.cause)) return { records: [] };
    throw error;
  });
  // What cannot be read leaves no lock behind.
  await read();
  const locked = flatFileStorage(`${file}.lock`, { onLockWait: tellWait });
  await underLock(locked, async () => {
    const { records } = await read();
    const { formatTokens } = await import("../http/index.js");
    await locked.write(NEXT_KEY, new TextEncoder().encode(formatTokens(change(records))));
    const next = join(`${file}.lock`, NEXT_KEY);
    await keepRights(file, next);
    await rename(next, file);
    await kernelFileSystem.syncDirectory(dirname(file));
  });
}

/** Gives what replaces a file its owner, group and mode: a server that runs as somebody else reads it. @throws Error where that is not permitted */
async function keepRights(file: string, next: string): Promise<void> {
  const kept = await statsOf(file);
  if (kept === null) return;
  const handle = await open(next, constants.O_RDWR | NO_FOLLOW);
  try {
    const made = await handle.stat();
    if (made.uid !== kept.uid || made.gid !== kept.gid) await handle.chown(kept.uid, kept.gid);
    if (made.mode !== kept.mode) await handle.chmod(kept.mode & 0o7777);
    await handle.sync();
  } catch (error) {
    await rm(next);
    const rights = `its owner (${kept.uid}), group (${kept.gid}) and mode (${(kept.mode & 0o7777).toString(8)})`;
    throw naming(file, new Error(`you cannot write it anew with ${rights}, so it stays as it is: ${messageOf(error)}`, { cause: error }));
  } finally {
    await handle.close();
  }
}

/** Null: there is nothing. @throws Error naming the file */
async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw naming(path, error);
  }
}

/** The one path of a file, whichever links lead to its directory: its lock is beside it. @throws Error for a link, or no directory */
async function placeOf(path: string): Promise<string> {
  const directory = dirname(path);
  const found = await realpath(directory).catch((error: unknown) => {
    throw isMissing(error) ? new Error(`${directory}: no such directory`, { cause: error }) : naming(path, error);
  });
  const place = join(found, basename(path));
  if ((await lstat(place).catch(() => null))?.isSymbolicLink() === true) throw linkError(path);
  return place;
}

async function underLock(locked: Required<Pick<Storage, "lock">>, run: () => Promise<void>): Promise<void> {
  const lock = await lockSoon(() => locked.lock());
  try {
    await run();
  } finally {
    await lock.release();
  }
}

/** Another change holds the lock for milliseconds only: worth waiting for. */
async function lockSoon(take: () => Promise<StorageLock>): Promise<StorageLock> {
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

function naming(path: string, error: unknown): Error {
  return new Error(`${path}: ${messageOf(error)}`, { cause: error });
}

/** With what accepts a token that is too short. */
export function messageOf(error: unknown): string {
  if (error instanceof DaybookError && error.details["charCount"] !== undefined) return `${error.message}; serve --insecure-token accepts it`;
  return error instanceof Error ? error.message : String(error);
}
