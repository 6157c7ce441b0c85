import { basename } from "node:path";
import type { FileSystem, OpenFile } from "../../src/store/storage/file-system.js";
import { kernelFileSystem } from "../../src/platform/node/kernel-file-system.js";

export interface WatchedFileSystem extends FileSystem {
  /** `operation name` of every call that changes or syncs something, in order; temporary names cut at the mark. */
  readonly log: string[];
  /** Called before each logged operation; what it throws is the operation's failure. */
  before: (operation: string, name: string) => void;
  /** Most bytes one write takes. */
  writeByteLengthMax: number;
}

export function errno(code: string): Error {
  return Object.assign(new Error(`${code}: as the test wants it`), { code });
}

/** The file system of this machine, watched and disturbed. */
export function watchedFileSystem(): WatchedFileSystem {
  const enter = async (operation: string, path: string) => {
    const name = basename(path).split("~")[0] ?? "";
    watched.before(operation, name);
    watched.log.push(`${operation} ${name}`);
  };
  const openFile = (path: string, file: OpenFile): OpenFile => ({
    read: (target, position) => file.read(target, position),
    byteLength: () => file.byteLength(),
    close: () => file.close(),
    async write(bytes, position) {
      await enter("write", path);
      return watched.writeByteLengthMax === 0 ? 0 : file.write(bytes.subarray(0, watched.writeByteLengthMax), position);
    },
    truncate: async (byteLength) => (await enter("truncate", path), file.truncate(byteLength)),
    sync: async () => (await enter("sync", path), file.sync()),
  });
  const watched: WatchedFileSystem = {
    ...kernelFileSystem,
    log: [],
    before: () => undefined,
    writeByteLengthMax: Number.MAX_SAFE_INTEGER,
    async open(path, mode) {
      if (mode === "create") await enter("create", path);
      else watched.before("open", basename(path));
      return openFile(path, await kernelFileSystem.open(path, mode));
    },
    rename: async (from, to) => (await enter("rename", to), kernelFileSystem.rename(from, to)),
    unlink: async (path) => (await enter("unlink", path), kernelFileSystem.unlink(path)),
    makeDirectory: async (path) => (await enter("makeDirectory", path), kernelFileSystem.makeDirectory(path)),
    syncDirectory: async (path) => (await enter("syncDirectory", path), kernelFileSystem.syncDirectory(path)),
  };
  return watched;
}
