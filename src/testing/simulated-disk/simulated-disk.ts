import { EMPTY_DIRECTORY, type DirectoryNames, type NameChange, withNameChange } from "./directory-names.js";
import { EMPTY_FILE, type FileContent } from "./file-content.js";

/** The number of the directory `/`. */
export const ROOT = 0;

/** Everything on a disk at one moment, by number of file or directory: what was made durable, and what is only in the memory of the kernel. */
export interface DiskState {
  readonly files: ReadonlyMap<number, FileContent>;
  readonly directories: ReadonlyMap<number, DirectoryNames>;
}

const EMPTY_DISK: DiskState = { files: new Map(), directories: new Map([[ROOT, EMPTY_DIRECTORY]]) };

/** What was done to a disk. `path` is that of the file or directory, of a rename the new one. */
export interface DiskOperation {
  readonly kind: "create" | "open" | "read" | "write" | "truncate" | "sync" | "rename" | "unlink" | "list" | "makeDirectory" | "syncDirectory" | "stat";
  readonly path: string;
}

/** An error as Node's file functions give it. */
export function errnoError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** One disk under one running kernel, in memory. A crash is a new disk made of a state of this one. */
export class SimulatedDisk {
  readonly #files: Map<number, FileContent>;
  readonly #directories: Map<number, DirectoryNames>;
  /** When files were last changed; those of a state the disk was made of: at its beginning. */
  readonly #modifiedMs = new Map<number, number>();
  readonly #begunMs: number;
  #nextNode: number;
  /** Called right after every operation that changed or synced something. */
  changed: (operation: DiskOperation) => void = () => undefined;

  /** @param nowMs the clock of the file system */
  constructor(
    state: DiskState = EMPTY_DISK,
    readonly nowMs: () => number = Date.now,
  ) {
    this.#begunMs = nowMs();
    this.#files = new Map(state.files);
    this.#directories = new Map(state.directories);
    this.#nextNode = Math.max(...state.files.keys(), ...state.directories.keys()) + 1;
  }

  /** This moment, whatever happens to the disk later. Also what a killed process leaves, while the machine runs on. Cost: a pointer a file. */
  state(): DiskState {
    return { files: new Map(this.#files), directories: new Map(this.#directories) };
  }

  /** The content of a file; empty where the node is none. */
  file(node: number): FileContent {
    return this.#files.get(node) ?? EMPTY_FILE;
  }

  /** Gives a file other content. */
  setFile(node: number, file: FileContent): void {
    this.#files.set(node, file);
  }

  /** Its content is another from now on. */
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

  /** The number of a directory. @throws ENOENT, ENOTDIR */
  directoryAt(path: string): number {
    const node = this.nodeAt(path);
    if (node === undefined) throw errnoError("ENOENT", path);
    if (!this.#directories.has(node)) throw errnoError("ENOTDIR", path);
    return node;
  }

  /** The names of a directory; none where the node is no directory. */
  directory(node: number): DirectoryNames {
    return this.#directories.get(node) ?? EMPTY_DIRECTORY;
  }

  /** Gives a directory other names. */
  setDirectory(node: number, directory: DirectoryNames): void {
    this.#directories.set(node, directory);
  }

  /** The number of a file or directory by its absolute path; undefined where there is none. */
  nodeAt(path: string): number | undefined {
    let node: number | undefined = ROOT;
    for (const name of path.split("/")) {
      if (name === "") continue;
      if (node === undefined) return undefined;
      node = this.#directories.get(node)?.current.get(name);
    }
    return node;
  }

  /** The directory that holds a path, and the last name of it. @throws ENOENT, ENOTDIR */
  parentOf(path: string): { readonly parent: number; readonly name: string } {
    const end = path.lastIndexOf("/");
    return { parent: this.directoryAt(path.slice(0, end)), name: path.slice(end + 1) };
  }

  /** Makes, renames or removes a name; durable with the next sync of the directory. */
  changeNames(directory: number, change: NameChange): void {
    this.setDirectory(directory, withNameChange(this.directory(directory), change));
  }

  /** Puts a new empty file or directory under a name. */
  create(parent: number, name: string, kind: "file" | "directory"): number {
    const node = this.#nextNode;
    this.#nextNode += 1;
    if (kind === "file") this.changeFile(node, EMPTY_FILE);
    else this.#directories.set(node, EMPTY_DIRECTORY);
    this.changeNames(parent, { kind: "add", name, node });
    return node;
  }
}
