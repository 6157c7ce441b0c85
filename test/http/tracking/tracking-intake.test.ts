import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DaybookError, type ErrorCode } from "../../../src/core/base/errors.js";
import { codeOf, handlerOf, NOW_MS, send, stubDaybook } from "../kit.js";

const MIB = 1024 * 1024;
const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });

describe("how calls arrive", () => {
  const body = JSON.stringify({ event: "a" });

  it.each(["application/json", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded"])("JSON is taken as %s, also compressed", async (type) => {
    const daybook = stubDaybook();
    const headers = { "content-type": type };
    await send(handlerOf(daybook), "/v1/track", { body, headers });
    await send(handlerOf(daybook), "/v1/track", { body: gzipSync(body), headers: { ...headers, "content-encoding": "gzip" } });
    expect(daybook.asked).toMatchObject([{ input: [{ name: "a" }] }, { input: [{ name: "a" }] }]);
  });

  it.each([
    ["text/csv", 415, "unsupported_media_type"],
    ["text/plain; charset=utf-16", 415, "unsupported_media_type"],
    ["application/x-ndjson", 415, "unsupported_media_type"],
  ])("%s is not taken", async (type, status, code) => {
    const sent = await send(handlerOf(stubDaybook()), "/v1/track", { body, headers: { "content-type": type } });
    expect([sent.status, codeOf(sent)]).toEqual([status, code]);
  });

  it("a form that is no JSON is malformed, a call may have 1 MiB, and calls together 16 MiB", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(codeOf(await send(handlerOf(stubDaybook()), "/v1/track", { body: "data=%7B%7D", headers: form }))).toBe("malformed_json");
    const padded = (byteLength: number) => `${body}${" ".repeat(byteLength - body.length)}`;
    expect((await send(handlerOf(stubDaybook()), "/v1/track", { body: padded(MIB) })).status).toBe(200);
    expect((await send(handlerOf(stubDaybook()), "/v1/track", { body: padded(MIB + 1) })).status).toBe(413);
    const call = `{"type":"track","event":"a"${" ".repeat(1_000_000)}}`;
    expect((await send(handlerOf(stubDaybook()), "/v1/batch", { body: `{"batch":[${Array(16).fill(call).join(",")}]}` })).status).toBe(200);
    expect((await send(handlerOf(stubDaybook()), "/v1/batch", { body: `{"batch":[${Array(17).fill(call).join(",")}]}` })).status).toBe(413);
  });

  it("the token may be the user name of Basic, here and nowhere else", async () => {
    for (const header of [basic("sk_owner_0123456789abcdefgh:"), { authorization: `basic  ${btoa("sk_owner_0123456789abcdefgh:")}` }])
      expect((await send(handlerOf(stubDaybook()), "/v1/track", { body, token: null, headers: header })).status).toBe(200);
    const elsewhere = await send(handlerOf(stubDaybook()), "/v1/events", { body: [], token: null, headers: basic("sk_owner_0123456789abcdefgh:") });
    expect([elsewhere.status, codeOf(elsewhere)]).toEqual([401, "missing_token"]);
  });

  it.each([
    [basic("sk_owner_0123456789abcdefgh:secret"), "missing_token"],
    [basic("sk_owner_0123456789abcdefgh"), "missing_token"],
    [basic(":"), "missing_token"],
    [{ authorization: "Basic sk_owner_0123456789abcdefgh" }, "missing_token"],
    [{ authorization: "Basic a" }, "missing_token"],
    [{ authorization: "Basic" }, "missing_token"],
    [basic("sk_unknown_0123456789abcdefgh:"), "invalid_token"],
    [basic("sk_expired_0123456789abcdefgh:"), "invalid_token"],
    [{}, "missing_token"],
  ])("the header %j is 401", async (headers, code) => {
    const sent = await send(handlerOf(stubDaybook()), "/v1/track", { body, token: null, headers: headers as Record<string, string> });
    expect([sent.status, codeOf(sent), sent.headers.get("www-authenticate")]).toEqual([401, code, "Bearer"]);
  });

  it("belong to the token's project", async () => {
    const daybook = stubDaybook();
    await send(handlerOf(daybook), "/v1/track", { body, token: "sk_shop_0123456789abcdefgh" });
    await send(handlerOf(daybook), "/v1/track", { body });
    expect(daybook.asked.map(({ options }) => options)).toEqual([{ project: "shop", onRejected: "list" }, { onRejected: "list" }]);
  });
});

