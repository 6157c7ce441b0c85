import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook, FoundEvent } from "../../../src/index.js";
import { fixedClock } from "../../../src/core/base/time.js";
import { eventSchema } from "../../../src/http/shapes/bodies.js";
import type { Handler } from "../../../src/http/index.js";
import { FIELD_NAMES } from "../../../src/query/plan/field-names.js";
import { wireEvent } from "../../../src/http/shapes/answers.js";
import { NOW_MS, codeOf, handlerOf, send } from "../kit.js";

let daybook: Daybook;
let handler: Handler;
beforeEach(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  handler = handlerOf(daybook);
  await send(handler, "/v1/events", { body: { events: EVENTS } });
});
afterEach(async () => {
  await daybook.close();
});

/** 30 events over three days, two projects, five users, some equal times. */
const EVENTS = Array.from({ length: 30 }, (_, at) => ({
  id: `event-${at}`,
  name: at % 3 === 0 ? "signup" : "view",
  user_id: `u${at % 5}`,
  project: at % 2 === 0 ? "shop" : "site",
  created_at: `2026-03-0${1 + (at % 3)}T0${Math.floor(at / 10)}:00:00.000Z`,
  location_country: ["DE", "FR", ""][at % 3],
  metadata: { plan: at % 4, nested: { innerKey: at } },
}));

const FILTER_GROUPS = [{ filters: [{ field_name: "country", operator: "in", value: "DE,FR" }] }];
const CAMEL_GROUPS = [{ filters: [{ fieldName: "country", operator: "in", value: "DE,FR" }] }];

