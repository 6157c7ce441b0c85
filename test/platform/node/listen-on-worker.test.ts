import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../../../src/core/base/hash.js";
import type { Handler } from "../../../src/http/index.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listenOnWorker, type WorkerListenOptions } from "../../../src/platform/node/listen-on-worker.js";
import { bundledProgram } from "../../bundled.js";
import { startProgram } from "../../cli/run.js";
import { handlerOf, stubDaybook } from "../../http/kit.js";
import { sliceOf } from "../../oracle/settings.js";
import { raw } from "./raw.js";
import { THREAD } from "./ways.js";

const SEALS = bundledProgram("seal-worker");
const handler = handlerOf(stubDaybook());

describe("a thread of sockets", () => {
  it("that cannot have its port says so with the system's code", async () => {
    const { port, close } = await listenOnWorker(handler, { program: THREAD });
    await expect(listenOnWorker(handler, { program: THREAD, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await close();
    const again = await listenOnWorker(handler, { program: THREAD, port });
    expect(again.port).toBe(port);
    await Promise.all([again.close(), again.close()]);
  });

  it.each(sliceOf([
    ["throws", `data:text/javascript,${encodeURIComponent('throw new Error("broken")')}`, /broken.*its program: data:/],
    ["ends before it listens", new URL("data:text/javascript,process.exit(3)"), /it ended with code 3/],
    ["is nowhere", join(tmpdir(), "nowhere.mjs"), /its program: file:.*nowhere\.mjs; the option "program"/],
    ["is that of seals", SEALS, /expected to be started by backgroundSealing/],
  ], 2))("whose program %s leaves the sockets on the thread of the handler, and a warning says what was looked for", async (_, program, text) => {
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warnings.mockRestore());
    const server = await listenOnWorker(handler, { program });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await expect(listenOnWorker(handler, { program, port: server.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await server.close();
    expect(warnings.mock.calls[0]).toEqual([expect.stringMatching(text), "DaybookWarning"]);
  });

  it.each([["./here.mjs"], ["https://example.com/a.mjs"], [1], [{}], [null]])("is refused a program that no thread can be started from: %j", async (program) => {
    const options = { program } as WorkerListenOptions;
    await expect(listenOnWorker(handler, options)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "program" } });
  });

  it("keeps what it says of itself as a listener on the same thread says it", async () => {
    await expect(listenOnWorker(handler, { program: THREAD, port: 70_000 })).rejects.toBeInstanceOf(RangeError);
  });

  it("hashes the tokens that come, so that the handler does not, and finds their routes", async () => {
    const hashed: string[] = [];
    const noted = (text: string) => {
      hashed.push(text);
      return sha256Hex(text);
    };
    const own = handlerOf(stubDaybook(), { sha256Hex: noted });
    const known: unknown[] = [];
    const answer: Handler["answer"] = (request) => {
      known.push(request.known);
      return own.answer(request);
    };
    const server = await listenOnWorker(Object.assign((request: Request) => own(request), own, { answer }), { program: THREAD });
    const ask = (path: string, method: string) => fetch(`${server.url}${path}`, { method, headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } });
    expect((await ask("/analytics/count-events", "POST")).status).toBe(200);
    expect((await ask("/v1/companies/acme/top-users?range_days=7", "GET")).status).toBe(200);
    expect((await ask("/v1/nowhere", "GET")).status).toBe(404);
    await server.close();
    expect(hashed.filter((text) => text.startsWith("sk_"))).toEqual([]);
    expect(known).toEqual([
      { path: "/analytics/count-events", params: {}, query: "", sha256: sha256Hex("sk_owner_0123456789abcdefgh") },
      { path: "/v1/companies/{company_id}/top-users", params: { company_id: "acme" }, query: "range_days=7", sha256: sha256Hex("sk_owner_0123456789abcdefgh") },
    ]);
  });

  it("repeats the last answer to a health check while the handler is late, and awaits the handler for anything else", async () => {
    let onLate = () => undefined as void;
    const late = new Promise<void>((resolve) => (onLate = resolve));
    let answeredCount = 0;
    const answer: Handler["answer"] = async (request) => {
      answeredCount += 1;
      if (answeredCount > 1) await late;
      return handler.answer(request);
    };
    const server = await listenOnWorker(Object.assign((request: Request) => handler(request), handler, { answer }), { program: THREAD });
    const health = async (id: string, query = "") => {
      const answered = await fetch(`${server.url}/healthz${query}`, { headers: { "x-request-id": id } });
      return [answered.status, answered.headers.get("x-request-id"), await answered.text()];
    };
    const first = await health("first");
    expect(first).toEqual([200, "first", '{"status":"ok"}']);
    expect(await health("second")).toEqual([200, "second", '{"status":"ok"}']);
    expect(await health("third")).toEqual([200, "third", '{"status":"ok"}']);
    expect(answeredCount).toBe(2);
    const other = health("fourth", "?x=1");
    await vi.waitFor(() => expect(answeredCount).toBe(3));
    onLate();
    expect((await other).slice(0, 2)).toEqual([400, "fourth"]);
    await server.close();
  });

  it("lives on when a listener of answers throws", async () => {
    const onAnswer = () => {
      throw new Error("from a listener");
    };
    const server = await listenOnWorker(handlerOf(stubDaybook(), { onAnswer }), { program: THREAD });
    // A fault, which is answered without the handler.
    expect(await raw(server.port, "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(server.port, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    await server.close();
  });

  it.each(sliceOf(["throw", "exit"], 2))("that breaks (%s) takes its process along: a server that nobody reaches must not look alive", async (how) => {
    const { code, stderr } = await startProgram("test/platform/node/broken-worker.ts", [how]).finished;
    expect([code, stderr.includes(how === "throw" ? "the thread broke" : "ended unexpectedly")]).toEqual([1, true]);
  });
});
