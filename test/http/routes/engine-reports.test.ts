import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/index.js";
import { fixedClock } from "../../../src/core/base/time.js";
import type { Handler } from "../../../src/http/index.js";
import { NOW_MS, codeOf, get, handlerOf, send } from "../kit.js";

let daybook: Daybook;
let handler: Handler;
const clock = fixedClock(NOW_MS);
beforeEach(async () => {
  clock.set(NOW_MS);
  daybook = await openDaybook({ storage: memoryStorage(), clock });
  handler = handlerOf(daybook);
  expect((await post("/v1/batch", { batch: CALLS })).json).toEqual({ success: true, accepted: CALLS.length, duplicates: 0, rejected: [], adjusted: [] });
  expect((await post("/v1/events", [{ name: "x", project: "shop" }])).json).toMatchObject({ accepted: 1 });
});
afterEach(async () => {
  await daybook.close();
});

const post = async (path: string, body?: unknown) => await send(handler, path, { body });
const at = (day: number, hour: number) => `2026-03-0${day}T${String(hour).padStart(2, "0")}:00:00.000Z`;

/** Three people of two companies, over three days: views, payments in two currencies, ids that meet. */
const CALLS = [
  ...[1, 2, 3].flatMap((day) =>
    [9, 10, 20].map((hour) => ({
      type: "page",
      messageId: `page-${day}-${hour}`,
      anonymousId: `a${day}`,
      timestamp: at(day, hour),
      context: { page: { url: `https://shop.example/${day}?utm_source=mail${day}`, referrer: day === 1 ? "https://www.google.com/" : "" }, locale: "de" },
    })),
  ),
  ...[1, 2, 3].map((day) => ({
    type: "track",
    messageId: `payment-${day}`,
    event: "Order Completed",
    userId: `u${day}`,
    anonymousId: `a${day}`,
    timestamp: at(day, 21),
    properties: { revenue: day * 10.25, currency: day === 3 ? "JPY" : "USD", order_id: day },
    context: { groupId: day === 1 ? "acme.example" : "other/é" },
  })),
  { type: "identify", messageId: "who-1", userId: "u1", traits: { email: "Ann@Example.org" }, timestamp: at(1, 9) },
  { type: "group", messageId: "group-1", groupId: "acme.example", userId: "u1", traits: { name: "Acme" }, timestamp: at(1, 9) },
  { type: "alias", messageId: "alias-1", previousId: "u2", userId: "u1", timestamp: at(2, 9) },
];

/** What the library answers, as the wire spells it: done on the text, so unlike the adapter does it. */
function wire(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/"(\w+)":/g, (_, name: string) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}":`));
}

