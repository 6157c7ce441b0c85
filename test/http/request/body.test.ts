import { readFileSync, readdirSync } from "node:fs";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import type { HeldMemory } from "../../../src/http/overload/admission.js";
import { readBody } from "../../../src/http/request/body.js";
import type { BodyRule } from "../../../src/http/routing/route.js";
import { wireRequestOf } from "../../../src/http/wire/request-reply.js";
import { codeOf, handlerOf, requestOf, send, stubDaybook } from "../kit.js";

const COUNT = "/analytics/count-events";
const MIB = 1024 * 1024;
const padded = (byteLength: number) => `{}${" ".repeat(byteLength - 2)}`;

describe("a body", () => {
  it.each([["an array", "[]"], ["null", "null"], ["a string", '"x"'], ["a number", "5"]])("that is %s is invalid_body", async (_, body) => {
    const sent = await send(handlerOf(stubDaybook()), COUNT, { body });
    expect([sent.status, codeOf(sent)]).toEqual([400, "invalid_body"]);
  });

  it.each([
    ["no JSON", "{"],
    ["only a space", " "],
    ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["overlong UTF-8", new Uint8Array([0x22, 0xc0, 0xaf, 0x22])],
  ])("that is %s is malformed_json", async (_, body) => {
    const sent = await send(handlerOf(stubDaybook()), COUNT, { body });
    expect([sent.status, codeOf(sent)]).toEqual([400, "malformed_json"]);
  });

  it("may nest 64 levels and no more, brackets in strings aside", async () => {
    const nested = (depth: number) => `{"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    const code = async (body: string) => codeOf(await send(handlerOf(stubDaybook()), COUNT, { body }));
    expect(await code(nested(64))).toBe("unknown_parameter");
    expect(await code(nested(65))).toBe("malformed_json");
    expect(await code(`{"x":"${"[".repeat(100)}"}`)).toBe("unknown_parameter");
    expect(await code(`{"x":"\\"${"[".repeat(100)}"}`)).toBe("unknown_parameter");
    expect(await code(`{"x":"\\\\","y":${"[".repeat(64)}`)).toBe("malformed_json");
  });

  it("may have 1 MiB and no more, whether its length is declared or not", async () => {
    const handler = handlerOf(stubDaybook());
    expect((await send(handler, COUNT, { body: padded(MIB) })).status).toBe(200);
    const over = await send(handler, COUNT, { body: padded(MIB + 1) });
    expect([over.status, codeOf(over)]).toEqual([413, "body_too_large"]);
    const declared = await send(handler, COUNT, { body: "{}", headers: { "content-length": String(MIB + 1) } });
    expect(declared.status).toBe(413);
  });

  it("is not read on after its bound", async () => {
    let pulled = 0;
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const init = { method: "POST", body: stream, duplex: "half", headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } } as RequestInit;
    const response = await handlerOf(stubDaybook())(new Request(`http://daybook.test${COUNT}`, init));
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(20);
    expect(cancelled).toBe(true);
  });

  it("that breaks off is told apart from a defect", async () => {
    const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("gone")) });
    const init = { method: "POST", body: stream, duplex: "half", headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } } as RequestInit;
    const response = await handlerOf(stubDaybook())(new Request(`http://daybook.test${COUNT}`, init));
    expect(response.status).toBe(408);
  });
});