describe("a call that is wrong", () => {
  it.each([
    ["/v1/track", {}, "event"],
    ["/v1/track", { event: "" }, "event"],
    ["/v1/track", { event: 5 }, "event"],
    ["/v1/track", { event: "a", userId: {} }, "userId"],
    ["/v1/track", { event: "a", properties: [] }, "properties"],
    ["/v1/track", { event: "a", context: "x" }, "context"],
    ["/v1/track", { event: "a", messageId: 5 }, "messageId"],
    ["/v1/track", { event: "a", timestamp: "yesterday" }, "timestamp"],
    ["/v1/track", { event: "a", timestamp: true }, "timestamp"],
    ["/v1/page", { name: 5 }, "name"],
    ["/v1/group", { userId: "u" }, "groupId"],
    ["/v1/group", { userId: "u", groupId: "" }, "groupId"],
    ["/v1/alias", { userId: "u" }, "previousId"],
    ["/v1/alias", { previousId: "a" }, "userId"],
    ["/v1/alias", { previousId: "a", userId: null }, "userId"],
    ["/v1/batch", {}, "batch"],
    ["/v1/batch", { batch: {} }, "batch"],
  ])("%s %j is 400 and names %s", async (path, body, param) => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), path, { body });
    expect([sent.status, codeOf(sent), sent.json["param"]]).toEqual([400, "invalid_parameter", param]);
    expect(daybook.asked).toEqual([]);
  });

  const rejecting = (code: ErrorCode) => stubDaybook({ ingest: async () => ({ accepted: 0, duplicates: 0, rejected: [{ index: 0, code, message: "a reason" }], adjusted: [] }) });

  it("in the library's eyes is 400", async () => {
    const sent = await send(handlerOf(rejecting("invalid_event")), "/v1/track", { body: { event: "a" } });
    expect([sent.status, codeOf(sent), sent.json["detail"]]).toEqual([400, "invalid_event", "a reason"]);
  });

  it("about somebody who was erased is not to be sent again", async () => {
    const rejected = [{ index: 0, code: "suppressed", message: "a reason" }];
    const sent = await send(handlerOf(rejecting("suppressed")), "/v1/track", { body: { event: "a" } });
    expect([sent.status, sent.json]).toEqual([200, { success: true, accepted: 0, duplicates: 0, rejected, adjusted: [] }]);
    const identify = stubDaybook({ identify: () => Promise.reject(new DaybookError("suppressed", "a reason")) });
    const other = await send(handlerOf(identify), "/v1/identify", { body: { userId: "u" } });
    expect([other.status, other.json]).toEqual([200, { success: true, accepted: 0, duplicates: 0, rejected, adjusted: [] }]);
  });

  it.each([["overloaded", 503], ["read_only", 503], ["storage_full", 507]] as const)("through our fault (%s) is %d, so that it is sent again", async (code, status) => {
    const fail = () => Promise.reject(new DaybookError(code, "later"));
    const daybook = stubDaybook({ ingest: fail, identify: fail });
    for (const [path, body] of [["/v1/track", { event: "a" }], ["/v1/identify", { userId: "u" }]] as const)
      expect((await send(handlerOf(daybook), path, { body })).status).toBe(status);
    const batch = { batch: [{ type: "identify", userId: "u" }] };
    expect((await send(handlerOf(daybook), "/v1/batch", { body: batch })).status).toBe(status);
  });
});

