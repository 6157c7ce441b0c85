import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDaybook } from "daybook";
import { describe, expect, it } from "vitest";
import { fileStorage } from "../../src/platform/node/file-storage.js";
import { kernelFileSystem } from "../../src/platform/node/kernel-file-system.js";
import { processTable } from "../../src/platform/node/process-table.js";
import type { FileSystem } from "../../src/store/storage/file-system.js";
import { temporaryDirectory } from "./temporary-directory.js";
import { errno, watchedFileSystem } from "./watched-file-system.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A storage whose directory exists and is settled, with an empty log. */
async function watchedStorage() {
  const directory = temporaryDirectory();
  const fileSystem = watchedFileSystem();
  const storage = fileStorage(directory, { fileSystem });
  await storage.write("settled", bytesOf(""));
  fileSystem.log.length = 0;
  return { directory, fileSystem, storage, root: directory.split("/").at(-1) ?? "" };
}

describe("file storage: folders that no key leads to", () => {
  it.each(["lost+found", "System Volume Information"])("%s hinders nobody who may not read it", async (name) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, name));
    const fileSystem: FileSystem = {
      ...kernelFileSystem,
      readDirectory: (path) => (path.includes(name) ? Promise.reject(errno("EACCES")) : kernelFileSystem.readDirectory(path)),
    };
    const storage = fileStorage(directory, { fileSystem });
    const lock = await storage.lock();
    await storage.write("folder/key", bytesOf("x"));
    expect(await storage.list("")).toEqual(["folder/key"]);
    await lock.release();
  });
});

describe("file storage: order of operations", () => {
  it("syncs the content before the name appears, and the directory after", async () => {
    const { storage, fileSystem, root } = await watchedStorage();
    await storage.write("k", bytesOf("x"));
    expect(fileSystem.log).toEqual(["create k", "write k", "sync k", "rename k", `syncDirectory ${root}`]);
  });

  it("removes an object for good, also one that a call before removed without saying so", async () => {
    const { storage, fileSystem, root } = await watchedStorage();
    await storage.write("k", bytesOf("x"));
    fileSystem.log.length = 0;
    await storage.remove("k");
    await storage.remove("k");
    await storage.remove("no/such/folder");
    expect(fileSystem.log).toEqual(["unlink k", `syncDirectory ${root}`, "unlink k", `syncDirectory ${root}`, "unlink folder", "syncDirectory such"]);
  });

  it("syncs nothing for durable: false until sync names the keys, then each file and directory once", async () => {
    const { storage, fileSystem, root } = await watchedStorage();
    for (const key of ["d/a", "d/b", "c"]) await storage.write(key, bytesOf("x"), { durable: false });
    expect(fileSystem.log.filter((line) => line.startsWith("sync"))).toEqual([]);
    fileSystem.log.length = 0;
    await storage.sync(["d/a", "d/b", "c", "d/a"]);
    expect(fileSystem.log.slice(0, 3).sort()).toEqual(["sync a", "sync b", "sync c"]);
    expect(fileSystem.log.slice(3)).toContain("syncDirectory d");
    expect(fileSystem.log.slice(3)).toContain(`syncDirectory ${root}`);
  });

  it("makes the way to a new directory durable, also of one made by an earlier process", async () => {
    const directory = temporaryDirectory();
    await fileStorage(join(directory, "store")).write("a/b/k", bytesOf("x"), { durable: false });
    const fileSystem = watchedFileSystem();
    await fileStorage(join(directory, "store"), { fileSystem }).sync(["a/b/k"]);
    const above = directory.split("/").reverse();
    expect(fileSystem.log).toEqual(["sync k", ...["b", "a", "store", ...above].map((name) => `syncDirectory ${name}`)]);
  });

  it("does without the sync of directories above the store that others made", async () => {
    const directory = temporaryDirectory();
    const above = directory.split("/").at(-2) ?? "";
    const fileSystem = watchedFileSystem();
    fileSystem.before = (operation, name) => {
      if (operation === "syncDirectory" && name === above) throw errno("EINVAL");
    };
    const storage = fileStorage(join(directory, "made", "store"), { fileSystem });
    await storage.write("k", bytesOf("x"));
    fileSystem.before = (operation, name) => {
      if (operation === "syncDirectory" && name === "made") throw errno("EINVAL");
    };
    await expect(fileStorage(join(directory, "made", "store"), { fileSystem }).write("k", bytesOf("x"))).rejects.toMatchObject({ code: "internal" });
  });

  it("syncs the name of an append file with its first sync only", async () => {
    const { storage, fileSystem, root } = await watchedStorage();
    const file = await storage.openAppend("j");
    await file.write(bytesOf("1"));
    await file.sync();
    await file.write(bytesOf("2"));
    await file.sync();
    await file.close();
    expect(fileSystem.log).toEqual(["write j", "sync j", `syncDirectory ${root}`, "write j", "sync j"]);
  });

  it("tries the name of an append file again after its sync failed", async () => {
    const { storage, fileSystem, root } = await watchedStorage();
    const file = await storage.openAppend("j");
    fileSystem.before = (operation) => {
      if (operation === "syncDirectory") throw errno("EIO");
    };
    await expect(file.sync()).rejects.toMatchObject({ code: "internal", details: { errno: "EIO", key: "j" } });
    fileSystem.before = () => undefined;
    await file.sync();
    expect(fileSystem.log.at(-1)).toBe(`syncDirectory ${root}`);
    await file.close();
  });
});