describe("content types", () => {
  it.each(["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'])("%s is taken", async (type) => {
    const headers = { "content-type": type };
    expect((await send(handlerOf(stubDaybook()), COUNT, { body: "{}", headers })).status).toBe(200);
  });

  it("none at all is taken as JSON", async () => {
    const request = requestOf(COUNT, { body: new TextEncoder().encode("{}") });
    request.headers.delete("content-type");
    expect((await handlerOf(stubDaybook())(request)).status).toBe(200);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/x-ndjson", "application/jsonx"])(
    "%s is 415 on a reading endpoint",
    async (type) => {
      const sent = await send(handlerOf(stubDaybook()), COUNT, { body: "{}", headers: { "content-type": type } });
      expect([sent.status, codeOf(sent)]).toEqual([415, "unsupported_media_type"]);
    },
  );
});

describe("compressed bodies", () => {
  const sendBytes = async (bytes: Uint8Array, encoding: string, path = COUNT) =>
    await send(handlerOf(stubDaybook()), path, { body: bytes, headers: { "content-encoding": encoding } });

  it("gzip, deflate and identity are taken, in any case", async () => {
    const body = '{"event_name":"signup"}';
    expect((await sendBytes(gzipSync(body), "gzip")).status).toBe(200);
    expect((await sendBytes(gzipSync(body), "GZIP")).status).toBe(200);
    expect((await sendBytes(deflateSync(body), "deflate")).status).toBe(200);
    expect((await sendBytes(new TextEncoder().encode(body), "identity")).status).toBe(200);
  });

  it.each(["br", "zstd", "gzip, gzip", "constructor"])("the encoding %s is 415", async (encoding) => {
    const sent = await sendBytes(gzipSync("{}"), encoding);
    expect([sent.status, codeOf(sent)]).toEqual([415, "unsupported_media_type"]);
  });

  it("bytes that do not inflate, or not to the end, are malformed_json", async () => {
    const whole = gzipSync('{"event_name":"signup"}');
    for (const bytes of [new TextEncoder().encode("{}"), whole.subarray(0, whole.length - 5)]) {
      const sent = await sendBytes(bytes, "gzip");
      expect([sent.status, codeOf(sent)]).toEqual([400, "malformed_json"]);
    }
  });

  it("the members of a gzip body are one body, wherever they were cut", async () => {
    const body = Buffer.from('{"event_name":"signup","user_id":"ü"}');
    for (let cut = 0; cut <= body.length; cut += 1) {
      const bytes = Buffer.concat([gzipSync(body.subarray(0, cut)), gzipSync(body.subarray(cut), { level: cut % 10 })]);
      expect((await sendBytes(bytes, "gzip")).status, String(cut)).toBe(200);
    }
    const each = [...body].map((byte) => gzipSync(Uint8Array.of(byte)));
    expect((await sendBytes(Buffer.concat(each), "gzip")).status).toBe(200);
    // With the name of a file, a comment, more fields, and a checksum of the header.
    const named = Buffer.concat([gzipSync(body).subarray(0, 10), Buffer.from([2, 0, 9, 9]), Buffer.from("name\0comment\0"), Buffer.from([0, 0]), gzipSync(body).subarray(10)]);
    named[3] = 4 + 8 + 16;
    const withoutChecksum = Buffer.concat([named.subarray(0, 10 + 4 + 13), named.subarray(10 + 4 + 13 + 2)]);
    expect((await sendBytes(withoutChecksum, "gzip")).status).toBe(200);
  });

  it.each([
    ["a zlib stream behind the first", "deflate", (body: Buffer) => [deflateSync(body), deflateSync(body)]],
    ["a byte behind a zlib stream", "deflate", (body: Buffer) => [deflateSync(body), Buffer.from([0])]],
    ["a byte behind a gzip member", "gzip", (body: Buffer) => [gzipSync(body), Buffer.from([0])]],
    ["the first byte of a gzip header", "gzip", (body: Buffer) => [gzipSync(body), Buffer.from([0x1f])]],
    ["half of a second member", "gzip", (body: Buffer) => [gzipSync(body), gzipSync(" ").subarray(0, 15)]],
    ["what is no member behind the second", "gzip", (body: Buffer) => [gzipSync(body), gzipSync(" "), Buffer.from("{}")]],
    ["the trailer once more", "gzip", (body: Buffer) => [gzipSync(body), gzipSync(body).subarray(-8)]],
    ["more members than a body may have", "gzip", (body: Buffer) => [gzipSync(body), ...Array<Buffer>(1_024).fill(gzipSync(""))]],
  ] as const)("%s is malformed_json, and nothing of it is dropped silently", async (_, encoding, made) => {
    const sent = await sendBytes(Buffer.concat(made(Buffer.from("{}"))), encoding);
    expect([sent.status, codeOf(sent)]).toEqual([400, "malformed_json"]);
  });

  it("a checksum that does not fit is malformed_json in whichever member it stands", async () => {
    for (const at of [-5, -25]) {
      const bytes = Buffer.concat([gzipSync("{"), gzipSync("}")]);
      bytes[bytes.length + at] = (bytes[bytes.length + at] ?? 0) ^ 1;
      expect(codeOf(await sendBytes(bytes, "gzip"))).toBe("malformed_json");
    }
  });

  it("a small body that inflates over the bound is 413, and memory stays small", async () => {
    const bomb = gzipSync(new Uint8Array(128 * MIB), { level: 1 });
    expect(bomb.length).toBeLessThan(MIB);
    const before = process.memoryUsage().arrayBuffers;
    const sent = await sendBytes(bomb, "gzip");
    expect([sent.status, codeOf(sent)]).toEqual([413, "body_too_large"]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB);
    expect((await sendBytes(gzipSync(padded(MIB)), "gzip")).status).toBe(200);
    expect((await sendBytes(gzipSync(padded(MIB + 1)), "gzip")).status).toBe(413);
    // The bound is that of all members together.
    const [most, space] = [padded(MIB), gzipSync(" ")];
    expect((await sendBytes(Buffer.concat([gzipSync(most.slice(0, 1000)), gzipSync(most.slice(1000))]), "gzip")).status).toBe(200);
    expect((await sendBytes(Buffer.concat([gzipSync(most), space]), "gzip")).status).toBe(413);
  });
});

describe("a compressed body that has too much of something", () => {
  const many = (item: string, separator: string) => Array<string>(3_000_000).fill(item).join(separator);
  const EVENTS: BodyRule = { schema: z.strictObject({}), maxByteLength: SERVER_LIMITS.writeBodyBytes, list: "events", isWritten: true };

  it.each([
    ["items", "application/json", `[${many("{}", ",")}]`],
    ["items in an object", "application/json", `{"events":[${many("{}", ",")}]}`],
    ["values", "application/json", `[[${many("[]", ",")}]]`],
    ["names", "application/json", `{"events":[],${Array.from({ length: 1_000_000 }, (_, at) => `"${at.toString(36)}":1`).join(",")}}`],
    ["lines", "application/x-ndjson", many("1", "\n")],
  ])("of %s is refused before most of it is inflated", async (_, type, text) => {
    let heldByteLength = 0;
    const take = (byteLength: number) => void (heldByteLength += byteLength);
    const held: HeldMemory = { isKeyless: false, take, expect: () => undefined, parseTurn: () => null, pace: () => Promise.resolve(), assignOrganization: () => null, release: () => undefined };
    const body = gzipSync(text);
    const headers = { "content-type": type, "content-encoding": "gzip", authorization: "Bearer x" };
    const request = wireRequestOf(new Request("http://localhost/v1/events", { method: "POST", headers, body }));
    await expect(readBody(request, EVENTS, held)).rejects.toMatchObject({ code: "body_too_large" });
    expect(text.length).toBeGreaterThan(5 * MIB);
    expect(heldByteLength - body.length).toBeLessThan(4 * MIB);
  });
});

it("lines of a compressed body may have 16 MiB in all", async () => {
  const line = JSON.stringify({ name: "signup", metadata: { note: "x".repeat(4_000) } });
  let receivedCount = 0;
  const daybook = stubDaybook();
  daybook.ingest = (events) => {
    receivedCount = (events as readonly unknown[]).length;
    return Promise.resolve({ received: receivedCount, accepted: receivedCount, duplicates: 0, adjusted: [], rejected: [] });
  };
  const body = gzipSync(Array<string>(3_000).fill(line).join("\n"));
  const answer = await handlerOf(daybook)(requestOf("/v1/events", { method: "POST", body, headers: { "content-type": "application/x-ndjson", "content-encoding": "gzip" } }));
  expect([answer.status, receivedCount]).toEqual([200, 3_000]);
});

describe("the JSON parsing test suite", () => {
  const folder = new URL("json-test-suite/test_parsing/", import.meta.url);
  const files = readdirSync(folder);

  it("is complete", () => {
    expect(files).toHaveLength(318);
  });

  it.each(files)("%s as body", async (file) => {
    const body = new Uint8Array(readFileSync(new URL(encodeURIComponent(file), folder)));
    const sent = await send(handlerOf(stubDaybook()), COUNT, { body });
    const code = codeOf(sent);
    if (file === "n_structure_no_data.json") expect([body.length, sent.status]).toEqual([0, 200]);
    else if (file.startsWith("n_")) expect([sent.status, code]).toEqual([400, "malformed_json"]);
    else if (sent.status === 200) expect(file).toMatch(/^(y_object_empty|i_structure_UTF-8_BOM_empty_object)\.json$/);
    else if (file.startsWith("y_")) expect([sent.status, ["invalid_body", "unknown_parameter"].includes(String(code))]).toEqual([400, true]);
    else expect(sent.status).toBe(400);
  });
});
