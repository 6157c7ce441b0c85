import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DaybookError, parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { notifyEach } from "../../core/base/promises.js";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import { EXPECTED_ORGANIZATION, isOrganizationName } from "../../core/base/organization-name.js";
import { keepingTimer, systemClock, timer, type Wait } from "../../core/base/time.js";
import { pooledRandom } from "../../core/base/uuid.js";
import type { Daybook } from "../../engine/daybook.js";
import { openInBudget } from "../../engine/open-daybook.js";
import { checkOptions as checkStoreOptions, KNOWN_OPTIONS, type DaybookOptions } from "../../engine/options.js";
import { ScopeTokens, type VerifiedScope } from "../../engine/tokens/scope-tokens.js";
import { MANIFEST_KEY, decodeManifest } from "../../store/files/manifest.js";
import { signingKeysIn } from "../../store/files/signing-keys.js";
import { SharedBudget, StoreShare } from "../../store/live/shared-budget.js";
import type { Storage } from "../../store/storage/storage.js";
import { DEFAULT_ORGANIZATION, isStore, namesIn, organizationNames, refuseOtherFiles } from "./data-directory.js";
import { fileStorage } from "./file-storage.js";
import { StorePool } from "./store-pool.js";

/** Stores that are open at a time, unless an option says otherwise. */
export const OPEN_STORE_COUNT = 100;

/** The bounds of the open organizations of a data directory. */
export interface OrganizationsOptions {
  /** Stores open at a time, with those that are being opened or closed: at least 1. Default 100. */
  readonly maxOpen?: number;
  /** Stores used last that stay open however long they are idle. Default 1. */
  readonly minOpen?: number;
  /** Milliseconds without use after which a store is closed; `Infinity`: only when another one needs its place. Default 5 minutes. */
  readonly idleMs?: number;
  /** Milliseconds that a call waits while `maxOpen` stores are in use or being closed; then it fails with `overloaded`. Default 5 seconds. */
  readonly waitMs?: number;
  /** Bound on loaded columns and derived structures of all stores together, in bytes. Default 2 GiB. */
  readonly memoryBudgetBytes?: number;
  /** Options of `openDaybook` for every store. */
  readonly open?: Omit<DaybookOptions, "storage" | "memoryBudgetBytes">;
  /** Makes the storage of a store's directory, each time it is opened. Default: `fileStorage(directory)`. */
  readonly storage?: (directory: string) => Storage;
  /**
   * Called when a store could not be closed after it was idle, or when its expired events could not be deleted; with the directory if its stores
   * could not be listed; with what an `onWanted` throws. Acknowledged events are durable all the same. Errors it throws are ignored. Absent: `close`
   * throws the first such error.
   */
  readonly onError?: (error: unknown, name: string) => unknown;
}

/** An organization that stays open until it is released; `using` releases it. */
export interface OrganizationLease extends Disposable {
  readonly daybook: Daybook;
  /** Call it once the last call on `daybook` is settled: later ones may fail with `closed`. A second call does nothing. */
  release(): void;
}

export interface AcquireOptions {
  /** Called when another organization waits for the place: release this one soon. Absent: others wait. For uses that last, such as `changes`. */
  readonly onWanted?: () => void;
}

/** The organizations of a data directory, a store each. Names have at most 63 lower-case letters, digits, `-` and `_`. */
export interface Organizations extends AsyncDisposable {
  /** Names of the existing organizations, ascending. Cost: reads the start of each store's manifest. */
  names(): Promise<string[]>;
  /** Whether there is such an organization; false for text that is no name. One that another process creates is found within a second. */
  has(name: string): Promise<boolean>;
  /** Creates an organization, unless it exists. @throws invalid_parameter, and what `acquire` throws */
  create(name: string): Promise<void>;
  /**
   * Runs a function with an organization, which stays open until its result is settled. Read iterators, such as those of exports, within it.
   * @throws what `acquire` and the function throw
   */
  use<T>(name: string, run: (daybook: Daybook) => T | Promise<T>): Promise<T>;
  /**
   * Opens an organization, or takes the open one, until you release it. Concurrent calls open it once. If it cannot be opened, only calls for it
   * fail, and the next one tries again.
   * @throws invalid_parameter (there is no such organization), overloaded (no place for `waitMs`), closed, and what `openDaybook` throws
   */
  acquire(name: string, options?: AcquireOptions): Promise<OrganizationLease>;
  /** The organizations that are open now. They may be closed at any time: for states and figures only. */
  opened(): readonly Daybook[];
  /** As `verifyScopeToken` of the organization, without opening it. @throws invalid_token (also without such an organization), corruption, closed */
  verifyScopeToken(name: string, token: string): Promise<VerifiedScope>;
  /**
   * Closes an organization and deletes its directory. Calls for it wait meanwhile.
   * @throws invalid_parameter (also for a single store), overloaded (in use for `waitMs`), store_locked (another process has it open), closed
   */
  delete(name: string): Promise<void>;
  /** Closes all. Calls that still use one fail with `closed`. @throws the first error of closing one, after all are closed */
  close(): Promise<void>;
}

