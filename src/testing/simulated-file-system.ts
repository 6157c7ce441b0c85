import {
  syncedDirectory, afterFailedSync, synced, withChange, errnoError, type LostPages, type DiskOperation, type SimulatedDisk,
} from "./simulated-disk.js";
import { rejectUnknownOptions, type KnownOptions } from "../core/base/options.js";
import type { DirectoryEntry, FileStat, FileSystem, OpenFile, OpenMode } from "../store/storage/file-system.js";

/** Makes an operation reject. */
interface FailingFault {
  /** EIO, ENOSPC, EMFILE, … */
  readonly errno: string;
  /** For a failed sync: what happens to the changes. Default `kept`. */
  readonly pages?: LostPages;
  /** For a failed write: bytes that reach the file nevertheless. Default 0. */
  readonly takenByteLength?: number;
}

/** Limits a read or write to some bytes, which is not an error. */
export interface ShortFault {
  readonly byteLengthMax: number;
}

/** How an operation fails. */
export type Fault = FailingFault | ShortFault;

/** Decides before each operation, including reads and opens, whether and how it fails. @param index number of operations before it */
export type Faults = (operation: DiskOperation, index: number) => Fault | null;

const noFaults: Faults = () => null;

/** Fails the operation with index `at`. */
export function failOnce(at: number, fault: Fault): Faults {
  return (_, index) => (index === at ? fault : null);
}

/** Fails the operation with index `at` and all later ones, if `concerns` selects them. */
export function failFrom(at: number, fault: Fault, concerns: (operation: DiskOperation) => boolean = () => true): Faults {
  return (operation, index) => (index >= at && concerns(operation) ? fault : null);
}

export interface SimulatedFileSystemOptions {
  /** Which operations fail, and how. Default: none. */
  readonly faults?: Faults;
  /** Awaited before and after each operation takes effect, so that concurrent operations interleave. Default: no wait. */
  readonly pause?: () => Promise<void> | void;
}

const KNOWN: KnownOptions<SimulatedFileSystemOptions> = { faults: true, pause: true };

type OperationKind = DiskOperation["kind"];

/** A simulated disk as one process sees it. Each operation takes effect at one instant between its call and its end. */
export class SimulatedFileSystem implements FileSystem {
  readonly #faults: Faults;
  readonly #pause: () => Promise<void> | void;
  #operationCount = 0;

  constructor(
    private readonly disk: SimulatedDisk,
    options: SimulatedFileSystemOptions = {},
  ) {
    rejectUnknownOptions(options, KNOWN);
    const { faults = noFaults, pause = () => undefined } = options;
    this.#faults = faults;
    this.#pause = pause;
  }

  /** Number of operations so far. */
  get operationCount(): number {
    return this.#operationCount;
  }

