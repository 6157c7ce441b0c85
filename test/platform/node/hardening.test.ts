import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/engine/daybook.js";
import type { RequestHandler } from "../../../src/platform/node/listen.js";
import type { Listening, SocketLimits } from "../../../src/platform/node/listen-options.js";
import { codeOf, get, handlerOf, send, stubDaybook } from "../../http/kit.js";
import { sliceOf } from "../../oracle/settings.js";
import { raw } from "./raw.js";
import { WAYS } from "./ways.js";

describe.each(sliceOf(WAYS, 2))("a socket %s", (_, listen) => {
  const open: Listening[] = [];
  const sockets: Socket[] = [];
  const start = async (handler: RequestHandler, limits: Partial<SocketLimits> = {}) => {
    const server = await listen(handler, { limits, drainMs: 100 });
    open.push(server);
    return server;
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  /** A connection that stays open, with what came back so far. */
  function dial(port: number): { readonly socket: Socket; readonly closed: Promise<string> } {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    const closed = new Promise<string>((resolve) => {
      socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => undefined);
      socket.on("close", () => resolve(text));
    });
    return { socket, closed };
  }

  const HEAD = "Host: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\n";
  const count = (headers: string, body = "") => `POST /analytics/count-events HTTP/1.1\r\n${HEAD}${headers}\r\n${body}`;
  const HEALTH = "GET /healthz HTTP/1.1\r\nHost: x\r\n";

  describe("a sender that is too slow", () => {
    it("with its headers is answered with 408 and cut off", async () => {
      const { port } = await start(handlerOf(stubDaybook()), { headersMs: 100 });
      expect(await raw(port, HEALTH)).toMatch(/^HTTP\/1\.1 408 [^]*"title":"The request did not arrive in time.*"code":"request_timeout"/);
    });

    it("with the first byte is cut off", async () => {
      const { port } = await start(handlerOf(stubDaybook()), { headersMs: 100, requestMs: 200 });
      expect(await dial(port).closed).toMatch(/^(HTTP\/1\.1 408 |$)/);
    });

    it("with its body is answered with 408 and cut off, and nothing is asked", async () => {
      const daybook = stubDaybook();
      const { port } = await start(handlerOf(daybook), { headersMs: 100, requestMs: 200 });
      expect(await raw(port, count("Content-Length: 9\r\n", "{"))).toMatch(/^HTTP\/1\.1 408 [^]*"title":"The request did not arrive in time.*"code":"request_timeout"/);
      expect(daybook.asked).toEqual([]);
    });

    it("to take the answer is cut off", async () => {
      const byteLength = 64 * 1024 * 1024;
      // Shared by the threads: copying it takes as long as the pause below.
      const answer = () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(new SharedArrayBuffer(byteLength)) });
      const { port } = await start(Object.assign(handlerOf(stubDaybook()), { answer }) as RequestHandler, { unreadMs: 100 });
      const { socket, closed } = dial(port);
      socket.pause();
      socket.write(`${HEALTH}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 500));
      socket.resume();
      expect((await closed).length).toBeLessThan(byteLength);
    });
  });

  describe("one caller's share", () => {
    it("one connection more closes the one that waits longest for a request: first of those that never sent one, then of those that are answered", async () => {
      const { port } = await start(handlerOf(stubDaybook()), { connectionCount: 3 });
      const opened = async () => {
        const dialed = dial(port);
        await new Promise((resolve) => dialed.socket.once("connect", resolve));
        return dialed;
      };
      const ask = async ({ socket }: { readonly socket: Socket }) => {
        socket.write(`${HEALTH}\r\n`);
        await new Promise((resolve) => socket.once("data", resolve));
      };
      const asked = await opened();
      await ask(asked);
      const silent = [await opened(), await opened(), await opened(), await opened(), await opened()];
      expect(await Promise.all(silent.slice(0, 3).map(({ closed }) => closed))).toEqual(["", "", ""]);
      for (const one of silent.slice(3)) await ask(one);
      await opened();
      expect(await asked.closed).toMatch(/^HTTP\/1\.1 200/);
      for (const one of silent.slice(3)) await ask(one);
    });

    it("where all connections wait for answers, what is always answered is, and all else is refused", async () => {
      let asked = 0;
      const countEvents = () => ((asked += 1), new Promise<number>(() => undefined));
      const { port } = await start(handlerOf(stubDaybook({ countEvents })), { connectionCount: 2 });
      for (const dialed of [dial(port), dial(port)]) dialed.socket.write(count("Content-Length: 0\r\n"));
      while (asked < 2) await new Promise((resolve) => setTimeout(resolve, 1));
      const status = async (target: string) => (await raw(port, `GET ${target} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`)).slice(9, 12);
      expect([await status("/healthz"), await status("/v1/token"), await status("/v1/projects"), await status("/healthz")]).toEqual(["200", "200", "503", "200"]);
    });

    it("of requests sent ahead on one connection each begins when the one before is answered; more than so many are refused, all in order", async () => {
      let underWay = 0;
      let most = 0;
      let asked = 0;
      const daybook = stubDaybook({
        countEvents: async () => {
          asked += 1;
          underWay += 1;
          most = Math.max(most, underWay);
          await new Promise((resolve) => setTimeout(resolve, 5));
          underWay -= 1;
          return asked;
        },
      });
      const { port } = await start(handlerOf(daybook), { pipelinedRequestCount: 3 });
      const text = await raw(port, count("Content-Length: 0\r\n").repeat(5) + count("Content-Length: 0\r\nConnection: close\r\n"));
      const answers = text.split("HTTP/1.1 ").slice(1);
      expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["200", "200", "200", "429", "429", "429"]);
      expect(answers.slice(3).every((answer) => /^retry-after: \d+\r$/m.test(answer) && answer.includes("rate_limited"))).toBe(true);
      expect([most, asked]).toEqual([1, 3]);
    });

    it("what is sent behind the last answer of a connection is not worked on", async () => {
      const daybook = stubDaybook();
      const { port } = await start(handlerOf(daybook));
      const text = await raw(port, `${HEALTH}Expect: 100-continue\r\n\r\n${count("Content-Length: 0\r\n")}`);
      expect(text.match(/HTTP\/1\.1 2/g)).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(daybook.asked).toEqual([]);
    });

    it("a connection that sends on after as many refusals is cut", async () => {
      let asked = 0;
      const countEvents = () => ((asked += 1), new Promise<number>(() => undefined));
      const { port } = await start(handlerOf(stubDaybook({ countEvents })), { pipelinedRequestCount: 3 });
      const { socket, closed } = dial(port);
      socket.write(count("Content-Length: 0\r\n").repeat(7));
      expect(await closed).toBe("");
      expect(asked).toBeLessThanOrEqual(1);
    });

    it("who takes no answer gets no other, and those that wait longest are cut when all together have too much to take", async () => {
      let answerCount = 0;
      const answer = () => {
        answerCount += 1;
        return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(16 * 1024 * 1024) });
      };
      const handler = Object.assign(handlerOf(stubDaybook()), { answer }) as RequestHandler;
      const { port } = await start(handler, { unreadByteLength: 30 * 1024 * 1024 });
      const ends: number[] = [];
      for (let nth = 0; nth < 3; nth += 1) {
        const { socket, closed } = dial(port);
        socket.pause();
        void closed.then(() => ends.push(nth));
        socket.write(`${HEALTH}\r\n`.repeat(3));
        while (answerCount <= nth) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      sockets[0]?.resume();
      while (ends.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
      expect([ends, answerCount]).toEqual([[0], 3]);
    });

    it("of requests one after the other on one connection there may be any number", async () => {
      const { port } = await start(handlerOf(stubDaybook()), { pipelinedRequestCount: 1 });
      const { socket, closed } = dial(port);
      for (let at = 0; at < 5; at += 1) {
        socket.write(`${HEALTH}${at === 4 ? "Connection: close\r\n" : ""}\r\n`);
        await new Promise((resolve) => socket.once("data", resolve));
      }
      expect((await closed).match(/HTTP\/1\.1 200/g)).toHaveLength(5);
    });

    it("unknown tokens from one address are refused unread after some tries, while known tokens are served", async () => {
      const { port } = await start(handlerOf(stubDaybook(), { limits: { failedTokenCount: 2 } }));
      const ask = async (token: string) =>
        (await raw(port, `POST /analytics/count-events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`)).slice(9, 12);
      expect(await ask("sk_owner_0123456789abcdefgh")).toBe("200");
      expect([await ask("sk_a_0123456789abcdefgh"), await ask("sk_b_0123456789abcdefgh"), await ask("sk_c_0123456789abcdefgh"), await ask("sk_analytics_0123456789abcdefgh"), await ask("sk_owner_0123456789abcdefgh")]).toEqual([
        "401",
        "401",
        "429",
        "200",
        "200",
      ]);
    });
  });

  describe("requests that two readers could take for different ones", () => {
    const smuggled = count("Content-Length: 0\r\n");
    it.each([
      ["a length and chunks", count("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${smuggled}`)],
      ["chunks and a length", count("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", `0\r\n\r\n${smuggled}`)],
      ["two different lengths", count("Content-Length: 0\r\nContent-Length: 9\r\n", smuggled)],
      ["two equal lengths", count("Content-Length: 0\r\nContent-Length: 0\r\n", smuggled)],
      ["a list of lengths", count("Content-Length: 0, 9\r\n", smuggled)],
      ["a length with a sign", count("Content-Length: +0\r\n", smuggled)],
      ["a length in hexadecimal", count("Content-Length: 0x0\r\n", smuggled)],
      ["a length beyond all numbers", count("Content-Length: 99999999999999999999999\r\n", smuggled)],
      ["an encoding that is none", count("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${smuggled}`)],
      ["chunks within chunks", count("Transfer-Encoding: chunked, identity\r\n", `0\r\n\r\n${smuggled}`)],
      ["two encodings", count("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `0\r\n\r\n${smuggled}`)],
      ["a space before the colon", count("Content-Length : 0\r\n", smuggled)],
      ["a folded header", count("X: a\r\n b\r\nContent-Length: 0\r\n", smuggled)],
      ["a folded encoding", count("Transfer-Encoding:\r\n chunked\r\n", `0\r\n\r\n${smuggled}`)],
      ["lines that end with LF alone", count("Content-Length: 0\r\n", smuggled).replaceAll("\r\n", "\n")],
      ["one line that ends with LF alone", count("X: a\nContent-Length: 0\r\n", smuggled)],
      ["a line that ends with CR alone", count("X: a\rContent-Length: 0\r\n", smuggled)],
      ["a NUL in a header", count("X: a\0b\r\nContent-Length: 0\r\n", smuggled)],
      ["a header without a name", count(": a\r\nContent-Length: 0\r\n", smuggled)],
      ["a header without a colon", count("X\r\nContent-Length: 0\r\n", smuggled)],
      ["a chunk of a size beyond all numbers", count("Transfer-Encoding: chunked\r\n", `fffffffffffffffff\r\n${smuggled}`)],
      ["a chunk of a negative size", count("Transfer-Encoding: chunked\r\n", `-1\r\n${smuggled}`)],
      ["a chunk longer than its size", count("Transfer-Encoding: chunked\r\n", `1\r\n{}\r\n0\r\n\r\n${smuggled}`)],
      ["the preface of HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`],
      ["a version that is none", smuggled.replace("HTTP/1.1", "HTTP/9.9") + smuggled],
      ["a method that is none", smuggled.replace("POST", "P<ST") + smuggled],
      ["a target with a space", smuggled.replace("/analytics", "/ana lytics") + smuggled],
      ["a target with a control character", smuggled.replace("/analytics", "/\x01") + smuggled],
    ])("%s: one error, the connection ends, and nothing is asked", async (_, bytes) => {
      const daybook = stubDaybook();
      const { port } = await start(handlerOf(daybook));
      const text = await raw(port, bytes);
      expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
      expect(text).toMatch(/^HTTP\/1\.1 400 [^]*connection: close[^]*"code":"invalid_parameter"/i);
      expect(daybook.asked).toEqual([]);
    });

    it("a body of a refused request is not taken for the next request", async () => {
      const daybook = stubDaybook();
      const { port } = await start(handlerOf(daybook));
      const hidden = count("Content-Length: 0\r\n");
      const first = `POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
      const text = await raw(port, `${first}${HEALTH}Connection: close\r\n\r\n`);
      expect(text.split("HTTP/1.1 ").slice(1).map((answer) => answer.slice(0, 3))).toEqual(["404", "200"]);
      expect(daybook.asked).toEqual([]);
    });

    it("an offer of WebSockets is passed over", async () => {
      const { port } = await start(handlerOf(stubDaybook()));
      const offer = "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\nSec-WebSocket-Version: 13\r\n";
      expect(await raw(port, `${HEALTH}${offer}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    });
  });

  describe("percent-encoding that is broken", () => {
    it.each(["/v1/projects/%/analytics/count-events", "/v1/projects/%ff/analytics/count-events", "/v1/companies/%c0%af/top-users"])(
      "in the path %s is a 400",
      async (path) => {
        const method = path.endsWith("count-events") ? "POST" : "GET";
        const sent = await send(handlerOf(stubDaybook()), path, { method });
        expect([sent.status, codeOf(sent)]).toEqual([400, "invalid_parameter"]);
      },
    );

    it.each(["%", "%zz", "%ff", "%ed%a0%80"])("in the query, %s, is a 400", async (text) => {
      const sent = await get(handlerOf(stubDaybook()), `/v1/identities/profile?user_id=${text}`);
      expect([sent.status, codeOf(sent)]).toEqual([400, "invalid_parameter"]);
    });
  });

  describe("names that JavaScript's objects have already", () => {
    const NAMES = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "__defineGetter__"];
    const asked = async <T>(act: (daybook: Daybook) => Promise<T>) => {
      await using daybook = await openDaybook({ storage: memoryStorage() });
      const body = `[${NAMES.map((name) => `{"name":"a","userId":"${name}","metadata":{"${name}":{"polluted":"yes"},"x":"${name}"}}`).join(",")}]`;
      expect((await send(handlerOf(daybook), "/v1/events", { body })).json).toEqual({ accepted: NAMES.length, duplicates: 0, rejected: [], adjusted: [] });
      return await act(daybook);
    };

    it("are ordinary keys and values of metadata", async () => {
      await asked(async (daybook) => {
        const handler = handlerOf(daybook);
        for (const name of NAMES) {
          const group = { filters: [{ field_name: `metadata.${name}.polluted`, operator: "=", value: "yes" }] };
          const found = await send(handler, "/search-events", { body: { filter_groups: [group] } });
          expect(found.text).toContain(`"metadata":{"${name}":{"polluted":"yes"},"x":"${name}"}`);
          const ranked = await send(handler, "/analytics/aggregate", { body: { metadata_field: `${name}.polluted` } });
          expect(ranked.json["data"]).toContainEqual({ property: "yes", count: 1 });
        }
        const values = await send(handler, "/analytics/aggregate", { body: { metadata_field: "x" } });
        expect(values.json["data"]).toHaveLength(NAMES.length);
        expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      });
    });

    it("are unknown as members, parameters, projects and paths", async () => {
      const handler = handlerOf(stubDaybook());
      for (const name of NAMES) {
        expect(codeOf(await send(handler, "/analytics/count-events", { body: `{"${name}":1}` }))).toBe("unknown_parameter");
        expect(codeOf(await get(handler, `/v1/companies/top?${name}=1`))).toBe("unknown_parameter");
        expect((await send(handler, `/v1/projects/${name}/analytics/count-events`)).status).toBe(404);
        expect((await get(handler, `/${name}`)).status).toBe(404);
      }
    });
  });
});
