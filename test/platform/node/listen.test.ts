import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import type { RequestHandler } from "../../../src/platform/node/listen.js";
import type { Listening } from "../../../src/platform/node/listen-options.js";
import { handlerOf, stubDaybook } from "../../http/kit.js";
import { sliceOf } from "../../oracle/settings.js";
import { raw } from "./raw.js";
import { WAYS } from "./ways.js";

describe.each(sliceOf(WAYS, 2))("a socket %s", (_way, listen, isOnThread) => {
  const open: Listening[] = [];
  const start = async (handler: RequestHandler = handlerOf(stubDaybook()), drainMs?: number) => {
    const server = await listen(handler, drainMs === undefined ? {} : { drainMs });
    open.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  const GET = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
  const AUTHORIZED = "Host: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\n";
  const post = (headers: string, body = "") => `POST /analytics/count-events HTTP/1.1\r\n${AUTHORIZED}${headers}\r\n${body}`;

  describe("listen", () => {
    it("answers on loopback at a free port, with a length, on one kept connection", async () => {
      const { url, port } = await start();
      expect(url).toBe(`http://127.0.0.1:${port}`);
      const headers = { authorization: "Bearer sk_owner_0123456789abcdefgh", "content-type": "application/json" };
      const response = await fetch(`${url}/analytics/count-events`, { method: "POST", headers, body: "{}" });
      expect(await response.json()).toEqual({ status: "OK", data: 7 });
      expect(response.headers.get("content-length")).toBe("24");
      expect(response.headers.get("x-request-id")).toBe("request-1");
      const two = await raw(port, `${GET}\r\n${GET}Connection: close\r\n\r\n`);
      expect(two.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    });

    it("reads a body that comes in pieces, chunked", async () => {
      const daybook = stubDaybook();
      const { port } = await start(handlerOf(daybook));
      const text = await raw(
        port,
        post("Transfer-Encoding: chunked\r\nConnection: close\r\n", '5\r\n{"use\r\nb\r\nr_id":"u-1"\r\n1\r\n}\r\n0\r\n\r\n'),
      );
      expect(text).toContain("HTTP/1.1 200 OK");
      expect(daybook.asked[0]?.input).toMatchObject({ userId: "u-1" });
    });

    it("answers HEAD and 304 without a body", async () => {
      const { port } = await start();
      const head = await raw(port, "HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\n$/);
      const same = await raw(port, post("If-None-Match: *\r\nConnection: close\r\n"));
      expect(same).toMatch(/^HTTP\/1\.1 304 Not Modified[^]*\r\n\r\n$/);
    });

    it("takes the pattern of a route as a path like any other", async () => {
      const { port } = await start();
      const target = "/v1/projects/{project_id}/analytics/count-events";
      const text = await raw(port, `POST ${target} HTTP/1.1\r\n${AUTHORIZED}Connection: close\r\n\r\n`);
      expect(text).toContain('"code":"project_not_found"');
    });

    it("takes the absolute form of a target", async () => {
      const { port } = await start();
      expect(await raw(port, `GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain("200 OK");
    });

    it("lets any function from Request to Response answer", async () => {
      const { url, port } = await start(async (request) => {
        if (request.url.endsWith("/fail")) throw new Error("secret");
        return new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, { status: 201, headers: { "x-own": "1" } });
      });
      const response = await fetch(`${url}/a`, { method: "POST", body: "hello" });
      expect([response.status, response.headers.get("x-own"), await response.text()]).toEqual([201, "1", "POST /a hello"]);
      const failed = await fetch(`${url}/fail`);
      expect([failed.status, (await failed.text()).includes("secret")]).toEqual([500, false]);
      expect(await raw(port, "TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toContain("HTTP/1.1 405");
    });

    it("an answer that cannot be written ends its own connection, and keeps no other caller from an answer", async () => {
      let count = 0;
      const requestId = () => ((count += 1) === 2 ? "not\nfor a header" : "fine");
      const handler = createHandler({ organizations: { o: stubDaybook() }, tokens: memoryTokens([]), requestId });
      const { port } = await start(handler);
      const request = "GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      const answers = await Promise.all([raw(port, request), raw(port, request), raw(port, request), raw(port, request)].map((answer) => answer.catch(() => "")));
      expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 200 OK"))).toHaveLength(3);
    });

    it("rejects when the port is taken", async () => {
      const { port } = await start();
      await expect(listen(handlerOf(stubDaybook()), { port })).rejects.toThrow("EADDRINUSE");
    });
  });

  describe("bytes that are no request", () => {
    it.each([
      ["garbage", "garbage\r\n\r\n", 400, "invalid_parameter"],
      ["a TLS hello", "\x16\x03\x01\x02\x00\x01", 400, "invalid_parameter"],
      ["two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), 400, "invalid_parameter"],
      ["a length and chunks", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400, "invalid_parameter"],
      ["a bad chunk", post("Transfer-Encoding: chunked\r\n", "zz\r\n"), 400, "invalid_parameter"],
      ["a URL over 4 KiB", `GET /${"a".repeat(5_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 414, "uri_too_long"],
      ["a URL over all bounds", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, "uri_too_long"],
      ["a header over 8 KiB", `${GET}X: ${"a".repeat(9_000)}\r\n\r\n`, 431, "headers_too_large"],
      ["101 headers", `${GET}Connection: close\r\n${"X: y\r\n".repeat(99)}\r\n`, 431, "headers_too_large"],
      ["two Authorization headers", `${GET}authorization: a\r\nAuthorization: b\r\nConnection: close\r\n\r\n`, 400, "duplicate_header"],
      ["two Host headers", `${GET}host: y\r\nConnection: close\r\n\r\n`, 400, "duplicate_header"],
      ["an expectation that is none", `${GET}Expect: 200-ok\r\nConnection: close\r\n\r\n`, 400, "invalid_parameter"],
      ["no Host header", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "invalid_parameter"],
      ["TRACE", "TRACE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405, "method_not_allowed"],
      ["the target *", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404, "route_not_found"],
    ])("%s", async (_, bytes, status, code) => {
      const { port } = await start();
      const text = await raw(port, bytes);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text.toLowerCase()).toContain("x-request-id: ");
      const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
      expect(body["code"]).toBe(code);
    });

    it("get the envelope of the path where there is one", async () => {
      const { port } = await start();
      const text = await raw(port, post("Authorization: Bearer x\r\nConnection: close\r\n"));
      expect(text).toContain('{"status":"ERROR","error":{"code":"duplicate_header"');
    });

    it("100 headers are taken", async () => {
      const { port } = await start();
      expect(await raw(port, `${GET}Connection: close\r\n${"X: y\r\n".repeat(98)}\r\n`)).toContain("200 OK");
    });

    it("CONNECT is closed without a word", async () => {
      const { port } = await start();
      expect(await raw(port, "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
    });

    it("an offer to upgrade, as clients of HTTP/2 make it, is passed over and its request answered, body and all", async () => {
      const daybook = stubDaybook();
      const { port } = await start(handlerOf(daybook));
      const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAA\r\nContent-Length: 18\r\n";
      expect(await raw(port, post(offer, '{"event_name":"a"}'), '"data":7}')).toMatch(/^HTTP\/1\.1 200 /);
      expect(daybook.asked).toMatchObject([{ method: "countEvents", input: { eventName: "a" } }]);
    });

    it("an answer that is due comes before the error of the bytes behind its request", async () => {
      let finish: (count: number) => void = () => undefined;
      const { port } = await start(handlerOf(stubDaybook({ countEvents: () => new Promise((resolve) => (finish = resolve)) })));
      setTimeout(() => finish(9), 100);
      const text = await raw(port, `${post("Content-Length: 2\r\n", "{}")}garbage\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 200 [^]*"data":9}HTTP\/1\.1 400 [^]*"code":"invalid_parameter"/);
    });

    it("a body that breaks after its request was refused gets no second answer", async () => {
      const { port } = await start();
      const text = await new Promise<string>((resolve) => {
        let got = "";
        const socket = connect(port, "127.0.0.1");
        socket.write("POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
        socket.on("data", (chunk) => (got += chunk.toString("latin1"))).once("data", () => socket.write("zz\r\n"));
        socket.on("end", () => resolve(got));
      });
      expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(text).toMatch(/^HTTP\/1\.1 404 /);
    });
  });

  describe("large and abandoned bodies", () => {
    it("100 Continue comes only after token and length have passed", async () => {
      const { port } = await start();
      const expecting = (length: number, token = "sk_owner_0123456789abcdefgh") =>
        `POST /analytics/count-events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
      expect(await raw(port, expecting(2), "\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
      const unknown = await raw(port, expecting(2, "sk_unknown_0123456789abcdefgh"));
      expect(unknown).toMatch(/^HTTP\/1\.1 401[^]*connection: close/i);
      expect(await raw(port, expecting(2_000_000))).toMatch(/^HTTP\/1\.1 413[^]*connection: close/i);
    });

    it("a body over the bound is answered with 413 while it is still coming", async () => {
      const { url } = await start();
      const headers = { authorization: "Bearer sk_owner_0123456789abcdefgh" };
      const response = await fetch(`${url}/analytics/count-events`, { method: "POST", headers, body: new Uint8Array(3_000_000) });
      expect([response.status, (await response.text()).includes("body_too_large")]).toEqual([413, true]);
      const chunked = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let at = 0; at < 30; at += 1) controller.enqueue(new Uint8Array(100_000));
          controller.close();
        },
      });
      const init = { method: "POST", headers, body: chunked, duplex: "half" } as RequestInit;
      expect((await fetch(`${url}/analytics/count-events`, init)).status).toBe(413);
    });

    it("a caller that leaves aborts its query", async () => {
      let left: () => void = () => undefined;
      const aborted = new Promise<void>((resolve) => (left = resolve));
      let began: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (began = resolve));
      const daybook = stubDaybook({
        countEvents: async (_, options) => {
          began();
          while (options?.signal?.aborted === false) await new Promise((resolve) => setTimeout(resolve, 1));
          left();
          throw new DaybookError("aborted", "stopped");
        },
      });
      const { port } = await start(handlerOf(daybook, { limits: { queryMs: Infinity } }));
      const socket = connect(port, "127.0.0.1", () => socket.write(post("Content-Length: 0\r\n")));
      await asked;
      socket.destroy();
      await aborted;
    });

    it("a caller that leaves aborts the web request of its query", async () => {
      let left: () => void = () => undefined;
      const aborted = new Promise<void>((resolve) => (left = resolve));
      let began: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (began = resolve));
      const { port } = await start(({ signal }) => {
        signal.addEventListener("abort", left);
        began();
        return new Promise(() => undefined);
      });
      const socket = connect(port, "127.0.0.1", () => socket.write(post("Content-Length: 0\r\n")));
      await asked;
      socket.destroy();
      await aborted;
    });

    it("a caller that leaves within its body leaves nothing behind", async () => {
      const daybook = stubDaybook();
      const server = await start(handlerOf(daybook));
      const socket = connect(server.port, "127.0.0.1", () => socket.end(post("Content-Length: 100\r\n", "{")));
      await new Promise((resolve) => socket.on("close", resolve).resume());
      await server.close();
      expect(daybook.asked).toEqual([]);
    });
  });

  describe("close", () => {
    it("finishes what is in flight, ends its connection and takes nothing new", async () => {
      let finish: (count: number) => void = () => undefined;
      let began: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (began = resolve));
      const daybook = stubDaybook({
        countEvents: () => {
          began();
          return new Promise((resolve) => (finish = resolve));
        },
      });
      const server = await start(handlerOf(daybook));
      const answer = raw(server.port, post("Content-Length: 0\r\n"));
      await asked;
      const closing = server.close();
      // Word of it has a thread to go to.
      while (isOnThread && !(await raw(server.port, `${GET}Connection: close\r\n\r\n`).catch(String)).includes("ECONNREFUSED"));
      await expect(raw(server.port, `${GET}\r\n`)).rejects.toThrow("ECONNREFUSED");
      finish(9);
      expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*connection: close[^]*"data":9}$/i);
      await closing;
      await server.close();
    });

    it("does not wait for connections on which nothing is asked", async () => {
      const server = await start();
      const idle = connect(server.port, "127.0.0.1");
      const kept = connect(server.port, "127.0.0.1");
      await new Promise((resolve) => kept.on("connect", () => kept.write(`${GET}\r\n`)).once("data", resolve));
      const beforeMs = Date.now();
      await server.close();
      expect(Date.now() - beforeMs).toBeLessThan(2_000);
      idle.destroy();
      kept.destroy();
    });

    it("waits for callers that have yet to read an answer", async () => {
      const byteLength = 16 * 1024 * 1024;
      const answer = () => Promise.resolve({ status: 200, headers: { "content-type": "application/octet-stream" }, body: new Uint8Array(byteLength) });
      const server = await start(Object.assign(handlerOf(stubDaybook()), { answer }));
      const socket = connect(server.port, "127.0.0.1", () => socket.write(`${GET}\r\n`));
      const idle = connect(server.port, "127.0.0.1", () => idle.write("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"));
      const isOver = new Promise((resolve) => idle.on("error", () => undefined).resume().once("close", resolve));
      await new Promise((resolve) => socket.once("readable", resolve));
      const closing = server.close();
      // A caller that has read its answer is not kept for the other one.
      await isOver;
      let readByteLength = 0;
      socket.on("data", (chunk) => (readByteLength += chunk.length));
      await closing;
      await new Promise((resolve) => (socket.closed ? resolve(null) : socket.once("close", resolve)));
      expect(readByteLength).toBeGreaterThan(byteLength);
    });

    it("cuts off what does not end within the time to drain", async () => {
      const daybook = stubDaybook({ countEvents: () => new Promise(() => undefined) });
      const server = await start(handlerOf(daybook), 50);
      const answer = raw(server.port, post("Content-Length: 0\r\n"));
      await new Promise((resolve) => setTimeout(resolve, 50));
      await server.close();
      expect(await answer.catch(() => "")).toBe("");
    });

    it("a server without organizations still answers", async () => {
      const { url } = await start(createHandler({ organizations: {}, tokens: memoryTokens([]) }));
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
  });
});
