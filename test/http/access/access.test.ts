import { describe, expect, it } from "vitest";
import { authorize } from "../../../src/http/access/rights.js";
import { memoryTokens } from "../../../src/http/index.js";
import { TOKENS, codeOf, handlerOf, send, stubDaybook } from "../kit.js";

const COUNT = "/analytics/count-events";
const V1 = "/v1/projects/shop/analytics/count-events";

describe("authentication", () => {
  it.each([null, "", "sk_owner_0123456789abcdefgh", "Bearer", "Bearer ", "Bearersk_owner", "Basic c2tfb3duZXI6", "Bearer sk_owner_0123456789abcdefgh x", "Bearer sk_owner_0123456789abcdefgh, Bearer sk_owner_0123456789abcdefgh", "Token sk_owner_0123456789abcdefgh"])(
    "the header %j is missing_token with WWW-Authenticate",
    async (authorization) => {
      const headers = authorization === null ? {} : { authorization };
      const sent = await send(handlerOf(stubDaybook()), COUNT, { token: null, headers });
      expect([sent.status, codeOf(sent), sent.headers.get("www-authenticate")]).toEqual([401, "missing_token", "Bearer"]);
    },
  );

  it("unknown, malformed, expired, revoked tokens and those of unknown organizations get one answer", async () => {
    const texts = new Set<string>();
    for (const token of ["sk_unknown_0123456789abcdefgh", "garbage", "sk_expired_0123456789abcdefgh", "sk_revoked_0123456789abcdefgh", "sk_nowhere_0123456789abcdefgh"]) {
      const sent = await send(handlerOf(stubDaybook()), COUNT, { token });
      expect([sent.status, codeOf(sent), sent.headers.get("www-authenticate")]).toEqual([401, "invalid_token", "Bearer"]);
      texts.add(sent.text);
    }
    expect(texts.size).toBe(1);
  });

  it("the scheme is case-insensitive, and a token lives until its expiry", async () => {
    const handler = handlerOf(stubDaybook());
    expect((await send(handler, COUNT, { token: null, headers: { authorization: "bearer  sk_owner_0123456789abcdefgh" } })).status).toBe(200);
    expect((await send(handler, COUNT, { token: "sk_fresh_0123456789abcdefgh" })).status).toBe(200);
  });

  it("a store that answers another record than asked for opens nothing", async () => {
    const record = memoryTokens(TOKENS).find("");
    expect(record).toBeUndefined();
    const real = memoryTokens([{ sha256: "0".repeat(64), role: "owner", scopes: ["*"] }]).find("0".repeat(64));
    const sent = await send(handlerOf(stubDaybook(), { tokens: { find: () => real } }), COUNT);
    expect(codeOf(sent)).toBe("invalid_token");
  });

  it("a store may answer later, and its failure is ours", async () => {
    const tokens = memoryTokens(TOKENS);
    expect((await send(handlerOf(stubDaybook(), { tokens: { find: async (hash) => tokens.find(hash) } }), COUNT)).status).toBe(200);
    const failing = { find: () => Promise.reject(new Error("store down")) };
    expect((await send(handlerOf(stubDaybook(), { tokens: failing }), COUNT)).status).toBe(500);
  });
});