describe("file storage: failures", () => {
  it("loops over short writes, in objects and append files", async () => {
    const { storage, fileSystem } = await watchedStorage();
    fileSystem.writeByteLengthMax = 3;
    await storage.write("k", bytesOf("0123456789"));
    const file = await storage.openAppend("j");
    await file.write(bytesOf("abcdefgh"));
    await file.write(bytesOf("ij"));
    await file.close();
    expect(new TextDecoder().decode((await storage.read("k")) ?? undefined)).toBe("0123456789");
    expect(new TextDecoder().decode((await storage.read("j")) ?? undefined)).toBe("abcdefghij");
    expect(fileSystem.log.filter((line) => line === "write k")).toHaveLength(4);
  });

  it("ends with storage_full instead of looping when no byte is taken", async () => {
    const { storage, fileSystem } = await watchedStorage();
    fileSystem.writeByteLengthMax = 0;
    await expect(storage.write("k", bytesOf("x"))).rejects.toMatchObject({ code: "storage_full" });
  });

  it("keeps the old object and no temporary file when the disk is full", async () => {
    const { storage, fileSystem, directory } = await watchedStorage();
    await storage.write("k", bytesOf("old"));
    for (const failing of ["write", "sync", "rename"]) {
      fileSystem.before = (operation) => {
        if (operation === failing) throw errno("ENOSPC");
      };
      await expect(storage.write("k", bytesOf("new"))).rejects.toMatchObject({ code: "storage_full" });
      fileSystem.before = () => undefined;
      expect(readdirSync(directory).sort()).toEqual(["k", "settled"]);
      expect(new TextDecoder().decode((await storage.read("k")) ?? undefined)).toBe("old");
    }
  });

  it("goes on at the same place after an append that the full disk cut short", async () => {
    const { storage, fileSystem } = await watchedStorage();
    const file = await storage.openAppend("j");
    await file.write(bytesOf("kept,"));
    fileSystem.writeByteLengthMax = 2;
    let writeCount = 0;
    fileSystem.before = (operation) => {
      if (operation === "write" && (writeCount += 1) > 2) throw errno("EDQUOT");
    };
    await expect(file.write(bytesOf("refused"))).rejects.toMatchObject({ code: "storage_full" });
    expect(file.byteLength).toBe(5);
    fileSystem.before = () => undefined;
    await file.write(bytesOf("ok"));
    await file.truncate(file.byteLength);
    await file.close();
    expect(new TextDecoder().decode((await storage.read("j")) ?? undefined)).toBe("kept,ok");
  });

  it.each([["EMFILE", "overloaded"], ["EROFS", "read_only"], ["EACCES", "read_only"], ["EIO", "internal"]])(
    "names operation, key and %s, and keeps the cause",
    async (code, expected) => {
      const { storage, fileSystem, directory } = await watchedStorage();
      fileSystem.before = () => {
        throw errno(code);
      };
      const error: Error = await storage.read("settled").catch((reason) => reason);
      expect(error).toMatchObject({ code: expected, cause: { code } });
      expect(error.message).toMatch(new RegExp(`could not read settled: .* \\(${code}\\)`));
      expect(error.message).not.toContain(directory);
    },
  );

  it("names a lock that cannot be given back as its own error too", async () => {
    const { storage, fileSystem } = await watchedStorage();
    const lock = await storage.lock();
    fileSystem.before = () => {
      throw errno("EIO");
    };
    await expect(lock.release()).rejects.toMatchObject({ name: "DaybookError", code: "internal", details: { errno: "EIO" } });
    fileSystem.before = () => undefined;
    await lock.release();
  });

  it("says so when the directory is a file", async () => {
    const path = join(temporaryDirectory(), "file");
    writeFileSync(path, "");
    await expect(fileStorage(path).lock()).rejects.toMatchObject({ code: "invalid_parameter", details: { errno: "ENOTDIR" } });
  });
});

