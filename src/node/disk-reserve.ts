import { join, resolve } from "node:path";
import type { FileSystem } from "../store/storage/file-system.js";
import { isFull } from "../store/storage/is-full.js";
import type { Reserve } from "../store/storage/storage.js";
import { writeAll } from "./append-file.js";
import { kernelFileSystem } from "./kernel-file-system.js";
import { PRIVATE_MARK } from "./private-file.js";

/** No key, and no file of a process: it is neither listed nor taken for a leftover. */
export const RESERVE_NAME = `reserve${PRIVATE_MARK}`;

export interface DiskReserveOptions {
  /** How much is set aside. Default 4 MiB. */
  readonly byteLength?: number;
  /** What stands for the disk; default: this machine's. */
  readonly fileSystem?: FileSystem;
}

const RESERVE_BYTES = 4 * 1024 * 1024;
const STEP_BYTES = 64 * 1024;

/** One in a file. */
export interface RefilledReserve extends Reserve {
  /** Makes it again, as far as there is room; never rejects. Cheap where it is whole. */
  refill(): Promise<void>;
}

class DiskReserve implements RefilledReserve {
  readonly #path: string;
  readonly #byteLength: number;
  readonly #fileSystem: FileSystem;
  #useCount = 0;
  /** What is done to the file, one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(directory: string, { byteLength = RESERVE_BYTES, fileSystem = kernelFileSystem }: DiskReserveOptions) {
    this.#path = join(directory, RESERVE_NAME);
    this.#byteLength = byteLength;
    this.#fileSystem = fileSystem;
  }

  async use<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!isFull(error)) throw error;
      return await this.#without(run);
    } finally {
      await this.refill();
    }
  }

  async #without<T>(run: () => Promise<T>): Promise<T> {
    this.#useCount += 1;
    try {
      await this.#next(() => this.#fileSystem.unlink(this.#path));
      return await run();
    } finally {
      this.#useCount -= 1;
    }
  }

  refill(): Promise<void> {
    return this.#next(async () => {
      if (this.#useCount === 0) await this.#fill();
    });
  }

  /** Takes what there is, step by step: on a disk that is full again the part that fits is better than none. */
  async #fill(): Promise<void> {
    const file = await this.#fileSystem.open(this.#path, "append");
    try {
      for (let end = await file.byteLength(); end < this.#byteLength; ) {
        const bytes = globalThis.crypto.getRandomValues(new Uint8Array(Math.min(STEP_BYTES, this.#byteLength - end)));
        await writeAll(file, bytes, end);
        end += bytes.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** A reserve that cannot be made, or is not there, fails nothing. */
  #next(act: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(act).catch(() => undefined);
    return this.#last;
  }
}

/**
 * Room on the disk of a directory, as a file in it, for what takes data away on a full disk. Several storages on one disk may share it.
 * Random bytes: file systems that compress would set nothing aside for zeros.
 */
export function diskReserve(directory: string, options: DiskReserveOptions = {}): RefilledReserve {
  if (options.fileSystem !== undefined) return new DiskReserve(directory, options);
  const key = `${options.byteLength ?? RESERVE_BYTES} ${resolve(directory)}`;
  const known = reserves.get(key) ?? new DiskReserve(directory, options);
  reserves.set(key, known);
  return known;
}

/** One for each directory: what one storage gave up no other must take again meanwhile. */
const reserves = new Map<string, DiskReserve>();
