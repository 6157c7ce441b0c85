import { DaybookError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { areSameBytes } from "../../base/same-bytes.js";
import { Follower } from "../../store/follow/follower.js";
import type { FollowerHooks } from "../../store/follow/follower.js";
import { otherState } from "../../store/follow/other-state.js";
import { WatchedObject } from "../../store/follow/watched-object.js";
import { SAVED_SEGMENTS_KEY, decodeSavedSegments } from "../../store/files/saved-segments-file.js";
import { KEYS_KEY, keysOf, parseKey } from "../../store/files/store-keys.js";
import type { StoreKeys } from "../../store/files/store-keys.js";
import type { Store } from "../../store/live/store.js";
import type { Storage } from "../../store/storage/storage.js";
import type { Changes } from "./changes.js";
import type { OpenExports } from "../exports/open-exports.js";
import type { StoredPrivacyRequests } from "../privacy/stored-requests.js";
import type { StoredSegments } from "../question/saved-segments.js";
import type { Wait } from "../upkeep/timer.js";

/** What a reader that follows does besides. */
interface FollowingHooks extends FollowerHooks {
  /** Before each look. */
  readonly prepare: (newestSequence: number) => Promise<void>;
  /** The saved segments are others. @param bytes of their file; null: it is gone */
  readonly savedSegments: (bytes: Uint8Array | null) => void;
  /** Behind each look. */
  readonly looked: () => void;
}

/** Looks again and again what the writer of a store did, or when it is told, and before a question where the last look is long ago. */
export class Following {
  readonly #follower: Follower;
  readonly #saved: WatchedObject;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #unwatch: (() => void) | undefined;
  #looking: Promise<boolean> | null = null;
  /** Whether there may be something that no look has shown yet. */
  #isTold = true;
  /** When the last look began that went well. The opening was none: long after it read the journals it may still have been at the rest. */
  #lookedMs = -Infinity;

  constructor(
    readonly store: Store,
    readonly hooks: FollowingHooks,
    readonly wait: Wait,
  ) {
    this.#follower = new Follower(store, hooks);
    this.#saved = new WatchedObject(store.storage, SAVED_SEGMENTS_KEY, null);
    this.#unwatch = store.storage.watch?.(() => (this.#isTold = true));
    this.#running = this.#run();
  }

  /**
   * Before a question: looks, unless there was a look in the last half second. So what is shown is at most a second old, also where this process
   * stood still, and a store that is gone is an error. @throws manifest_missing, corruption, overloaded
   */
  async fresh(): Promise<void> {
    const sinceMs = performance.now() - LIMITS.followLateMs;
    if (this.#lookedMs >= sinceMs) return;
    await this.#looking?.catch(() => undefined);
    if (this.#lookedMs >= sinceMs || !(await this.#look())) return;
    // Timers come up to a millisecond early.
    await this.wait(LIMITS.followSettleMs + 1, this.#stopping.signal);
    await this.#look();
  }

  /** Asks, and asks anew where files are gone that it reads, for the writer has replaced them: of one state in the end. @throws what `ask` throws */
  async asking<A>(ask: () => Promise<A>): Promise<A> {
    for (let attempt = 1; ; attempt += 1) {
      const { manifest } = this.store;
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DaybookError) || error.code !== "corruption" || attempt === LIMITS.followTryCount) throw error;
        await this.#look();
        if (this.store.manifest === manifest) throw error;
      }
    }
  }

  /** Resolves once no look is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unwatch?.();
    await this.#running;
    await this.#looking?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.wait(LIMITS.followMs, signal);
      if (signal.aborted) return;
      if (this.#unwatch !== undefined && !this.#isTold && performance.now() - this.#lookedMs < LIMITS.followUntoldMs) continue;
      // Whoever asks half a second later hears why it failed.
      await this.#look().catch(() => undefined);
    }
  }

  /** One look at a time: who asks meanwhile waits for it. */
  #look(): Promise<boolean> {
    this.#looking ??= this.#lookNow().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #lookNow(): Promise<boolean> {
    // What is told from here on may come behind what this look reads.
    this.#isTold = false;
    let isAgain = true;
    try {
      isAgain = await this.#take();
      return isAgain;
    } finally {
      this.#isTold ||= isAgain;
    }
  }

  async #take(): Promise<boolean> {
    const startedMs = performance.now();
    await this.hooks.prepare(this.store.newestSequence);
    const isWaiting = await this.#follower.look();
    const saved = await this.#saved.changed();
    if (saved !== null) {
      this.hooks.savedSegments(saved.bytes);
      this.#saved.saw(saved.bytes);
    }
    this.hooks.looked();
    this.#lookedMs = startedMs;
    return isWaiting;
  }
}

/** The keys of a store that is followed. Each store has others, which never change: by them one is known that took its place. */
class FollowedKeys {
  readonly #file: WatchedObject;

  /** @param mayBeOthers they were made for this reader alone, before the writer had its own */
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

/** The parts of a Daybook that follows. */
export interface FollowingHouse {
  readonly store: Store;
  readonly changes: Changes;
  readonly exports: OpenExports;
  readonly segments: StoredSegments;
  readonly privacy: StoredPrivacyRequests;
  /** As found at the opening: a writer that has just made the store has its keys only a little later. */
  readonly keys: StoreKeys;
  readonly setKeys: (keys: StoreKeys) => void;
  /** Drops all that was made of rows and records, and tells of the change. */
  readonly forget: (goneProjects: readonly string[]) => void;
  /** A writer whose storage knows no journal has to seal first. @param newestSequence that is shown */
  readonly prepare: (newestSequence: number) => Promise<void>;
  readonly wait: Wait;
}

/** Lets a Daybook that was opened for reading follow its writer. */
export function follow({ store, changes, exports, segments, privacy, setKeys, forget, prepare, wait, ...house }: FollowingHouse): Following {
  const keys = new FollowedKeys(store.storage, house.keys, store.isEmpty, setKeys);
  let book = store.privacy;
  const looked = () => {
    if (store.privacy !== book) privacy.reread(keys.value.suppressionKey);
    book = store.privacy;
  };
  const hooks: FollowingHooks = {
    refuseOther: () => keys.refuseOther(),
    prepare,
    committed: (batch, hasRecords) => (batch === null ? changes.all() : changes.committed(batch, hasRecords)),
    changed: () => changes.all(),
    forget,
    // An export that nobody asks on must keep neither what is gone nor files that were replaced.
    removed: (whenUnread) => void exports.untilUnread(whenUnread),
    savedSegments: (bytes) => segments.replaced(bytes === null ? [] : decodeSavedSegments(bytes)),
    looked,
  };
  return new Following(store, hooks, wait);
}
