import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Daybook } from "../../../src/engine/daybook.js";
import { memoryTokens } from "../../../src/http/index.js";
import type { Answered, Handler } from "../../../src/http/index.js";
import type { Listening } from "../../../src/platform/node/listen-options.js";
import { handlerOf, stubDaybook, TOKENS } from "../../http/kit.js";
import { sliceOf } from "../../oracle/settings.js";
import { raw } from "./raw.js";
import { WAYS } from "./ways.js";

const OWNER = "Host: x\r\nAuthorization: Bearer sk_owner_0123456789abcdefgh\r\n";
const count = (headers: string, body = "") => `POST /analytics/count-events HTTP/1.1\r\n${OWNER}${headers}\r\n${body}`;
const ingest = (body: string, headers = "") => `POST /v1/events HTTP/1.1\r\n${OWNER}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
/** Time enough for bytes to get to the other side. */
const ARRIVED_MS = 300;
const statuses = (text: string) => text.split("HTTP/1.1 ").slice(1).map((answer) => answer.slice(0, 3));

describe.each(sliceOf(WAYS, 2))("a socket %s", (_, listen) => {
  const open: Listening[] = [];
  const sockets: Socket[] = [];
  const start = async (handler: Handler) => {
    const server = await listen(handler);
    open.push(server);
    return server;
  };
  const dial = (port: number): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    return socket;
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  /** A handler with one query of sk_owner_0123456789abcdefgh under way, which is all that a token may have. */
  async function busy() {
    const answered: Answered[] = [];
    let finish = (): void => undefined;
    let began = (): void => undefined;
    const asked = new Promise<void>((resolve) => (began = resolve));
    const countEvents = () =>
      new Promise<number>((resolve) => {
        finish = () => resolve(9);
        began();
      });
    const handler = handlerOf(stubDaybook({ countEvents }), { limits: { requestsPerTokenCount: 1 }, onAnswer: (each) => answered.push(each) });
    const { port } = await start(handler);
    const first = raw(port, count("Content-Length: 0\r\nConnection: close\r\n"));
    await asked;
    return { port, answered, first, finish: () => finish() };
  }

  it("a request without use for its body is done once the body has come, and not if it breaks off", async () => {
    const deleted: string[] = [];
    const deleteProject = (name: string) => {
      deleted.push(name);
      return Promise.resolve({ deletedAt: "", events: 0, segmentsRewritten: 0, segmentsRemoved: 0, dictionaryValues: 0 });
    };
    const { port } = await start(handlerOf(stubDaybook({ deleteProject, projects: () => ["broken", "whole"] })));
    const asked = (project: string, body: string) => `DELETE /v1/projects/${project} HTTP/1.1\r\n${OWNER}Connection: close\r\nContent-Length: 10\r\n\r\n${body}`;
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      dial(port).on("data", (chunk: Buffer) => (text += chunk.toString("latin1"))).on("close", () => resolve(text)).end(asked("broken", "12345"));
    });
    expect(statuses(answer)).not.toEqual(["200"]);
    expect(statuses(await raw(port, asked("whole", "1234567890")))).toEqual(["200"]);
    expect(deleted).toEqual(["whole"]);
  });

  it("one request of a token too many is refused in the envelope of its path, under its own id, and told of; other tokens and open routes are not", async () => {
    const { port, answered, first, finish } = await busy();
    const older = await raw(port, count("X-Request-Id: mine\r\nContent-Length: 0\r\nConnection: close\r\n"));
    expect(older).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n/i);
    expect(JSON.parse(older.slice(older.indexOf("\r\n\r\n")))).toEqual({
      status: "ERROR",
      error: { code: "rate_limited", message: "expected at most 1 requests per token at a time", request_id: "mine" },
    });
    const problem = await raw(port, `GET /v1/companies/top HTTP/1.1\r\n${OWNER}Connection: close\r\n\r\n`);
    expect(problem).toMatch(/^HTTP\/1\.1 429 [^]*application\/problem\+json[^]*"urn:daybook:error:rate_limited"/);
    const head = await raw(port, `HEAD /v1/companies/top HTTP/1.1\r\n${OWNER}Connection: close\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 429 [^]*\r\n\r\n$/);
    expect(statuses(await raw(port, `GET /healthz HTTP/1.1\r\n${OWNER}Connection: close\r\n\r\n`))).toEqual(["200"]);
    expect(statuses(await raw(port, `GET /nowhere HTTP/1.1\r\n${OWNER}Connection: close\r\n\r\n`))).toEqual(["404"]);
    expect(statuses(await raw(port, count("Connection: close\r\n").replace("sk_owner_0123456789abcdefgh", "sk_search_0123456789abcdefgh")))).toEqual(["403"]);
    finish();
    expect(await first).toContain('"data":9}');
    expect(statuses(await raw(port, ingest("[]", "Connection: close\r\n")))).toEqual(["200"]);
    const refused = answered.filter(({ status }) => status === 429).map(({ durationMs: _ms, ...rest }) => rest);
    const told = { code: "rate_limited", organization: "default", status: 429 };
    expect(refused).toMatchObject([
      { ...told, method: "POST", route: "/analytics/count-events", requestId: "mine" },
      { ...told, method: "GET", route: "/v1/companies/top" },
      { ...told, method: "HEAD", route: "/v1/companies/top" },
    ]);
  });

  it("the body of a refused request is dropped as it comes, and the next request of the connection answered", async () => {
    const { port, first, finish } = await busy();
    const refused = ingest(" ".repeat(5_000_000));
    const text = await raw(port, `${refused.repeat(3)}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(statuses(text)).toEqual(["429", "429", "429", "200"]);
    finish();
    await first;
  });

  it("a body that comes before it is known whether anybody reads it is whole, and its sender waits", async () => {
    let find = (): void => undefined;
    const found = new Promise<void>((resolve) => (find = resolve));
    const { find: tokenOf } = memoryTokens(TOKENS);
    const tokens = { find: async (sha256: string) => (await found, tokenOf(sha256)) };
    const daybook = stubDaybook();
    const { port } = await start(handlerOf(daybook, { tokens }));
    const events = Array.from({ length: 1_000 }, (_each, at) => ({ name: `event-${at}`, metadata: { text: "x".repeat(9_000) } }));
    const socket = dial(port);
    let text = "";
    const answered = new Promise<void>((resolve) => socket.on("data", (chunk) => ((text += chunk.toString("latin1")), resolve())));
    let isSent = false;
    socket.write(ingest(JSON.stringify(events)), () => (isSent = true));
    // More than sockets hold by themselves: as long as nobody reads, it cannot all be sent.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isSent).toBe(false);
    find();
    await answered;
    expect(text).toContain('{"accepted":1000,');
    expect(daybook.asked).toMatchObject([{ method: "ingest", input: events }]);
  });

  it("bodies that come without a length hold only so much together", async () => {
    const { port } = await start(handlerOf(stubDaybook(), { limits: { heldBodyBytes: 100_000 } }));
    const chunked = `POST /v1/events HTTP/1.1\r\n${OWNER}Transfer-Encoding: chunked\r\n\r\n`;
    const chunk = (byteLength: number) => `${byteLength.toString(16)}\r\n${" ".repeat(byteLength)}\r\n`;
    const first = dial(port);
    first.write(chunked + chunk(90_000));
    await new Promise((resolve) => setTimeout(resolve, ARRIVED_MS));
    const second = await raw(port, chunked + chunk(90_000), "request_id");
    expect(second).toMatch(/^HTTP\/1\.1 503 [^]*"overloaded"/);
    let text = "";
    const answered = new Promise<void>((resolve) => first.on("data", (bytes) => ((text += bytes.toString("latin1")), resolve())));
    first.write(`${chunk(2)}2\r\n[]\r\n0\r\n\r\n`);
    await answered;
    expect(statuses(text)).toEqual(["200"]);
  });

  it("bodies of which only they say whose they are hold an eighth, and keep no others out", async () => {
    const { port } = await start(handlerOf(stubDaybook(), { limits: { heldBodyBytes: 800_000 } }));
    const chunked = (byteLength: number) => `Transfer-Encoding: chunked\r\n\r\n${byteLength.toString(16)}\r\n${" ".repeat(byteLength)}\r\n`;
    const keyless = `POST /batch/ HTTP/1.1\r\nHost: a\r\n${chunked(90_000)}`;
    dial(port).write(keyless);
    await new Promise((resolve) => setTimeout(resolve, ARRIVED_MS));
    expect(await raw(port, keyless, "request_id")).toMatch(/^HTTP\/1\.1 503 [^]*"overloaded"/);
    const events = `POST /v1/events HTTP/1.1\r\n${OWNER}Connection: close\r\n${chunked(600_000)}2\r\n[]\r\n0\r\n\r\n`;
    expect(statuses(await raw(port, events))).toEqual(["200"]);
  });

  it("an answer of bytes arrives as it is, twice", async () => {
    const bytes = new TextEncoder().encode('{"kind":"identity"}\n{"kind":"event"}\n');
    const { port } = await start(handlerOf(stubDaybook()));
    for (let round = 0; round < 2; round += 1) {
      const text = await raw(port, `GET /v1/privacy-requests/0195800a-0000-7000-8000-000000000001/bundle HTTP/1.1\r\n${OWNER}Connection: close\r\n\r\n`);
      expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe(new TextDecoder().decode(bytes));
    }
  });

  it("a caller that leaves aborts the query of its connection, and those that it sent ahead are not asked", async () => {
    const signals: { readonly aborted: boolean }[] = [];
    const countEvents: Daybook["countEvents"] = (_input, { signal } = {}) => {
      if (signal !== undefined) signals.push(signal);
      return new Promise(() => undefined);
    };
    const { port } = await start(handlerOf(stubDaybook({ countEvents }), { limits: { queryMs: Infinity } }));
    const socket = dial(port);
    socket.write(count("Content-Length: 0\r\n").repeat(4));
    while (signals.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setTimeout(resolve, ARRIVED_MS));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    socket.destroy();
    while (!signals.every(({ aborted }) => aborted)) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(signals).toHaveLength(1);
  });

  it("a sender that expects to be told to go on is told so, even if it did not wait, and its connection kept", async () => {
    const { port } = await start(handlerOf(stubDaybook()));
    const eager = count("Expect: 100-continue\r\nContent-Length: 2\r\n", "{}");
    expect(statuses(await raw(port, `${eager}${count("Content-Length: 0\r\nConnection: close\r\n")}`))).toEqual(["100", "200", "200"]);
  });

  it("a sender is not told to go on with a body for which there is no room", async () => {
    const { port } = await start(handlerOf(stubDaybook(), { limits: { heldBodyBytes: 100_000 } }));
    dial(port).write(`${ingest(" ".repeat(95_000)).slice(0, -5_000)}`);
    await new Promise((resolve) => setTimeout(resolve, ARRIVED_MS));
    const head = `POST /v1/events HTTP/1.1\r\n${OWNER}Expect: 100-continue\r\nContent-Length: 90000\r\n\r\n`;
    expect(statuses(await raw(port, head, "request_id"))).toEqual(["503"]);
  });

  it("a body in chunks of a byte each is whole", async () => {
    const daybook = stubDaybook();
    const { port } = await start(handlerOf(daybook));
    const body = JSON.stringify([{ name: "a", metadata: { text: "0123456789".repeat(3_000) } }]);
    const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join("");
    const large = `${(5_000).toString(16)}\r\n${" ".repeat(5_000)}\r\n`;
    const text = await raw(port, `POST /v1/events HTTP/1.1\r\n${OWNER}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${large}1\r\n \r\n0\r\n\r\n`);
    expect(statuses(text)).toEqual(["200"]);
    expect(daybook.asked).toMatchObject([{ method: "ingest", input: JSON.parse(body) as unknown }]);
  });
});
