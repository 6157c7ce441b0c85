import { describe, expect, it } from "vitest";
import { DaybookError, ERROR_CODES, type ErrorCode } from "../../../src/core/base/errors.js";
import { STATUS } from "../../../src/http/answer/error-reply.js";
import { codeOf, handlerOf, send, stubDaybook } from "../kit.js";

const V1 = "/v1/projects/shop/analytics/count-events";

describe("the envelope of errors", () => {
  it("is status ERROR on the older endpoints", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/analytics/count-events", { body: { start_date: "x" } });
    expect(sent.status).toBe(400);
    expect(sent.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(sent.json).toEqual({
      status: "ERROR",
      error: {
        code: "invalid_date",
        message:
          'start_date: expected YYYY-MM-DD or an RFC 3339 timestamp with a zone, of the years 1970 to 9999, got "x"',
        param: "start_date",
        request_id: "request-1",
      },
    });
  });

  it("is problem+json on /v1", async () => {
    const sent = await send(handlerOf(stubDaybook()), V1, { body: { start_date: "x" } });
    expect(sent.status).toBe(400);
    expect(sent.headers.get("content-type")).toBe("application/problem+json");
    expect(sent.json).toMatchObject({
      type: "urn:daybook:error:invalid_date",
      title: ERROR_CODES.invalid_date,
      status: 400,
      code: "invalid_date",
      param: "start_date",
      request_id: "request-1",
    });
    expect(sent.json["detail"]).toContain("start_date: expected");
  });

  it("is problem+json on unknown routes, also without a token", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/nothing", { token: null });
    expect([sent.status, sent.json["code"]]).toEqual([404, "route_not_found"]);
    expect(sent.headers.get("content-type")).toBe("application/problem+json");
  });

  it("lists every flaw of a body in errors, names that are not known first", async () => {
    const sent = await send(handlerOf(stubDaybook()), V1, { body: { event_name: 5, fill: 1, other: 2 } });
    expect(sent.json["errors"]).toEqual([
      { code: "unknown_parameter", param: "fill", message: expect.stringMatching(/^fill: unknown; allowed: .*filter_groups/) },
      { code: "unknown_parameter", param: "other", message: expect.stringMatching(/^other: unknown; allowed: .*filter_groups/) },
      { code: "invalid_parameter", param: "event_name", message: "event_name: expected string, got 5" },
    ]);
  });
});

describe("X-Request-Id", () => {
  it("stands on answers, errors and answers without a body", async () => {
    const handler = handlerOf(stubDaybook());
    for (const options of [{}, { token: null }, { body: "{" }, { headers: { "if-none-match": "*" } }]) {
      expect((await send(handler, "/analytics/count-events", options)).headers.get("x-request-id")).toBe("request-1");
    }
  });

  it("is the caller's where it is plain, else our own", async () => {
    const handler = handlerOf(stubDaybook());
    const idFor = async (sent: string) =>
      (await send(handler, "/healthz", { method: "GET", headers: { "x-request-id": sent } })).headers.get("x-request-id");
    expect(await idFor("a-b.c_1")).toBe("a-b.c_1");
    expect(await idFor("a b")).toBe("request-1");
    expect(await idFor("x-sk_owner_0123456789abcdefgh")).toBe("request-1");
    expect(await idFor("a".repeat(129))).toBe("request-1");
  });

  it("differs from request to request by default", async () => {
    const { createHandler, memoryTokens } = await import("../../../src/http/index.js");
    const handler = createHandler({ organizations: {}, tokens: memoryTokens([]) });
    const ids = await Promise.all([1, 2].map(async () => (await send(handler, "/x")).headers.get("x-request-id")));
    expect(new Set(ids).size).toBe(2);
  });
});

