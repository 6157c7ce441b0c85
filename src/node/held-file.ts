import { DaybookError } from "../base/errors.js";
import type { OpenFile } from "../store/storage/file-system.js";
import type { ByteRange, HeldObject } from "../store/storage/storage.js";
import { attempt } from "./storage-error.js";

/** Reads a range of a file, fewer bytes where it ends before. */
export async function readFully(file: OpenFile, { start, end }: ByteRange): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let done = 0;
  while (done < bytes.length) {
    const byteLength = await file.read(bytes.subarray(done), start + done);
    if (byteLength === 0) break;
    done += byteLength;
  }
  return bytes.subarray(0, done);
}

/** A file that is kept open: the kernel keeps its bytes, whatever becomes of its name. */
export class HeldFile implements HeldObject {
  #readCount = 0;
  #isReleased = false;

  constructor(
    private readonly key: string,
    private readonly file: OpenFile,
  ) {}

  async read(range: ByteRange): Promise<Uint8Array> {
    if (this.#isReleased) throw new DaybookError("closed", `${this.key}: it is held no more`);
    this.#readCount += 1;
    try {
      return await attempt("read", this.key, () => readFully(this.file, range));
    } finally {
      this.#readCount -= 1;
      if (this.#isReleased) this.#close();
    }
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#close();
  }

  /** Not under a read: its handle may be that of another file by then. */
  #close(): void {
    if (this.#readCount === 0) void this.file.close().catch(() => undefined);
  }
}
