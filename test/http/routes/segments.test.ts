import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import type { Handler } from "../../../src/http/index.js";
import { codeOf, handlerOf, NOW_MS, send, type SendOptions } from "../kit.js";

let daybook: Daybook;
let handler: Handler;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  await daybook.ingest([
    { name: "order", userId: "u1", project: "shop", createdAt: NOW_MS - 3_000 },
    { name: "order", userId: "u1", project: "shop", createdAt: NOW_MS - 2_000 },
    { name: "order", userId: "u2", project: "shop", createdAt: NOW_MS - 1_000 },
  ]);
  handler = handlerOf(daybook);
});
afterEach(() => daybook.close());

const buyers = { groups: [{ conditions: [{ type: "did", event_name: "order", at_least: 2, filter_groups: [{ filters: [{ field_name: "user_id", operator: "in", value: ["u1", "eventName"] }] }] }] }] };
const inSegment = (value: string) => ({ filter_groups: [{ filters: [{ field_name: "identity_id", operator: "in_segment", value }] }] });
const list = (options?: SendOptions) => send(handler, "/v1/segments", { method: "GET", ...options });
const put = (name: string, body: unknown, options?: SendOptions) => send(handler, `/v1/segments/${name}`, { method: "PUT", body, ...options });
const remove = (name: string, options?: SendOptions) => send(handler, `/v1/segments/${name}`, { method: "DELETE", ...options });

