import { EMPTY_DIRECTORY, type DirectoryNames, type NameChange, withNameChange } from "./directory-names.js";
import { EMPTY_FILE, type FileContent } from "./file-content.js";

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

/** Creates an error like those of Node's file functions. */
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
