import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileStorage } from "../../src/platform/node/file-storage.js";
import { type ProcessIdentity, type ProcessTable, identityText, machineProcesses } from "../../src/platform/node/process-table.js";
import { programFile } from "../cli/run.js";
import { sliceOf } from "../oracle/settings.js";
import { temporaryDirectory } from "./temporary-directory.js";

const locksIn = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("LOCK"));

type Holder = ChildProcessByStdio<Writable, Readable, null>;

async function line(child: Holder): Promise<string> {
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return chunk.toString().trim();
}

async function startHolder(directory: string): Promise<Holder> {
  const child = spawn(process.execPath, [programFile("test/conformance/lock-holder.ts"), directory], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await line(child)).toBe("ready");
  return child;
}

async function go(child: Holder): Promise<string> {
  child.stdin.write("go\n");
  return line(child);
}

async function kill(child: Holder): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe("the lock file against real processes", () => {
  it("refuses while another process holds the lock, names it, and is free after kill -9", async () => {
    const directory = temporaryDirectory();
    const holder = await startHolder(directory);
    expect(await go(holder)).toBe("locked");
    const error: Error = await fileStorage(directory).lock().then(() => new Error("taken"), (reason) => reason);
    expect(error).toMatchObject({ code: "store_locked", details: { pid: holder.pid, lockFile: locksIn(directory)[0] } });
    expect(error.message).toContain(`process ${holder.pid},`);
    expect(error.message).not.toContain(directory);
    await kill(holder);
    const lock = await fileStorage(directory).lock();
    expect(locksIn(directory)).toHaveLength(1);
    await lock.release();
    expect(locksIn(directory)).toEqual([]);
  });

  it("gives the lock of an ended process to one of those who want it at the same time", async () => {
    const directory = temporaryDirectory();
    const ended = await startHolder(directory);
    await go(ended);
    await kill(ended);
    const rivals = await Promise.all([startHolder(directory), startHolder(directory), startHolder(directory)]);
    const outcomes = await Promise.all(rivals.map(go));
    expect(outcomes.sort()).toEqual(["locked", "store_locked", "store_locked"]);
    expect(locksIn(directory)).toHaveLength(1);
  });
});

describe("the lock file of a process that may have ended", () => {
  const { current } = machineProcesses();
  const outcomeWith = async (owner: Partial<ProcessIdentity>, processes?: ProcessTable) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, `LOCK~${identityText({ ...current, ...owner })}~0`), "held\n");
    const storage = fileStorage(directory, processes === undefined ? {} : { processes });
    return storage.lock().then(() => "taken over", (error) => error.code as string);
  };

  it("is taken over when no process has the pid", async () => {
    expect(await outcomeWith({ pid: 4_194_399, startTime: "1" })).toBe("taken over");
  });

  it("is taken over when a later process has the pid", async () => {
    expect(current.startTime).not.toBe("");
    expect(await outcomeWith({ startTime: "1" })).toBe("taken over");
  });

  it("is respected when the process runs, here or with an unknown start", async () => {
    expect(await outcomeWith({})).toBe("store_locked");
    expect(await outcomeWith({ startTime: "", bootId: "" })).toBe("store_locked");
  });

  it("is respected for a while when the process cannot be seen: of another boot or pid namespace", async () => {
    expect([current.bootId, current.pidNamespace]).not.toContain("");
    expect(await outcomeWith({ bootId: "00000000" })).toBe("store_locked");
    expect(await outcomeWith({ pidNamespace: "1", pid: 4_194_399, startTime: "1" })).toBe("store_locked");
  });

  it("is taken over when the process had another host name, and has ended", async () => {
    expect(await outcomeWith({ host: "elsewhere", pid: 4_194_399 })).toBe("taken over");
  });

  it.each(sliceOf([
    ["at once when the process holds it", "held\n", 0, 1_000],
    ["after a while when the process only claims it and does not go on", "", 1_000, 10_000],
  ] as const, 2))("is respected %s", async (_, content, msMin, msMax) => {
    const directory = temporaryDirectory();
    const running: ProcessTable = { current, stateOf: () => "running" };
    writeFileSync(join(directory, `LOCK~${identityText({ ...current, pid: 9_999_999 })}~0`), content);
    const startedMs = performance.now();
    await expect(fileStorage(directory, { processes: running }).lock()).rejects.toMatchObject({ code: "store_locked" });
    const tookMs = performance.now() - startedMs;
    expect(tookMs >= msMin && tookMs < msMax).toBe(true);
    expect(locksIn(directory)).toHaveLength(1);
  });
});
