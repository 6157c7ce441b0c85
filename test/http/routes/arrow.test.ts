import { Dictionary, Int32, Table, Utf8, tableFromIPC, tableToIPC, vectorFromArray } from "apache-arrow";
import { toArrow } from "daybook";
import { describe, expect, it, test } from "vitest";
import { routes } from "../../../src/http/routes/table.js";
import { ARROW_TYPE } from "../../../src/http/wire/request-reply.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import { completeRequest } from "../complete-request.js";
import { handlerOf, requestOf, send, stubDaybook, type SendOptions } from "../kit.js";

/** Routes that answer a list, and where it is in their JSON. */
const LISTS: Readonly<Record<string, string>> = {
  "POST /analytics/count-events-per-day": "data",
  "POST /analytics/count-unique-users-per-day": "data",
  "POST /analytics/aggregate": "data",
  "POST /search-events": "events",
  "POST /v1/projects/{project_id}/analytics/count-events-running-total-per-day": "data",
  "GET /v1/identities/sessions": "sessions",
  "GET /v1/identities/referrers": "referrers",
  "GET /v1/identities/device-geo": "history",
  "GET /v1/projects/{project_id}/revenue/by-attribution": "rows",
  "GET /v1/projects/{project_id}/revenue/ltv-cohorts": "cohorts",
  "GET /v1/companies/top": "companies",
  "GET /v1/companies/{company_id}/top-users": "users",
  "POST /v1/projects/{project_id}/insights/trend": "series",
  "POST /v1/projects/{project_id}/insights/funnel": "steps",
  "POST /v1/projects/{project_id}/insights/retention": "cohorts",
  "POST /v1/projects/{project_id}/insights/lifecycle": "buckets",
  "POST /v1/projects/{project_id}/insights/stickiness": "buckets",
  "POST /v1/projects/{project_id}/insights/sessions": "buckets",
  "GET /v1/segments": "segments",
  "GET /v1/privacy-requests": "privacy_requests",
  "GET /v1/projects": "projects",
  "GET /v1/time-to-live": "rules",
  "PUT /v1/time-to-live": "rules",
  "POST /v1/query/countEventsPerDay": "answer",
  "POST /v1/query/countEventsRunningTotalPerDay": "answer",
  "POST /v1/query/countUniqueUsersPerDay": "answer",
  "POST /v1/query/aggregate": "answer",
  "POST /v1/query/searchEvents": "answer.events",
  "POST /v1/query/identitySessions": "answer.sessions",
  "POST /v1/query/identityReferrers": "answer.referrers",
  "POST /v1/query/identityDeviceGeo": "answer.history",
  "POST /v1/query/revenueByAttribution": "answer.rows",
  "POST /v1/query/ltvCohorts": "answer.cohorts",
  "POST /v1/query/topCompanies": "answer.companies",
  "POST /v1/query/companyTopUsers": "answer.users",
  "POST /v1/query/trend": "answer.series",
  "POST /v1/query/funnel": "answer.steps",
  "POST /v1/query/retention": "answer.cohorts",
  "POST /v1/query/lifecycle": "answer.buckets",
  "POST /v1/query/stickiness": "answer.buckets",
  "POST /v1/query/sessionsOverview": "answer.buckets",
};

const handler = handlerOf(stubDaybook());
const asked = routes.filter((route) => route.access !== null && route.format === undefined).map(({ method, path }) => `${method} ${path}`);
const inArrow = (options: SendOptions): SendOptions => ({ ...options, headers: { accept: `${ARROW_TYPE}, application/json;q=0.5` } });

/** What a table says, as the JSON of the list does. */
function shown(table: Table): unknown[] {
  return table.toArray().map((row) => {
    const members = Object.entries((row as { toJSON: () => Record<string, unknown> }).toJSON());
    return Object.fromEntries(members.map(([name, value]) => [name, typeof value === "string" && /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value]));
  });
}

/** Instants are epoch ms in a table; what stands for itself has a column of its own. */
function expectedOf(list: readonly unknown[]): unknown[] {
  return list.map((item) => {
    if (typeof item !== "object") return { value: item };
    return Object.fromEntries(Object.entries(item as object).map(([name, value]) => [name, typeof value === "string" && /^\d{4}-.*Z$/.test(value) ? Date.parse(value) : (value as unknown)]));
  });
}

