import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import type { Daybook } from "../../../src/engine/daybook.js";
import { stubDaybook } from "../../http/kit.js";
import { LongAnswers } from "../../../src/platform/node/streams.js";
import { TickBatch } from "../../../src/platform/node/tick-batch.js";
import { WAYS } from "./ways.js";

const TOKEN = "sk_of-somebody-who-reads";
/** Some 3 MB of JSON. */
const ITEMS = Array.from({ length: 50_000 }, (_, at) => ({ property: `https://shop.example/products/${at}`, count: at }));

const handler = () =>
  createHandler({
    organizations: { default: { ...stubDaybook(), aggregate: () => Promise.resolve(ITEMS) } as unknown as Daybook },
    tokens: memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"] }]),
    limits: { requestsPerTokenCount: 1 },
  });

function ask(url: string) {
  const asked = request(`${url}/v1/query/aggregate`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" }, agent: false });
  asked.end('{"field":"url"}');
  return asked;
}

describe.each(WAYS)("a long answer %s", (_way, listen) => {
  it("comes whole while it is made, without a tag and a length; whoever reads it holds one of the requests of the token until then", async () => {
    const server = await listen(handler());
    const asked = ask(server.url);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({ "transfer-encoding": "chunked", "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
    expect(response.headers["etag"]).toBeUndefined();
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    expect((await fetch(`${server.url}/v1/query/aggregate`, { method: "POST", headers, body: '{"field":"url"}' })).status).toBe(429);
    let text = "";
    for await (const piece of response.setEncoding("utf8")) text += String(piece);
    expect(text).toBe(JSON.stringify({ answer: ITEMS }));
    const closing = server.close();
    await closing;
  });

  it("that nobody reads on gives its request back, and one that is being read is finished when the server stops", async () => {
    const server = await listen(handler());
    const left = ask(server.url);
    await once(left, "response");
    left.destroy();
    let read = ask(server.url);
    let [response] = (await once(read, "response")) as [IncomingMessage];
    for (let tries = 0; response.statusCode === 429 && tries < 200; tries += 1) {
      response.resume();
      await new Promise((resolve) => setTimeout(resolve, 10));
      read = ask(server.url);
      [response] = (await once(read, "response")) as [IncomingMessage];
    }
    expect(response.statusCode).toBe(200);
    const closing = server.close();
    let text = "";
    for await (const piece of response.setEncoding("utf8")) text += String(piece);
    expect(text.length).toBe(JSON.stringify({ answer: ITEMS }).length);
    await closing;
  });
});

it("A long answer of which a listener makes an end gives its request back.", async () => {
  let isFirst = true;
  const { answer } = createHandler({
    organizations: { default: { ...stubDaybook(), aggregate: () => Promise.resolve(ITEMS) } as unknown as Daybook },
    tokens: memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"] }]),
    limits: { requestsPerTokenCount: 1 },
    onAnswer: () => {
      if (!isFirst) return;
      isFirst = false;
      throw new Error("no room to log");
    },
  });
  const headers: Readonly<Record<string, string>> = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const put = () =>
    answer({ method: "POST", target: "/v1/query/aggregate", signal: new AbortController().signal, header: (name) => headers[name] ?? null, readBody: () => Promise.resolve(new TextEncoder().encode('{"field":"url"}')) });
  await expect(put()).rejects.toThrow("no room to log");
  expect((await put()).status).toBe(200);
});

describe("long answers that wait", () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Each answer takes a millisecond. */
  function setUp() {
    const written: string[] = [];
    let nowMs = 0;
    const short = new TickBatch<string>((names) => written.push(...names), () => 0);
    const long = new LongAnswers(() => short.flush(), () => nowMs);
    const add = (name: string) => {
      long.add(() => {
        nowMs += 1;
        written.push(name);
      });
    };
    return { written, short, long, add };
  }

  it("are written for four milliseconds a turn, in their order, and short ones go first", async () => {
    const { written, short, add } = setUp();
    for (const name of ["a", "b", "c", "d", "e"]) add(name);
    await turn();
    expect(written).toEqual(["a", "b", "c", "d"]);
    add("f");
    short.add("short");
    await turn();
    expect(written).toEqual(["a", "b", "c", "d", "short", "e", "f"]);
  });

  it("wait for their turn if they come while another is written", async () => {
    const { written, long, add } = setUp();
    long.add(() => add("b"));
    add("a");
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(["a", "b"]);
  });
});
