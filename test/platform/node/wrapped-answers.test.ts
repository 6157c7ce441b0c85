import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HandlerOptions } from "../../../src/http/index.js";
import { listen, listenOnWorker, toNodeHandler } from "../../../src/platform/node/index.js";
import { replyOverWeb } from "../../../src/platform/node/listen.js";
import { originOf, SocketRequest } from "../../../src/platform/node/socket-request.js";
import { handlerOf, stubDaybook } from "../../http/kit.js";
import { THREAD } from "./ways.js";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stands in for `writeHead` and compresses, as the usual middleware does: headers come one by one, a list of them as pairs. */
function compress(outgoing: ServerResponse): void {
  const { writeHead, end } = outgoing;
  const chunks: Buffer[] = [];
  outgoing.writeHead = ((status: number, ...rest: readonly unknown[]) => {
    outgoing.statusCode = status;
    const headers = typeof rest[0] === "string" ? rest[1] : rest[0];
    const pairs = Array.isArray(headers) ? (headers as readonly (readonly [string, string])[]) : Object.entries((headers ?? {}) as Record<string, string>);
    for (const [name, value] of pairs) outgoing.setHeader(name, value);
    return outgoing;
  }) as typeof writeHead;
  outgoing.write = ((chunk: Uint8Array) => chunks.push(Buffer.from(chunk)) > 0) as typeof outgoing.write;
  outgoing.end = ((chunk?: string | Uint8Array) => {
    if (chunk !== undefined) chunks.push(Buffer.from(chunk as string));
    outgoing.removeHeader("content-length");
    outgoing.setHeader("content-encoding", "gzip");
    writeHead.call(outgoing, outgoing.statusCode);
    return end.call(outgoing, gzipSync(Buffer.concat(chunks)), "utf8");
  }) as typeof end;
}

const POST = { method: "POST", body: "{}", headers: { authorization: "Bearer sk_owner_0123456789abcdefgh", "content-type": "application/json" } };

describe("an answer behind middleware that has taken the place of writeHead", () => {
  it("is whole where a handler writes it", async () => {
    const url = await serve(express().use((_request, response, next) => (compress(response), next()), toNodeHandler(handlerOf(stubDaybook()))));
    const answer = await fetch(`${url}/analytics/count-events`, POST);
    expect([answer.status, answer.headers.get("content-encoding"), answer.headers.get("x-request-id")]).toEqual([200, "gzip", "request-1"]);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toEqual({ status: "OK", data: 7 });
  });

  it("is whole where a function of web objects answers, with each cookie", async () => {
    const reply = replyOverWeb((request) => {
      const headers = new Headers({ "content-type": "text/plain", "x-own": new URL(request.url).pathname });
      for (const cookie of ["a=1", "b=2", "c=3"]) headers.append("set-cookie", cookie);
      return Promise.resolve(new Response("said", { status: 201, headers }));
    });
    const url = await serve((incoming, outgoing) => {
      if (incoming.url === "/wrapped") compress(outgoing);
      void reply(new SocketRequest({ incoming, outgoing, expectsContinue: false, origin: originOf(incoming), fault: null }), outgoing);
    });
    for (const [path, encoding] of [["/wrapped", "gzip"], ["/plain", null]] as const) {
      const answer = await fetch(url + path);
      expect([answer.status, answer.headers.get("content-encoding"), answer.headers.get("content-type"), answer.headers.get("x-own")]).toEqual([201, encoding, "text/plain", path]);
      expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2", "c=3"]);
      expect(await answer.text()).toBe("said");
    }
  });
});

describe("an answer that cannot be written", () => {
  const watched = (options: Partial<HandlerOptions> = {}) => {
    const defects: (readonly [unknown, string])[] = [];
    const handler = handlerOf(stubDaybook(), { onDefect: (thrown, requestId) => void defects.push([thrown, requestId]), ...options });
    return { handler, defects };
  };

  it("because of middleware cuts the connection, and onDefect hears why", async () => {
    const { handler, defects } = watched();
    const broken: express.RequestHandler = (_request, response, next) => {
      response.writeHead = () => { throw new Error("from middleware"); };
      next();
    };
    const url = await serve(express().use(broken, toNodeHandler(handler)));
    await expect(fetch(`${url}/analytics/count-events`, POST)).rejects.toThrow();
    expect(defects).toEqual([[new Error("from middleware"), "request-1"]]);
  });

  it.each([
    ["listen", listen],
    ["listenOnWorker", (handler: ReturnType<typeof handlerOf>) => listenOnWorker(handler, { program: THREAD })],
  ] as const)("because of a request id that is no header does the same under %s, and others are answered", async (_name, start) => {
    let count = 0;
    const { handler, defects } = watched({ requestId: () => ((count += 1) === 1 ? "two\nlines" : "one") });
    const { url, close } = await start(handler);
    onTestFinished(close);
    await expect(fetch(`${url}/analytics/count-events`, POST)).rejects.toThrow();
    expect((await fetch(`${url}/analytics/count-events`, POST)).status).toBe(200);
    expect(defects).toEqual([[expect.any(Error), "two\nlines"]]);
  });

  it("is the end of nothing else when onDefect throws", async () => {
    let count = 0;
    const handler = handlerOf(stubDaybook(), { requestId: () => ((count += 1) === 1 ? "\n" : "one"), onDefect: () => { throw new Error("from a listener"); } });
    const { url, close } = await listen(handler);
    onTestFinished(close);
    await expect(fetch(`${url}/analytics/count-events`, POST)).rejects.toThrow();
    expect((await fetch(`${url}/analytics/count-events`, POST)).status).toBe(200);
  });
});