describe("a batch", () => {
  const RECEIVED = "2026-03-10T12:00:00.000Z";
  const track = { type: "track", event: "a" };

  it("hands events over together and records one by one", async () => {
    const daybook = stubDaybook();
    const batch = [track, { type: "identify", userId: "u" }, { type: "page", messageId: "m" }, { type: "group", groupId: "g", userId: "u" }, { type: "alias", previousId: "a", userId: "u" }];
    const sent = await send(handlerOf(daybook), "/v1/batch", { body: { batch, writeKey: "x" } });
    expect([sent.status, sent.json]).toEqual([200, { success: true, accepted: 5, duplicates: 0, rejected: [], adjusted: [] }]);
    expect(daybook.asked.map(({ method }) => method).sort()).toEqual(["alias", "group", "identify", "ingest"]);
    const ingested = daybook.asked.find(({ method }) => method === "ingest");
    expect(ingested).toMatchObject({ input: [{ name: "a" }, { name: "pageview", id: "m" }], options: {} });
  });

  it("of a token of a project keeps all but its aliases, which are rejected and named in a header", async () => {
    const daybook = stubDaybook();
    const batch = [track, { type: "alias", previousId: "old one", userId: "u" }, { type: "identify", userId: "u" }];
    const sent = await send(handlerOf(daybook), "/v1/batch", { body: { batch }, token: "sk_shop_0123456789abcdefgh" });
    expect([sent.status, sent.json]).toMatchObject([200, { accepted: 2, rejected: [{ index: 1, code: "organization_token_required" }] }]);
    expect(sent.headers.get("daybook-notice")).toBe('organization_token_required; param="previousId"; name="old%20one"');
    expect(daybook.asked.map(({ method }) => method).sort()).toEqual(["identify", "ingest"]);
    expect(daybook.asked.find(({ method }) => method === "ingest")?.options).toEqual({ project: "shop", onRejected: "list" });
  });

  it("lends its sentAt and context to calls without their own", async () => {
    const daybook = stubDaybook();
    const at = (ms: number) => new Date(ms).toISOString();
    const batch = [{ ...track, timestamp: at(NOW_MS + 590_000), context: { locale: "fr" } }, { ...track, timestamp: at(NOW_MS + 800_000), sentAt: at(NOW_MS + 800_000) }];
    await send(handlerOf(daybook), "/v1/batch", { body: { batch, sentAt: at(NOW_MS + 600_000), context: { locale: "de", groupId: "g" } } });
    expect(daybook.asked[0]?.input).toMatchObject([
      { createdAt: NOW_MS - 10_000, language: "fr", companyId: "g" },
      { createdAt: NOW_MS, language: "de", companyId: "g" },
    ]);
  });

  it("of a wrong clock keeps the order of its calls, though each says by some ms apart when it was sent", async () => {
    const daybook = stubDaybook();
    const lateMs = 3_600_000;
    const batch = [0, 1, 2].map((ms) => ({ ...track, originalTimestamp: NOW_MS - lateMs - 10, sentAt: NOW_MS - lateMs + ms }));
    await send(handlerOf(daybook), "/v1/batch", { body: { batch, sentAt: NOW_MS - lateMs + 2 } });
    expect(daybook.asked[0]?.input).toMatchObject(Array(3).fill({ createdAt: NOW_MS - 12 }));
  });

  it("stores the good calls and answers the bad ones by their place", async () => {
    const daybook = stubDaybook({
      ingest: async (events) => ({
        accepted: events.length - 2,
        duplicates: 1,
        rejected: [{ index: 1, code: "invalid_event", message: "no" }],
        adjusted: [{ index: 2, createdAt: RECEIVED }],
      }),
      identify: (input) =>
        input.userId === "bad" ? Promise.reject(new DaybookError("suppressed", "erased")) : Promise.resolve({ linkId: "x", adjusted: { createdAt: RECEIVED } }),
    });
    const batch = [null, track, { type: "identify", userId: "bad" }, { type: "track" }, track, { type: "delete" }, track, { type: "identify", userId: "u" }, 5, []];
    const sent = await send(handlerOf(daybook), "/v1/batch", { body: { batch } });
    expect(sent.status).toBe(200);
    const adjusted = [{ index: 6, createdAt: RECEIVED }, { index: 7, createdAt: RECEIVED }];
    expect(sent.json).toMatchObject({ success: true, accepted: 2, duplicates: 1, adjusted });
    const rejected = sent.json["rejected"] as { index: number; code: string; message: string }[];
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [0, "invalid_parameter"], [2, "suppressed"], [3, "invalid_parameter"], [4, "invalid_event"], [5, "invalid_parameter"], [8, "invalid_parameter"], [9, "invalid_parameter"],
    ]);
    expect(rejected[2]?.message).toMatch(/^batch\[3\]\.event: /);
    expect(rejected[4]?.message).toBe('batch[5].type: expected one of track, page, screen, identify, group, alias, got "delete"');
  });

  it("with calls that tie ids needs their scope too, before anything is stored", async () => {
    const daybook = stubDaybook();
    const handler = handlerOf(daybook);
    const allowed = await send(handler, "/v1/batch", { body: { batch: [track] }, token: "sk_write_0123456789abcdefgh" });
    expect(allowed.status).toBe(200);
    const refused = await send(handler, "/v1/batch", { body: { batch: [track, { type: "identify", userId: "u" }] }, token: "sk_write_0123456789abcdefgh" });
    expect([refused.status, codeOf(refused)]).toEqual([403, "insufficient_scope"]);
    expect(daybook.asked).toHaveLength(1);
  });

  it("answers nothing before everything is stored or refused", async () => {
    let isStored = false;
    const daybook = stubDaybook({
      ingest: () => Promise.reject(new DaybookError("overloaded", "later")),
      identify: () => new Promise((resolve) => setTimeout(() => resolve({ linkId: String((isStored = true)) }), 20)),
    });
    const sent = await send(handlerOf(daybook), "/v1/batch", { body: { batch: [track, { type: "identify", userId: "u" }] } });
    expect([sent.status, isStored]).toEqual([503, true]);
  });

  it("of nothing is no write", async () => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), "/v1/batch", { body: { batch: [] } });
    expect([sent.json, daybook.asked]).toEqual([{ success: true, accepted: 0, duplicates: 0, rejected: [], adjusted: [] }, []]);
  });
});
