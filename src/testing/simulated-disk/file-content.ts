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

/** A change of a directory's names that is not yet durable. A `rename` removes `from` only if it still names the same file. */
export type NameChange =
  | { readonly kind: "add"; readonly name: string; readonly node: number }
  | { readonly kind: "remove"; readonly name: string; readonly node: number }
  | { readonly kind: "rename"; readonly from: string; readonly name: string; readonly node: number };

export type Names = ReadonlyMap<string, number>;

/** A directory: the names certain to survive a power loss, the changes since, and the names that it lists. Never changed in place. */
export interface DirectoryNames {
  readonly durable: Names;
  readonly changes: readonly NameChange[];
  readonly current: Names;
}

const NO_NAMES: Names = new Map();

export const EMPTY_DIRECTORY: DirectoryNames = { durable: NO_NAMES, changes: [], current: NO_NAMES };

export function settledDirectory(names: Names): DirectoryNames {
  return { durable: names, changes: [], current: names };
}

/** Applies changes to names, even if other changes did not happen. */
export function renamed(names: Names, changes: readonly NameChange[]): Names {
  const after = new Map(names);
  for (const change of changes) {
    const gone = change.kind === "rename" ? change.from : change.kind === "remove" ? change.name : null;
    if (gone !== null && after.get(gone) === change.node) after.delete(gone);
    if (change.kind !== "remove") after.set(change.name, change.node);
  }
  return after;
}

export function withNameChange(directory: DirectoryNames, change: NameChange): DirectoryNames {
  return { ...directory, changes: [...directory.changes, change], current: renamed(directory.current, [change]) };
}

/** The directory after a sync that began in the state `begun`. */
export function syncedDirectory(directory: DirectoryNames, begun: DirectoryNames): DirectoryNames {
  if (directory.changes.length === 0) return directory;
  const covered = directory.changes.filter((change) => begun.changes.includes(change));
  if (covered.length === directory.changes.length) return settledDirectory(directory.current);
  const rest = directory.changes.filter((change) => !covered.includes(change));
  return { ...directory, durable: renamed(directory.durable, covered), changes: rest };
}
