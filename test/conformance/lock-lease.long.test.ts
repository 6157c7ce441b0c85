import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryStorage, openDaybook } from "daybook";
import { type LockWait, fileStorage } from "daybook/node";
import type { StorageLock } from "../../src/store/storage/storage.js";
import { SimulatedDisk, SimulatedFileSystem, simulatedProcess } from "daybook/testing";
import { describe, expect, it } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { identityText, machineProcesses } from "../../src/platform/node/process-table.js";
import { temporaryDirectory } from "./temporary-directory.js";
import { errno, watchedFileSystem } from "./watched-file-system.js";

const { lockLeaseMs, lockLeaseMsMin } = SERVER_LIMITS;
const elsewhere = { ...machineProcesses().current, pidNamespace: "1", host: "elsewhere" };
const LOCK_FILE = `LOCK~${identityText(elsewhere)}~0`;

/** A directory with the lock of a process that cannot be seen. */
function lockedDirectory(renewedAgoMs: number, name = LOCK_FILE): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, name), "held\n");
  renewed(directory, renewedAgoMs, name);
  return directory;
}

function renewed(directory: string, agoMs: number, name = LOCK_FILE): void {
  const at = (Date.now() - agoMs) / 1_000;
  utimesSync(join(directory, name), at, at);
}

const locksIn = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("LOCK"));

