import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { longTest } from "../../long-test.js";
import { codeOf, handlerOf, send, stubDaybook } from "../kit.js";

const NDJSON = { "content-type": "application/x-ndjson" };
const MIB = 1024 * 1024;

describe("POST /v1/events", () => {
  const events = [{ name: "one" }, { name: "two", metadata: { a: 1 } }];

  it.each([
    ["an object with events", { events }, {}],
    ["a bare array", events, {}],
    ["NDJSON with blank lines and carriage returns", `{"name":"one"}\r\n\n{"name":"two","metadata":{"a":1}}`, NDJSON],
    ["NDJSON with a byte order mark", `\ufeff{"name":"one"}\n{"name":"two","metadata":{"a":1}}\n`, NDJSON],
    ["NDJSON under its other name", `{"name":"one"}\n{"name":"two","metadata":{"a":1}}\n`, { "content-type": "application/ndjson" }],
    ["gzip", gzipSync(JSON.stringify(events)), { "content-encoding": "gzip" }],
  ])("takes %s", async (_, body, headers) => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), "/v1/events", { body, headers });
    expect([sent.status, sent.json]).toEqual([200, { accepted: 2, duplicates: 0, rejected: [], adjusted: [] }]);
    expect(daybook.asked).toEqual([{ method: "ingest", input: events, options: { onRejected: "list" } }]);
    expect(sent.headers.get("etag")).toBeNull();
  });

  it("answers what was rejected and what was adjusted, by index", async () => {
    const rejected = [{ index: 1, code: "invalid_event", message: "name: expected a string" }] as const;
    const adjusted = [{ index: 0, createdAt: "2026-03-10T12:00:00.000Z" }];
    const daybook = stubDaybook({ ingest: async () => ({ accepted: 1, duplicates: 2, rejected, adjusted }) });
    const sent = await send(handlerOf(daybook), "/v1/events", { body: { events: [{}, {}, {}, {}] } });
    expect(sent.json).toEqual({ accepted: 1, duplicates: 2, rejected, adjusted });
  });

  it("binds the events to the token's project", async () => {
    const daybook = stubDaybook();
    await send(handlerOf(daybook), "/v1/events", { body: { events }, token: "sk_shop_0123456789abcdefgh" });
    expect(daybook.asked[0]?.options).toEqual({ project: "shop", onRejected: "list" });
  });

  it("leaves elements that are no events to the library, so that the rest is stored", async () => {
    const daybook = stubDaybook();
    await send(handlerOf(daybook), "/v1/events", { body: [null, 5, { name: "x" }] });
    expect(daybook.asked[0]?.input).toEqual([null, 5, { name: "x" }]);
  });

  it("takes an empty NDJSON body as no events", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/v1/events", { body: "", headers: NDJSON });
    expect([sent.status, sent.json["accepted"]]).toEqual([200, 0]);
  });

  it.each([
    ["a missing list", "{}", {}, "invalid_parameter", 400],
    ["a list that is no array", '{"events":{}}', {}, "invalid_parameter", 400],
    ["another member", '{"events":[],"x":1}', {}, "unknown_parameter", 400],
    ["a scalar", "5", {}, "invalid_body", 400],
    ["a broken line", '{"name":"one"}\n{"name"', NDJSON, "malformed_json", 400],
    ["NDJSON whose lines end with carriage returns alone", '{"name":"one"}\r{"name":"two"}\r', NDJSON, "malformed_json", 400],
    ["a byte order mark within NDJSON", '{"name":"one"}\n\ufeff{"name":"two"}\n', NDJSON, "malformed_json", 400],
    ["NDJSON in UTF-16", Buffer.from('\ufeff{"name":"one"}\n', "utf16le"), NDJSON, "malformed_json", 400],
    ["NDJSON in UTF-16 without a mark", Buffer.from('{"name":"one"}\n', "utf16le"), NDJSON, "malformed_json", 400],
    ["a NUL byte in NDJSON", '{"name":"one"}\n\0\n', NDJSON, "malformed_json", 400],
    ["a deep line", `{"name":"one"}\n${"[".repeat(65)}${"]".repeat(65)}`, NDJSON, "malformed_json", 400],
    ["another media type", "[]", { "content-type": "text/csv" }, "unsupported_media_type", 415],
    ["a body over 16 MiB", " ".repeat(16 * MIB + 1), {}, "body_too_large", 413],
  ])("refuses %s", async (_, body, headers, code, status) => {
    const sent = await send(handlerOf(stubDaybook()), "/v1/events", { body, headers });
    expect([sent.status, codeOf(sent)]).toEqual([status, code]);
  });

  it("names the line of NDJSON that is not JSON", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/v1/events", { body: '{}\n\n{"name"', headers: NDJSON });
    expect(sent.json["detail"]).toContain("line 3");
  });

  longTest("takes 16 MiB, and no more after inflating", async () => {
    const items = Array<string>(15).fill(`{}${" ".repeat(MIB - 2)}`).join(",");
    const list = (byteLength: number) => `[${items}]${" ".repeat(byteLength - items.length - 2)}`;
    const status = async (body: Uint8Array | string, headers = {}) =>
      (await send(handlerOf(stubDaybook()), "/v1/events", { body, headers })).status;
    expect(await status(list(16 * MIB))).toBe(200);
    expect(await status(gzipSync(list(16 * MIB)), { "content-encoding": "gzip" })).toBe(200);
    expect(await status(gzipSync(list(16 * MIB + 1)), { "content-encoding": "gzip" })).toBe(413);
  });
});
