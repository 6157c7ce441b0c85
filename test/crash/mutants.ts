import type { Durability } from "daybook";
import type { FileSystem, OpenMode } from "../../src/store/storage/file-system.js";
import type { ErrorMutant } from "./io-errors.js";
import { STORE } from "./life.js";

/** A disk that does not do what it says, or what a storage without that step would do to a good disk. */
export interface Mutant {
  readonly name: string;
  /** Durability of the store that shows the fault. */
  readonly durability: Durability;
  readonly wrap: (fileSystem: FileSystem) => FileSystem;
}

/** Says whether a sync is left out: of a file opened in a mode, or (null) of a directory. The path is relative to the store's. */
type IsSkipped = (path: string, mode: OpenMode | null) => boolean;

function withoutSync(name: string, isSkipped: IsSkipped, durability: Durability = "disk"): Mutant {
  const relative = (path: string) => (path === STORE ? "" : path.slice(STORE.length + 1));
  return mutant(`no sync of ${name}`, durability, (fileSystem) => ({
    ...fileSystem,
    open: async (path, mode) => {
      const file = await fileSystem.open(path, mode);
      return isSkipped(relative(path), mode) ? { ...file, sync: () => Promise.resolve() } : file;
    },
    syncDirectory: (path) => (path.startsWith(STORE) && isSkipped(relative(path), null) ? Promise.resolve() : fileSystem.syncDirectory(path)),
  }));
}

function mutant(name: string, durability: Durability, change: (fileSystem: FileSystem) => FileSystem): Mutant {
  // Methods of a class are not copied by `...`.
  return { name, durability, wrap: (fileSystem) => change(methodsOf(fileSystem)) };
}

function methodsOf(fileSystem: FileSystem): FileSystem {
  return {
    open: (path, mode) => fileSystem.open(path, mode),
    stat: (path) => fileSystem.stat(path),
    rename: (from, to) => fileSystem.rename(from, to),
    unlink: (path) => fileSystem.unlink(path),
    readDirectory: (path) => fileSystem.readDirectory(path),
    makeDirectory: (path) => fileSystem.makeDirectory(path),
    syncDirectory: (path) => fileSystem.syncDirectory(path),
  };
}

/** The files of a store as its paths name them; temporary ones included. */
const inFolder = (folder: string) => (path: string, mode: OpenMode | null) => mode !== null && path.startsWith(`${folder}/`);
const isFolder = (folder: string) => (path: string, mode: OpenMode | null) => mode === null && path === folder;

const syncMutants: readonly Mutant[] = [
  withoutSync("the journal after an append", (path, mode) => mode === "append" && path.startsWith("journal/")),
  withoutSync("the folder of journals", isFolder("journal")),
  withoutSync("segments", inFolder("segments")),
  withoutSync("the folder of segments", isFolder("segments")),
  withoutSync("dictionaries", inFolder("dictionaries")),
  withoutSync("the folder of dictionaries", isFolder("dictionaries")),
  withoutSync("records and requests", inFolder("identities")),
  withoutSync("the folder of records and requests", isFolder("identities")),
  withoutSync("a new manifest", (path, mode) => mode === "create" && path.startsWith("MANIFEST")),
  withoutSync("the store's directory", isFolder("")),
  withoutSync("the keys", (path, mode) => mode === "create" && path.startsWith("keys.json")),
];

/** A name that is cut off its file before the new file gets it, byte by byte. */
const copyingRename = mutant("a rename that copies", "disk", (fileSystem) => ({
  ...fileSystem,
  rename: async (from, to) => {
    const source = await fileSystem.open(from, "read");
    const bytes = new Uint8Array(await source.byteLength());
    await source.read(bytes, 0);
    const target = await fileSystem.open(to, "append");
    await target.truncate(0);
    for (let done = 0; done < bytes.length; ) done += await target.write(bytes.subarray(done), done);
    await target.sync();
    await fileSystem.unlink(from);
  },
}));

const removingRename = mutant("a rename that removes the old file first", "disk", (fileSystem) => ({
  ...fileSystem,
  rename: async (from, to) => {
    await fileSystem.unlink(to).catch(() => undefined);
    await fileSystem.rename(from, to);
  },
}));

