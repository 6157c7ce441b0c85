import type { FileSystem } from "../../store/storage/file-system.js";
import type { StorageLock } from "../../store/storage/storage.js";
import { renewClaim } from "./lock-claims.js";
import { attempt, isMissing } from "./storage-error.js";

/** A lock that this process holds, renewed until it is released or lost. Does not keep the process alive. */
export class HeldLock implements StorageLock {
  readonly lost: Promise<void>;
  #lose: () => void = () => undefined;
  #isLost = false;
  #isReleased = false;
  #timer: NodeJS.Timeout | null = null;
  /** Resolves, and never rejects, with the renewal under way. */
  #renewed: Promise<void> = Promise.resolve();

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly path: string,
    private readonly renewMs: number,
  ) {
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    this.#renewLater();
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  async isHeld(): Promise<boolean> {
    if (this.#isLost || this.#isReleased) return false;
    try {
      await attempt("check the lock of", "", () => this.#look());
    } catch (error) {
      // Released during the check.
      if (!this.#isLost && !this.#isReleased) throw error;
    }
    return !this.#isLost && !this.#isReleased;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#renewed;
    await attempt("unlock", "", async () => {
      try {
        await this.fileSystem.unlink(this.path);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  async #look(): Promise<void> {
    try {
      await this.fileSystem.stat(this.path);
    } catch (error) {
      this.#loseIfMissing(error);
      throw error;
    }
  }

  #renewLater(): void {
    if (this.#isReleased || this.#isLost) return;
    // A lock that the program dropped without release must not be renewed forever, nor keep its store in memory.
    const weak = new WeakRef(this);
    this.#timer = setTimeout(() => {
      const lock = weak.deref();
      if (lock !== undefined) lock.#renewed = lock.#renew().then(() => lock.#renewLater());
    }, this.renewMs);
    this.#timer.unref();
  }

  /** Never creates the file: another process removed it for good reason. Other errors are ignored: `isHeld` is called before every answer. */
  async #renew(): Promise<void> {
    try {
      await renewClaim(this.fileSystem, this.path);
    } catch (error) {
      this.#loseIfMissing(error);
    }
  }

  #loseIfMissing(error: unknown): void {
    if (!isMissing(error) || this.#isReleased) return;
    this.#isLost = true;
    this.#lose();
  }
}
