/** An open file. Positions and lengths are bytes. */
export interface OpenFile {
  /** Reads at most `target.length` bytes from `position`; resolves to the count, 0 only at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** The same on the calling thread. Absent: `read` alone. */
  readNow?(target: Uint8Array, position: number): number;
  /** Writes at least one and at most all of `bytes` at `position`; resolves to the count. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** The current length. */
  byteLength(): Promise<number>;
  /** Cuts the file, which must be at least this long. */
  truncate(byteLength: number): Promise<void>;
  /** Makes the content and length of the file durable, including the writes of others, but not its name. */
  sync(): Promise<void>;
  /** Closes the file without syncing. */
  close(): Promise<void>;
}

export interface FileStat {
  readonly byteLength: number;
  /** When the content last changed, in ms, by the clock of the file system, which on a shared one is that of no host. */
  readonly modifiedMs: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/**
 * - `read`: must exist;
 * - `update`: must exist; opens for reading and writing, keeps the content;
 * - `append`: like update, but creates an empty file if missing;
 * - `create`: must not exist (EEXIST); opens for reading and writing.
 * All but `read` refuse a symbolic link (ELOOP, EEXIST) where the system can.
 */
export type OpenMode = "read" | "update" | "append" | "create";

/**
 * The file operations of a file storage, with a kernel's guarantees. A process crash preserves everything that resolved.
 * A power loss preserves:
 * - the content and length of a file as of its last `sync`; any part of later writes and cuts may remain;
 * - the names in a directory (files and directories created, renamed, removed) as of its last `syncDirectory`;
 *   each later change may or may not remain, a rename as a whole. A directory's own name belongs to its parent.
 * Every operation rejects as Node does, with an `Error` whose `code` is ENOENT, EEXIST, ENOSPC, …
 */
export interface FileSystem {
  /** New files are readable and writable by their owner only. */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** Reads a range of a file on the calling thread; fewer bytes if the file ends before. Absent: files are read by `open` alone. */
  readNow?(path: string, position: number, byteLength: number): Uint8Array;
  /** Reads metadata of a file without opening it. */
  stat(path: string): Promise<FileStat>;
  /** Renames atomically, replacing `to`. */
  rename(from: string, to: string): Promise<void>;
  /** Removes the name of a file; open handles stay usable. */
  unlink(path: string): Promise<void>;
  /** All entries of a directory, in no order. */
  readDirectory(path: string): Promise<DirectoryEntry[]>;
  /** Creates one directory, accessible to its owner only; its parent must exist. */
  makeDirectory(path: string): Promise<void>;
  /** Makes the names of a directory durable. */
  syncDirectory(path: string): Promise<void>;
}
