import type { Random } from "./random.js";

/** A change of a file's content that is not yet durable. */
type ContentChange =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly byteLength: number };

/** A file: the content certain to survive a power loss, the changes since, and the content that reads return. Never changed in place. */
interface FileContent {
  readonly durable: Uint8Array;
  readonly changes: readonly ContentChange[];
  readonly current: Uint8Array;
  /** Whether a failed sync dropped changes: `current` then contains bytes that will never reach the disk. */
  readonly isDetached: boolean;
}

const NOTHING = new Uint8Array(0);

const EMPTY_FILE: FileContent = { durable: NOTHING, changes: [], current: NOTHING, isDetached: false };

function settledFile(bytes: Uint8Array): FileContent {
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
function resized(bytes: Uint8Array, byteLength: number): Uint8Array {
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

/** Changes after a failed sync: `kept` for the next one; `dropped`: clean to the kernel, still read; `evicted`: dropped, and read from the disk. */
export type LostPages = "kept" | "dropped" | "evicted";

export function afterFailedSync(file: FileContent, pages: LostPages): FileContent {
  if (pages === "kept" || file.changes.length === 0) return file;
  return pages === "evicted" ? settledFile(file.durable) : { ...file, changes: [], isDetached: true };
}

/** A change of a directory's names that is not yet durable. A `rename` removes `from` only if it still names the same file. */
type NameChange =
  | { readonly kind: "add"; readonly name: string; readonly node: number }
  | { readonly kind: "remove"; readonly name: string; readonly node: number }
  | { readonly kind: "rename"; readonly from: string; readonly name: string; readonly node: number };

type Names = ReadonlyMap<string, number>;

/** A directory: the names certain to survive a power loss, the changes since, and the names that it lists. Never changed in place. */
interface DirectoryNames {
  readonly durable: Names;
  readonly changes: readonly NameChange[];
  readonly current: Names;
}

const NO_NAMES: Names = new Map();

const EMPTY_DIRECTORY: DirectoryNames = { durable: NO_NAMES, changes: [], current: NO_NAMES };

function settledDirectory(names: Names): DirectoryNames {
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

function withNameChange(directory: DirectoryNames, change: NameChange): DirectoryNames {
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

/** Node number of the directory `/`. */
export const ROOT = 0;

/** A snapshot of a disk by node number: durable content, and changes that are only in the kernel's memory. */
export interface DiskState {
  readonly files: ReadonlyMap<number, FileContent>;
  readonly directories: ReadonlyMap<number, DirectoryNames>;
}

const EMPTY_DISK: DiskState = { files: new Map(), directories: new Map([[ROOT, EMPTY_DIRECTORY]]) };

/** An operation on a disk. `path` is that of the file or directory; for a rename, the new one. */
export interface DiskOperation {
  readonly kind: "create" | "open" | "read" | "write" | "truncate" | "sync" | "rename" | "unlink" | "list" | "makeDirectory" | "syncDirectory" | "stat";
  readonly path: string;
}

export function errnoError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** A disk under one running kernel, in memory. A crash is a new disk created from a state of this one. */
export class SimulatedDisk {
  readonly #files: Map<number, FileContent>;
  readonly #directories: Map<number, DirectoryNames>;
  /** When files last changed; absent for files of the initial state, which count as changed when the disk was created. */
  readonly #modifiedMs = new Map<number, number>();
  readonly #begunMs: number;
  #nextNode: number;
  /** Called after every operation that changed or synced something. */
  changed: (operation: DiskOperation) => void = () => undefined;

  /** @param nowMs clock of the file system */
  constructor(
    state: DiskState = EMPTY_DISK,
    readonly nowMs: () => number = Date.now,
  ) {
    this.#begunMs = nowMs();
    this.#files = new Map(state.files);
    this.#directories = new Map(state.directories);
    this.#nextNode = Math.max(...state.files.keys(), ...state.directories.keys()) + 1;
  }

  /** A snapshot, unaffected by later operations; also what a killed process leaves while the machine runs on. Cost: one pointer per file. */
  state(): DiskState {
    return { files: new Map(this.#files), directories: new Map(this.#directories) };
  }

  /** The content of a file; empty if the node is not a file. */
  file(node: number): FileContent {
    return this.#files.get(node) ?? EMPTY_FILE;
  }

  /** Sets the content of a file without changing its modification time. */
  setFile(node: number, file: FileContent): void {
    this.#files.set(node, file);
  }

  /** Sets the content of a file and its modification time. */
  changeFile(node: number, file: FileContent): void {
    this.setFile(node, file);
    this.#modifiedMs.set(node, this.nowMs());
  }

  /** When the content last changed, epoch ms. */
  modifiedMs(node: number): number {
    return this.#modifiedMs.get(node) ?? this.#begunMs;
  }

  /** Whether the node is a directory. */
  isDirectory(node: number): boolean {
    return this.#directories.has(node);
  }

  /** The node number of a directory. @throws ENOENT, ENOTDIR */
  directoryAt(path: string): number {
    const node = this.nodeAt(path);
    if (node === undefined) throw errnoError("ENOENT", path);
    if (!this.#directories.has(node)) throw errnoError("ENOTDIR", path);
    return node;
  }

  /** The names in a directory; empty if the node is not a directory. */
  directory(node: number): DirectoryNames {
    return this.#directories.get(node) ?? EMPTY_DIRECTORY;
  }

  /** Sets the names in a directory. */
  setDirectory(node: number, directory: DirectoryNames): void {
    this.#directories.set(node, directory);
  }

  /** The node number of an absolute path; undefined if nothing has it. */
  nodeAt(path: string): number | undefined {
    let node: number | undefined = ROOT;
    for (const name of path.split("/")) {
      if (name === "") continue;
      if (node === undefined) return undefined;
      node = this.#directories.get(node)?.current.get(name);
    }
    return node;
  }

  /** The directory that contains a path, and the last name of the path. @throws ENOENT, ENOTDIR */
  parentOf(path: string): { readonly parent: number; readonly name: string } {
    const end = path.lastIndexOf("/");
    return { parent: this.directoryAt(path.slice(0, end)), name: path.slice(end + 1) };
  }

  /** Adds, renames or removes a name; durable after the next sync of the directory. */
  changeNames(directory: number, change: NameChange): void {
    this.setDirectory(directory, withNameChange(this.directory(directory), change));
  }

  /** Adds a new empty file or directory and returns its node number. */
  create(parent: number, name: string, kind: "file" | "directory"): number {
    const node = this.#nextNode;
    this.#nextNode += 1;
    if (kind === "file") this.changeFile(node, EMPTY_FILE);
    else this.#directories.set(node, EMPTY_DIRECTORY);
    this.changeNames(parent, { kind: "add", name, node });
    return node;
  }
}

/** Bytes that a disk writes atomically. */
const SECTOR_BYTES = 512;

/** How much of the unsynced changes survives. */
interface CrashOptions {
  /** Of each directory, a prefix of the changes, or any subset. */
  readonly names: "prefix" | "subset";
  /** Of each file, a prefix of the changes with the next one torn, or any sectors of any changes. */
  readonly content: "prefix" | "sectors";
  /** The probability that a change, or a sector of one, survives. */
  readonly chance: number;
}

/**
 * A possible state of the disk after a power loss, one of very many: files as of their last sync, with any part of later writes
 * and cuts, in sectors of 512 bytes; directories as of their last sync, with any of the later changes. Everything in it is durable.
 */
export function powerLoss(state: DiskState, random: Random): DiskState {
  const options: CrashOptions = {
    names: random.chance(0.5) ? "prefix" : "subset",
    content: random.chance(0.4) ? "prefix" : "sectors",
    chance: random.pick([0, 0.2, 0.5, 0.5, 0.8, 0.8, 1]),
  };
  const files = new Map<number, FileContent>();
  const directories = new Map<number, DirectoryNames>();
  const visit = (node: number): void => {
    const directory = state.directories.get(node);
    if (directory === undefined) {
      if (!files.has(node)) files.set(node, survivingFile(state.files.get(node), options, random));
      return;
    }
    const names = survivingNames(directory, options, random);
    directories.set(node, settledDirectory(names));
    for (const child of names.values()) visit(child);
  };
  visit(ROOT);
  return { files, directories };
}

/** Whether a power loss would lose nothing. */
export function isSettled({ files, directories }: DiskState): boolean {
  const isSynced = ({ changes }: FileContent | DirectoryNames) => changes.length === 0;
  return [...files.values()].every((file) => isSynced(file) && !file.isDetached) && [...directories.values()].every(isSynced);
}

function survivingNames({ durable, changes }: DirectoryNames, { names, chance }: CrashOptions, random: Random): Names {
  if (changes.length === 0) return durable;
  const survivors = names === "subset" ? changes.filter(() => random.chance(chance)) : changes.slice(0, prefixLength(changes.length, chance, random));
  return renamed(durable, survivors);
}

/** Picks the length of a surviving prefix, uniformly; with a chance of 0 or 1, none or all survive. */
function prefixLength(count: number, chance: number, random: Random): number {
  if (chance === 0 || chance === 1) return chance * count;
  return random.below(count + 1);
}

function survivingFile(file: FileContent | undefined, { content, chance }: CrashOptions, random: Random): FileContent {
  if (file === undefined) return settledFile(new Uint8Array(0));
  if (file.changes.length === 0) return settledFile(file.durable);
  return settledFile(content === "prefix" ? survivingPrefix(file, chance, random) : survivingSectors(file, chance, random));
}

function survivingPrefix({ durable, changes }: FileContent, chance: number, random: Random): Uint8Array {
  const wholeCount = prefixLength(changes.length, chance, random);
  let bytes = changes.slice(0, wholeCount).reduce(changed, durable);
  const torn = changes[wholeCount];
  if (torn?.kind !== "write" || chance === 0) return bytes;
  for (const { from, to } of sectorsOf(torn.position, torn.bytes.length)) {
    if (random.chance(0.3)) break;
    bytes = changed(bytes, { kind: "write", position: from, bytes: torn.bytes.subarray(from - torn.position, to - torn.position) });
  }
  return bytes;
}

function survivingSectors({ durable, changes }: FileContent, chance: number, random: Random): Uint8Array {
  let bytes = durable;
  let whole = durable;
  const byteLengths = [durable.length];
  for (const change of changes) {
    whole = changed(whole, change);
    byteLengths.push(whole.length);
    if (change.kind === "truncate") {
      if (random.chance(chance)) bytes = changed(bytes, change);
      continue;
    }
    const { position } = change;
    for (const { from, to } of sectorsOf(position, change.bytes.length))
      if (random.chance(chance)) bytes = changed(bytes, { kind: "write", position: from, bytes: change.bytes.subarray(from - position, to - position) });
  }
  // The length is written separately: it may be that of any time since the sync.
  return random.chance(0.3) ? resized(bytes, random.pick(byteLengths)) : bytes;
}

function sectorsOf(position: number, byteLength: number): { readonly from: number; readonly to: number }[] {
  const sectors: { from: number; to: number }[] = [];
  for (let from = position; from < position + byteLength; ) {
    const to = Math.min((Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES, position + byteLength);
    sectors.push({ from, to });
    from = to;
  }
  return sectors;
}
