import { DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { areSameBytes } from "../../core/base/bytes.js";
import { Follower } from "../../store/follow/follower.js";
import { otherState, WatchedObject } from "../../store/follow/journal-tail.js";
import { SAVED_SEGMENTS_KEY, decodeSavedSegments, KEYS_KEY, keysOf, parseKey, type StoreKeys } from "../../store/files/side-files.js";
import type { Store, StoreOptions } from "../../store/live/store.js";
import { type Storage, isFull } from "../../store/storage/storage.js";
import type { Changes } from "./changes.js";
import type { WaitForReaders } from "../upkeep/housekeeping.js";
import type { StoredPrivacyRequests } from "../privacy/stored-requests.js";
import type { StoredPeopleSegments } from "../query/saved-segments.js";
import type { Wait } from "../../core/base/time.js";

interface FollowServices {
  readonly store: Store;
  readonly changes: Changes;
  readonly waitForReaders: WaitForReaders;
  readonly segments: StoredPeopleSegments;
  readonly privacy: StoredPrivacyRequests;
  /** As read at opening: a writer that has just created the store writes its keys a little later. */
  readonly keys: StoreKeys;
  readonly setKeys: (keys: StoreKeys) => void;
  /** Drops everything derived from rows and records, and reports the change. */
  readonly forget: (goneProjects: readonly string[]) => void;
  /** Makes a writer whose storage has no journal seal first. @param newestSequence the newest that this reader shows */
  readonly prepare: (newestSequence: number) => Promise<void>;
  readonly wait: Wait;
}

/** The keys of a followed store. Each store has its own, which never change: other keys mean that another store replaced it. */
class FollowedKeys {
  readonly #file: WatchedObject;

  /** @param mayBeOthers they were generated for this reader alone, before the writer stored its own */
  constructor(
    readonly storage: Storage,
    public value: StoreKeys,
    private mayBeOthers: boolean,
    readonly changed: (keys: StoreKeys) => void,
  ) {
    this.#file = new WatchedObject(storage, KEYS_KEY, null);
  }

  /** @throws corruption */
  async refuseOther(): Promise<void> {
    const found = await this.#file.changed();
    if (found === null) return;
    const key = found.bytes === null ? null : parseKey(found.bytes);
    if (key === null || !(this.mayBeOthers || areSameBytes(key, this.value.cursorKey))) throw otherState(KEYS_KEY);
    this.#file.saw(found.bytes);
    this.mayBeOthers = false;
    this.value = keysOf(key);
    this.changed(this.value);
  }
}

/** Checks the store for its writer's changes: periodically, when notified, and before a query if the last check is too old. */
export class Following {
  readonly #follower: Follower;
  readonly #keys: FollowedKeys;
  #privacyText: string | null;
  readonly #saved: WatchedObject;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #unwatch: (() => void) | undefined;
  #looking: Promise<boolean> | null = null;
  /** Whether there may be changes that no check has read yet. */
  #mayHaveChanged = true;
  /** When the last successful check began. Opening does not count: it reads the journals long before it ends. */
  #lookedMs = -Infinity;

  constructor(readonly services: FollowServices) {
    const { store, changes, waitForReaders, forget } = services;
    const keys = new FollowedKeys(store.storage, services.keys, store.isEmpty, services.setKeys);
    this.#keys = keys;
    this.#privacyText = store.privacy;
    this.#follower = new Follower(store, {
      refuseOther: () => keys.refuseOther(),
      committed: (batch, hasRecords) => (batch === null ? changes.all() : changes.committed(batch, hasRecords)),
      changed: () => changes.all(),
      forget,
      // An idle export must not keep removed data or replaced files.
      removed: (whenUnread) => void waitForReaders(whenUnread),
    });
    this.#saved = new WatchedObject(store.storage, SAVED_SEGMENTS_KEY, null);
    this.#unwatch = store.storage.watch?.(() => (this.#mayHaveChanged = true));
    this.#running = this.#run();
  }

  /** Checks the store before a query, unless it did in the last half second. @throws manifest_missing, corruption, overloaded */
  async fresh(): Promise<void> {
    const sinceMs = performance.now() - LIMITS.followLateMs;
    if (this.#lookedMs >= sinceMs) return;
    await this.#looking?.catch(() => undefined);
    if (this.#lookedMs >= sinceMs || !(await this.#look())) return;
    // Timers fire up to a millisecond early.
    await this.services.wait(LIMITS.followSettleMs + 1, this.#stopping.signal);
    await this.#look();
  }

  /** Runs a read. Retries it on the new state if the writer replaced files that it was reading. @throws what the read throws */
  async retrying<A>(ask: () => Promise<A>): Promise<A> {
    for (let attempt = 1; ; attempt += 1) {
      const { store } = this.services;
      const { manifest } = store;
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DaybookError) || error.code !== "corruption" || attempt === LIMITS.followTryCount) throw error;
        await this.#look();
        if (store.manifest === manifest) throw error;
      }
    }
  }

  /** Stops checking; resolves once no check is running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unwatch?.();
    await this.#running;
    await this.#looking?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.services.wait(LIMITS.followMs, signal);
      if (signal.aborted) return;
      if (this.#unwatch !== undefined && !this.#mayHaveChanged && performance.now() - this.#lookedMs < LIMITS.followUnreportedMs) continue;
      // The next query checks again and reports the error.
      await this.#look().catch(() => undefined);
    }
  }

  /** Runs one check at a time; concurrent callers share it. */
  #look(): Promise<boolean> {
    this.#looking ??= this.#lookNow().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #lookNow(): Promise<boolean> {
    // Notifications from here on may be about data this check does not read.
    this.#mayHaveChanged = false;
    let isAgain = true;
    try {
      isAgain = await this.#take();
      return isAgain;
    } finally {
      this.#mayHaveChanged ||= isAgain;
    }
  }

  async #take(): Promise<boolean> {
    const startedMs = performance.now();
    const { store, segments, privacy, prepare } = this.services;
    await prepare(store.newestSequence);
    const isWaiting = await this.#follower.poll();
    const saved = await this.#saved.changed();
    if (saved !== null) {
      segments.replaced(saved.bytes === null ? [] : decodeSavedSegments(saved.bytes));
      this.#saved.saw(saved.bytes);
    }
    if (store.privacy !== this.#privacyText) privacy.reread(this.#keys.value.suppressionKey);
    this.#privacyText = store.privacy;
    this.#lookedMs = startedMs;
    return isWaiting;
  }
}

/** Opens a store that a full disk kept from opening for writing: with the reserve, else read-only. @throws `error`, if that fails too */
export async function openWhenFull(options: StoreOptions, error: unknown, open: (options: StoreOptions) => Promise<Store>): Promise<Store> {
  try {
    if (options.storage.reserve !== undefined) return await options.storage.reserve.use(() => open(options));
  } catch (again) {
    if (!isFull(again)) throw again;
  }
  return await open({ ...options, readOnly: true, quarantine: false, full: error }).catch(() => Promise.reject(error));
}
