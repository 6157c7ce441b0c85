import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { listenOnThreadOf } from "../../src/node/listen-on-thread.js";
import { startProgram } from "../cli/run.js";
import { handlerOf, stubDaybook } from "./kit.js";
import { raw } from "./raw.js";
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

  it("that ends before it listens rejects", async () => {
    const entry = new URL("data:text/javascript,process.exit(0)");
    await expect(listenOnThreadOf(entry, handler, {})).rejects.toThrow("ended by itself");
  });

  it("keeps what it says of itself as a listener on the same thread says it", async () => {
    await expect(listenOnThreadOf(THREAD, handler, { port: 70_000 })).rejects.toBeInstanceOf(RangeError);
  });

  it("lives on when a listener of answers throws", async () => {
    const onAnswer = () => {
      throw new Error("from a listener");
    };
    const server = await listenOnThreadOf(THREAD, handlerOf(stubDaybook(), { onAnswer }), {});
    // A fault, which is answered without the handler.
    expect(await raw(server.port, "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(server.port, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    await server.close();
  });

  it.each(["throw", "exit"])("that breaks (%s) takes its process along: a server that nobody reaches must not look alive", async (how) => {
    const { code, stderr } = await startProgram("test/http/broken-thread.ts", [how]).finished;
    expect([code, stderr.includes(how === "throw" ? "the thread broke" : "ended by itself")]).toEqual([1, true]);
  });
});
