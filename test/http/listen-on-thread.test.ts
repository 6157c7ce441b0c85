import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { listenOnThreadOf } from "../../src/node/listen-on-thread.js";
import { startProgram } from "../cli/run.js";
import { handlerOf, stubDaybook } from "./kit.js";
import { THREAD } from "./ways.js";

const handler = handlerOf(stubDaybook());

describe("a thread of sockets", () => {
  it("that cannot have its port says so with the system's code", async () => {
    const { port, close } = await listenOnThreadOf(THREAD, handler, {});
    await expect(listenOnThreadOf(THREAD, handler, { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await close();
    const again = await listenOnThreadOf(THREAD, handler, { port });
    expect(again.port).toBe(port);
    await Promise.all([again.close(), again.close()]);
  });

  it("that cannot start rejects", async () => {
    const entry = join(mkdtempSync(join(tmpdir(), "daybook-thread-")), "broken.mjs");
    writeFileSync(entry, 'throw new Error("broken");');
    await expect(listenOnThreadOf(pathToFileURL(entry), handler, {})).rejects.toThrow("broken");
  });

  it("that breaks takes its process along: a server that nobody reaches must not look alive", async () => {
    const { code, stderr } = await startProgram("test/http/broken-thread.ts", []).finished;
    expect([code, stderr.includes("the thread broke")]).toEqual([1, true]);
  });
});
