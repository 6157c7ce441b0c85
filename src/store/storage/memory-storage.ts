import { DaybookError } from "../../core/base/errors.js";
import {
  OPEN_TWICE_ADVICE, cannotLengthen, checkKey, checkPrefix, clipRange, type AppendFile, type ByteRange, type HeldObject, type Storage,
  type StorageLock,
} from "./storage.js";
import { memoryCodec } from "./codec.js";

interface StoredObject {
  /** May be longer than the object: appends double it. */
  buffer: Uint8Array;
  byteLength: number;
}

function appendBytes(object: StoredObject, bytes: Uint8Array): void {
  const byteLength = object.byteLength + bytes.length;
  if (byteLength > object.buffer.length) {
    const grown = new Uint8Array(Math.max(byteLength, 2 * object.buffer.length, 1_024));
    grown.set(object.buffer.subarray(0, object.byteLength));
    object.buffer = grown;
  }
  object.buffer.set(bytes, object.byteLength);
  object.byteLength = byteLength;
}

class MemoryAppendFile implements AppendFile {
  #closed = false;
  constructor(
    private readonly key: string,
    private readonly object: StoredObject,
  ) {}

  get byteLength(): number {
    return this.object.byteLength;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#checkOpen();
    appendBytes(this.object, bytes);
  }

  async sync(): Promise<void> {
    this.#checkOpen();
  }

  async truncate(byteLength: number): Promise<void> {
    this.#checkOpen();
    if (!(byteLength >= 0 && byteLength <= this.byteLength)) throw cannotLengthen(this.key, this.byteLength, byteLength);
    this.object.byteLength = byteLength;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw new DaybookError("closed", `${this.key}: the append file is closed`);
  }
}

class MemoryStorage implements Storage {
  readonly codec = memoryCodec;
  readonly volatile = true;
  readonly #objects = new Map<string, StoredObject>();
  #locked = false;

  async list(prefix: string): Promise<string[]> {
    checkPrefix(prefix);
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async read(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    checkKey(key);
    const object = this.#objects.get(key);
    const { start, end } = clipRange(range, object?.byteLength ?? 0);
    return object === undefined ? null : new Uint8Array(object.buffer.subarray(start, end));
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    checkKey(key);
    this.#objects.set(key, { buffer: new Uint8Array(bytes), byteLength: bytes.length });
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    this.#objects.delete(key);
  }

  async sync(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      checkKey(key);
      if (!this.#objects.has(key)) throw new DaybookError("internal", `storage key ${key} cannot be synced: it does not exist`, { key });
    }
  }

  async openAppend(key: string): Promise<AppendFile> {
    checkKey(key);
    const object = this.#objects.get(key) ?? { buffer: new Uint8Array(0), byteLength: 0 };
    this.#objects.set(key, object);
    return new MemoryAppendFile(key, object);
  }

  async hold(key: string): Promise<HeldObject | null> {
    checkKey(key);
    const object = this.#objects.get(key);
    if (object === undefined) return null;
    const read = async (range: ByteRange) => {
      const { start, end } = clipRange(range, object.byteLength);
      return new Uint8Array(object.buffer.subarray(start, end));
    };
    return { read, release: () => undefined };
  }

  async lock(): Promise<StorageLock> {
    if (this.#locked) throw new DaybookError("store_locked", `The store is already open in this process: ${OPEN_TWICE_ADVICE}`);
    this.#locked = true;
    let held = true;
    return {
      isHeld: () => Promise.resolve(held),
      release: async () => {
        if (held) this.#locked = false;
        held = false;
      },
    };
  }
}

/** Creates a storage in memory, gone with the process. It copies bytes in and out, so callers cannot change what is stored. */
export function memoryStorage(): Storage & Required<Pick<Storage, "openAppend" | "lock">> {
  return new MemoryStorage();
}
