import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { deflateSync, gzipSync } from "node:zlib";
import express from "express";
import { afterEach, describe, expect, it } from "vitest";
import type { DaybookError } from "../../../src/core/base/errors.js";
import type { HandlerOptions } from "../../../src/http/index.js";
import { toNodeHandler } from "../../../src/platform/node/index.js";
import { handlerOf, stubDaybook } from "../../http/kit.js";
import { raw } from "./raw.js";

const open: Server[] = [];
afterEach(async () => {
  await Promise.all(
    open.splice(0).map(async (server) => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    }),
  );
});

async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly port: number; readonly server: Server }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  open.push(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, server };
}

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

async function ask(url: string, init: RequestInit = {}): Promise<Asked> {
  const response = await fetch(url, init);
  const body = await response.text();
  const json = (body.startsWith("{") ? JSON.parse(body) : { text: body }) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, json };
}

function post(url: string, body: BodyInit, type = "application/json", headers: Record<string, string> = {}): Promise<Asked> {
  return ask(url, { method: "POST", body, headers: { authorization: "Bearer sk_owner_0123456789abcdefgh", "content-type": type, ...headers } });
}

const COUNT = "/analytics/count-events";
const counted = { status: "OK", data: 7 };
const nodeHandler = (options: Partial<HandlerOptions> = {}) => toNodeHandler(handlerOf(stubDaybook(), options));

