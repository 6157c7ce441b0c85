import fs from "node:fs";
import { promisify } from "node:util";
import { NO_FOLLOW, readFullyNow } from "./private-files.js";
import type { FileSystem, OpenFile, OpenMode } from "../../store/storage/file-system.js";

const open = promisify(fs.open);
const close = promisify(fs.close);
const read = promisify(fs.read);
const write = promisify(fs.write);
const fstat = promisify(fs.fstat);
const stat = promisify(fs.stat);
const ftruncate = promisify(fs.ftruncate);
const fsync = promisify(fs.fsync);
const fdatasync = promisify(fs.fdatasync);
const unlink = promisify(fs.unlink);
const rename = promisify(fs.rename);
const readdir = promisify(fs.readdir);
const mkdir = promisify(fs.mkdir);

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = fs.constants;
const OPEN_FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  update: O_RDWR | NO_FOLLOW,
  append: O_RDWR | O_CREAT | NO_FOLLOW,
  // Exclusive, so an existing link counts as a taken name.
  create: O_RDWR | O_CREAT | O_EXCL,
};

/** Node accepts at most 2 GiB per call. */
const CALL_BYTES_MAX = 1 << 30;

function openFile(descriptor: number): OpenFile {
  return {
    async read(target, position) {
      const byteLength = Math.min(target.length, CALL_BYTES_MAX);
      return (await read(descriptor, target, 0, byteLength, position)).bytesRead;
    },
    readNow: (target, position) => fs.readSync(descriptor, target, 0, Math.min(target.length, CALL_BYTES_MAX), position),
    async write(bytes, position) {
      const byteLength = Math.min(bytes.length, CALL_BYTES_MAX);
      return (await write(descriptor, bytes, 0, byteLength, position)).bytesWritten;
    },
    byteLength: async () => (await fstat(descriptor)).size,
    truncate: (byteLength) => ftruncate(descriptor, byteLength),
    sync: () => fdatasync(descriptor),
    close: () => close(descriptor),
  };
}

/** Errors of file systems that cannot sync a directory, for which there is no alternative. */
const NO_DIRECTORY_SYNC = new Set(["EINVAL", "EBADF", "ENOTSUP"]);

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open directories, and writes names to disk at once.
  if (process.platform === "win32") return;
  const descriptor = await open(path, O_RDONLY);
  try {
    await fsync(descriptor);
  } catch (error) {
    if (!NO_DIRECTORY_SYNC.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await close(descriptor);
  }
}

export const kernelFileSystem: FileSystem = {
  // A store has hundreds of files, and handing each to another thread takes ten times as long as opening it.
  open: async (path, mode) => openFile(mode === "read" ? fs.openSync(path, OPEN_FLAGS.read) : await open(path, OPEN_FLAGS[mode], 0o600)),
  readNow(path, position, byteLength) {
    const descriptor = fs.openSync(path, O_RDONLY);
    try {
      return readFullyNow((target, at) => fs.readSync(descriptor, target, 0, Math.min(target.length, CALL_BYTES_MAX), at), { start: position, end: position + byteLength });
    } finally {
      fs.closeSync(descriptor);
    }
  },
  async stat(path) {
    const { size, mtimeMs } = await stat(path);
    return { byteLength: size, modifiedMs: mtimeMs };
  },
  rename: (from, to) => rename(from, to),
  unlink: (path) => unlink(path),
  async readDirectory(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  },
  makeDirectory: (path) => mkdir(path, { mode: 0o700 }),
  syncDirectory,
};
