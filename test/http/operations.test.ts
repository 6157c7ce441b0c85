import { describe, expect, it } from "vitest";
import { answers } from "../../src/http/answers.js";
import { routes } from "../../src/http/routes.js";
import { handlerOf, send, stubDaybook } from "./kit.js";

const get = { method: "GET", token: null };

describe("GET /healthz", () => {
  it("needs no token and is 200 while every organization works", async () => {
    const sent = await send(handlerOf(stubDaybook()), "/healthz", get);
    expect([sent.status, sent.json]).toEqual([200, { status: "ok" }]);
  });

  it.each(["read_only", "closed"] as const)("is 503 when one organization is %s", async (health) => {
    const sent = await send(handlerOf(stubDaybook({ health })), "/healthz", get);
    expect([sent.status, sent.json]).toEqual([503, { status: health }]);
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

interface Operation {
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Record<string, unknown> }> };
  readonly responses: Record<string, unknown>;
}

describe("GET /openapi.json", () => {
  const load = async () => {
    const sent = await send(handlerOf(stubDaybook()), "/openapi.json", get);
    return sent.json as { openapi: string; paths: Record<string, Record<string, Operation>>; components: Record<string, Record<string, unknown>> };
  };

  it("describes exactly the routes of the table", async () => {
    const { openapi, paths } = await load();
    expect(openapi).toBe("3.1.0");
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    expect(described).toHaveLength(12);
  });

  it("shows the body of a question as it is checked", async () => {
    const { paths } = await load();
    const schema = paths["/search-events"]?.["post"]?.requestBody?.content["application/json"]?.schema;
    expect(Object.keys(schema?.["properties"] as object)).toEqual([
      "event_name", "start_date", "end_date", "filter_groups", "user_id", "cursor", "limit",
    ]);
    expect(schema?.["additionalProperties"]).toBe(false);
    expect(schema?.["required"]).toBeUndefined();
  });

  it("names scopes, path parameters and the shape of errors", async () => {
    const { paths, components } = await load();
    const operation = paths["/v1/projects/{project_id}/analytics/count-events"]?.["post"];
    expect(operation?.security).toEqual([{ token: ["analytics:read"] }]);
    expect(operation?.parameters).toMatchObject([{ name: "project_id", in: "path" }]);
    expect(operation?.responses["default"]).toEqual({ $ref: "#/components/responses/Problem" });
    expect(paths["/search-events"]?.["post"]?.responses["default"]).toEqual({ $ref: "#/components/responses/OlderError" });
    expect(Object.keys(components["schemas"] ?? {})).toEqual(["Event", "Problem", "OlderError"]);
  });

  it("has no reference that leads nowhere and no operation id twice", async () => {
    const document = await load();
    for (const [, pointer = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer.split("/").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
      expect(target, pointer).toBeTypeOf("object");
    }
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(12);
  });

  it("honours If-None-Match", async () => {
    const handler = handlerOf(stubDaybook());
    const etag = (await send(handler, "/openapi.json", get)).headers.get("etag") ?? "";
    expect((await send(handler, "/openapi.json", { ...get, headers: { "if-none-match": etag } })).status).toBe(304);
  });
});

describe("answers have the shape that is described", () => {
  it.each(routes.filter((route) => route.access !== null).map((route) => [route.path, route] as const))("%s", async (path, route) => {
    const body = path.endsWith("aggregate") ? { field: "device" } : path === "/v1/events" ? { events: [] } : {};
    const sent = await send(handlerOf(stubDaybook()), path.replace("{project_id}", "shop"), { body });
    expect(route.answer.safeParse(sent.json).success).toBe(true);
  });

  it("and a shape refuses what it does not describe", () => {
    expect(answers.count.safeParse({ status: "OK", data: "7" }).success).toBe(false);
  });
});