describe("file storage: a place where no directory can be made", () => {
  /** A file and a link to nothing, in a directory. */
  function obstacles(): string {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "file"), "");
    symlinkSync(join(directory, "nowhere"), join(directory, "dangling"));
    symlinkSync(join(directory, "circle"), join(directory, "circle"));
    return directory;
  }

  it.each([
    ["below a link to nothing", "dangling/deep/store", "ENOENT"],
    ["a link to nothing", "dangling", "ENOENT"],
    ["below a file", "file/store", "ENOTDIR"],
    ["a file", "file", "ENOTDIR"],
    ["below a link to itself", "circle/store", "ELOOP"],
    ["a name that is too long", "n".repeat(300), "ENAMETOOLONG"],
  ])("is an error that names it: %s", async (_, name, code) => {
    const path = join(obstacles(), name);
    const error: Error = await openDaybook({ storage: fileStorage(path) }).then(() => new Error("opened"), (reason) => reason);
    expect(error).toMatchObject({ code: "invalid_parameter", details: { errno: code, path } });
    expect(error.message).toContain(`could not create or open the directory ${path}: `);
  });

  it("is an error that names it: below what holds no directories, as /proc does", async () => {
    const error: Error = await openDaybook({ storage: fileStorage("/proc/nope/store") }).then(() => new Error("opened"), (reason) => reason);
    expect(error).toMatchObject({ code: "invalid_parameter" });
    expect(error.message).toMatch(/^could not create or open the directory \/proc\/nope\/store: .*not mounted.* \(ENOENT\)$/);
  });

  it.each([["EACCES", "read_only"], ["EROFS", "read_only"], ["ENOSPC", "storage_full"], ["EIO", "internal"]])("is an error that names it: %s", async (code, expected) => {
    const fileSystem = watchedFileSystem();
    fileSystem.before = (operation) => {
      if (operation === "makeDirectory") throw errno(code);
    };
    await expect(fileStorage("/some/store", { fileSystem }).lock()).rejects.toMatchObject({ code: expected, message: expect.stringContaining("directory /some/store: ") as string });
  });

  it("ends in an error too where a directory goes that was there, and names no path then: it may be an answer over HTTP", async () => {
    const directory = join(temporaryDirectory(), "store");
    const storage = fileStorage(directory);
    await storage.write("segments/1", bytesOf("x"));
    rmSync(directory, { recursive: true });
    const error: Error = await storage.write("journal/1", bytesOf("x")).then(() => new Error("written"), (reason) => reason);
    expect(error).toMatchObject({ code: "internal", details: { errno: "ENOENT", key: "journal/1" } });
    expect(error.message).not.toContain(directory);
  });
});

