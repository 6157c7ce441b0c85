import { describe, expect, it } from "vitest";
import type { Daybook } from "../../../src/engine/daybook.js";
import { FULLNESS } from "../../../src/engine/ingest/allowed-options.js";
import { answers } from "../../../src/http/shapes/answers.js";
import { openapiText } from "../../../src/http/operations/openapi.js";
import { routes } from "../../../src/http/routes/table.js";
import { completeRequest } from "../complete-request.js";
import type { Handler } from "../../../src/http/index.js";
import { handlerOf, send, stubDaybook } from "../kit.js";

const get = { method: "GET", token: null };

describe("GET /healthz", () => {
  it("needs no token and is 200 while every organization works", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/healthz", get);
    expect([sent.status, sent.json]).toEqual([200, { status: "ok" }]);
  });

  it("is 200 and says so while time to live waits for somebody to confirm the clock", async () => {
    const stub = stubDaybook();
    const sent = await send(handlerOf({ ...stub, timeToLive: { ...stub.timeToLive, waiting: "the clock is 9 days ahead" } }), "/healthz", get);
    expect([sent.status, sent.json]).toEqual([200, { status: "ok", time_to_live: "waiting" }]);
  });

  it("is 200 and says so while distinct values fill the room that public keys may use", async () => {
    const filled = (share: number) => handlerOf({ ...stubDaybook(), [FULLNESS]: () => share } as Daybook);
    expect((await send(filled(0.75), "/healthz", get)).json).toEqual({ status: "ok" });
    const sent = await send(filled(0.76), "/healthz", get);
    expect([sent.status, sent.json]).toEqual([200, { status: "ok", distinct_values: "over_reserve" }]);
  });

  it.each(["read_only", "closed"] as const)("is 503 when one organization is %s", async (health) => {
    const sent = await send(handlerOf(stubDaybook({ health })), "/healthz", get);
    expect([sent.status, sent.json]).toEqual([503, { status: health }]);
  });

  it.each(["unreachable", "ok"] as const)("asks a Daybook whose events are elsewhere, which is %s", async (status) => {
    const handler = handlerOf({ ...stubDaybook(), health: () => Promise.resolve(status) });
    const sent = await send(handler, "/healthz", get);
    expect([sent.status, sent.json]).toEqual([status === "ok" ? 200 : 503, { status }]);
    const { text } = await send(handler, "/metrics", { method: "GET" });
    expect([text.includes(`daybook_up ${status === "ok" ? 1 : 0}\n`), text.includes("daybook_events ")]).toEqual([true, status === "ok"]);
  });

  it("answers HEAD without a body and refuses unknown parameters", async () => {
    const head = await send(handlerOf(stubDaybook()), "/healthz", { method: "HEAD", token: null });
    expect([head.status, head.text]).toEqual([200, ""]);
    const sent = await send(handlerOf(stubDaybook()), "/healthz?x=1", get);
    expect([sent.status, sent.json["code"]]).toEqual([400, "unknown_parameter"]);
    const post = await send(handlerOf(stubDaybook()), "/healthz", { method: "POST", token: null });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("GET /metrics", () => {
  const samples = (text: string) => Object.fromEntries(text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/ (?=\S+$)/)));
  const metrics = async (handler: Handler, token = "sk_owner_0123456789abcdefgh") => (await send(handler, "/metrics", { method: "GET", token })).text;

  it("shows what is stored, what was answered, and the process, as Prometheus reads it", async () => {
    const handler = handlerOf(stubDaybook({ health: "read_only" }), { processGauges: () => ({ process_resident_memory_bytes: 42 }) });
    for (const body of ["{}", "{}", "["]) await send(handler, "/analytics/count-events", { body });
    const sent = await send(handler, "/metrics", { method: "GET" });
    expect([sent.status, sent.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const values = samples(sent.text) as Record<string, string>;
    expect(values).toMatchObject({
      daybook_up: "0",
      daybook_events: "7",
      daybook_stored_bytes: "500",
      daybook_distinct_value_bytes: "30",
      daybook_distinct_value_bytes_max: "40",
      daybook_metadata_keys: "5",
      'daybook_requests_total{route="/analytics/count-events",status="200"}': "2",
      'daybook_requests_total{route="/analytics/count-events",status="400"}': "1",
      process_resident_memory_bytes: "42",
    });
    expect(Number(values['daybook_request_seconds_total{route="/analytics/count-events",status="200"}'])).toBeGreaterThan(0);
    for (const line of sent.text.trim().split("\n")) expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{route="[^"]+",status="\d{3}"\})? [0-9.e+-]+)$/);
  });

  it("shows one organization nothing of another, and what nobody known asked to nobody", async () => {
    const handler = handlerOf(stubDaybook());
    await send(handler, "/search-events", { token: "sk_other_0123456789abcdefgh" });
    await send(handler, "/analytics/aggregate", { token: "sk_unknown_0123456789abcdefgh" });
    expect(await metrics(handler)).not.toMatch(/search-events|aggregate/);
    expect(await metrics(handler, "sk_other_0123456789abcdefgh")).toMatch(/search-events/);
  });
});

interface Operation {
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { readonly schema: Record<string, unknown> }> };
  readonly responses: Record<string, unknown>;
}

async function load() {
  const sent = await send(handlerOf(stubDaybook()), "/openapi.json", get);
  return sent.json as { openapi: string; paths: Record<string, Record<string, Operation>>; components: Record<string, Record<string, unknown>> };
}

describe("GET /openapi.json", () => {
  it("describes exactly the routes of the table", async () => {
    const { openapi, paths } = await load();
    expect(openapi).toBe("3.1.0");
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    expect(described).toHaveLength(102);
  });

  it("is made once, since anybody may ask for it", () => {
    let readCount = 0;
    const watched = routes.map((route) => new Proxy(route, { get: (target, name) => ((readCount += 1), Reflect.get(target, name) as unknown) }));
    const text = openapiText(watched);
    const firstCount = readCount;
    expect(openapiText(watched)).toBe(text);
    expect([firstCount > 0, readCount]).toEqual([true, firstCount]);
  });

  it("shows the body of a query as it is checked", async () => {
    const { paths } = await load();
    const schema = paths["/search-events"]?.["post"]?.requestBody?.content["application/json"]?.schema;
    expect(Object.keys(schema?.["properties"] as object)).toEqual([
      "event_name", "start_date", "end_date", "filter_groups", "segments", "user_id", "cursor", "limit", "all_fields",
    ]);
    expect(schema?.["additionalProperties"]).toBe(false);
    expect(schema?.["required"]).toBeUndefined();
  });

  it("shows the bodies of insights and of saved segments, what they require, and names that callers choose", async () => {
    const { paths } = await load();
    const bodyOf = (path: string, method = "post") => paths[path]?.[method]?.requestBody?.content["application/json"]?.schema;
    const insights = Object.keys(paths).filter((path) => path.includes("/insights/"));
    expect(insights.map((path) => path.split("/").at(-1))).toEqual(["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessions", "web"]);
    const shared = ["event_name", "filter_groups", "start_date", "end_date", "segments", "time_zone", "week_start", "as_of"];
    for (const path of insights) {
      expect(Object.keys(bodyOf(path)?.["properties"] as object).slice(0, shared.length)).toEqual(shared);
      expect([path, bodyOf(path)?.["required"]]).toEqual([path, path.endsWith("/funnel") ? ["steps"] : undefined]);
    }
    expect(bodyOf("/v1/segments/{name}", "put")).toMatchObject({ required: ["groups"], additionalProperties: false });
    expect(paths["/v1/segments/{name}"]?.["delete"]?.security).toEqual([{ token: ["segments:write"] }]);
    expect((bodyOf("/analytics/count-events")?.["properties"] as { segments: object }).segments).toMatchObject({ anyOf: [{ type: "object", additionalProperties: {} }, { type: "null" }] });
  });

  it("names scopes, path parameters and the shape of errors", async () => {
    const { paths, components } = await load();
    const operation = paths["/v1/projects/{project_id}/analytics/count-events"]?.["post"];
    expect(operation?.security).toEqual([{ token: ["analytics:read"] }]);
    expect(operation?.parameters).toMatchObject([{ name: "project_id", in: "path" }]);
    expect(operation?.responses["default"]).toEqual({ $ref: "#/components/responses/Problem" });
    expect(paths["/search-events"]?.["post"]?.responses["default"]).toEqual({ $ref: "#/components/responses/LegacyError" });
    expect(Object.keys(components["schemas"] ?? {})).toEqual(["Event", "Record", "Beacon", "Problem", "LegacyError", "ClientError"]);
  });

  it("shows query parameters with their bounds, other statuses and types, and both ways to hand over a token", async () => {
    const { paths, components } = await load();
    const sessions = paths["/v1/identities/sessions"]?.["get"]?.parameters;
    expect(sessions?.find(({ name }) => name === "limit")).toEqual({
      name: "limit", in: "query", required: false, schema: { type: "integer", minimum: 1, maximum: 100, default: 50 },
    });
    expect(Object.keys(paths["/v1/privacy-requests"]?.["post"]?.responses ?? {})).toEqual(["201", "default"]);
    expect(paths["/v1/privacy-requests/{id}/bundle"]?.["get"]?.responses["200"]).toMatchObject({ content: { "application/x-ndjson": {} } });
    expect(paths["/v1/track"]?.["post"]?.security).toEqual([{ token: ["events:write"] }, { basic: ["events:write"] }]);
    expect(Object.keys(components["securitySchemes"] ?? {})).toEqual(["token", "basic"]);
    const isRequired = (path: string) => paths[path]?.["post"]?.requestBody?.required;
    expect(["/v1/privacy-requests", "/v1/privacy-requests/{id}/verify", "/v1/events", "/search-events"].map(isRequired)).toEqual([true, false, true, false]);
  });

  it("has no reference that leads nowhere and no operation id twice", async () => {
    const document = await load();
    for (const [, pointer = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer.split("/").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
      expect(target, pointer).toBeTypeOf("object");
    }
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(102);
  });

  it("honours If-None-Match", async () => {
    const handler = handlerOf(stubDaybook());
    const etag = (await send(handler, "/openapi.json", get)).headers.get("etag") ?? "";
    expect((await send(handler, "/openapi.json", { ...get, headers: { "if-none-match": etag } })).status).toBe(304);
  });
});

describe("answers have the shape that is described", () => {
  it.each(routes.filter((route) => route.access !== null).map((route) => [`${route.method} ${route.path}`, route] as const))("%s", async (name, route) => {
    const { path, options } = completeRequest(name);
    const sent = await send(handlerOf(stubDaybook()), path, options);
    const described = Object.keys((await load()).paths[route.path]?.[route.method.toLowerCase()]?.responses ?? {});
    expect(described).toContain(String(sent.status));
    expect(route.answer.safeParse(route.format !== undefined ? sent.text : sent.json).error).toBeUndefined();
  });

  it("and a shape refuses what it does not describe", () => {
    expect(answers.count.safeParse({ status: "OK", data: "7" }).success).toBe(false);
  });
});