const shortWrites = mutant("short writes taken for whole ones", "disk", (fileSystem) => ({
  ...fileSystem,
  open: async (path, mode) => {
    const file = await fileSystem.open(path, mode);
    return { ...file, write: async (bytes, position) => (await file.write(bytes, position), bytes.length) };
  },
}));

const unsyncedRemoval = mutant("no sync of a removal", "disk", (fileSystem) => {
  const removedFrom = new Set<string>();
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
  return {
    ...fileSystem,
    unlink: async (path) => {
      await fileSystem.unlink(path);
      removedFrom.add(folderOf(path));
    },
    syncDirectory: (path) => (removedFrom.delete(path) ? Promise.resolve() : fileSystem.syncDirectory(path)),
  };
});

const nothingRemoved = mutant("nothing but locks is ever removed", "disk", (fileSystem) => ({
  ...fileSystem,
  unlink: (path) => (path.includes("/LOCK~") ? fileSystem.unlink(path) : Promise.resolve()),
}));

const noWayToTheStore = mutant("no sync of the directories above the store", "disk", (fileSystem) => ({
  ...fileSystem,
  syncDirectory: (path) => (path.startsWith(STORE) ? fileSystem.syncDirectory(path) : Promise.resolve()),
}));

/** The journal as a new process reads it, synced instead of written anew: temporary files of the folder are those of recovery. */
const unsyncedRecovery = withoutSync("a journal that was written anew", (path, mode) => mode === "create" && path.startsWith("journal/"));

const unsyncedRotation = withoutSync("a journal before the next one takes rows", (path, mode) => mode === "append" && path.startsWith("journal/"), "os");

const lateWrites = mutant("writes that reach the file with its next sync but one", "disk", (fileSystem) => ({
  ...fileSystem,
  open: async (path, mode) => {
    const file = await fileSystem.open(path, mode);
    if (mode !== "append") return file;
    let isDue = false;
    return {
      ...file,
      sync: async () => {
        if (isDue) await file.sync();
        isDue = !isDue;
      },
    };
  },
}));

export const crashMutants: readonly Mutant[] = [
  ...syncMutants,
  copyingRename,
  removingRename,
  shortWrites,
  unsyncedRemoval,
  nothingRemoved,
  noWayToTheStore,
  unsyncedRecovery,
  unsyncedRotation,
  lateWrites,
];

function errorMutant(name: string, trouble: string, change: (fileSystem: FileSystem) => FileSystem): ErrorMutant {
  return { name, trouble, wrap: (fileSystem) => change(methodsOf(fileSystem)) };
}

/** What only a disk that fails brings to light. */
export const errorMutants: readonly ErrorMutant[] = [
  errorMutant("a truncation that does nothing", "EIO after a whole write", (fileSystem) => ({
    ...fileSystem,
    open: async (path, mode) => ({ ...(await fileSystem.open(path, mode)), truncate: () => Promise.resolve() }),
  })),
  errorMutant("a failed sync of a file that nobody hears of", "EIO of a sync", (fileSystem) => ({
    ...fileSystem,
    open: async (path, mode) => {
      const file = await fileSystem.open(path, mode);
      return { ...file, sync: () => file.sync().catch(() => undefined) };
    },
  })),
  errorMutant("a failed sync of a journal that is tried again", "EIO of a sync", (fileSystem) => ({
    ...fileSystem,
    open: async (path, mode) => {
      const file = await fileSystem.open(path, mode);
      return mode === "append" ? { ...file, sync: () => file.sync().catch(() => file.sync()) } : file;
    },
  })),
  errorMutant("a failed sync of a directory that nobody hears of", "ENOSPC of syncs", (fileSystem) => ({
    ...fileSystem,
    syncDirectory: (path) => fileSystem.syncDirectory(path).catch(() => undefined),
  })),
  errorMutant("a failed rename that nobody hears of", "ENOSPC of renames", (fileSystem) => ({
    ...fileSystem,
    rename: (from, to) => fileSystem.rename(from, to).catch(() => undefined),
  })),
  errorMutant("a failed write that nobody hears of", "after a part of a write", (fileSystem) => ({
    ...fileSystem,
    open: async (path, mode) => {
      const file = await fileSystem.open(path, mode);
      return { ...file, write: (bytes, position) => file.write(bytes, position).catch(() => bytes.length) };
    },
  })),
];
