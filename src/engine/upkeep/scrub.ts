import { DaybookError } from "../../core/base/errors.js";
import { Sha256, toHex } from "../../core/base/hash.js";
import { LIMITS } from "../../core/base/limits.js";
import { notifyEach } from "../../core/base/promises.js";
import { filesOf, type FileEntry } from "../../store/files/manifest.js";
import type { Store } from "../../store/live/store.js";
import type { Wait } from "../../core/base/time.js";

export interface ScrubOptions {
  /** Reading speed. Default 1 MiB a second. */
  readonly bytesPerSecond?: number;
  /** Pause between two rounds, in ms. Default one hour. */
  readonly restMs?: number;
}

/** A file that differs from what was written. */
export interface Damage {
  readonly key: string;
  readonly reason: string;
}

/** What a scrub has done so far. */
export interface ScrubState {
  /** Completed rounds over all files. */
  readonly roundCount: number;
  /** Bytes read. */
  readonly byteLength: number;
  /** Damaged files that the manifest still names. */
  readonly damaged: readonly Damage[];
}

/** Rereads the sealed files of a store continuously, slice by slice, and compares their SHA-256. Queries never wait for it. */
export class Scrub {
  readonly #stopping = new AbortController();
  readonly #damaged = new Map<string, Damage>();
  readonly #running: Promise<void>;
  #roundCount = 0;
  #byteLength = 0;

  constructor(
    readonly store: Store,
    readonly options: ScrubOptions,
    readonly onDamage: (damage: Damage) => unknown,
    readonly wait: Wait,
  ) {
    this.#running = this.#run();
  }

  get state(): ScrubState {
    return { roundCount: this.#roundCount, byteLength: this.#byteLength, damaged: [...this.#damaged.values()].filter(({ key }) => this.#isNamed(key)) };
  }

  /** Resolves once no read is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const { restMs = LIMITS.scrubRestMs } = this.options;
    while (!this.#isStopped) {
      // Yields first: opening has other files to read.
      await this.wait(this.#roundCount === 0 ? 0 : restMs, this.#stopping.signal);
      for (const entry of filesOf(this.store.manifest)) {
        if (this.#isStopped) return;
        if (this.#isNamed(entry.key)) await this.#check(entry);
      }
      this.#roundCount += 1;
    }
  }

  async #check(entry: FileEntry): Promise<void> {
    const { bytesPerSecond = LIMITS.scrubBytesPerSecond } = this.options;
    const hash = new Sha256();
    for (let start = 0; start < entry.byteLength; ) {
      const bytes = await this.#read(entry, start);
      if (bytes === null || this.#isStopped) return;
      if (bytes.length === 0) return this.#report(entry, `expected ${entry.byteLength} bytes, but the file is missing or has ${start}`);
      hash.add(bytes);
      start += bytes.length;
      this.#byteLength += bytes.length;
      await this.wait((bytes.length / bytesPerSecond) * 1_000, this.#stopping.signal);
    }
    const found = toHex(hash.digest());
    if (found !== entry.sha256) this.#report(entry, `expected the SHA-256 ${entry.sha256}, found ${found}`);
  }

  /** Empty if the file ends before `start`; null if it cannot be read now: the next round tries again. */
  async #read({ key, byteLength }: FileEntry, start: number): Promise<Uint8Array | null> {
    try {
      const end = Math.min(start + LIMITS.scrubSliceBytes, byteLength);
      return (await this.store.storage.read(key, { start, end })) ?? new Uint8Array(0);
    } catch (error) {
      // Temporary failures, such as too many open files, are no damage; what the disk cannot read is.
      return error instanceof DaybookError && error.code === "internal" ? new Uint8Array(0) : null;
    }
  }

  #isNamed(key: string): boolean {
    return filesOf(this.store.manifest).some((entry) => entry.key === key);
  }

  #report({ key }: FileEntry, reason: string): void {
    if (!this.#isNamed(key) || this.#damaged.has(key)) return;
    const damage = { key, reason };
    this.#damaged.set(key, damage);
    notifyEach(this.onDamage, [damage]);
  }
}