describe("with Accept of an Arrow stream", () => {
  test.each(asked)("%s answers its list as Arrow, or JSON where it has none", async (route) => {
    const { path, options } = completeRequest(route);
    const [plain, response] = [await send(handler, path, options), await handler(requestOf(path, inArrow(options)))];
    const place = LISTS[route];
    expect([plain.status < 300, response.status, response.headers.get("content-type")]).toEqual([true, plain.status, place === undefined ? "application/json; charset=utf-8" : ARROW_TYPE]);
    if (place === undefined) return expect(await response.json()).toEqual(plain.json);
    const list = place.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], plain.json) as unknown[];
    expect(shown(tableFromIPC(new Uint8Array(await response.arrayBuffer())))).toEqual(expectedOf(list));
    if (plain.headers.get("etag") === null) return;
    expect([response.headers.get("vary"), response.headers.get("etag") === plain.headers.get("etag")]).toEqual(["Accept", false]);
    const again = await handler(requestOf(path, { ...options, headers: { accept: ARROW_TYPE, "if-none-match": response.headers.get("etag") ?? "" } }));
    expect(again.status).toBe(304);
  });

  it("the description of the API names it where a list is answered, and of events that come in", async () => {
    const { paths } = (await send(handler, "/openapi.json", { method: "GET", token: null })).json as { paths: Record<string, Record<string, { responses: Record<string, { content?: object }>; requestBody?: { content: object } }>> };
    const isTold = (route: string) => {
      const [method = "", path = ""] = route.split(" ");
      return Object.hasOwn(paths[path]?.[method.toLowerCase()]?.responses["200"]?.content ?? {}, ARROW_TYPE);
    };
    expect(asked.filter(isTold)).toEqual(Object.keys(LISTS).filter((route) => !route.startsWith("POST /v1/query/")).sort((a, b) => asked.indexOf(a) - asked.indexOf(b)));
    expect(paths["/v1/events"]?.["post"]?.requestBody?.content).toHaveProperty([ARROW_TYPE]);
  });

  it("what stands beside a list is in the metadata of its schema, and errors stay JSON", async () => {
    const paged = handlerOf(stubDaybook({ searchEvents: async () => ({ cursor: "next", events: [] }) }));
    const response = await paged(requestOf("/search-events", inArrow({ body: {} })));
    expect(tableFromIPC(new Uint8Array(await response.arrayBuffer())).schema.metadata.get("cursor")).toBe("next");
    const refused = await send(handler, "/search-events", inArrow({ body: { limit: 0 } }));
    expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/json; charset=utf-8"]);
    const unwanted = await send(handler, "/v1/projects", { method: "GET", headers: { accept: `${ARROW_TYPE};q=0` } });
    expect(unwanted.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });
});

describe("POST /v1/events", () => {
  it("takes an Arrow stream, and what toArrow makes of a search as well", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    await daybook.ingest([{ id: "1", name: "visit", userId: "ann", createdAt: new Date(2), value: 0.1, metadata: { plan: ["pro"] } }, { id: "2", name: "visit", createdAt: new Date(3) }]);
    const pieces: Uint8Array[] = [];
    for await (const piece of daybook.exportArrow()) pieces.push(piece);
    const copy = await openDaybook({ storage: memoryStorage() });
    const options = { body: Buffer.concat(pieces), headers: { "content-type": ARROW_TYPE } };
    expect((await send(handlerOf(copy), "/v1/events", options)).json).toEqual({ accepted: 2, duplicates: 0, rejected: [], adjusted: [] });
    expect((await copy.searchEvents()).events.map(({ identityId: _, ...event }) => event)).toEqual((await daybook.searchEvents()).events.map(({ identityId: _, ...event }) => event));
    const table = await toArrow(await daybook.aggregate({ field: "name" }));
    expect(table.toArray().map(String)).toEqual(['{"property": "visit", "count": 2}']);
    await expect(toArrow(await daybook.countEvents())).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "answer" } });
  });

  it("refuses Arrow that is none, in words, and where there are no events to take", async () => {
    const options = { body: "ARROW1 or not", headers: { "content-type": ARROW_TYPE } };
    const { status, json } = await send(handler, "/v1/events", options);
    expect([status, json["code"], json["detail"]]).toEqual([400, "invalid_body", expect.stringMatching(/^expected an Arrow IPC stream or file, got 13 bytes/)]);
    expect((await send(handler, "/v1/records", options)).status).toBe(415);
    const odd = await send(handler, "/v1/events", { body: "", headers: { "content-type": "text/csv" } });
    expect([odd.status, odd.json["detail"]]).toEqual([415, expect.stringContaining(`, or ${ARROW_TYPE}, got "text/csv"`)]);
  });

  it("refuses a short body whose rows would take more bytes as JSON than a body may have", async () => {
    const rowCount = 9_000;
    const metadata = vectorFromArray(Array.from({ length: rowCount }, () => JSON.stringify({ a: "x".repeat(2_000) })), new Dictionary(new Utf8(), new Int32()));
    const body = tableToIPC(new Table({ name: vectorFromArray(Array.from({ length: rowCount }, () => "a"), new Dictionary(new Utf8(), new Int32())), metadata }), "stream");
    expect(body.length).toBeLessThan(1_000_000);
    const { status, json } = await send(handler, "/v1/events", { body, headers: { "content-type": ARROW_TYPE } });
    expect([status, json["code"], json["detail"]]).toEqual([413, "body_too_large", expect.stringMatching(/^expected events of at most 16777216 bytes as JSON/)]);
  });
});