describe("over a real Daybook", () => {
  it("an answer over HTTP is the library's answer", async () => {
    const range = { start_date: "2026-03-01", end_date: "2026-03-02" };
    const camelRange = { startDate: "2026-03-01", endDate: "2026-03-02" };
    const body = { ...range, filter_groups: FILTER_GROUPS };
    const input = { ...camelRange, filterGroups: CAMEL_GROUPS };
    const data = async (path: string, extra = {}) => (await send(handler, path, { body: { ...body, ...extra } })).json["data"];
    const shop = { ...input, project: "shop" };
    const v1 = "/v1/projects/shop/analytics";
    expect(await data("/analytics/count-events", { user_id: "u1" })).toBe(await daybook.countEvents({ ...input, userId: "u1" }));
    expect(await data("/analytics/count-events-per-day")).toEqual(await daybook.countEventsPerDay(input));
    expect(await data("/analytics/count-unique-users")).toBe(await daybook.countUniqueUsers(input));
    expect(await data("/analytics/count-unique-users-per-day")).toEqual(await daybook.countUniqueUsersPerDay(input));
    expect(await data("/analytics/aggregate", { metadata_field: "plan" })).toEqual(
      await daybook.aggregate({ ...input, metadataField: "plan" }),
    );
    expect(await data(`${v1}/count-events`)).toBe(await daybook.countEvents(shop));
    expect(await data(`${v1}/count-unique-users`)).toBe(await daybook.countUniqueUsers(shop));
    expect(await data(`${v1}/count-events-running-total-per-day`, { fill: true })).toEqual(
      await daybook.countEventsRunningTotalPerDay({ ...shop, fill: true }),
    );
    expect(await data("/analytics/count-events")).toBe(20);
  });

  it("aggregates by every field, counts people too, and fills days, as the library does", async () => {
    const data = async (path: string, body: object) => (await send(handler, path, { body })).json["data"];
    for (const field of [...FIELD_NAMES, "metadata.plan", "person.plan", "company.name", "first_touch.source", "last_touch.medium"] as const)
      for (const measure of ["events", "unique_users"] as const)
        expect(await data("/analytics/aggregate", { field, measure, limit: 3 }), field).toEqual(await daybook.aggregate({ field, measure, limit: 3 }));
    const filled = { fill: true, start_date: "2026-02-27", end_date: "2026-03-05" };
    expect(await data("/analytics/count-events-per-day", filled)).toHaveLength(7);
    expect(await data("/analytics/count-unique-users-per-day", filled)).toHaveLength(7);
  });

  it("knows the project default before it has events, and no other", async () => {
    for (const report of ["revenue/by-attribution", "revenue/ltv-cohorts"]) {
      expect((await send(handler, `/v1/projects/default/${report}`, { method: "GET" })).status, report).toBe(200);
      expect(codeOf(await send(handler, `/v1/projects/blog/${report}`, { method: "GET" }))).toBe("project_not_found");
    }
    expect((await send(handler, "/v1/projects/default/analytics/count-events", { body: {} })).json).toEqual({ status: "OK", data: 0 });
  });

  it("shows all an event was sent with where all_fields asks for it, else its record alone, on pages that go on either way", async () => {
    const [event] = (await daybook.searchEvents({ limit: 1 })).events as [FoundEvent];
    const plain = (await send(handler, "/search-events", { body: { limit: 1 } })).json as { cursor: string; events: object[] };
    const { anonymousId, value, currency, externalId, companyId, identityId, ...record } = event;
    expect(plain.events).toEqual([wireEvent(record)]);
    const full = (await send(handler, "/search-events", { body: { limit: 1, all_fields: true } })).json as typeof plain;
    const more = { anonymous_id: anonymousId, value, currency, external_id: externalId, company_id: companyId, identity_id: identityId };
    expect(full.events).toEqual([{ ...wireEvent(record), ...more }]);
    expect(identityId).toMatch(/^idn_[0-9a-f]{32}$/);
    const next = (await send(handler, "/search-events", { body: { limit: 1, all_fields: true, cursor: plain.cursor } })).json as typeof plain;
    expect(next.events).toHaveLength(1);
    expect(next.events).not.toEqual(full.events);
  });

  it("pages of a search add up to one big page, in the wire's names", async () => {
    const all = (await send(handler, "/search-events", { body: { limit: 1000 } })).json as { cursor: null; events: object[] };
    const pages: object[] = [];
    let cursor: string | null = null;
    do {
      const sent = await send(handler, "/search-events", { body: { limit: 7, cursor } });
      const page = sent.json as { cursor: string | null; events: object[] };
      pages.push(...page.events);
      cursor = page.cursor;
    } while (cursor !== null);
    expect(all.events).toHaveLength(30);
    expect(pages).toEqual(all.events);
    const metadata = { plan: 1, nested: { innerKey: 29 } };
    const record = { userId: "u4", createdAt: "2026-03-03T02:00:00.000Z", location_country: "", referrer: null, metadata };
    expect(all.events).toContainEqual(expect.objectContaining(record));
  });

  it("a cursor of another query is refused", async () => {
    const first = await send(handler, "/search-events", { body: { limit: 1 } });
    const { cursor } = first.json;
    const other = await send(handler, "/search-events", { body: { cursor, event_name: "signup" } });
    expect([other.status, codeOf(other)]).toEqual([400, "cursor_mismatch"]);
    const project = await send(handler, "/search-events", { body: { cursor }, token: "sk_shop_0123456789abcdefgh" });
    expect(codeOf(project)).toBe("cursor_mismatch");
  });

  it("a project token counts, lists and writes its project alone", async () => {
    const count = async (token: string) => (await send(handler, "/analytics/count-events", { token })).json["data"];
    expect([await count("sk_owner_0123456789abcdefgh"), await count("sk_shop_0123456789abcdefgh")]).toEqual([30, 15]);
    const body = [{ name: "x" }, { name: "x", project: "site" }, { name: "x", project: "shop" }];
    const sent = await send(handler, "/v1/events", { body, token: "sk_shop_0123456789abcdefgh" });
    expect(sent.json).toMatchObject({ accepted: 2, rejected: [{ index: 1, code: "project_not_allowed" }] });
    expect([await count("sk_owner_0123456789abcdefgh"), await count("sk_shop_0123456789abcdefgh")]).toEqual([32, 17]);
  });

  it("a project exists once an event names it", async () => {
    const path = "/v1/projects/new/analytics/count-events";
    expect((await send(handler, path)).status).toBe(404);
    await send(handler, "/v1/events", { body: [{ name: "x", project: "new" }] });
    expect((await send(handler, path)).json).toEqual({ status: "OK", data: 1 });
  });

  it("an event sent twice counts once, and an entity tag changes with the answer", async () => {
    const tag = async () => (await send(handler, "/analytics/count-events")).headers.get("etag");
    const before = await tag();
    const again = await send(handler, "/v1/events", { body: { events: EVENTS } });
    expect(again.json).toEqual({ accepted: 0, duplicates: 30, rejected: [], adjusted: [] });
    expect(await tag()).toBe(before);
    await send(handler, "/v1/events", { body: [{ name: "x" }] });
    expect(await tag()).not.toBe(before);
  });

  it("every described member of an event is taken", async () => {
    const samples: Record<string, unknown> = { metadata: {}, notify: true, value: 1.5, currency: "USD" };
    for (const name of Object.keys(eventSchema.shape)) {
      const value = samples[name] ?? (/created|timestamp/i.test(name) ? "2026-03-01T00:00:00Z" : "1");
      const { json } = await send(handler, "/v1/events", { body: [{ name: "x", [name]: value }] });
      expect([name, json]).toEqual([name, { accepted: 1, duplicates: 0, rejected: [], adjusted: [] }]);
    }
  });

  it("a closed Daybook answers 503 and shows it in its health", async () => {
    await daybook.close();
    const sent = await send(handler, "/analytics/count-events");
    expect([sent.status, codeOf(sent)]).toEqual([503, "closed"]);
    expect((await send(handler, "/healthz", { method: "GET", token: null })).status).toBe(503);
  });
});
