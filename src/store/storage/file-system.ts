/** An open file. Positions and lengths are bytes. */
export interface OpenFile {
  /** Reads at most `target.length` bytes from `position`; resolves to how many, 0 only at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Writes at least one and at most all of `bytes` at `position`; resolves to how many. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Its length now. */
  byteLength(): Promise<number>;
  /** Cuts the file to a length that it has at least. */
  truncate(byteLength: number): Promise<void>;
  /** Makes the content and length of the file durable, whoever wrote them. Says nothing about its name. */
  sync(): Promise<void>;
  /** Gives the file back; nothing is synced. */
  close(): Promise<void>;
}

export interface FileStat {
  readonly byteLength: number;
  /** When the content was last changed, in ms, by the clock of the file system: that of no host, where several share it. */
  readonly modifiedMs: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/**
 * - `read`: must exist;
 * - `update`: must exist, for reading and writing, content kept;
 * - `append`: like update, but created empty where absent;
 * - `create`: must not exist (EEXIST), for reading and writing.
 * All but `read` refuse a symbolic link (ELOOP, EEXIST), where the system can.
 */
export type OpenMode = "read" | "update" | "append" | "create";

/**
 * The file operations of a file storage, as a kernel gives them. What a crash of the process leaves: everything that
 * resolved. What a loss of power leaves:
 * - the content and length of a file as of its last `sync`; anything written or cut since may be there in any part;
 * - the names of a directory (files and directories created, renamed, removed) as of its last `syncDirectory`;
 *   each change since may be there or not, a rename as a whole. A directory's own name belongs to its parent.
 * Every operation rejects as Node does, with an `Error` whose `code` is ENOENT, EEXIST, ENOSPC, …
 */
export interface FileSystem {
  /** New files are readable and writable by their owner only. */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** What there is to know of a file without opening it. */
  stat(path: string): Promise<FileStat>;
  /** Replaces what `to` names, atomically. */
  rename(from: string, to: string): Promise<void>;
  /** Like rename, but `to` must be free (EEXIST). A crash may leave both names. */
  renameNew(from: string, to: string): Promise<void>;
  /** Removes the name of a file; who has it open keeps it. */
  unlink(path: string): Promise<void>;
  /** All names of a directory, in no order. */
  readDirectory(path: string): Promise<DirectoryEntry[]>;
  /** Creates one directory, open to its owner only; its parent must exist. */
  makeDirectory(path: string): Promise<void>;
  /** Makes the names of a directory durable. */
  syncDirectory(path: string): Promise<void>;
}