describe("saved segments over HTTP", () => {
  it("are kept as they were given, listed by name, and forgotten", async () => {
    expect((await list()).json).toEqual({ segments: [] });
    const saved = await put("buyers", buyers);
    expect([saved.status, saved.json]).toEqual([200, { name: "buyers", ...buyers }]);
    await put("Z_1", { groups: [{ conditions: [{ type: "last_seen", last_days: 7 }] }] });
    expect((await list()).json).toEqual({ segments: [{ name: "Z_1", groups: [{ conditions: [{ type: "last_seen", last_days: 7 }] }] }, { name: "buyers", ...buyers }] });
    expect([(await remove("buyers")).json, (await remove("buyers")).json]).toEqual([{ deleted: true }, { deleted: false }]);
    expect(((await list()).json["segments"] as { name: string }[]).map(({ name }) => name)).toEqual(["Z_1"]);
  });

  it("are those of the library, in the names of the wire", async () => {
    await put("buyers", buyers);
    const groups = [{ conditions: [{ type: "did", eventName: "order", atLeast: 2, filterGroups: [{ filters: [{ fieldName: "user_id", operator: "in", value: ["u1", "eventName"] }] }] }] }];
    expect(await daybook.segments.list()).toEqual([{ name: "buyers", groups }]);
    await daybook.segments.put("other", { groups: [{ conditions: [{ type: "first_seen", startDate: "2026-03-01", endDate: null }] }] });
    expect((await list()).json["segments"]).toEqual([{ name: "buyers", ...buyers }, { name: "other", groups: [{ conditions: [{ type: "first_seen", start_date: "2026-03-01", end_date: null }] }] }]);
  });

  it("take the place of one of the same name, and are what queries name, old ones and new ones", async () => {
    await put("buyers", { groups: [{ conditions: [{ type: "did_not", event_name: "order" }] }] });
    await put("buyers", buyers);
    const total = async () => {
      const trend = await send(handler, "/v1/projects/shop/insights/trend", { body: { interval: "total", ...inSegment("buyers") } });
      return [(trend.json["series"] as { total: number }[] | undefined)?.[0]?.total ?? codeOf(trend), (await send(handler, "/analytics/count-events", { body: inSegment("buyers") })).json["data"] ?? null];
    };
    expect(await total()).toEqual([2, 2]);
    await daybook.ingest([{ name: "order", userId: "u2", project: "shop", createdAt: NOW_MS - 500 }]);
    expect(await total()).toEqual([2, 2]);
    await put("buyers", { groups: [{ conditions: [{ type: "did", event_name: "order", at_least: 2 }] }] });
    expect(await total()).toEqual([4, 4]);
    const twice = await send(handler, "/v1/projects/shop/insights/trend", { body: { ...inSegment("buyers"), segments: { buyers } } });
    expect([twice.status, codeOf(twice), twice.json["param"]]).toEqual([400, "invalid_parameter", "segments.buyers"]);
    await remove("buyers");
    expect(await total()).toEqual(["invalid_filter_value", null]);
  });

  it("have an entity tag together", async () => {
    await put("buyers", buyers);
    const etag = (await list()).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await list({ headers: { "if-none-match": etag } })).status).toBe(304);
    await put("others", buyers);
    expect((await list({ headers: { "if-none-match": etag } })).status).toBe(200);
  });

  const condition = (given: object) => ({ groups: [{ conditions: [given] }] });
  it.each<[name: string, body: unknown, code: string, param: string]>([
    ["buyers", undefined, "invalid_parameter", "groups"],
    ["buyers", {}, "invalid_parameter", "groups"],
    ["buyers", { groups: null }, "invalid_parameter", "groups"],
    ["buyers", { groups: [] }, "invalid_parameter", "groups"],
    ["buyers", { groups: "all" }, "invalid_parameter", "groups"],
    ["buyers", { ...buyers, name: "buyers" }, "unknown_parameter", "name"],
    ["buyers", { groups: [{ conditions: [] }] }, "invalid_parameter", "groups[0].conditions"],
    ["buyers", condition({ type: "bought" }), "invalid_parameter", "groups[0].conditions[0].type"],
    ["buyers", condition({ type: "did", eventName: "a" }), "unknown_parameter", "groups[0].conditions[0].eventName"],
    ["buyers", condition({ type: "did", at_least: 0 }), "invalid_parameter", "groups[0].conditions[0].at_least"],
    ["buyers", condition({ type: "did", at_least: 3, at_most: 2 }), "invalid_parameter", "groups[0].conditions[0].at_most"],
    ["buyers", condition({ type: "did", last_days: 1, start_date: "2026-03-01" }), "exactly_one_required", "groups[0].conditions[0].last_days"],
    ["buyers", condition({ type: "did", start_date: "soon" }), "invalid_date", "groups[0].conditions[0].start_date"],
    ["buyers", condition({ type: "trait", field: "plan", operator: "like", value: "a" }), "invalid_operator", "groups[0].conditions[0].operator"],
    ["buyers", condition({ type: "trait", field: "plan", operator: "regex", value: "(" }), "invalid_regex", "groups[0].conditions[0].value"],
    ["buyers", condition({ type: "did", ...inSegment("other") }), "invalid_operator", "groups[0].conditions[0].filter_groups[0].filters[0].operator"],
    ["a%20b", buyers, "invalid_parameter", "name"],
    ["%C3%A9", buyers, "invalid_parameter", "name"],
    ["n".repeat(65), buyers, "invalid_parameter", "name"],
  ])("are refused where something is wrong: %s %j", async (name, body, code, param) => {
    const sent = await put(name, body);
    expect([sent.status, sent.headers.get("content-type"), codeOf(sent), sent.json["param"]]).toEqual([400, "application/problem+json", code, param]);
    expect((await list()).json).toEqual({ segments: [] });
  });

  it("are read with analytics:read and changed with segments:write, by tokens of the organization alone", async () => {
    expect((await list({ token: "sk_analytics_0123456789abcdefgh" })).status).toBe(200);
    for (const change of [put("buyers", buyers, { token: "sk_analytics_0123456789abcdefgh" }), remove("buyers", { token: "sk_analytics_0123456789abcdefgh" })])
      expect([(await change).status, codeOf(await change)]).toEqual([403, "insufficient_scope"]);
    for (const of of [list({ token: "sk_shop_0123456789abcdefgh" }), put("buyers", buyers, { token: "sk_shop_0123456789abcdefgh" }), remove("buyers", { token: "sk_shop_0123456789abcdefgh" })])
      expect([(await of).status, codeOf(await of)]).toEqual([403, "organization_token_required"]);
    expect(codeOf(await list({ token: null }))).toBe("missing_token");
    expect((await list()).json).toEqual({ segments: [] });
  });

  it("are not reached in another way", async () => {
    for (const [path, method, allow] of [["/v1/segments", "POST", "GET, HEAD"], ["/v1/segments/buyers", "GET", "PUT, DELETE"]] as const) {
      const sent = await send(handler, path, { method, ...(method === "POST" ? { body: buyers } : {}) });
      expect([sent.status, sent.headers.get("allow")]).toEqual([405, allow]);
    }
    const query = await send(handler, "/v1/segments?limit=5", { method: "GET" });
    expect([query.status, codeOf(query)]).toEqual([400, "unknown_parameter"]);
  });
});