  open(path: string, mode: OpenMode): Promise<OpenFile> {
    return this.#operate(mode === "create" ? "create" : "open", path, () => {
      const { parent, name } = this.disk.parentOf(path);
      const found = this.disk.directory(parent).current.get(name);
      if (found !== undefined) {
        if (mode === "create") throw errnoError("EEXIST", path);
        if (this.disk.isDirectory(found)) throw errnoError("EISDIR", path);
        return this.#openFile(path, found);
      }
      if (mode === "read" || mode === "update") throw errnoError("ENOENT", path);
      const node = this.disk.create(parent, name, "file");
      this.disk.changed({ kind: "create", path });
      return this.#openFile(path, node);
    });
  }

  stat(path: string): Promise<FileStat> {
    return this.#operate("stat", path, () => {
      const node = this.disk.nodeAt(path);
      if (node === undefined) throw errnoError("ENOENT", path);
      return { byteLength: this.disk.file(node).current.length, modifiedMs: this.disk.modifiedMs(node) };
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#operate("rename", to, () => {
      const source = this.disk.parentOf(from);
      const { parent, name } = this.disk.parentOf(to);
      if (source.parent !== parent) throw errnoError("EXDEV", to);
      const node = this.disk.directory(parent).current.get(source.name);
      if (node === undefined) throw errnoError("ENOENT", from);
      const taken = this.disk.directory(parent).current.get(name);
      if (taken !== undefined && this.disk.isDirectory(taken)) throw errnoError("EISDIR", to);
      this.disk.changeNames(parent, { kind: "rename", from: source.name, name, node });
      this.disk.changed({ kind: "rename", path: to });
    });
  }

  unlink(path: string): Promise<void> {
    return this.#operate("unlink", path, () => {
      const { parent, name } = this.disk.parentOf(path);
      const node = this.disk.directory(parent).current.get(name);
      if (node === undefined) throw errnoError("ENOENT", path);
      if (this.disk.isDirectory(node)) throw errnoError("EISDIR", path);
      this.disk.changeNames(parent, { kind: "remove", name, node });
      this.disk.changed({ kind: "unlink", path });
    });
  }

  readDirectory(path: string): Promise<DirectoryEntry[]> {
    return this.#operate("list", path, () =>
      [...this.disk.directory(this.disk.directoryAt(path)).current].map(([name, node]) => ({ name, isDirectory: this.disk.isDirectory(node) })),
    );
  }

  makeDirectory(path: string): Promise<void> {
    return this.#operate("makeDirectory", path, () => {
      const { parent, name } = this.disk.parentOf(path);
      if (this.disk.directory(parent).current.has(name)) throw errnoError("EEXIST", path);
      this.disk.create(parent, name, "directory");
      this.disk.changed({ kind: "makeDirectory", path });
    });
  }

  async syncDirectory(path: string): Promise<void> {
    const directory = this.disk.directoryAt(path);
    const begun = this.disk.directory(directory);
    await this.#operate("syncDirectory", path, () => {
      this.disk.setDirectory(directory, syncedDirectory(this.disk.directory(directory), begun));
      this.disk.changed({ kind: "syncDirectory", path });
    });
  }

  #openFile(path: string, node: number): OpenFile {
    const { disk } = this;
    return {
      read: (target, position) =>
        this.#operate("read", path, (byteLengthMax) => {
          const bytes = disk.file(node).current.subarray(position, position + Math.min(target.length, byteLengthMax));
          target.set(bytes);
          return bytes.length;
        }),
      write: (bytes, position) =>
        this.#operate(
          "write",
          path,
          (byteLengthMax) => this.#write(path, node, bytes.slice(0, byteLengthMax), position),
          ({ takenByteLength = 0 }) => {
            if (takenByteLength > 0) this.#write(path, node, bytes.slice(0, takenByteLength), position);
          },
        ),
      byteLength: () => this.#operate("stat", path, () => disk.file(node).current.length),
      truncate: (byteLength) =>
        this.#operate("truncate", path, () => {
          disk.changeFile(node, withChange(disk.file(node), { kind: "truncate", byteLength }));
          disk.changed({ kind: "truncate", path });
        }),
      sync: () => {
        const begun = disk.file(node);
        return this.#operate(
          "sync",
          path,
          () => {
            disk.setFile(node, synced(disk.file(node), begun));
            disk.changed({ kind: "sync", path });
          },
          ({ pages = "kept" }) => disk.setFile(node, afterFailedSync(disk.file(node), pages)),
        );
      },
      close: () => Promise.resolve(),
    };
  }

  #write(path: string, node: number, bytes: Uint8Array, position: number): number {
    this.disk.changeFile(node, withChange(this.disk.file(node), { kind: "write", position, bytes }));
    this.disk.changed({ kind: "write", path });
    return bytes.length;
  }

  /** @param failed applies the effects of a failed operation */
  async #operate<T>(kind: OperationKind, path: string, run: (byteLengthMax: number) => T, failed: (fault: FailingFault) => void = () => undefined): Promise<T> {
    const fault = this.#faults({ kind, path }, this.#operationCount);
    this.#operationCount += 1;
    await this.#pause();
    if (fault !== null && "errno" in fault) {
      failed(fault);
      throw errnoError(fault.errno, path);
    }
    const result = run(fault?.byteLengthMax ?? Number.MAX_SAFE_INTEGER);
    await this.#pause();
    return result;
  }
}

/** The identity of a process, as the process table of a file storage uses it. */
export interface SimulatedIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly host: string;
}

/** The state of processes of other lives. `unknown`: they cannot be seen, as in another container. */
export type SimulatedState = "ended" | "unknown";

/** For `fileStorage(…, { processes })`: the process of one life of a store. Processes of other lives have ended, unless `others` differs. */
export function simulatedProcess(
  life: number,
  others: SimulatedState = "ended",
): { readonly current: SimulatedIdentity; stateOf(other: SimulatedIdentity): SimulatedState | "running" } {
  const current = { pid: life, startTime: String(life), bootId: "boot", pidNamespace: "1", host: "simulated" };
  return { current, stateOf: ({ pid }) => (pid === life ? "running" : others) };
}
