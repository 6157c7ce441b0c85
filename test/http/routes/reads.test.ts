import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { QueryOptions } from "../../../src/query/queries.js";
import { handlerOf, requestOf, send, stubDaybook } from "../kit.js";

const perDay = [{ day: "2026-03-01T00:00:00.000Z", count: 7 }];
const usersPerDay = [{ day: "2026-03-01T00:00:00.000Z", count: 3 }];
const V1 = "/v1/projects/shop/analytics";

describe("the reading endpoints", () => {
  it.each([
    ["/analytics/count-events", {}, "countEvents", 7],
    ["/analytics/count-events-per-day", {}, "countEventsPerDay", perDay],
    ["/analytics/count-unique-users", {}, "countUniqueUsers", 3],
    ["/analytics/count-unique-users-per-day", {}, "countUniqueUsersPerDay", usersPerDay],
    ["/analytics/aggregate", { field: "device" }, "aggregate", [{ property: "desktop", count: 7 }]],
    [`${V1}/count-events`, {}, "countEvents", 7],
    [`${V1}/count-events-running-total-per-day`, {}, "countEventsRunningTotalPerDay", perDay],
    [`${V1}/count-unique-users`, {}, "countUniqueUsers", 3],
  ])("%s answers status OK and data", async (path, body, method, data) => {
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), path, { body });
    expect(sent.status).toBe(200);
    expect(sent.json).toEqual({ status: "OK", data });
    expect(sent.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(daybook.asked.map((each) => each.method)).toEqual([method]);
  });

  it("hands every parameter to the library in its own names", async () => {
    const daybook = stubDaybook();
    const filter = { field_name: "device", operator: "=", value: "mobile" };
    await send(handlerOf(daybook), "/analytics/count-events", {
      body: {
        event_name: "signup",
        user_id: "u1",
        start_date: "2026-03-01",
        end_date: "2026-03-02",
        filter_groups: [{ filters: [filter, { field_name: "plan", operator: "is_set" }] }],
      },
    });
    expect(daybook.asked[0]?.input).toEqual({
      project: null,
      eventName: "signup",
      userId: "u1",
      startDate: "2026-03-01",
      endDate: "2026-03-02",
      filterGroups: [
        {
          filters: [
            { fieldName: "device", operator: "=", value: "mobile" },
            { fieldName: "plan", operator: "is_set", value: undefined },
          ],
        },
      ],
    });
  });

  it("takes null for absent, also in filters and for parameters the endpoint does not know", async () => {
    const daybook = stubDaybook();
    const body = { event_name: null, filter_groups: null, start_date: null, user_id: null, cursor: null };
    expect((await send(handlerOf(daybook), "/analytics/count-unique-users", { body })).status).toBe(200);
    const filters = [{ field_name: "device", operator: "is_set", value: null, extra: null }];
    const nested = { filter_groups: [{ filters, name: null }] };
    expect((await send(handlerOf(daybook), "/analytics/count-events", { body: nested })).status).toBe(200);
  });

  it("takes numbers, booleans and arrays as filter values", async () => {
    const daybook = stubDaybook();
    const filters = [5, true, ["a", 1]].map((value) => ({ field_name: "plan", operator: "in", value }));
    const sent = await send(handlerOf(daybook), "/analytics/count-events", { body: { filter_groups: [{ filters }] } });
    expect(sent.status).toBe(200);
  });

  it("takes an empty POST body as an empty object", async () => {
    expect((await send(handlerOf(stubDaybook()), "/analytics/count-events")).json).toEqual({ status: "OK", data: 7 });
    expect((await send(handlerOf(stubDaybook()), "/analytics/count-events", { body: "" })).status).toBe(200);
  });

  it("lets the query know when the caller is gone", async () => {
    const daybook = stubDaybook();
    const caller = new AbortController();
    await handlerOf(daybook)(new Request(requestOf("/analytics/count-events"), { signal: caller.signal }));
    const { signal } = daybook.asked[0]?.options as QueryOptions;
    expect(signal?.aborted).toBe(false);
    caller.abort();
    expect(signal?.aborted).toBe(true);
  });

  it.each([`${V1}/count-events-running-total-per-day`, "/analytics/count-events-per-day", "/analytics/count-unique-users-per-day"])(
    "takes fill on %s",
    async (path) => {
      const daybook = stubDaybook();
      await send(handlerOf(daybook), path, { body: { fill: true } });
      expect(daybook.asked[0]?.input).toMatchObject({ fill: true });
    },
  );

  it("takes measure and limit, and fields by both spellings, where it aggregates", async () => {
    const daybook = stubDaybook();
    const handler = handlerOf(daybook);
    for (const field of ["locationCountry", "location_country"]) {
      const body = { field, measure: "unique_users", limit: 3 };
      expect((await send(handler, "/analytics/aggregate", { body })).status).toBe(200);
      expect(daybook.asked.at(-1)?.input).toMatchObject({ field, measure: "unique_users", limit: 3 });
    }
    for (const [member, value] of [["measure", "sessions"], ["limit", 0], ["field", "plan"]] as const) {
      const sent = await send(handler, "/analytics/aggregate", { body: { field: "os", [member]: value } });
      expect(sent.json).toMatchObject({ error: { code: "invalid_parameter", param: member } });
    }
  });
});

