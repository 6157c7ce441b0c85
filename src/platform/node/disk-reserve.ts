import { join, resolve } from "node:path";
import type { FileSystem } from "../../store/storage/file-system.js";
import { isFull, type Reserve } from "../../store/storage/storage.js";
import { kernelFileSystem } from "./kernel-file-system.js";
import { PRIVATE_MARK, writeAll } from "./private-files.js";

/** Neither a key nor a private file of a process, so it is neither listed nor removed as a leftover. */
export const RESERVE_NAME = `reserve${PRIVATE_MARK}`;

export interface DiskReserveOptions {
  /** Size of the reserve. Default 4 MiB. */
  readonly byteLength?: number;
  /** Default: the file system of this machine. */
  readonly fileSystem?: FileSystem;
}

const RESERVE_BYTES = 4 * 1024 * 1024;
const STEP_BYTES = 64 * 1024;

/** A reserve that can be recreated. */
export interface RefilledReserve extends Reserve {
  /** Recreates the reserve as far as there is room; never rejects. Cheap if it is complete. */
  refill(): Promise<void>;
}

class DiskReserve implements RefilledReserve {
  readonly #path: string;
  readonly #byteLength: number;
  readonly #fileSystem: FileSystem;
  #useCount = 0;
  /** The last operation on the file; the next one starts after it. */
  #tail: Promise<void> = Promise.resolve();

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
      await this.#enqueue(() => this.#fileSystem.unlink(this.#path));
      return await run();
    } finally {
      this.#useCount -= 1;
    }
  }

  refill(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#useCount === 0) await this.#fill();
    });
  }

  /** Fills in steps: if the disk is full again, a part of the reserve is better than none. */
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

  /** Errors are ignored: a reserve that cannot be created, or is missing, must not fail the caller. */
  #enqueue(act: () => Promise<void>): Promise<void> {
    this.#tail = this.#tail.then(act).catch(() => undefined);
    return this.#tail;
  }
}

/**
 * Disk space reserved by a file in a directory, for operations that delete data on a full disk. Storages on one disk may share it. The file holds
 * random bytes, because file systems that compress would reserve nothing for zeros.
 */
export function diskReserve(directory: string, options: DiskReserveOptions = {}): RefilledReserve {
  if (options.fileSystem !== undefined) return new DiskReserve(directory, options);
  const key = `${options.byteLength ?? RESERVE_BYTES} ${resolve(directory)}`;
  const reserve = reserves.get(key) ?? new DiskReserve(directory, options);
  reserves.set(key, reserve);
  return reserve;
}

/** One per directory and size, so that storages with the same settings do not refill space that another has freed. */
const reserves = new Map<string, DiskReserve>();
