/** A half-open byte range `[start, end)` of a stored object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface WriteOptions {
  /** The key must not exist yet; a second write of the same key throws. */
  readonly ifAbsent?: boolean;
  /** false: atomic, but durable only after `sync` names the key. Default true. */
  readonly durable?: boolean;
}

/** An object that grows at its end. One writer; writes are in order. */
export interface AppendFile {
  /** Bytes written so far. */
  readonly byteLength: number;
  /** Appends all of `bytes`, looping over short writes. @throws storage_full */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes everything written durable. After a failure the file must not be trusted for further writes. */
  sync(): Promise<void>;
  /** Cuts the object to `byteLength` bytes. */
  truncate(byteLength: number): Promise<void>;
  /** Gives the file back; nothing is synced. */
  close(): Promise<void>;
}

/** An object that stays readable though it is removed meanwhile. */
export interface HeldObject {
  /** The given range of its bytes, fewer where it ends before. */
  read(range: ByteRange): Promise<Uint8Array>;
  /** Lets it go, once reads that are under way have ended; what is removed then leaves its place. Calling it again changes nothing. */
  release(): void;
}

export interface StorageLock {
  /** False once somebody took the lock for one of a process that had ended. Asked with each commit, beside its sync. Absent: it cannot be lost. */
  isHeld?(): Promise<boolean>;
  /** Resolves once the lock was found to be lost, whoever asked; never rejects. */
  readonly lost?: Promise<void>;
  /** Lets others have the store; no error when it is not held any more. */
  release(): Promise<void>;
}

/** A hash of bytes that come part by part. */
export interface Sha256Stream {
  add(bytes: Uint8Array): unknown;
  /** The 32 bytes; nothing can be added after it. */
  digest(): Uint8Array;
}

/** Deflate without header (raw), so that every codec reads what another wrote. */
export interface Codec {
  /** Raw deflate of all bytes. */
  deflate(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** What `deflate` of this or another codec was given. @param byteLength exact size of the result */
  inflate(bytes: Uint8Array, byteLength: number): Uint8Array | Promise<Uint8Array>;
  /** A SHA-256 that is faster than the built-in one. */
  createSha256?(): Sha256Stream;
}

/** Room that is set aside for what takes data away: on a full disk that needs some, too. */
export interface Reserve {
  /** Runs what may find no room: then once more from its beginning, with this room given up. Made again behind it. */
  use<T>(run: () => Promise<T>): Promise<T>;
}

/**
 * Where a Daybook keeps its bytes: a flat namespace of immutable objects plus append-only journals.
 * Keys are chosen by the engine (`[a-zA-Z0-9._/-]`), never made from user text. What may not be relied upon:
 * an object written with `durable: false` may be missing or empty after a power loss until `sync` names it.
 */
export interface Storage {
  /** Keys that start with `prefix`, ascending. Temporary and lock files are never listed. */
  list(prefix: string): Promise<string[]>;
  /** The object's bytes or the given range of them; null when there is no such object. */
  read(key: string, range?: ByteRange): Promise<Uint8Array | null>;
  /** Creates or replaces the object, atomically; durable when it resolves unless said otherwise. @throws storage_full */
  write(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Removes the object, for good when it resolves: no loss of power brings it back. No error when there is none. */
  remove(key: string): Promise<void>;
  /** Makes the named objects, and the fact that they exist under these names, durable. */
  sync(keys: readonly string[]): Promise<void>;
  /** Opens (creating it where absent) an object for appending at its end. Absent: the storage takes whole objects only. */
  openAppend?(key: string): Promise<AppendFile>;
  /**
   * Holds an object for a reader beside a writer in another process; null when there is no such object. A reader that follows holds each sealed
   * segment that it shows. Absent: where the writer takes a file away, its question begins anew, and an export under way fails.
   */
  hold?(key: string): Promise<HeldObject | null>;
  /**
   * Calls `changed` soon after a writer, of this process or another, changed something, until what it returned is called. It may call it for nothing,
   * and leave a call out: a reader that follows looks seldom while it hears nothing. Absent: it looks all the time.
   */
  watch?(changed: () => void): () => void;
  /** Takes the exclusive lock of the store. @throws store_locked */
  lock?(): Promise<StorageLock>;
  /** Used by deletions, erasures and openings that find no room. Absent: these fail on a full disk. */
  readonly reserve?: Reserve;
  /** A faster codec than the built-in one. */
  readonly codec?: Codec;
  /**
   * All of it goes with the process: no journal is written, for nobody could replay it. Who opens the same object again, or
   * beside the writer, finds what was sealed. Absent: what was written survives.
   */
  readonly volatile?: boolean;
}

/** For whoever opens a store twice in one process. */
export const OPEN_TWICE_ADVICE =
  "share the one Daybook instead of opening another; in a development server that reloads modules, keep it on globalThis.";
