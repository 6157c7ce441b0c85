import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { crashEvent } from "./crash-events.js";
import { ROOT, emptyDirectory, programFile } from "./run.js";

/** A writer under a limit that the shell sets, and what it answers to each order. */
function limited(limit: string, args: readonly string[]): { order(name: string): Promise<unknown>; ended: Promise<number | null>; child: ChildProcess } {
  const child = spawn("bash", ["-c", `${limit}; exec "$@"`, "bash", process.execPath, programFile("test/cli/limited-writer.ts"), ...args], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    ended: new Promise((resolve) => child.on("close", resolve)),
    async order(name) {
      child.stdin.write(`${name}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the process ended (${child.exitCode}, ${child.signalCode}) at ${name}`);
      return JSON.parse(value) as unknown;
    },
  };
}

async function expectStored(directory: string, count: number): Promise<void> {
  expect((await verifyStore(fileStorage(directory))).findings).toEqual([]);
  const daybook = await openDaybook({ storage: fileStorage(directory) });
  const all = Array.from({ length: count }, (_, number) => crashEvent(number));
  expect(await daybook.countEvents()).toBe(count);
  expect(await daybook.ingest(all)).toEqual({ accepted: 0, duplicates: count, rejected: [], adjusted: [] });
  await daybook.close();
}

describe("a process that may not write larger files (ulimit -f)", () => {
  test("refuses events with storage_full, goes on answering, takes events again when there is room, and loses none", async () => {
    const directory = await emptyDirectory();
    // A journal of 100 KiB is full after some thousand events; a seal begins the next one.
    const { order, child, ended } = limited("ulimit -f 100", [directory]);
    expect(await order("open")).toBe("open");
    let stored = 0;
    let fullCount = 0;
    for (let round = 0; fullCount < 3; round += 1) {
      const outcome = (await order("ingest")) as { code?: string; accepted?: number };
      if (outcome.code === undefined) stored += outcome.accepted ?? 0;
      else {
        expect(outcome).toEqual({ code: "storage_full" });
        expect(await order("count")).toBe(stored);
        expect(await order("health")).toBe("ok");
        expect(await order("ingest")).toEqual({ code: "storage_full" });
        expect(await order("seal")).toBe("sealed");
        fullCount += 1;
      }
      expect(round).toBeLessThan(100);
    }
    expect(await order("ingest")).toMatchObject({ accepted: 500 });
    expect(await order("count")).toBe(stored + 500);
    child.kill("SIGKILL");
    await ended;
    await expectStored(directory, stored + 500);
  });
});

// Enough for the modules of the program, which are read side by side.
describe("a process that may open no more files (ulimit -n)", () => {
  test("refuses to open with overloaded, and opens later", async () => {
    const directory = await emptyDirectory();
    const { order } = limited("ulimit -n 200", [directory]);
    expect(await order("open")).toBe("open");
    expect(await order("ingest")).toMatchObject({ accepted: 500 });
    expect(await order("close")).toBe("closed");
    await order("takeFiles");
    expect(await order("open")).toEqual({ code: "overloaded" });
    await order("freeFiles");
    expect(await order("open")).toBe("open");
    expect(await order("count")).toBe(500);
    expect(await order("close")).toBe("closed");
    await expectStored(directory, 500);
  });

  test("stores on, refuses queries that need a file with overloaded, and answers them later", async () => {
    const directory = await emptyDirectory();
    const { order } = limited("ulimit -n 200", [directory]);
    await order("open");
    for (let round = 0; round < 4; round += 1) expect(await order("ingest")).toMatchObject({ accepted: 500 });
    await order("seal");
    await order("close");
    await order("open");
    await order("ingest");
    const pages = await order("pages");
    await order("takeFiles");
    expect(await order("ingest")).toMatchObject({ accepted: 500 });
    expect(await order("pages")).toEqual({ code: "overloaded" });
    expect(await order("seal")).toEqual({ code: "overloaded" });
    expect(await order("health")).toBe("ok");
    await order("freeFiles");
    expect(await order("pages")).not.toEqual(pages);
    expect(await order("seal")).toBe("sealed");
    expect(await order("close")).toBe("closed");
    await expectStored(directory, 3_000);
  });
});
