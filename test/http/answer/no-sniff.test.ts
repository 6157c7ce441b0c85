import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { EdgeFilter } from "../../../src/http/overload/edge-filter.js";
import { listen } from "../../../src/platform/node/listen.js";
import { raw } from "../../platform/node/raw.js";
import { WAYS } from "../../platform/node/ways.js";
import { get, handlerOf, send, stubDaybook } from "../kit.js";

const FILE = { text: "a", gzip: null };
const files = { tracker: FILE, page: { html: FILE, script: FILE, style: FILE } };
const NAME = "x-content-type-options";

test("Every route answers with nosniff, whether it serves, refuses or fails.", async () => {
  const handler = handlerOf(stubDaybook(), { files });
  for (const { method, path } of handler.edgeRules.routes) {
    const target = path.replace(/\{\w+\}/g, "shop");
    for (const token of ["sk_owner_0123456789abcdefgh", "sk_unknown_0123456789abcdefgh", null]) {
      const sent = await send(handler, target, { method, token, ...(method === "POST" ? { body: {} } : {}) });
      expect([method, path, sent.status, sent.headers.get(NAME)]).toEqual([method, path, sent.status, "nosniff"]);
    }
  }
});

test("So do a page file that is known, a stream, the headers alone, an unknown path and a defect.", async () => {
  const handler = handlerOf(stubDaybook({ countEvents: () => Promise.reject(new Error("defect")) }), { files, onDefect: () => undefined });
  const page = await get(handler, "/", { token: null });
  const answers = [
    page,
    await get(handler, "/", { token: null, headers: { "if-none-match": page.headers.get("etag") ?? "" } }),
    await get(handler, "/v1/projects/shop/changes"),
    await send(handler, "/healthz", { method: "HEAD", token: null }),
    await get(handler, "/nowhere"),
    await send(handler, "/analytics/count-events", { body: {} }),
    await send(handler, "/v1/collect", { method: "OPTIONS", token: null, headers: { origin: "https://shop.example" } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 304, 200, 200, 404, 500, 204]);
  expect(answers.map(({ headers }) => headers.get(NAME))).toEqual(answers.map(() => "nosniff"));
});

test("So does what a thread of sockets refuses by itself.", async () => {
  const front = new EdgeFilter(handlerOf(stubDaybook()).edgeRules, sha256Hex, () => undefined);
  const request = { method: "GET", target: "/nowhere", signal: { aborted: false }, header: () => null, readBody: () => Promise.reject(new Error("unread")) };
  expect((await front.admit(request)).refusal).toMatchObject({ status: 404, headers: { [NAME]: "nosniff" } });
});

test.each(WAYS)("So do bytes that are no request, %s.", async (_, serve) => {
  const server = await serve(handlerOf(stubDaybook()));
  for (const bytes of ["no request\r\n\r\n", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]) {
    expect(await raw(server.port, bytes)).toMatch(/^x-content-type-options: nosniff\r$/m);
  }
  await server.close();
});

test("Answers of a function of web objects are its own.", async () => {
  const server = await listen(() => Promise.resolve(new Response("a")));
  expect(await raw(server.port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).not.toContain(NAME);
  await server.close();
});
