import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DaybookError } from "../base/errors.js";
import type { TokenRecord, TokenStore } from "../http/index.js";
import { flatFileStorage } from "../node/file-storage.js";
import { fileStorage } from "../node/index.js";
import type { StorageLock } from "../store/storage/storage.js";
import { TOKENS_KEY, TOKENS_LOCK, type DataDirectory } from "./data-directory.js";
import { tellWait } from "./tell-wait.js";

const RELOAD_EVERY_MS = 500;
const LOCK_WAIT_MS = 5_000;

/** All tokens of a data directory; none where it has no token file. @throws Error naming the file */
export async function storedTokens(dataDirectory: string): Promise<TokenRecord[]> {
  return (await readTokens(dataDirectory)).records;
}

/** Loaded for a file that is there: describing its shape needs a library that takes as long to load as all the rest of a command. */
const tokenChecks = () => import("./token-check.js");

async function readTokens(dataDirectory: string): Promise<{ readonly text: string; readonly records: TokenRecord[] }> {
  const bytes = await fileStorage(dataDirectory).read(TOKENS_KEY);
  if (bytes === null) return { text: "[]", records: [] };
  const { readCheckedTokens } = await tokenChecks();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, records: readCheckedTokens(text) };
  } catch (error) {
    throw new Error(`${dataDirectory}/${TOKENS_KEY}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Replaces the tokens of a data directory under its lock, so that two changes at once both count. @throws store_locked */
export async function changeTokens(
  { path, kind }: DataDirectory,
  change: (records: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  const locked = flatFileStorage(kind === "store" ? join(path, TOKENS_LOCK) : path, { onLockWait: tellWait });
  // The one that has the lock writes where it can: it refuses once the lock is lost.
  const storage = kind === "store" ? fileStorage(path) : locked;
  const lock = await lockSoon(() => locked.lock());
  try {
    const records = change(await storedTokens(path));
    const { checkedText } = await tokenChecks();
    await storage.write(TOKENS_KEY, new TextEncoder().encode(checkedText(records)));
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

/** The tokens of a file that a person wrote: values or hashes. @throws Error naming the file */
export async function tokensOfFile(path: string): Promise<TokenRecord[]> {
  try {
    return (await tokenChecks()).readCheckedTokens(await readFile(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Fixed tokens plus those of a data directory, which are read again whenever their file changes. */
export class LiveTokens implements TokenStore {
  readonly #fixed: ReadonlyMap<string, TokenRecord>;
  readonly #dataDirectory: string | null;
  readonly #onChange: (records: readonly TokenRecord[]) => Promise<void>;
  #stored = new Map<string, TokenRecord>();
  #text = "";
  #timer: NodeJS.Timeout | null = null;
  #warning = "";

  /** @param onChange hears of the stored tokens after each change; a failure is told and tried again */
  constructor(
    fixed: readonly TokenRecord[],
    dataDirectory: string | null,
    onChange: (records: readonly TokenRecord[]) => Promise<void> = () => Promise.resolve(),
  ) {
    this.#fixed = new Map(fixed.map((record) => [record.sha256, record]));
    this.#dataDirectory = dataDirectory;
    this.#onChange = onChange;
  }

  find(sha256Hex: string): TokenRecord | undefined {
    return this.#fixed.get(sha256Hex) ?? this.#stored.get(sha256Hex);
  }

  /** Reads the tokens and keeps watching their file until `stop`. @throws like `storedTokens` */
  async start(): Promise<void> {
    await this.reload();
    const next = (): void => {
      this.#timer = setTimeout(() => {
        this.reload()
          .catch((error: unknown) => this.#warn(error))
          .finally(() => {
            if (this.#timer !== null) next();
          });
      }, RELOAD_EVERY_MS);
    };
    next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Reads the tokens if their file has changed. @throws like `storedTokens`, and what `onChange` throws */
  async reload(): Promise<void> {
    if (this.#dataDirectory === null) return;
    const { text, records } = await readTokens(this.#dataDirectory);
    if (text === this.#text) return;
    // A revoked token must fall even when the rest of the change cannot be carried out yet.
    this.#stored = new Map(records.map((record) => [record.sha256, record]));
    await this.#onChange(records);
    this.#text = text;
    this.#warning = "";
  }

  /** Says a thing once, not twice a second. */
  #warn(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    // That a store is locked is said each time with other seconds.
    const thing = error instanceof DaybookError ? String(error.details["lockFile"] ?? message) : message;
    if (thing === this.#warning) return;
    this.#warning = thing;
    process.stderr.write(`${JSON.stringify({ level: "warn", message: `tokens not reloaded: ${message}` })}\n`);
  }
}