describe("file storage: what comes late, after its lock was given back", () => {
  it("is refused, whoever has the lock by now", async () => {
    const directory = temporaryDirectory();
    const storage = fileStorage(directory);
    const lock = await storage.lock();
    await storage.write("kept", bytesOf("first"));
    await lock.release();
    const acts = [() => storage.write("kept", bytesOf("late")), () => storage.write("other", bytesOf("late")), () => storage.remove("kept"), () => storage.openAppend("journal")];
    for (const act of acts) await expect(act()).rejects.toMatchObject({ code: "closed" });
    const other = await fileStorage(directory).lock();
    for (const act of acts) await expect(act()).rejects.toMatchObject({ code: "closed" });
    expect(await storage.read("kept")).toEqual(bytesOf("first"));
    expect(await storage.read("other")).toBeNull();
    await other.release();
    // Who takes the lock again may write again.
    const again = await storage.lock();
    await storage.write("kept", bytesOf("second"));
    await again.release();
  });

  it("is refused where it began before, also when the same storage has its lock again", async () => {
    const directory = temporaryDirectory();
    let goOn = () => undefined as void;
    const standstill = new Promise<void>((resolve) => (goOn = resolve));
    const fileSystem: FileSystem = {
      ...kernelFileSystem,
      async open(path, mode) {
        const file = await kernelFileSystem.open(path, mode);
        if (path.includes("late")) await standstill;
        return file;
      },
    };
    const storage = fileStorage(directory, { fileSystem });
    const lock = await storage.lock();
    const late = [storage.write("late", bytesOf("x")), storage.openAppend("late-journal")].map((act) => act.then(() => "done", (error: { code?: string }) => error.code));
    await lock.release();
    const again = await storage.lock();
    goOn();
    expect(await Promise.all(late)).toEqual(["closed", "closed"]);
    expect(await storage.read("late")).toBeNull();
    await again.release();
  });
});

describe("file storage: a file system that knows no sync of directories", () => {
  it("is taken at its word", async () => {
    // `/proc` is one.
    await expect(kernelFileSystem.syncDirectory("/proc")).resolves.toBeUndefined();
    await expect(kernelFileSystem.syncDirectory("/nowhere")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("file storage: what lies in the directory", () => {
  it("makes files for their owner only", async () => {
    const directory = join(temporaryDirectory(), "store");
    const storage = fileStorage(directory);
    await storage.write("keys.json", bytesOf("x"));
    await (await storage.openAppend("journal/1")).close();
    const lock = await storage.lock();
    const modeOf = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8);
    expect(["", "journal"].map(modeOf)).toEqual(["700", "700"]);
    expect(["keys.json", "journal/1", readdirSync(directory).find((name) => name.startsWith("LOCK")) ?? ""].map(modeOf)).toEqual(["600", "600", "600"]);
    await lock.release();
  });

  it("removes nothing with the lock in a directory below that has a lock of its own", async () => {
    const directory = temporaryDirectory();
    const writing = "MANIFEST~4194399~1~1~1+h~1";
    for (const [folder, lock] of [["open", "LOCK~4194399~1~1~1+h~2"], ["closed", "other"]] as const) {
      mkdirSync(join(directory, folder));
      for (const name of [lock, writing]) writeFileSync(join(directory, folder, name), "x");
    }
    await (await fileStorage(directory).lock()).release();
    expect(readdirSync(join(directory, "open"))).toContain(writing);
    expect(readdirSync(join(directory, "closed"))).toEqual(["other"]);
  });

  it("neither lists nor reads temporary files, and removes with the lock those of ended processes and of those that cannot be seen", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "segments"));
    const ended = ["MANIFEST~4194399~1~1~1+h~1", "segments/1.seg~4194399~1~1~1+h~2", "MANIFEST~77~1~0~nowhere~1", "MANIFEST~77~1~2~1+h~3"];
    const processes = processTable({ pid: 1, startTime: "1", bootId: "1", pidNamespace: "1", host: "h" }, (pid) => (pid === 4_194_399 ? null : { startTime: "1" }));
    const kept = ["MANIFEST~77~1~1~1+h~1", "segments/not-ours~"];
    for (const name of [...ended, ...kept]) writeFileSync(join(directory, name), "torn");
    const storage = fileStorage(directory, { processes });
    expect(await storage.list("")).toEqual([]);
    const lock = await storage.lock();
    expect(readdirSync(directory, { recursive: true }).map(String).filter((name) => name !== "segments" && !name.startsWith("LOCK")).sort()).toEqual(kept);
    await lock.release();
  });
});
