import { DaybookError } from "../base/errors.js";
import { cannotLengthen } from "../store/storage/key.js";
import type { AppendFile, ByteRange } from "../store/storage/storage.js";
import { attempt } from "./opfs-error.js";
import { readOpen, writeAll, type AccessHandle } from "./opfs-file.js";

/** Appends to one file. Each operation is done when its call returns, so they are in order. */
export class OpfsAppendFile implements AppendFile {
  #byteLength: number;
  #closed = false;

  constructor(
    private readonly key: string,
    private readonly handle: AccessHandle,
    private readonly hooks: { readonly onWrite: () => void; readonly onClose: () => void },
  ) {
    this.#byteLength = handle.getSize();
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  read(range: ByteRange | undefined): Uint8Array {
    return readOpen(this.handle, range);
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#run("append to", () => {
      writeAll(this.handle, bytes, this.#byteLength);
      this.#byteLength += bytes.length;
      this.hooks.onWrite();
    });
  }

  sync(): Promise<void> {
    return this.#run("sync", () => this.handle.flush());
  }

  truncate(byteLength: number): Promise<void> {
    return this.#run("truncate", () => {
      if (!(byteLength >= 0 && byteLength <= this.#byteLength)) throw cannotLengthen(this.key, this.#byteLength, byteLength);
      this.handle.truncate(byteLength);
      this.#byteLength = byteLength;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.hooks.onClose();
    await attempt("close", this.key, () => this.handle.close());
  }

  #run(operation: string, act: () => void): Promise<void> {
    if (this.#closed) return Promise.reject(new DaybookError("closed", `${this.key}: the append file is closed`));
    return attempt(operation, this.key, act);
  }
}