const KNOWN: KnownOptions<OrganizationsOptions> = {
  maxOpen: true, minOpen: true, idleMs: true, waitMs: true, memoryBudgetBytes: true, open: true, storage: true, onError: true,
};
const { storage: _, memoryBudgetBytes: __, ...KNOWN_OF_OPEN } = KNOWN_OPTIONS;
const KNOWN_OF_ACQUIRE: KnownOptions<AcquireOptions> = { onWanted: true };

/** How often closed stores are looked at, and how long after the last look one with a time to live is opened: trusted times are for a day. */
const LOOK_MS = 3_600_000;
const TIME_TO_LIVE_MS = 12 * LOOK_MS;
const LISTING_MS = 1_000;

/** What tests replace. */
export interface OrganizationTimes {
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly waitForPlace: Wait;
}

const SYSTEM_TIMES: OrganizationTimes = { nowMs: () => performance.now(), wait: timer, waitForPlace: keepingTimer };

/**
 * The organizations of a data directory, as `daybook serve` lays it out: a directory each, or a single store, which is the organization `default`.
 * Opens stores when they are used, and closes them when they are idle or another one needs the place. Opens nothing now.
 * @throws invalid_parameter, unknown_parameter
 */
export function openOrganizations(directory: string, options: OrganizationsOptions = {}): Organizations {
  return new OpenedOrganizations(directory, options, SYSTEM_TIMES);
}

export class OpenedOrganizations implements Organizations {
  readonly #directory: string;
  readonly #options: OrganizationsOptions;
  readonly #times: OrganizationTimes;
  readonly #pool: StorePool<Daybook>;
  readonly #budget: SharedBudget;
  readonly #shares = new WeakMap<Daybook, StoreShare>();
  readonly #creating = new Set<string>();
  /** Signing keys and verified tokens of as many closed organizations as may be open, the least recently used first. */
  readonly #tokens = new Map<string, ScopeTokens>();
  /** When expired events of an organization were last deleted. */
  readonly #sweptMs = new Map<string, number>();
  readonly #stopping = new AbortController();
  #isSingle: Promise<boolean> | null = null;
  /** Names in the directory, and when they were read. */
  #listing: { readonly entries: Promise<ReadonlySet<string>>; readonly atMs: number } | null = null;
  #firstError: { readonly error: unknown } | null = null;

