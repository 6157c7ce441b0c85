import { DaybookError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { Follower } from "../store/follow/follower.js";
import type { FollowerHooks } from "../store/follow/follower.js";
import { WatchedObject } from "../store/follow/watched-object.js";
import { SAVED_SEGMENTS_KEY, decodeSavedSegments } from "../store/files/saved-segments-file.js";
import { storeKeys } from "../store/files/store-keys.js";
import type { StoreKeys } from "../store/files/store-keys.js";
import type { Store } from "../store/live/store.js";
import type { Changes } from "./changes.js";
import type { OpenExports } from "./open-exports.js";
import type { StoredPrivacyRequests } from "./privacy.js";
import type { StoredSegments } from "./saved-segments.js";
import type { Wait } from "./scrub.js";

/** What a reader that follows does besides. */
interface FollowingHooks extends FollowerHooks {
  /** Before each look. */
  readonly prepare: (newestSequence: number) => Promise<void>;
  /** The saved segments are others. @param bytes of their file; null: it is gone */
  readonly savedSegments: (bytes: Uint8Array | null) => void;
  /** Behind each look that found something else. */
  readonly looked: () => Promise<void>;
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
  /** When the last look began that went well. */
  #lookedMs = performance.now();

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
    await this.wait(LIMITS.followSettleMs, this.#stopping.signal);
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
    const { newestSequence, manifest } = this.store;
    await this.hooks.prepare(newestSequence);
    const isWaiting = await this.#follower.look();
    const saved = await this.#saved.changed();
    if (saved !== null) {
      this.hooks.savedSegments(saved.bytes);
      this.#saved.saw(saved.bytes);
    }
    if (this.store.newestSequence !== newestSequence || this.store.manifest !== manifest) await this.hooks.looked();
    this.#lookedMs = startedMs;
    return isWaiting;
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
  readonly random: (bytes: Uint8Array) => void;
  /** Drops all that was made of rows and records, and tells of the change. */
  readonly forget: (goneProjects: readonly string[]) => void;
  /** A writer whose storage knows no journal has to seal first. @param newestSequence that is shown */
  readonly prepare: (newestSequence: number) => Promise<void>;
  readonly wait: Wait;
}

/** Lets a Daybook that was opened for reading follow its writer. */
export function follow({ store, changes, exports, segments, privacy, setKeys, random, forget, prepare, wait, ...house }: FollowingHouse): Following {
  let { keys } = house;
  let mayLackKeys = store.isEmpty;
  let book = store.privacy;
  const looked = async () => {
    if (mayLackKeys) {
      mayLackKeys = store.isEmpty;
      keys = await storeKeys(store.storage, { random, mayWrite: false, mayBeMissing: mayLackKeys });
      setKeys(keys);
    }
    if (store.privacy !== book) privacy.reread(keys.suppressionKey);
    book = store.privacy;
  };
  const hooks: FollowingHooks = {
    prepare,
    committed: (batch, hasRecords) => (batch === null ? changes.all() : changes.committed(batch, hasRecords)),
    changed: () => changes.all(),
    forget,
    // An export that nobody asks on must not keep what is gone.
    removed: (whenUnread) => void exports.untilUnread(whenUnread),
    savedSegments: (bytes) => segments.replaced(bytes === null ? [] : decodeSavedSegments(bytes)),
    looked,
  };
  return new Following(store, hooks, wait);
}