describe("scopes and roles", () => {
  const search = "/search-events";
  it.each([
    ["sk_analytics_0123456789abcdefgh", COUNT, 200],
    ["sk_analytics_0123456789abcdefgh", "/analytics/aggregate", 200],
    ["sk_analytics_0123456789abcdefgh", V1, 200],
    ["sk_analytics_0123456789abcdefgh", search, 403],
    ["sk_analytics_0123456789abcdefgh", "/v1/events", 403],
    ["sk_search_0123456789abcdefgh", search, 200],
    ["sk_search_0123456789abcdefgh", COUNT, 403],
    ["sk_write_0123456789abcdefgh", "/v1/events", 200],
    ["sk_write_0123456789abcdefgh", COUNT, 403],
    ["sk_owner_0123456789abcdefgh", search, 200],
  ])("%s on %s is %d", async (token, path, status) => {
    const bodies: Record<string, unknown> = { "/v1/events": { events: [] }, "/analytics/aggregate": { field: "device" } };
    const sent = await send(handlerOf(stubDaybook()), path, { token, body: bodies[path] ?? {} });
    expect(sent.status).toBe(status);
    if (status === 403) expect(codeOf(sent)).toBe("insufficient_scope");
  });

  it("of several missing rights the scope is named first, then the role, then the kind of token", () => {
    const [record] = [memoryTokens([{ sha256: "0".repeat(64), role: "member", scopes: ["revenue:read"], project: "shop" }]).find("0".repeat(64))];
    if (record === undefined || record instanceof Promise) throw new Error("expected a record");
    const codeFor = (scope: "revenue:read" | "companies:read", token: typeof record) => {
      try {
        authorize({ scope, role: "admin", organizationWide: true }, token);
        return "ok";
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(codeFor("companies:read", record)).toBe("insufficient_scope");
    expect(codeFor("revenue:read", record)).toBe("insufficient_role");
    expect(codeFor("revenue:read", { ...record, role: "admin" })).toBe("organization_token_required");
    expect(codeFor("revenue:read", { ...record, role: "owner", project: null })).toBe("ok");
  });
});

describe("projects", () => {
  it("unknown, another organization's and not the token's get one answer", async () => {
    const texts = new Set<string>();
    for (const [token, project] of [["sk_owner_0123456789abcdefgh", "unknown"], ["sk_owner_0123456789abcdefgh", "elsewhere"], ["sk_other_0123456789abcdefgh", "shop"], ["sk_shop_0123456789abcdefgh", "site"], ["sk_shop_0123456789abcdefgh", "unknown"]]) {
      const sent = await send(handlerOf(stubDaybook()), `/v1/projects/${project}/analytics/count-events`, { token: token ?? null });
      expect([sent.status, codeOf(sent)]).toEqual([404, "project_not_found"]);
      texts.add(sent.text);
    }
    expect(texts.size).toBe(1);
  });

  it("the path names the project whose rows are counted", async () => {
    const daybook = stubDaybook();
    for (const token of ["sk_owner_0123456789abcdefgh", "sk_shop_0123456789abcdefgh"]) {
      expect((await send(handlerOf(daybook), V1, { token })).status).toBe(200);
    }
    expect(daybook.asked.map(({ input }) => (input as { project: string }).project)).toEqual(["shop", "shop"]);
  });

  it.each(["/analytics/count-events", "/analytics/count-events-per-day", "/analytics/count-unique-users", "/analytics/count-unique-users-per-day", "/analytics/aggregate", "/search-events"])(
    "a project token sees only its project on %s",
    async (path) => {
      const daybook = stubDaybook();
      const body = path.endsWith("aggregate") ? { field: "device" } : {};
      await send(handlerOf(daybook), path, { token: "sk_shop_0123456789abcdefgh", body });
      await send(handlerOf(daybook), path, { token: "sk_owner_0123456789abcdefgh", body });
      expect(daybook.asked.map(({ input }) => (input as { project: unknown }).project)).toEqual(["shop", null]);
    },
  );

  it("a token asks only its own organization", async () => {
    const [one, two] = [stubDaybook(), stubDaybook()];
    const handler = handlerOf(one, { organizations: { default: one, other: two } });
    await send(handler, COUNT, { token: "sk_other_0123456789abcdefgh" });
    expect([one.asked.length, two.asked.length]).toEqual([0, 1]);
  });
});

describe("the order of checks", () => {
  const wrong = { body: "{", headers: { "content-type": "text/plain" } };
  it.each([
    ["route before method and token", "/nothing", { method: "PUT", token: null }, "route_not_found"],
    ["method before token", COUNT, { method: "PUT", token: null }, "method_not_allowed"],
    ["token before scope", "/v1/projects/unknown/analytics/count-events", { ...wrong, token: "sk_unknown_0123456789abcdefgh" }, "invalid_token"],
    ["scope before project", "/v1/projects/unknown/analytics/count-events", { ...wrong, token: "sk_write_0123456789abcdefgh" }, "insufficient_scope"],
    ["media type before size", V1, { ...wrong, body: " ".repeat(1024 * 1024 + 1) }, "unsupported_media_type"],
    ["size before parsing", V1, { body: "{".repeat(1024 * 1024 + 1) }, "body_too_large"],
    ["parsing before validation", `${V1}?x=1`, { body: "{" }, "malformed_json"],
    ["validation before project", "/v1/projects/unknown/analytics/count-events?x=1", {}, "unknown_parameter"],
  ])("is %s", async (_, path, options, code) => {
    expect(codeOf(await send(handlerOf(stubDaybook()), path, options))).toBe(code);
  });
});