  constructor(directory: string, options: OrganizationsOptions, times: OrganizationTimes) {
    checkOptions(directory, options);
    const { maxOpen = OPEN_STORE_COUNT, minOpen = 1, idleMs = 300_000, waitMs = 5_000, memoryBudgetBytes = LIMITS.memoryBudgetBytes } = options;
    this.#directory = directory;
    this.#options = options;
    this.#times = times;
    this.#budget = new SharedBudget(memoryBudgetBytes);
    this.#pool = new StorePool({
      ...times,
      maxOpen,
      minOpen,
      idleMs,
      waitMs,
      open: (name) => this.#open(name),
      close: (name, daybook) => this.#close(name, daybook),
      onError: (error, name) => this.#report(error, name),
    });
    if (options.open?.readOnly !== true) void this.#visitClosed();
  }

  async names(): Promise<string[]> {
    return (await this.#hasSingle()) ? [DEFAULT_ORGANIZATION] : await organizationNames(this.#directory);
  }

  async has(name: string): Promise<boolean> {
    if (this.#pool.peek(name) !== null) return true;
    const directory = isOrganizationName(name) ? await this.#directoryOf(name) : null;
    if (directory === null || (directory !== this.#directory && !(await this.#entries()).has(name))) return false;
    return await isStore(directory);
  }

  async create(name: string): Promise<void> {
    this.#creating.add(checkedName(name));
    try {
      (await this.acquire(name)).release();
    } finally {
      this.#creating.delete(name);
    }
  }

  async use<T>(name: string, run: (daybook: Daybook) => T | Promise<T>): Promise<T> {
    const { daybook, release } = await this.acquire(name);
    try {
      return await run(daybook);
    } finally {
      release();
    }
  }

  async acquire(name: string, options: AcquireOptions = {}): Promise<OrganizationLease> {
    checkedName(name);
    rejectUnknownOptions(options, KNOWN_OF_ACQUIRE);
    const { store: daybook, release } = await this.#pool.acquire(name, options.onWanted ?? null);
    return { daybook, release, [Symbol.dispose]: release };
  }

  opened(): readonly Daybook[] {
    return this.#pool.opened();
  }

  async verifyScopeToken(name: string, token: string): Promise<VerifiedScope> {
    this.#pool.refuseClosed();
    if (!this.#tokens.has(name) && !(await this.has(name))) throw new DaybookError("invalid_token", "the token names no organization of this directory");
    const daybook = this.#pool.peek(name);
    return await (daybook === null ? (await this.#tokensOf(name)).verify(token) : daybook.verifyScopeToken(token));
  }

  async delete(name: string): Promise<void> {
    checkedName(name);
    if (await this.#hasSingle()) throw parameterError("invalid_parameter", "name", `expected an organization in a directory of its own, but ${this.#directory} is a single store`);
    await this.#pool.remove(name, async () => {
      const directory = await this.#existing(name);
      const storage = this.#storageOf(directory);
      // No other process may open it from now on.
      const lock = await storage.lock?.();
      this.#tokens.delete(name);
      this.#sweptMs.delete(name);
      await rm(directory, { recursive: true });
      await lock?.release().catch(() => undefined);
    });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#pool.close();
    if (this.#firstError !== null) throw this.#firstError.error;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(name: string): Promise<Daybook> {
    const isNew = this.#creating.has(name);
    const directory = isNew ? await this.#directoryForNew(name) : await this.#existing(name);
    const share = new StoreShare(this.#budget);
    try {
      const daybook = await openInBudget({ ...this.#options.open, storage: this.#storageOf(directory) }, share);
      this.#shares.set(daybook, share);
      if (isNew) this.#listing = null;
      return daybook;
    } catch (error) {
      share.end();
      throw error;
    }
  }

  async #close(name: string, daybook: Daybook): Promise<void> {
    // Its keys may have changed while it was open.
    this.#tokens.delete(name);
    try {
      if (!this.#stopping.signal.aborted) await this.#deleteExpired(name, daybook).catch((error: unknown) => this.#report(error, name));
      await daybook.close();
    } finally {
      this.#shares.get(daybook)?.end();
    }
  }

  /** What an open store does within minutes of midnight, for one that is open too briefly. Nothing if it was done in the last hours. */
  async #deleteExpired(name: string, { health, timeToLive }: Daybook): Promise<void> {
    if (health !== "ok" || this.#isSwept(name) || (await timeToLive.list()).length === 0) return;
    const isDue = (timeToLive.waiting ?? null) === null && (await timeToLive.preview()).events > 0;
    if (isDue) await timeToLive.sweep();
    this.#sweptMs.set(name, this.#times.nowMs());
  }

  #isSwept(name: string): boolean {
    return this.#times.nowMs() - (this.#sweptMs.get(name) ?? -Infinity) < TIME_TO_LIVE_MS;
  }

  /** Opens closed stores with a time to live now and then, so that their events expire although nobody uses them. Never rejects. */
  async #visitClosed(): Promise<void> {
    const { signal } = this.#stopping;
    for (let restMs: number = LIMITS.sweepLookMs; ; restMs = LOOK_MS) {
      await this.#times.wait(restMs, signal);
      if (signal.aborted) return;
      const names = await this.names().catch((error: unknown): string[] => {
        this.#report(error, this.#directory);
        return [];
      });
      for (const name of names) if (!signal.aborted) await this.#visit(name).catch((error: unknown) => this.#report(error, name));
    }
  }

  async #visit(name: string): Promise<void> {
    if (this.#pool.peek(name) !== null || this.#isSwept(name)) return;
    const directory = await this.#directoryOf(name);
    // Deleted since the directory was read.
    if (directory === null || !(await isStore(directory))) return;
    const bytes = await this.#storageOf(directory).read(MANIFEST_KEY);
    if (bytes === null || (decodeManifest(bytes).timeToLive ?? []).length === 0) return;
    await this.use(name, (daybook) => this.#deleteExpired(name, daybook));
  }

  #report(error: unknown, name: string): void {
    const { onError } = this.#options;
    if (onError === undefined) this.#firstError ??= { error };
    else notifyEach((each) => onError(each, name), [error]);
  }

  async #tokensOf(name: string): Promise<ScopeTokens> {
    const tokens = this.#tokens.get(name) ?? (await this.#newTokensOf(name));
    this.#tokens.delete(name);
    this.#tokens.set(name, tokens);
    const [leastRecent] = this.#tokens.keys();
    if (leastRecent !== undefined && this.#tokens.size > (this.#options.maxOpen ?? OPEN_STORE_COUNT)) this.#tokens.delete(leastRecent);
    return tokens;
  }

  async #newTokensOf(name: string): Promise<ScopeTokens> {
    return new ScopeTokens({
      keys: signingKeysIn(this.#storageOf(await this.#existing(name))),
      clock: this.#options.open?.clock ?? systemClock,
      random: this.#options.open?.random ?? pooledRandom(),
      change: () => Promise.reject(new DaybookError("read_only", "these keys are only read")),
    });
  }

  #storageOf(directory: string): Storage {
    return (this.#options.storage ?? fileStorage)(directory);
  }

  /** Whether the directory is itself a store. */
  #hasSingle(): Promise<boolean> {
    return (this.#isSingle ??= isStore(this.#directory).catch((error: unknown) => {
      this.#isSingle = null;
      throw error;
    }));
  }

  /** Names in the directory at most a second ago: requests with made-up names must not read the disk each time. */
  #entries(): Promise<ReadonlySet<string>> {
    const atMs = this.#times.nowMs();
    if (this.#listing === null || atMs - this.#listing.atMs >= LISTING_MS) {
      const entries = namesIn(this.#directory).then((names) => new Set(names));
      const listing = { entries, atMs };
      this.#listing = listing;
      entries.catch(() => this.#listing === listing && (this.#listing = null));
    }
    return this.#listing.entries;
  }

  /** Null: a single store has no such organization. */
  async #directoryOf(name: string): Promise<string | null> {
    if (!(await this.#hasSingle())) return join(this.#directory, name);
    return name === DEFAULT_ORGANIZATION ? this.#directory : null;
  }

  /** @throws invalid_parameter */
  async #existing(name: string): Promise<string> {
    const directory = await this.#directoryOf(name);
    if (directory !== null && (await isStore(directory))) return directory;
    throw parameterError("invalid_parameter", "name", `expected an organization of ${this.#directory}, got ${shown(name)}, which does not exist: "create" makes it`);
  }

  /** @throws invalid_parameter */
  async #directoryForNew(name: string): Promise<string> {
    const directory = await this.#directoryOf(name);
    if (directory === null)
      throw parameterError("invalid_parameter", "name", `expected "${DEFAULT_ORGANIZATION}", because ${this.#directory} is a single store, got ${shown(name)}`);
    await refuseOtherFiles(directory);
    return directory;
  }
}

/** @throws invalid_parameter */
function checkedName(name: unknown): string {
  if (isOrganizationName(name)) return name;
  throw parameterError("invalid_parameter", "name", `${EXPECTED_ORGANIZATION}, got ${shown(name)}`);
}

function checkOptions(directory: unknown, options: OrganizationsOptions): void {
  if (typeof directory !== "string" || directory === "") throw parameterError("invalid_parameter", "directory", `expected a path, got ${shown(directory)}`);
  rejectUnknownOptions(options, KNOWN);
  const { maxOpen, minOpen, idleMs, waitMs, memoryBudgetBytes, open, storage, onError } = options;
  if (maxOpen !== undefined && !(Number.isInteger(maxOpen) && maxOpen >= 1)) throw unexpected("maxOpen", "a whole number, 1 or more", maxOpen);
  if (minOpen !== undefined && !(Number.isInteger(minOpen) && minOpen >= 0)) throw unexpected("minOpen", "a whole number, 0 or more", minOpen);
  for (const [name, value] of Object.entries({ idleMs, waitMs, memoryBudgetBytes }))
    if (value !== undefined && !(typeof value === "number" && value >= 0)) throw unexpected(name, "a number, 0 or more", value);
  if (waitMs === Infinity) throw unexpected("waitMs", "a finite number", waitMs);
  for (const [name, value] of Object.entries({ storage, onError }))
    if (value !== undefined && typeof value !== "function") throw unexpected(name, "a function", value);
  if (open === undefined) return;
  rejectUnknownOptions(open, KNOWN_OF_OPEN, "open");
  checkStoreOptions({ ...open, storage: (storage ?? fileStorage)(directory) });
}

function unexpected(option: string, expected: string, came: unknown): DaybookError {
  return parameterError("invalid_parameter", option, `expected ${expected}, got ${shown(came)}`);
}