describe("over a real Daybook", () => {
  const range = "start_date=2026-03-01&end_date=2026-03-02T20:30:00.000Z";
  const dates = { startDate: "2026-03-01", endDate: "2026-03-02T20:30:00.000Z" };

  it("the reports about a person are the library's", async () => {
    for (const [query, who] of [["user_id=u1", { userId: "u1" }], ["email=%20ann%40EXAMPLE.org", { email: " ann@EXAMPLE.org" }], ["user_id=a3", { userId: "a3" }]] as const) {
      const path = (report: string) => `/v1/identities/${report}?${query}&${range}`;
      const input = { ...who, ...dates };
      expect((await get(handler, path("sessions"))).json).toEqual(wire(await daybook.identitySessions(input)));
      expect((await get(handler, path("profile"))).json).toEqual(wire(await daybook.identityProfile(input)));
      expect((await get(handler, path("referrers"))).json).toEqual(wire(await daybook.identityReferrers(input)));
      expect((await get(handler, path("device-geo"))).json).toEqual(wire(await daybook.identityDeviceGeo(input)));
    }
    const profile = await get(handler, `/v1/identities/profile?user_id=u2&${range}`);
    expect(profile.json).toMatchObject({ events: 7, pageviews: 6, sessions: 6, revenue: 10.25, currency: "USD" });
  });

  it("pages of sessions add up to one big page, and a cursor of another person is refused", async () => {
    const path = "/v1/identities/sessions?user_id=u1";
    const all = (await get(handler, path)).json as { sessions: object[]; cursor: null };
    const pages: object[] = [];
    let cursor: string | null = null;
    do {
      const page = (await get(handler, `${path}&limit=1${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)).json as { sessions: object[]; cursor: string | null };
      expect(page.sessions).toHaveLength(1);
      pages.push(...page.sessions);
      if (page.cursor !== null) expect(codeOf(await get(handler, `/v1/identities/sessions?user_id=u3&cursor=${encodeURIComponent(page.cursor)}`))).toBe("cursor_mismatch");
      cursor = page.cursor;
    } while (cursor !== null);
    expect(pages).toEqual(all.sessions);
    expect(pages.length).toBeGreaterThan(3);
  });

  it("the reports about companies are the library's", async () => {
    expect((await get(handler, "/v1/companies/top?sort=revenue&range_days=9")).json).toEqual(wire(await daybook.topCompanies({ sort: "revenue", rangeDays: 9 })));
    for (const companyId of ["acme.example", "other/é"]) {
      const users = await get(handler, `/v1/companies/${encodeURIComponent(companyId)}/top-users?limit=5`);
      expect([users.status, users.json]).toEqual([200, wire(await daybook.companyTopUsers({ companyId, limit: 5 }))]);
    }
    const top = (await get(handler, "/v1/companies/top")).json["companies"] as { company_id: string; name: string; domain: string }[];
    expect(top.map(({ company_id, name, domain }) => [company_id, name, domain])).toContainEqual(["acme.example", "Acme", "acme.example"]);
  });

  it("the reports about money are the library's", async () => {
    const path = "/v1/projects/default/revenue";
    for (const model of ["first_touch", "last_touch"] as const)
      for (const level of ["account", "identity"] as const)
        for (const dimension of ["source", "medium", "campaign"] as const) {
          const sent = await get(handler, `${path}/by-attribution?model=${model}&level=${level}&dimension=${dimension}`);
          expect(sent.json).toEqual(await daybook.revenueByAttribution({ project: "default", model, level, dimension }));
          expect(sent.json).toMatchObject({ currency: "USD", unconverted: [{ currency: "JPY", orders: 1 }] });
        }
    for (const level of ["account", "identity"] as const)
      expect((await get(handler, `${path}/ltv-cohorts?level=${level}`)).json).toEqual(await daybook.ltvCohorts({ project: "default", level }));
    const shop = await get(handler, "/v1/projects/shop/revenue/by-attribution");
    expect(shop.json).toEqual({ currency: "USD", rows: [], unconverted: [] });
  });

  it("what is not there is 404", async () => {
    for (const report of ["sessions", "profile", "referrers", "device-geo"]) {
      const sent = await get(handler, `/v1/identities/${report}?user_id=nobody`);
      expect([sent.status, codeOf(sent)]).toEqual([404, "identity_not_found"]);
    }
    const codes = ["/v1/companies/none/top-users", "/v1/projects/none/revenue/ltv-cohorts", "/v1/projects/none/revenue/by-attribution", "/v1/privacy-requests/none/bundle"];
    expect(await Promise.all(codes.map(async (path) => codeOf(await get(handler, path))))).toEqual(["company_not_found", "project_not_found", "project_not_found", "privacy_request_not_found"]);
  });

  it("calls sent again change nothing, one by one or in a batch", async () => {
    const before = await daybook.stats();
    const counts = async () => [await daybook.countEvents(), await daybook.countUniqueUsers(), (await daybook.identityProfile({ userId: "u1" })).events];
    const numbers = await counts();
    const again = await post("/v1/batch", { batch: CALLS });
    expect(again.json).toMatchObject({ success: true, duplicates: 12, rejected: [], adjusted: [] });
    for (const call of CALLS) expect((await post(`/v1/${call.type}`, call)).status).toBe(200);
    expect(await counts()).toEqual(numbers);
    expect((await daybook.stats()).eventCount).toBe(before.eventCount);
  });

  it("an event of the tracking spec is stored as its table says", async () => {
    const call = { event: "Signed Up", userId: 7, timestamp: NOW_MS, properties: { plan: "pro" }, context: { screen: { width: 8, height: 6 }, page: { url: "https://shop.example/a?b=c" } } };
    expect((await post("/v1/track", call)).json).toMatchObject({ accepted: 1 });
    const page = await daybook.searchEvents({ eventName: "Signed Up" });
    expect(page.events).toMatchObject([{ userId: "7", slug: "signed-up", url: "/a?b=c", hostname: "shop.example", screen: "8x6", metadata: { plan: "pro" }, createdAt: "2026-03-10T12:00:00.000Z" }]);
    const deep = JSON.parse(`${"[".repeat(20)}${"]".repeat(20)}`) as unknown;
    const sent = await post("/v1/track", { event: "a", properties: { deep } });
    expect([sent.status, codeOf(sent)]).toEqual([400, "invalid_event"]);
  });

  it("an identify call without ids is refused in the names of the call", async () => {
    const sent = await post("/v1/identify", { traits: { email: "a@b.c" } });
    expect([sent.status, codeOf(sent), sent.json["param"]]).toEqual([400, "invalid_parameter", "userId"]);
  });
});

describe("a privacy request over a real Daybook", () => {
  const create = async (body: object) => {
    const sent = await post("/v1/privacy-requests", body);
    expect(sent.status).toBe(201);
    return sent.json["id"] as string;
  };
  const step = async (id: string, name: string, body?: object) => {
    const sent = await post(`/v1/privacy-requests/${id}/${name}`, body);
    return sent.status === 200 ? sent.json["status"] : codeOf(sent);
  };

  it("goes its way, each answer being the library's", async () => {
    const id = await create({ type: "rectification", subject: { email: "ANN@example.org" }, regulation: "ccpa" });
    expect(await daybook.privacyRequests.get(id)).toMatchObject({ subject: { email: "ann@example.org" }, dueAt: "2026-04-24T12:00:00.000Z" });
    expect(await step(id, "acknowledge")).toBe("invalid_transition");
    expect([await step(id, "verify"), await step(id, "acknowledge"), await step(id, "extend")]).toEqual(["submitted", "acknowledged", "acknowledged"]);
    expect(await step(id, "resolve", { resolution: "completed" })).toBe("resolved");
    clock.set(NOW_MS + 1);
    const second = await create({ type: "opt_out", subject: { user_id: "nobody" } });
    const list = await get(handler, "/v1/privacy-requests");
    expect(list.json).toEqual({ privacy_requests: wire(await daybook.privacyRequests.list()) });
    expect((list.json["privacy_requests"] as { id: string }[]).map((request) => request.id)).toEqual([second, id]);
    // A request is about a person, in all projects: one that names a project would not do what it says.
    const ofProject = await post("/v1/privacy-requests", { type: "erasure", subject: { user_id: "u" }, project: "shop" });
    expect([ofProject.status, ofProject.json["code"], ofProject.json["param"]]).toEqual([400, "unknown_parameter", "project"]);
    expect(list.json["privacy_requests"]).toEqual([expect.objectContaining({ project: null }), expect.objectContaining({ project: null })]);
    expect(await step("none", "verify")).toBe("privacy_request_not_found");
  });

  it("for access gives out a bundle, once it is acknowledged", async () => {
    const id = await create({ type: "access", subject: { user_id: "u1" } });
    const bundle = async () => await get(handler, `/v1/privacy-requests/${id}/bundle`);
    expect(codeOf(await bundle())).toBe("invalid_transition");
    await step(id, "verify");
    await step(id, "acknowledge");
    const sent = await bundle();
    let lines = "";
    for await (const line of daybook.privacyRequests.bundle(id)) lines += line;
    expect(sent.text).toBe(lines);
    expect(lines.trim().split("\n").map((line) => (JSON.parse(line) as { kind: string }).kind).sort()).toEqual([
      "alias", ...Array<string>(8).fill("event"), "group", "identify", "identity",
    ]);
  });

  it("for erasure leaves nobody behind, and nobody comes back", async () => {
    const id = await create({ type: "erasure", subject: { email: "ann@example.org" } });
    await step(id, "verify");
    await step(id, "acknowledge");
    const sent = await post(`/v1/privacy-requests/${id}/resolve`, { resolution: "completed" });
    expect(sent.json).toMatchObject({ status: "resolved", subject: { erased: true }, receipt: { events: 8, identify_calls: 1, group_calls: 1, alias_calls: 1 } });
    expect(codeOf(await get(handler, "/v1/identities/profile?user_id=u1"))).toBe("identity_not_found");
    const again = await post("/v1/batch", { batch: CALLS });
    expect(again.status).toBe(200);
    const rejected = again.json["rejected"] as { index: number; code: string }[];
    expect(new Set(rejected.map(({ code }) => code))).toEqual(new Set(["suppressed"]));
    expect(rejected).toHaveLength(11);
    const single = await post("/v1/identify", CALLS.find(({ type }) => type === "identify"));
    expect([single.status, single.json]).toMatchObject([200, { accepted: 0, rejected: [{ code: "suppressed" }] }]);
  });
});