/** Looks again and again until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}

describe("a lock whose owner cannot be seen", () => {
  it("is respected as long as it is renewed, and says when it may be taken over, for people and programs", async () => {
    const directory = lockedDirectory(lockLeaseMs - 15_000);
    const error: Error & { details?: { takeoverMs?: number } } = await fileStorage(directory).lock().then(() => new Error("taken"), (reason) => reason);
    expect(error).toMatchObject({ code: "store_locked", details: { pid: elsewhere.pid, host: "elsewhere", lockFile: LOCK_FILE } });
    expect(error.details?.takeoverMs).toBeGreaterThan(0);
    expect(error.details?.takeoverMs).toBeLessThanOrEqual(20_000);
    expect(error.message).toMatch(/process \d+ on host elsewhere, which cannot be seen from here: its lock file LOCK~\S+ was last renewed 4\d s ago, and can be taken over in [12]?\d s unless it is renewed\.$/);
    expect(locksIn(directory)).toEqual([LOCK_FILE]);
  });

  it.each([
    ["of this version", LOCK_FILE],
    ["of a machine without namespaces of pids", "LOCK~7~812345~1b2c3d4e~elsewhere~3"],
    ["of a process that ended before it had it", LOCK_FILE],
  ])("is taken over once it was not renewed for a minute: %s", async (kind, name) => {
    const directory = lockedDirectory(lockLeaseMs + 1_000, name);
    if (kind.includes("before")) {
      writeFileSync(join(directory, name), "");
      renewed(directory, lockLeaseMs + 1_000, name);
    }
    const lock = await fileStorage(directory).lock();
    expect(locksIn(directory)).toHaveLength(1);
    expect(locksIn(directory)).not.toContain(name);
    await lock.release();
  });

  it("is judged by the clock of the file system alone, which may be that of nobody", async () => {
    let nowMs = 1_000;
    const disk = new SimulatedDisk(undefined, () => nowMs);
    const storageOf = (process: number) => fileStorage("/store", { fileSystem: new SimulatedFileSystem(disk), processes: simulatedProcess(process, "unknown") });
    const lock = await storageOf(1).lock();
    nowMs += lockLeaseMs;
    await expect(storageOf(2).lock()).rejects.toMatchObject({ code: "store_locked", details: { takeoverMs: 0 } });
    nowMs += 1;
    await storageOf(2).lock();
    expect(await lock.isHeld?.()).toBe(false);
  });

  it("is taken over although the clock was set back, by whoever has watched it for as long as it counts", async () => {
    const directory = lockedDirectory(-3_600_000);
    const lock = await fileStorage(directory, { lockLeaseMs: lockLeaseMsMin, onLockWait: () => undefined }).lock();
    expect(locksIn(directory)).toHaveLength(1);
    await lock.release();
  });

  it("is taken over although its stamp lies in the future, by programs that look and end, look and end, once none of them saw it renewed for as long as it counts", async () => {
    const directory = lockedDirectory(-3_600_000);
    const leaseMs = 1_000;
    const look = () => fileStorage(directory, { lockLeaseMs: leaseMs }).lock();
    const startedMs = performance.now();
    for (;;) {
      const outcome: StorageLock | { readonly code?: string; readonly details?: object } = await look().catch((error: { readonly code?: string; readonly details?: object }) => error);
      if ("release" in outcome) {
        await outcome.release();
        break;
      }
      expect(outcome).toMatchObject({ code: "store_locked", details: { lockFile: LOCK_FILE } });
      expect(performance.now() - startedMs).toBeLessThan(10 * leaseMs);
      await sleep(50);
    }
    expect(performance.now() - startedMs).toBeGreaterThan(leaseMs);
  });

  it("is respected although its stamps lie in the future, as long as it gets new ones", async () => {
    const directory = lockedDirectory(-3_600_000);
    const leaseMs = 600;
    for (let round = 0; round < 20; round += 1) {
      await expect(fileStorage(directory, { lockLeaseMs: leaseMs }).lock()).rejects.toMatchObject({ code: "store_locked" });
      await sleep(leaseMs / 6);
      if (round % 3 === 0) renewed(directory, -3_600_000);
    }
    expect(readFileSync(join(directory, LOCK_FILE), "utf8")).toBe("held\n");
  });

  it("is taken over with a stamp of the future too where its process ended before it had it", async () => {
    const directory = lockedDirectory(-3_600_000);
    writeFileSync(join(directory, LOCK_FILE), "");
    renewed(directory, -3_600_000);
    const leaseMs = 300;
    await expect(fileStorage(directory, { lockLeaseMs: leaseMs }).lock()).rejects.toMatchObject({ code: "store_locked" });
    await sleep(leaseMs + 50);
    await (await fileStorage(directory, { lockLeaseMs: leaseMs }).lock()).release();
  });

  it("is waited for by whoever asks for it, and said so once", async () => {
    const leaseMs = 2_000;
    const directory = lockedDirectory(500);
    const waits: LockWait[] = [];
    const lock = await fileStorage(directory, { lockLeaseMs: leaseMs, onLockWait: (wait) => waits.push(wait) }).lock();
    expect(waits).toHaveLength(1);
    expect(waits[0]).toMatchObject({ pid: elsewhere.pid, host: "elsewhere", lockFile: LOCK_FILE });
    expect(waits[0]?.message).toMatch(/last renewed 1 s ago; waiting up to 2 s for it\.$/);
    await lock.release();
  });

  it("is waited for no longer than until it is seen to be renewed", async () => {
    const directory = lockedDirectory(0);
    const locking = fileStorage(directory, { onLockWait: () => renewed(directory, -1) }).lock();
    await expect(locking).rejects.toMatchObject({ code: "store_locked", details: { lockFile: LOCK_FILE } });
    expect(locksIn(directory)).toEqual([LOCK_FILE]);
  });

  it("is not waited for where its owner is seen", async () => {
    const directory = temporaryDirectory();
    const lock = await fileStorage(directory).lock();
    const waits: LockWait[] = [];
    await expect(fileStorage(directory, { onLockWait: (wait) => waits.push(wait) }).lock()).rejects.toMatchObject({ code: "store_locked" });
    expect(waits).toEqual([]);
    await lock.release();
  });

  it("may count for a shorter time, which must be a time", () => {
    for (const bad of [0, lockLeaseMsMin - 1, Number.NaN, Infinity, "1000"])
      expect(() => fileStorage("x", { lockLeaseMs: bad as number })).toThrow(/^lockLeaseMs: expected a number of ms, at least 300, got /);
  });
});

describe("a lock that is held", () => {
  it("is renewed as long as it is held, and does not keep the process alive", async () => {
    const directory = temporaryDirectory();
    const lock = await fileStorage(directory, { lockLeaseMs: lockLeaseMsMin }).lock();
    const path = join(directory, locksIn(directory)[0] ?? "");
    const before = statSync(path).mtimeMs;
    await until(() => statSync(path).mtimeMs > before);
    expect(readFileSync(path, "utf8")).toBe("held\n");
    await lock.release();
  });

  it("is never brought back once it was removed, and whoever had it hears so at once: store_locked, health read_only", async () => {
    const directory = temporaryDirectory();
    const daybook = await openDaybook({ storage: fileStorage(directory, { lockLeaseMs: lockLeaseMsMin }) });
    await daybook.ingest([{ id: "a", name: "a" }]);
    const path = join(directory, locksIn(directory)[0] ?? "");
    rmSync(path);
    await until(() => daybook.health !== "ok");
    expect(daybook.health).toBe("read_only");
    await expect(daybook.ingest([{ id: "b", name: "b" }])).rejects.toMatchObject({ code: "store_locked" });
    expect(await daybook.countEvents()).toBe(1);
    await daybook.close();
    expect(existsSync(path)).toBe(false);
  });

  it("stays held while it cannot be renewed, and is renewed as soon as it can be", async () => {
    const directory = temporaryDirectory();
    const fileSystem = watchedFileSystem();
    const daybook = await openDaybook({ storage: fileStorage(directory, { fileSystem, lockLeaseMs: lockLeaseMsMin }) });
    const path = join(directory, locksIn(directory)[0] ?? "");
    let failedCount = 0;
    fileSystem.before = (operation, name) => {
      if (operation !== "open" || !name.startsWith("LOCK")) return;
      failedCount += 1;
      throw errno("EIO");
    };
    await until(() => failedCount >= 3);
    await daybook.ingest([{ id: "a", name: "a" }]);
    expect(daybook.health).toBe("ok");
    fileSystem.before = () => undefined;
    const before = statSync(path).mtimeMs;
    await until(() => statSync(path).mtimeMs > before);
    await daybook.close();
  });

  it.each(["ENOSPC", "EDQUOT"])("is renewed on a disk that is full, where its text cannot be written: %s", async (code) => {
    const directory = temporaryDirectory();
    const fileSystem = watchedFileSystem();
    const lock = await fileStorage(directory, { fileSystem, lockLeaseMs: lockLeaseMsMin }).lock();
    const path = join(directory, locksIn(directory)[0] ?? "");
    fileSystem.before = (operation, name) => {
      if (operation === "write" && name === "LOCK") throw errno(code);
    };
    const others = fileStorage(directory, { lockLeaseMs: lockLeaseMsMin, processes: { current: elsewhere, stateOf: () => "unknown" } });
    const untilMs = performance.now() + 3 * lockLeaseMsMin;
    while (performance.now() < untilMs) {
      await expect(others.lock()).rejects.toMatchObject({ code: "store_locked" });
      await sleep(lockLeaseMsMin / 6);
    }
    expect(await lock.isHeld?.()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("held\n");
    await lock.release();
  });

  it("is looked at once with each commit, without opening it; what cannot be looked at is not relied upon", async () => {
    const directory = temporaryDirectory();
    const fileSystem = watchedFileSystem();
    let statCount = 0;
    let fault: Error | null = null;
    const counting = {
      ...fileSystem,
      stat: async (path: string) => {
        statCount += 1;
        if (fault !== null) throw fault;
        return fileSystem.stat(path);
      },
    };
    const daybook = await openDaybook({ storage: fileStorage(directory, { fileSystem: counting }) });
    const opened: string[] = [];
    fileSystem.before = (operation, name) => void (operation === "open" && opened.push(name));
    statCount = 0;
    await daybook.ingest([{ id: "a", name: "a" }]);
    expect([statCount, opened]).toEqual([1, []]);
    fault = errno("EIO");
    await expect(daybook.ingest([{ id: "b", name: "b" }])).rejects.toMatchObject({ code: "internal", details: { errno: "EIO" } });
    fault = null;
    await daybook.ingest([{ id: "b", name: "b" }]);
    expect(await daybook.countEvents()).toBe(2);
    await daybook.close();
  });

  it("tells whoever opens the same directory twice in one process what to do instead", async () => {
    const directory = temporaryDirectory();
    const first = await openDaybook({ storage: fileStorage(directory) });
    await expect(openDaybook({ storage: fileStorage(directory) })).rejects.toMatchObject({
      code: "store_locked",
      message: expect.stringMatching(new RegExp(`^The store is already open in this process \\(pid ${process.pid}\\), .*: share one Daybook instead of opening another; in a development server that reloads modules, keep it on globalThis\\.$`)) as string,
      details: { pid: process.pid },
    });
    await first.ingest([{ name: "still" }]);
    await first.close();
    const storage = memoryStorage();
    const inMemory = await openDaybook({ storage });
    await expect(openDaybook({ storage })).rejects.toMatchObject({ code: "store_locked", message: expect.stringContaining("share one Daybook") as string });
    await inMemory.close();
    await (await openDaybook({ storage: fileStorage(directory) })).close();
  });
});