describe("bad parameters", () => {
  const group = (filter: object) => ({ filter_groups: [{ filters: [filter] }] });
  const filter = { field_name: "device", operator: "=", value: "x" };
  it.each([
    ["an unknown member", { nope: 1 }, "unknown_parameter", "nope"],
    ["an unknown member named __proto__", '{"__proto__": 1}', "unknown_parameter", "__proto__"],
    ["an unknown member named constructor", { constructor: 1 }, "unknown_parameter", "constructor"],
    ["an unknown member in camelCase", { eventName: "x" }, "unknown_parameter", "eventName"],
    ["an unknown member of a group", { filter_groups: [{ filters: [], x: 1 }] }, "unknown_parameter", "filter_groups[0].x"],
    ["an unknown member of a filter", group({ ...filter, x: 1 }), "unknown_parameter", "filter_groups[0].filters[0].x"],
    ["a wrong type", { event_name: 5 }, "invalid_parameter", "event_name"],
    ["groups that are no array", { filter_groups: {} }, "invalid_parameter", "filter_groups"],
    ["a group that is null", { filter_groups: [null] }, "invalid_parameter", "filter_groups[0]"],
    ["a group without filters", { filter_groups: [{}] }, "invalid_parameter", "filter_groups[0].filters"],
    ["a filter without a name", group({ operator: "=", value: "x" }), "invalid_parameter", "filter_groups[0].filters[0].field_name"],
    ["an empty field name", group({ ...filter, field_name: "" }), "invalid_parameter", "filter_groups[0].filters[0].field_name"],
    ["an unknown operator", group({ ...filter, operator: "~" }), "invalid_operator", "filter_groups[0].filters[0].operator"],
    ["a missing value", group({ field_name: "device", operator: "=" }), "invalid_filter_value", "filter_groups[0].filters[0].value"],
    ["an object as value", group({ ...filter, value: {} }), "invalid_parameter", "filter_groups[0].filters[0].value"],
    ["a bad date", { end_date: "2026-02-30" }, "invalid_date", "end_date"],
    ["an empty date", { end_date: "" }, "invalid_date", "end_date"],
    ["dates in the wrong order", { start_date: "2026-03-02", end_date: "2026-03-01" }, "invalid_date_range", "start_date"],
  ])("%s is named", async (_, body, code, param) => {
    const sent = await send(handlerOf(stubDaybook()), V1, { body });
    expect([sent.status, sent.json["code"], sent.json["param"]]).toEqual([400, code, param]);
    expect(String(sent.json["detail"]).startsWith(`${param}: `)).toBe(true);
  });

  it.each(["/analytics/count-unique-users", "/analytics/count-unique-users-per-day", "/analytics/aggregate"])(
    "user_id is unknown to %s",
    async (path) => {
      const sent = await send(handlerOf(stubDaybook()), path, { body: { user_id: "u1" } });
      expect(sent.json).toMatchObject({ error: { code: "unknown_parameter", param: "user_id" } });
    },
  );

  it("aggregate takes exactly one of field and metadata_field, and only known fields", async () => {
    const handler = handlerOf(stubDaybook());
    for (const body of [{}, { field: "device", metadata_field: "plan" }]) {
      const sent = await send(handler, "/analytics/aggregate", { body });
      expect(sent.status).toBe(400);
      expect(sent.json).toMatchObject({ error: { code: "exactly_one_required" } });
      expect(sent.text).toContain("field and metadata_field");
    }
    for (const field of ["plan", "person.", "first_touch.who", 7]) {
      const sent = await send(handler, "/analytics/aggregate", { body: { field } });
      expect(sent.json).toMatchObject({ error: { code: "invalid_parameter", param: "field" } });
    }
  });

  it.each([0, 1_001, 1.5, "10", Infinity])("search-events refuses the limit %s", async (limit) => {
    const body = limit === Infinity ? '{"limit": 1e999}' : { limit };
    const sent = await send(handlerOf(stubDaybook()), "/search-events", { body });
    expect(sent.json).toMatchObject({ error: { code: "invalid_parameter", param: "limit" } });
  });

  it("names in a value that the caller sent are left as they are", async () => {
    const sent = await send(handlerOf(stubDaybook()), V1, { body: { start_date: "startDate endDate" } });
    expect(sent.json["detail"]).toContain('got "startDate endDate"');
  });
});

