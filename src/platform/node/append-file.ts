import { DaybookError } from "../../core/base/errors.js";
import { cannotLengthen } from "../../store/storage/key.js";
import type { AppendFile } from "../../store/storage/storage.js";
import type { OpenFile } from "../../store/storage/file-system.js";
import { attempt } from "./storage-error.js";

/** Writes all of `bytes` at `position`, in as many writes as the file system needs. @throws storage_full (it accepts no byte) */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const byteLength = await file.write(bytes.subarray(done), position + done);
    if (byteLength === 0) throw new DaybookError("storage_full", "the file system wrote none of the bytes");
    done += byteLength;
  }
}

/** Appends to one file. A failed write leaves `byteLength`, where the next write starts again. Operations run in the order of their calls. */
export class FileAppendFile implements AppendFile {
  #byteLength: number;
  #nameIsDurable = false;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly key: string,
    private readonly file: OpenFile,
    byteLength: number,
    private readonly syncName: () => Promise<void>,
  ) {
    this.#byteLength = byteLength;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#next("append to", async () => {
      await writeAll(this.file, bytes, this.#byteLength);
      this.#byteLength += bytes.length;
    });
  }

  sync(): Promise<void> {
    return this.#next("sync", async () => {
      await this.file.sync();
      if (!this.#nameIsDurable) await this.syncName();
      this.#nameIsDurable = true;
    });
  }

  truncate(byteLength: number): Promise<void> {
    return this.#next("truncate", async () => {
      if (!(byteLength >= 0 && byteLength <= this.#byteLength)) throw cannotLengthen(this.key, this.#byteLength, byteLength);
      await this.file.truncate(byteLength);
      this.#byteLength = byteLength;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const closing = this.#next("close", () => this.file.close());
    this.#closed = true;
    await closing;
  }

  #next(operation: string, run: () => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.reject(new DaybookError("closed", `${this.key}: the append file is closed`));
    const result = this.#last.then(() => attempt(operation, this.key, run));
    this.#last = result.catch(() => undefined);
    return result;
  }
}