describe("toNodeHandler", () => {
  it("answers on a server of node:http what the handler answers: bodies, HEAD, 304 and errors, on one kept connection", async () => {
    const { url, port } = await serve(nodeHandler());
    expect(await post(url + COUNT, '{"event_name":"a"}')).toMatchObject({ status: 200, json: counted });
    expect(await post(url + COUNT, "{")).toMatchObject({ status: 400, json: { error: { code: "malformed_json" } } });
    expect(await ask(`${url}/nowhere`)).toMatchObject({ status: 404, json: { code: "route_not_found" } });
    const get = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
    const two = await raw(port, `${get}\r\n${get}Connection: close\r\n\r\n`);
    expect(two.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    const head = await raw(port, "HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\n$/);
    const same = await raw(port, `POST ${COUNT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n`);
    expect(same).toMatch(/^HTTP\/1\.1 304 Not Modified[^]*\r\n\r\n$/);
  });

  it("refuses what the handler and the socket refuse: long bodies, a second Authorization, too many requests ahead on a connection", async () => {
    let finish: (count: number) => void = () => undefined;
    const waits = new Promise<number>((resolve) => (finish = resolve));
    const { url, port } = await serve(toNodeHandler(handlerOf(stubDaybook({ countEvents: () => waits }))));
    expect(await post(`${url}/v1/privacy-requests`, "x".repeat(2 ** 20 + 1))).toMatchObject({ status: 413, json: { code: "body_too_large" } });
    const twice = await raw(port, "GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nauthorization: b\r\nConnection: close\r\n\r\n");
    expect(twice).toContain('"code":"duplicate_header"');
    const one = `POST ${COUNT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\nContent-Length: 2\r\n\r\n{}`;
    setTimeout(() => finish(9), 100);
    const many = await raw(port, one.repeat(17).replace(/Content-Length: 2\r\n\r\n\{\}$/, "Content-Length: 2\r\nConnection: close\r\n\r\n{}"));
    expect([many.match(/HTTP\/1\.1 200/g)?.length, many.match(/HTTP\/1\.1 429/g)?.length]).toEqual([16, 1]);
  });

  it("tells a query that its caller has left", async () => {
    let seen: (signal: { readonly aborted: boolean }) => void = () => undefined;
    const given = new Promise<{ readonly aborted: boolean }>((resolve) => (seen = resolve));
    const never = new Promise<number>(() => undefined);
    const countEvents = (_input?: object, options?: { readonly signal?: { readonly aborted: boolean } }) => {
      if (options?.signal !== undefined) seen(options.signal);
      return never;
    };
    const { port } = await serve(toNodeHandler(handlerOf(stubDaybook({ countEvents }))));
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST ${COUNT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\nContent-Length: 2\r\n\r\n{}`);
    const signal = await given;
    expect(signal.aborted).toBe(false);
    socket.destroy();
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it("answers 500 where a listener of answers throws, and hands the error to next where there is one", async () => {
    const onAnswer = () => {
      throw new Error("from a listener");
    };
    const plain = await serve(nodeHandler({ onAnswer }));
    expect(await ask(`${plain.url}/healthz`)).toMatchObject({ status: 500, json: { code: "internal" } });
    const app = express().use(nodeHandler({ onAnswer }));
    app.use(((error, _request, response, _next) => void response.status(502).send((error as Error).message)) as express.ErrorRequestHandler);
    const { url } = await serve(app);
    expect(await ask(`${url}/healthz`)).toMatchObject({ status: 502, json: { text: "from a listener" } });
  });

  it("leaves an answer alone that somebody else gave in the meantime, and that is still on its way", async () => {
    const handler = nodeHandler();
    const long = "too late ".repeat(2 ** 20);
    const { url } = await serve((incoming, outgoing) => {
      handler(incoming, outgoing);
      outgoing.end(long);
    });
    const response = await fetch(`${url}/healthz`);
    await sleep(50);
    expect((await response.text()).length).toBe(long.length);
  });

  it("keeps the headers that were set before it, such as those of CORS", async () => {
    const cors: express.RequestHandler = (_request, response, next) => {
      response.set("access-control-allow-origin", "*");
      next();
    };
    const { url } = await serve(express().use(cors, nodeHandler()));
    expect((await ask(`${url}/healthz`)).headers.get("access-control-allow-origin")).toBe("*");
  });

  it("answers requests of HTTP/2 through node's compatible objects, more at once than one connection of HTTP/1 may send", async () => {
    let arrive: (count: number) => void = () => undefined;
    const all = new Promise<number>((resolve) => (arrive = resolve));
    let count = 0;
    const countEvents = () => {
      if ((count += 1) === 20) arrive(7);
      return all;
    };
    const handler = toNodeHandler(handlerOf(stubDaybook({ countEvents })));
    const server = createHttp2Server((incoming, outgoing) => handler(incoming as never, outgoing as never)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const stream = session.request({ ":path": COUNT, ":method": "POST", authorization: "Bearer sk_owner_0123456789abcdefgh" });
        stream.on("error", reject).end("{}");
        text(stream).then(resolve, reject);
      });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    session.close();
    server.close();
    expect(new Set(answers)).toEqual(new Set([JSON.stringify(counted)]));
  });
});

describe("toNodeHandler below a path", () => {
  it("needs no option where the server takes the path off, as Express does, and answers itself what is no route", async () => {
    const app = express().use("/stats", nodeHandler());
    app.use((_request, response) => void response.status(418).end());
    const { url } = await serve(app);
    expect(await post(`${url}/stats${COUNT}?`, "{}")).toMatchObject({ status: 200, json: counted });
    expect(await ask(`${url}/stats`)).toMatchObject({ status: 404, json: { code: "route_not_found" } });
    expect(await ask(`${url}/elsewhere`)).toMatchObject({ status: 418 });
  });

  it("takes `basePath` off where the server leaves it, and nothing outside is a route", async () => {
    const answered: unknown[] = [];
    const handler = handlerOf(stubDaybook(), { onAnswer: ({ route, status }) => answered.push([route, status]) });
    const { url } = await serve(toNodeHandler(handler, { basePath: "/stats/" }));
    expect(await post(`${url}/stats${COUNT}`, "{}")).toMatchObject({ status: 200, json: counted });
    for (const path of ["/healthz", "/statshealthz", "/stats", "/stats?a", "/analytics/count-events", "//stats/healthz"]) {
      expect([path, await ask(url + path)]).toMatchObject([path, { status: 404, json: { code: "route_not_found" } }]);
    }
    expect((await ask(`${url}/healthz?a=1`)).json["detail"]).toBe("no route /healthz: expected a path below /stats");
    expect(answered[0]).toEqual([COUNT, 200]);
    expect(new Set(answered.slice(1).map(String))).toEqual(new Set([",404"]));
  });

  it("calls next for what is outside `basePath`", async () => {
    const app = express().use(toNodeHandler(handlerOf(stubDaybook()), { basePath: "/stats" }));
    app.use((_request, response) => void response.status(418).end());
    const { url } = await serve(app);
    expect(await ask(`${url}/stats/healthz`)).toMatchObject({ status: 200 });
    expect(await ask(`${url}/healthz`)).toMatchObject({ status: 418 });
  });

  it("leaves what is no route to next when told to fall through, and answers wrong methods of its own routes", async () => {
    const app = express().use(toNodeHandler(handlerOf(stubDaybook()), { fallthrough: true }), express.json());
    app.use((request, response) => void response.status(418).json(request.body));
    const { url } = await serve(app);
    expect(await post(url + COUNT, "{}")).toMatchObject({ status: 200, json: counted });
    expect(await ask(url + COUNT)).toMatchObject({ status: 405 });
    // The body is still there for whoever comes next.
    expect(await post(`${url}/orders`, '{"a":1}')).toMatchObject({ status: 418, json: { a: 1 } });
    expect(await ask(`${url}/%zz`)).toMatchObject({ status: 418 });
    expect(await ask(`${url}/v1/companies/top?${"a".repeat(5_000)}`)).toMatchObject({ status: 414 });
  });

  it("tells the handler the route that it found to see whether to fall through, and looks for none otherwise", async () => {
    const own = handlerOf(stubDaybook());
    const known: unknown[] = [];
    const answer: typeof own.answer = (request) => {
      known.push(request.known);
      return own.answer(request);
    };
    const handler = Object.assign((request: Request) => own(request), own, { answer });
    const found = { path: COUNT, params: {}, query: "" };
    for (const [parsers, fallthrough] of [[[], true], [[express.json()], true], [[], false]] as const) {
      const { url } = await serve(express().use(...parsers, toNodeHandler(handler, { fallthrough })));
      expect(await post(url + COUNT, "{}")).toMatchObject({ status: 200 });
    }
    expect(known).toEqual([found, found, undefined]);
  });

  it("falls through to nobody on a server without next", async () => {
    const { url } = await serve(toNodeHandler(handlerOf(stubDaybook()), { fallthrough: true }));
    expect(await ask(`${url}/nowhere`)).toMatchObject({ status: 404, json: { code: "route_not_found" } });
  });

  it.each(["stats", "/a?b", "//", "/a//b", 7])("takes no basePath like %j", (basePath) => {
    const make = () => toNodeHandler(handlerOf(stubDaybook()), { basePath: basePath as string });
    expect(make).toThrow(expect.objectContaining({ code: "invalid_parameter", details: expect.objectContaining({ param: "basePath" }) as unknown }));
  });

  it.each([
    [{ basepath: "/stats" }, "unknown_parameter", "basepath"],
    [{ fallthrough: "yes" }, "invalid_parameter", "fallthrough"],
    [{ address: "1.1.1.1" }, "invalid_parameter", "address"],
  ])("takes no options like %j", (options, code, param) => {
    const make = () => toNodeHandler(handlerOf(stubDaybook()), options as object);
    expect(make).toThrow(expect.objectContaining({ code, details: expect.objectContaining({ param }) as unknown }));
  });

  it("describes its routes below wherever the description was read", async () => {
    const { url } = await serve(toNodeHandler(handlerOf(stubDaybook()), { basePath: "/stats" }));
    const { json } = await ask(`${url}/stats/openapi.json`);
    const [server] = json["servers"] as { url: string }[];
    const base = new URL(server?.url ?? "", `${url}/stats/openapi.json`).href.replace(/\/$/, "");
    expect(base).toBe(`${url}/stats`);
    expect(await post(base + COUNT, "{}")).toMatchObject({ status: 200, json: counted });
  });
});

describe("toNodeHandler after a body parser", () => {
  const behind = async (...parsers: express.RequestHandler[]) => {
    const daybook = stubDaybook();
    const defects: unknown[] = [];
    const handler = handlerOf(daybook, { onDefect: (thrown) => defects.push(thrown) });
    const { url } = await serve(express().use(...parsers, toNodeHandler(handler)));
    return { url, daybook, defects };
  };
  const question = { event_name: "größer ☕" };

  it.each([
    ["express.json", express.json()],
    ["express.text", express.text({ type: "*/*" })],
    ["express.raw", express.raw({ type: "*/*" })],
  ])("takes what %s left, compressed or not", async (_name, parser) => {
    const { url, daybook } = await behind(parser);
    expect(await post(url + COUNT, JSON.stringify(question))).toMatchObject({ status: 200, json: counted });
    const small = gzipSync(JSON.stringify(question));
    expect(await post(url + COUNT, small, "application/json", { "content-encoding": "gzip" })).toMatchObject({ status: 200 });
    expect(daybook.asked).toMatchObject([{ input: { eventName: "größer ☕" } }, { input: { eventName: "größer ☕" } }]);
  });

  it("takes bytes that whoever took them left compressed", async () => {
    const bytes: express.RequestHandler = (request, _response, next) => void buffer(request).then((body) => ((request.body = body), next()));
    const { url, daybook } = await behind(bytes);
    const sent = JSON.stringify(question);
    const encoded = (encoding: string, body: BodyInit) => post(url + COUNT, body, "application/json", { "content-encoding": encoding });
    expect(await encoded("gzip", gzipSync(sent))).toMatchObject({ status: 200 });
    for (const level of [0, 1, 6, 9]) expect(await encoded("deflate", deflateSync(sent, { level }))).toMatchObject({ status: 200 });
    expect(await post(url + COUNT, sent)).toMatchObject({ status: 200 });
    expect(daybook.asked).toHaveLength(6);
    for (const { input } of daybook.asked) expect(input).toMatchObject({ eventName: question.event_name });
  });

  it("holds the body to the route's bound", async () => {
    const { url } = await behind(express.raw({ type: "*/*", limit: "4mb" }));
    const long = " ".repeat(2 ** 20 + 1);
    expect(await post(`${url}/v1/privacy-requests`, long)).toMatchObject({ status: 413 });
    expect(await post(`${url}/v1/privacy-requests`, gzipSync(long), "application/json", { "content-encoding": "gzip" })).toMatchObject({ status: 413 });
  });

  it("takes a request without a body, and a body that the parser left alone", async () => {
    const { url } = await behind(express.json());
    expect(await ask(url + COUNT, { method: "POST", headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } })).toMatchObject({ json: counted });
    expect(await post(`${url}/v1/events`, '{"name":"a"}\n{"name":"b"}', "application/x-ndjson")).toMatchObject({ status: 200, json: { accepted: 2 } });
  });

  it.each([
    ["a form", express.urlencoded(), "application/x-www-form-urlencoded"],
    ["nothing at all", ((request, _response, next) => void request.resume().once("end", next)) as express.RequestHandler, "application/json"],
    ["a part of it", ((request, _response, next) => void request.once("data", () => next())) as express.RequestHandler, "application/json"],
  ])("answers that the body was read where %s is left, and tells onDefect", async (_name, parser, type) => {
    const { url, defects } = await behind(parser);
    const answer = await post(`${url}/v1/track`, JSON.stringify({ event: "a", userId: "u" }), type);
    expect(answer).toMatchObject({ status: 500, json: { code: "body_already_read" } });
    expect(answer.json["detail"]).toContain("mount the handler before every body parser");
    expect(defects).toMatchObject([{ code: "body_already_read" }]);
  });
});

describe("the address of a caller", () => {
  const tries = async (url: string, address: string) => {
    const headers = { authorization: "Bearer sk_guess_0123456789abcdefgh", "x-real-ip": address };
    return (await ask(url + COUNT, { method: "POST", headers })).status;
  };
  const limits = { failedTokenCount: 2 };

  it("is the socket's, whatever headers say: behind a proxy all callers share one", async () => {
    const { url } = await serve(toNodeHandler(handlerOf(stubDaybook(), { limits })));
    expect([await tries(url, "1.1.1.1"), await tries(url, "2.2.2.2"), await tries(url, "3.3.3.3")]).toEqual([401, 401, 429]);
    expect(await post(url + COUNT, "{}")).toMatchObject({ status: 200 });
  });

  it("is what the option says", async () => {
    const address = (request: express.Request) => request.get("x-real-ip");
    const { url } = await serve(express().use(toNodeHandler(handlerOf(stubDaybook(), { limits }), { address })));
    expect([await tries(url, "1.1.1.1"), await tries(url, "1.1.1.1"), await tries(url, "1.1.1.1")]).toEqual([401, 401, 429]);
    expect(await tries(url, "2.2.2.2")).toBe(401);
    expect(await post(url + COUNT, "{}")).toMatchObject({ status: 200 });
  });

  it("that cannot be told is a defect, which is answered", async () => {
    const defects: unknown[] = [];
    const address = () => {
      throw new Error("no address");
    };
    const handler = handlerOf(stubDaybook(), { onDefect: (thrown) => defects.push(thrown) });
    const { url } = await serve(toNodeHandler(handler, { address }));
    expect(await ask(`${url}/healthz`)).toMatchObject({ status: 500, json: { code: "internal" } });
    expect((defects[0] as DaybookError).cause).toMatchObject({ message: "no address" });
  });
});

it("A request that middleware answered before leaves those behind it on its connection alone.", async () => {
  const nodeHandler = toNodeHandler(handlerOf(stubDaybook()));
  let count = 0;
  const { port } = await serve((incoming, outgoing) => {
    count += 1;
    if (count > 1) return nodeHandler(incoming, outgoing);
    outgoing.writeHead(503, { "content-length": "0" }).end();
    // As after a time limit: the handler hears of it when it is over.
    outgoing.once("close", () => nodeHandler(incoming, outgoing));
  });
  const socket = connect(port, "127.0.0.1");
  const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const status of ["503", "200", "200"]) {
    socket.write(request);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString().slice(9, 12)).toBe(status);
    await sleep(20);
  }
  socket.destroy();
});
