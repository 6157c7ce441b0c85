import { DaybookError, shown } from "../../core/base/errors.js";
import type { Allocate } from "../../core/base/scratch.js";

/** A half-open byte range `[start, end)` of a stored object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type { Allocate };

export interface WriteOptions {
  /** If false, the write is atomic, but durable only after `sync` of the key. Default true. */
  readonly durable?: boolean;
}

/** An object that grows at its end. It has one writer, and writes keep their order. */
export interface AppendFile {
  /** Bytes written so far. */
  readonly byteLength: number;
  /** Appends all of `bytes`, looping over short writes. @throws storage_full */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes everything written durable. After a failure, further writes to the file must not be trusted. */
  sync(): Promise<void>;
  /** Cuts the object to `byteLength` bytes. */
  truncate(byteLength: number): Promise<void>;
  /** Closes the file without syncing. */
  close(): Promise<void>;
}

/** An object that stays readable even after it is removed. */
export interface HeldObject {
  /** Reads a range of its bytes, fewer if the object ends before. @param allocate as for `Storage.read` */
  read(range: ByteRange, allocate?: Allocate): Promise<Uint8Array>;
  /** The same on the calling thread. Absent: `read` alone. */
  readNow?(range: ByteRange): Uint8Array;
  /** Releases the object after pending reads; if it was removed, its space is freed then. Idempotent. */
  release(): void;
}

export interface StorageLock {
  /** Resolves to false once another process took the lock, considering this one ended. Checked with each commit. Absent: it cannot be lost. */
  isHeld?(): Promise<boolean>;
  /** Resolves once any check finds the lock lost; never rejects. */
  readonly lost?: Promise<void>;
  /** Releases the lock; no error if it is already lost or released. */
  release(): Promise<void>;
}

/** An incremental SHA-256. */
export interface Sha256Stream {
  add(bytes: Uint8Array): unknown;
  /** Returns the 32 bytes of the hash; nothing can be added afterwards. */
  digest(): Uint8Array;
}

/** Raw deflate (no header), so that every codec reads what another wrote. */
export interface Codec {
  /** Raw deflate of all bytes. */
  deflate(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Inflates what this or another codec deflated. @param byteLength exact size of the result */
  inflate(bytes: Uint8Array, byteLength: number): Uint8Array | Promise<Uint8Array>;
  /** The same on the calling thread. Absent: `inflate` may have to wait. */
  inflateNow?(bytes: Uint8Array, byteLength: number): Uint8Array;
  /** Creates a SHA-256 that is faster than the built-in one. */
  createSha256?(): Sha256Stream;
}

/** Space reserved for operations that remove data: they need some even on a full disk. */
export interface Reserve {
  /** Runs an operation; if there is no space, frees the reserve and runs it once more from its beginning. Restores the reserve afterwards. */
  use<T>(run: () => Promise<T>): Promise<T>;
}

/**
 * Where a Daybook keeps its bytes: a flat namespace of immutable objects plus append-only journals.
 * The engine chooses the keys (`[a-zA-Z0-9._/-]`), never from user text. After a power loss, an object written with
 * `durable: false` may be missing or empty unless `sync` named it before.
 */
export interface Storage {
  /** Keys that start with `prefix`, ascending. Temporary and lock files are never listed. */
  list(prefix: string): Promise<string[]>;
  /** Reads an object or a range of it; null if it does not exist. @param allocate used instead of new memory if the storage can */
  read(key: string, range?: ByteRange, allocate?: Allocate): Promise<Uint8Array | null>;
  /**
   * Reads a range of an object at once, on the calling thread; null if it does not exist. Present: queries read footers of segments and dictionary
   * values when they need them. Absent: opening a store reads all footers and dictionary files.
   */
  readNow?(key: string, range: ByteRange): Uint8Array | null;
  /** Creates or replaces an object atomically; durable when it resolves, unless `durable` is false. @throws storage_full */
  write(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Removes an object permanently: once it resolves, no power loss restores the object. No error if it does not exist. */
  remove(key: string): Promise<void>;
  /** Makes the named objects and their names durable. */
  sync(keys: readonly string[]): Promise<void>;
  /** Opens an object for appending at its end, creating it if missing. Absent: the storage takes whole objects only. */
  openAppend?(key: string): Promise<AppendFile>;
  /**
   * Holds an object for a reader beside a writer in another process; null if it does not exist. A reader holds the segments and dictionary files
   * that it shows. Absent: when the writer removes a file, a query of a following reader that reads it restarts, and other reads of it fail.
   */
  hold?(key: string): Promise<HeldObject | null>;
  /**
   * Calls `changed` soon after any writer, in this or another process, changed something, until the returned function is called.
   * Calls may be spurious or missing: without calls a following reader polls seldom. Absent: it polls continuously.
   */
  watch?(changed: () => void): () => void;
  /** Takes the exclusive lock of the store. @throws store_locked */
  lock?(): Promise<StorageLock>;
  /** Used by deletions, erasures and openings that find no space. Absent: these fail on a full disk. */
  readonly reserve?: Reserve;
  /** A faster codec than the built-in one. */
  readonly codec?: Codec;
  /**
   * Whether all content is lost with the process. No journal is written then, as none could be replayed; a second opening of the same
   * object, or a reader beside the writer, finds what was sealed. Absent: content survives.
   */
  readonly volatile?: boolean;
}

export const OPEN_TWICE_ADVICE =
  "share one Daybook instead of opening another; in a development server that reloads modules, keep it on globalThis.";

const keyPattern = /^[a-zA-Z0-9._-]+(?:\/[a-zA-Z0-9._-]+)*$/;
const prefixPattern = /^[a-zA-Z0-9._/-]*$/;
const partCharsMax = 128;

/** Checks that a key has parts of 1 to 128 characters `[a-zA-Z0-9._-]` joined by `/`, none of them `.` or `..`. @throws internal */
export function checkKey(key: string): void {
  const valid =
    keyPattern.test(key) && key.split("/").every((part) => part !== "." && part !== ".." && part.length <= partCharsMax);
  if (valid) return;
  const expected = `parts of 1 to ${partCharsMax} characters [a-zA-Z0-9._-] joined by "/", none of them "." or ".."`;
  throw new DaybookError("internal", `storage key: expected ${expected}, got ${shown(key)}`);
}

/** Whether a name could be part of a key; files in folders of other names, such as `lost+found`, are not objects. */
export function isKeyPart(name: string): boolean {
  return name.length <= partCharsMax && keyPattern.test(name) && !name.includes("/");
}

/** Checks that `prefix` could begin a key; the empty prefix begins all. @throws internal */
export function checkPrefix(prefix: string): void {
  if (prefixPattern.test(prefix) && !prefix.startsWith("/") && !prefix.split("/").includes("..")) return;
  throw new DaybookError("internal", `storage prefix: expected the beginning of a key, got ${shown(prefix)}`);
}

/** Clips a range to an object of `byteLength` bytes; without a range, returns all of it. @throws internal */
export function clipRange(range: ByteRange | undefined, byteLength: number): ByteRange {
  if (range === undefined) return { start: 0, end: byteLength };
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new DaybookError("internal", `storage range: expected 0 <= start <= end, got ${shown(range)}`);
  }
  return { start: Math.min(start, byteLength), end: Math.min(end, byteLength) };
}

export function cannotLengthen(key: string, from: number, to: number): DaybookError {
  return new DaybookError("internal", `${key}: expected a truncation to 0 to ${from} bytes, got ${shown(to)}`, { key });
}

export function isFull(error: unknown): boolean {
  return error instanceof DaybookError && error.code === "storage_full";
}