describe("search-events", () => {
  const event = {
    id: "00000000-0000-4000-8000-000000000001",
    name: "signup",
    notify: false,
    slug: "signup",
    userId: "u1",
    project: "shop",
    createdAt: "2026-03-01T09:30:00.000Z",
    metadata: { camelCase: { innerKey: 1 }, snake_case: [null] },
    device: "desktop",
    os: "Linux",
    browser: "Firefox",
    screen: "800x600",
    language: "en",
    referrer: null,
    url: "/",
    hostname: "example.org",
  };

  it("answers cursor and events without an envelope, in the names of the event record", async () => {
    const location = { locationCountry: "DE", locationCity: "Berlin", locationRegion: "BE", locationLon: "13.4", locationLat: "52.5" };
    const page = { cursor: "next", events: [{ ...event, ...location }] };
    const daybook = stubDaybook({ searchEvents: async () => page as never });
    const sent = await send(handlerOf(daybook), "/search-events", { body: {} });
    expect(sent.json).toEqual({
      cursor: "next",
      events: [
        {
          ...event,
          location_country: "DE",
          location_city: "Berlin",
          location_region: "BE",
          location_lon: "13.4",
          location_lat: "52.5",
        },
      ],
    });
  });

  it("answers what an event was sent with beside its record where all_fields asks for it", async () => {
    const location = { locationCountry: "", locationCity: "", locationRegion: "", locationLon: "", locationLat: "" };
    const sent = { anonymousId: "a1", value: 9.5, currency: "EUR", externalId: "o1", companyId: "acme", identityId: "idn_1" };
    const daybook = stubDaybook({ searchEvents: async () => ({ cursor: null, events: [{ ...event, ...location, ...sent }] }) });
    const answer = await send(handlerOf(daybook), "/search-events", { body: { all_fields: true } });
    expect(answer.json).toMatchObject({
      events: [{ id: event.id, anonymous_id: "a1", value: 9.5, currency: "EUR", external_id: "o1", company_id: "acme", identity_id: "idn_1" }],
    });
    const asked = stubDaybook();
    for (const all_fields of [true, false, null]) await send(handlerOf(asked), "/search-events", { body: { all_fields } });
    expect(asked.asked.map(({ input }) => (input as { allFields: boolean }).allFields)).toEqual([true, false, false]);
  });

  it("hands on limit and user_id, and names a cursor that is none", async () => {
    const daybook = stubDaybook();
    await send(handlerOf(daybook), "/search-events", { body: { limit: 5, user_id: "u1" } });
    expect(daybook.asked[0]?.input).toMatchObject({ limit: 5, userId: "u1" });
    const bad = await send(handlerOf(daybook), "/search-events", { body: { cursor: "garbage" } });
    expect([bad.status, bad.json]).toMatchObject([400, { error: { code: "invalid_cursor", param: "cursor" } }]);
  });
});

describe("entity tags", () => {
  it("stand on every read, repeat for the same answer and differ for another", async () => {
    const tag = async (count: number) => {
      const sent = await send(handlerOf(stubDaybook({ countEvents: async () => count })), "/analytics/count-events");
      return sent.headers.get("etag");
    };
    expect(await tag(7)).toMatch(/^"[0-9a-f]{32}"$/);
    expect(await tag(7)).toBe(await tag(7));
    expect(await tag(7)).not.toBe(await tag(8));
  });

  it("answer 304 without a body to If-None-Match, also weak, in a list and as *", async () => {
    const handler = handlerOf(stubDaybook());
    const etag = (await send(handler, "/analytics/count-events")).headers.get("etag") ?? "";
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const sent = await send(handler, "/analytics/count-events", { headers: { "if-none-match": value } });
      expect([value, sent.status, sent.text, sent.headers.get("etag")]).toEqual([value, 304, "", etag]);
    }
    const other = await send(handler, "/analytics/count-events", { headers: { "if-none-match": '"x"' } });
    expect(other.status).toBe(200);
  });

  it("are the same whichever way the hash of a body is computed", async () => {
    const { etagOf } = await import("../../../src/http/answer/etag.js");
    const { sha256Hex } = await import("../../../src/core/base/hash.js");
    const { sha256Hex: fastSha256Hex } = await import("../../../src/platform/node/sha256-hex.js");
    for (const text of ["", "short", "\u{1f600} \ud800", "x".repeat(10_000)]) {
      const tag = createHash("sha256").update(text).digest("hex").slice(0, 32);
      for (const hash of [sha256Hex, fastSha256Hex]) expect(await etagOf(text, hash)).toBe(`"${tag}"`);
    }
  });

  it("and tokens are hashed by what the handler is given for it", async () => {
    const hashed: string[] = [];
    const sha256Hex = (text: string) => {
      hashed.push(text);
      return createHash("sha256").update(text).digest("hex");
    };
    const { status, text } = await send(handlerOf(stubDaybook(), { sha256Hex }), "/analytics/count-events");
    expect([status, hashed]).toEqual([200, ["sk_owner_0123456789abcdefgh", text]]);
  });
});
