import { DaybookError, type AppendFile, type ByteRange, type Storage, type WriteOptions } from "daybook";
import type { Objects } from "./objects.js";

/** What a storage held right after one operation, or (`torn`) in the midst of an append. */
export interface State {
  readonly operation: string;
  readonly objects: Objects;
}

/** A storage in memory that keeps what it held after every operation that changed it, and can be told to fail. */
export class RecordingStorage implements Storage {
  #objects: Objects;
  readonly states: State[] = [];
  /** Operations in order, syncs too: `write KEY`, `append KEY`, `sync KEY`, … */
  readonly operations: string[] = [];
  /** Called before each operation; what it throws, the operation throws. */
  before: (operation: string) => void = () => undefined;
  /** Called when a state was recorded. */
  recorded: (state: State) => void = () => undefined;

  constructor(objects: Objects = new Map()) {
    this.#objects = objects;
  }

  get objects(): Objects {
    return this.#objects;
  }

  async list(prefix: string): Promise<string[]> {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async read(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    this.before(`read ${key}`);
    const bytes = this.#objects.get(key);
    return bytes === undefined ? null : bytes.slice(range?.start ?? 0, range?.end ?? bytes.length);
  }

  async write(key: string, bytes: Uint8Array, _options?: WriteOptions): Promise<void> {
    this.#begin(`write ${key}`);
    this.#put(key, bytes.slice());
    this.#record(`write ${key}`);
  }

  async remove(key: string): Promise<void> {
    this.#begin(`remove ${key}`);
    this.#objects = new Map([...this.#objects].filter(([known]) => known !== key));
    this.#record(`remove ${key}`);
  }

  async sync(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#begin(`sync ${key}`);
      if (!this.#objects.has(key)) throw new DaybookError("internal", `${key} to sync is absent`);
    }
  }

  async openAppend(key: string): Promise<AppendFile> {
    this.#begin(`open ${key}`);
    if (!this.#objects.has(key)) this.#put(key, new Uint8Array(0));
    this.#record(`open ${key}`);
    const bytesOf = () => this.#objects.get(key) ?? new Uint8Array(0);
    const put = (operation: string, bytes: Uint8Array) => {
      this.#put(key, bytes);
      this.#record(operation);
    };
    const begin = (operation: string) => this.#begin(operation);
    return {
      get byteLength() {
        return bytesOf().length;
      },
      async write(bytes) {
        const before = bytesOf();
        const after = Uint8Array.from([...before, ...bytes]);
        put(`torn append ${key}`, after.slice(0, before.length + (bytes.length >> 1)));
        begin(`append ${key}`);
        put(`append ${key}`, after);
      },
      async sync() {
        begin(`sync ${key}`);
      },
      async truncate(byteLength) {
        begin(`truncate ${key}`);
        put(`truncate ${key}`, bytesOf().slice(0, byteLength));
      },
      async close() {},
    };
  }

  #begin(operation: string): void {
    this.operations.push(operation);
    this.before(operation);
  }

  #put(key: string, bytes: Uint8Array): void {
    this.#objects = new Map([...this.#objects, [key, bytes]]);
  }

  #record(operation: string): void {
    const state = { operation, objects: this.#objects };
    this.states.push(state);
    this.recorded(state);
  }
}

/** The same storage without appending. */
export function wholeObjectsOnly(storage: Storage): Storage {
  return {
    list: (prefix) => storage.list(prefix),
    read: (key, range) => storage.read(key, range),
    write: (key, bytes, options) => storage.write(key, bytes, options),
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
  };
}