describe("paths, methods and queries", () => {
  it.each(["GET", "PUT", "DELETE", "PATCH", "HEAD"])("%s on a POST route is 405 with Allow, before any token is asked for", async (method) => {
    const sent = await send(handlerOf(stubDaybook()), "/analytics/count-events", { method, token: null });
    expect([sent.status, sent.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    if (method !== "HEAD") expect(sent.json).toMatchObject({ status: "ERROR", error: { code: "method_not_allowed" } });
  });

  it.each(["/analytics/count-events/", "//analytics/count-events", "/Analytics/count-events", "/v1/projects//analytics/count-events", "/v1", "/v1/projects/{project_id}/analytics", "/"])(
    "%s is no route",
    async (path) => {
      const sent = await send(handlerOf(stubDaybook()), path, {});
      expect([sent.status, codeOf(sent)]).toEqual([404, "route_not_found"]);
    },
  );

  it("a path parameter is percent-decoded, and broken encoding is a clear error", async () => {
    const handler = handlerOf(stubDaybook({ projects: () => ["my shop/1"] }));
    expect((await send(handler, "/v1/projects/my%20shop%2F1/analytics/count-events")).status).toBe(200);
    for (const path of ["/v1/projects/%ZZ/analytics/count-events", "/v1/projects/%FF/analytics/count-events"]) {
      const sent = await send(handler, path);
      expect([sent.status, codeOf(sent)]).toEqual([400, "invalid_parameter"]);
    }
  });

  it("query parameters are refused where none are known, twice the same one first of all", async () => {
    const handler = handlerOf(stubDaybook());
    const unknown = await send(handler, `${V1}?fill=true`);
    expect([unknown.status, unknown.json]).toMatchObject([400, { code: "unknown_parameter", param: "fill" }]);
    const twice = await send(handler, `${V1}?a=1&a=2`);
    expect([twice.status, twice.json]).toMatchObject([400, { code: "duplicate_parameter", param: "a" }]);
    const proto = await send(handler, `${V1}?__proto__=1`);
    expect([proto.status, proto.json]).toMatchObject([400, { code: "unknown_parameter", param: "__proto__" }]);
    const broken = await send(handler, `${V1}?a=%ZZ`);
    expect([broken.status, codeOf(broken)]).toEqual([400, "invalid_parameter"]);
  });

  it("a URL over 4,096 characters is 414", async () => {
    const sent = await send(handlerOf(stubDaybook()), `/${"a".repeat(4_096)}`);
    expect([sent.status, codeOf(sent)]).toEqual([414, "uri_too_long"]);
    expect((await send(handlerOf(stubDaybook()), `/${"a".repeat(4_095)}`)).status).toBe(404);
  });
});

describe("errors of the library", () => {
  const failing = (thrown: unknown) => handlerOf(stubDaybook({ countEvents: () => Promise.reject(thrown) }));

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("%s has one status", async (code) => {
    const sent = await send(failing(new DaybookError(code, "a sentence")), "/analytics/count-events");
    expect([sent.status, codeOf(sent)]).toEqual([STATUS[code], code]);
  });

  it("statuses are those of the contract", () => {
    expect(STATUS).toMatchObject({
      malformed_json: 400, missing_token: 401, invalid_token: 401, insufficient_scope: 403, project_not_found: 404,
      method_not_allowed: 405, invalid_transition: 409, body_too_large: 413, uri_too_long: 414, unsupported_media_type: 415,
      rate_limited: 429, headers_too_large: 431, internal: 500, corruption: 500, overloaded: 503, query_timeout: 503,
      read_only: 503, storage_full: 507,
    });
  });

  it("a status of 500 and above shows no message, stack or path", async () => {
    for (const thrown of [new Error("secret /srv/file"), new DaybookError("corruption", "secret /srv/file"), "secret"]) {
      const sent = await send(failing(thrown), "/analytics/count-events");
      expect(sent.status).toBe(500);
      expect(sent.text).not.toMatch(/secret|srv|at /);
    }
  });

  it("a defect is told to the embedding program", async () => {
    const seen: unknown[] = [];
    const defect = new Error("defect");
    const daybook = stubDaybook({ countEvents: () => Promise.reject(defect) });
    await send(handlerOf(daybook, { onDefect: (thrown, id) => seen.push([thrown, id]) }), "/analytics/count-events");
    expect(seen).toEqual([[defect, "request-1"]]);
  });

  it("overload and rate limits say when to come again", async () => {
    const retryAfter = async (code: ErrorCode, details?: object) =>
      (await send(failing(new DaybookError(code, "later", { ...details })), "/analytics/count-events")).headers.get("retry-after");
    expect(await retryAfter("overloaded")).toBe("1");
    expect(await retryAfter("rate_limited", { retryAfterSec: 2.1 })).toBe("3");
    expect(await retryAfter("query_timeout")).toBeNull();
  });
});
