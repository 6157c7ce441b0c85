import { DaybookError } from "../../core/base/errors.js";
import type { StorageLock } from "../../store/storage/storage.js";

class WebLock implements StorageLock {
  readonly lost: Promise<void>;
  readonly held: Promise<void>;
  #lose: () => void = () => undefined;
  #free: () => void = () => undefined;
  #isHeld = true;
  #ended: Promise<void> = Promise.resolve();

  constructor() {
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    this.held = new Promise((resolve) => (this.#free = resolve));
  }

  /** Tracks the lock request. @param request resolves once the lock is free again; rejects if it was stolen */
  follow(request: Promise<unknown>): void {
    this.#ended = request.then(
      () => undefined,
      () => {
        this.#isHeld = false;
        this.#lose();
      },
    );
  }

  isHeld(): Promise<boolean> {
    return Promise.resolve(this.#isHeld);
  }

  async release(): Promise<void> {
    this.#isHeld = false;
    this.#free();
    await this.#ended;
  }
}

/** Takes a lock that covers all tabs and workers of the origin. The browser releases it when the holder ends, killed or not. @throws store_locked */
export function takeWebLock(store: string): Promise<Required<StorageLock>> {
  return new Promise((resolve, reject) => {
    const lock = new WebLock();
    const request = navigator.locks.request(`daybook:${store}`, { ifAvailable: true }, (granted) => {
      if (granted !== null) resolve(lock);
      return granted === null ? undefined : lock.held;
    });
    lock.follow(request);
    // Has no effect once the lock was granted.
    request.then(() => reject(lockedError(store)), reject);
  });
}

function lockedError(store: string): DaybookError {
  const advice = "share one Daybook, or open this one with readOnly: true";
  return new DaybookError("store_locked", `the store ${store} is already open in this or another tab or worker of this origin: ${advice}`);
}
