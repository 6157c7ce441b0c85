/** A change of a file's content that is not yet durable. */
export type ContentChange =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly byteLength: number };

/** A file: the content certain to survive a power loss, the changes since, and the content that reads return. Never changed in place. */
export interface FileContent {
  readonly durable: Uint8Array;
  readonly changes: readonly ContentChange[];
  readonly current: Uint8Array;
  /** Whether a failed sync dropped changes: `current` then contains bytes that will never reach the disk. */
  readonly isDetached: boolean;
}

const NOTHING = new Uint8Array(0);

export const EMPTY_FILE: FileContent = { durable: NOTHING, changes: [], current: NOTHING, isDetached: false };

/** A file whose bytes are all durable. */
export function settledFile(bytes: Uint8Array): FileContent {
  return { durable: bytes, changes: [], current: bytes, isDetached: false };
}

/** Applies a change to bytes; fills any gap before a write with zeros. */
export function changed(bytes: Uint8Array, change: ContentChange): Uint8Array {
  if (change.kind === "truncate") return resized(bytes, change.byteLength);
  const after = resized(bytes, Math.max(bytes.length, change.position + change.bytes.length));
  after.set(change.bytes, change.position);
  return after;
}

/** A copy of `byteLength` bytes, padded with zeros. */
export function resized(bytes: Uint8Array, byteLength: number): Uint8Array {
  if (byteLength <= bytes.length) return bytes.slice(0, byteLength);
  const longer = new Uint8Array(byteLength);
  longer.set(bytes);
  return longer;
}

export function withChange(file: FileContent, change: ContentChange): FileContent {
  return { ...file, changes: [...file.changes, change], current: changed(file.current, change) };
}

/** The file after a successful sync that began in the state `begun`. Changes that an earlier failed sync dropped stay lost, silently. */
export function synced(file: FileContent, begun: FileContent): FileContent {
  if (file.changes.length === 0) return file;
  const covered = file.changes.filter((change) => begun.changes.includes(change));
  if (covered.length === file.changes.length && !file.isDetached) return settledFile(file.current);
  const rest = file.changes.filter((change) => !covered.includes(change));
  return { ...file, durable: covered.reduce(changed, file.durable), changes: rest };
}

/**
 * What a failed sync does to the changes: `kept` for the next sync; `dropped`: clean according to the kernel, and still read;
 * `evicted`: dropped, and read back from the disk.
 */
export type LostPages = "kept" | "dropped" | "evicted";

/** The file after a failed sync. */
export function afterFailedSync(file: FileContent, pages: LostPages): FileContent {
  if (pages === "kept" || file.changes.length === 0) return file;
  return pages === "evicted" ? settledFile(file.durable) : { ...file, changes: [], isDetached: true };
}
