import { describe, expect, it } from "vitest";
import { DaybookError, type ErrorCode } from "../../../src/core/base/errors.js";
import type { QueryOptions } from "../../../src/query/queries.js";
import { routes } from "../../../src/http/routes/table.js";
import { codeOf, get, handlerOf, stubDaybook } from "../kit.js";
import { REPORT_ANSWERS } from "../report-answers.js";

const REVENUE = "/v1/projects/shop/revenue";
const window = { startDate: null, endDate: null };

describe("the reports asked with GET", () => {
  it.each([
    ["/v1/identities/sessions?user_id=u1", "identitySessions", { email: null, userId: "u1", ...window, limit: null, cursor: null }],
    ["/v1/identities/profile?email=a%40b.c&end_date=2026-03-02", "identityProfile", { email: "a@b.c", userId: null, startDate: null, endDate: "2026-03-02" }],
    ["/v1/identities/referrers?user_id=u+1&limit=7", "identityReferrers", { email: null, userId: "u 1", ...window, limit: 7 }],
    ["/v1/identities/device-geo?user_id=u1&start_date=2026-03-01T00:00:00Z", "identityDeviceGeo", { email: null, userId: "u1", startDate: "2026-03-01T00:00:00Z", endDate: null }],
    [`${REVENUE}/by-attribution`, "revenueByAttribution", { project: "shop", model: null, level: null, dimension: null, ...window, limit: null }],
    [
      `${REVENUE}/by-attribution?model=last_touch&level=identity&dimension=medium&start_date=2026-03-01&end_date=2026-03-02&limit=100`,
      "revenueByAttribution",
      { project: "shop", model: "last_touch", level: "identity", dimension: "medium", startDate: "2026-03-01", endDate: "2026-03-02", limit: 100 },
    ],
    [`${REVENUE}/ltv-cohorts?level=identity&limit=60`, "ltvCohorts", { project: "shop", level: "identity", limit: 60 }],
    ["/v1/companies/top", "topCompanies", { rangeDays: null, sort: null, limit: null }],
    ["/v1/companies/top?range_days=365&sort=last_seen&limit=200", "topCompanies", { rangeDays: 365, sort: "last_seen", limit: 200 }],
    ["/v1/companies/acme/top-users?range_days=1&limit=1", "companyTopUsers", { companyId: "acme", rangeDays: 1, limit: 1 }],
  ])("%s asks %s", async (path, method, input) => {
    const daybook = stubDaybook();
    const sent = await get(handlerOf(daybook), path);
    expect(sent.status).toBe(200);
    expect(sent.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(daybook.asked).toMatchObject([{ method, input }]);
    expect((daybook.asked[0]?.options as QueryOptions).signal?.aborted).toBe(false);
  });

  it("answer in the names of the wire, at every level", async () => {
    const handler = handlerOf(stubDaybook());
    const { json: sessions } = await get(handler, "/v1/identities/sessions?user_id=u1");
    expect(sessions).toMatchObject({ identity_id: "idn_1", cursor: "next", sessions: [{ session_id: "ses_1", is_bounce: true, utm_source: "mail", location_city: "Berlin", duration_sec: 0 }] });
    const { json: profile } = await get(handler, "/v1/identities/profile?user_id=u1");
    expect(Object.keys(profile)).toEqual([
      "identity_id", "events", "pageviews", "sessions", "duration_avg_sec", "duration_p90_sec", "bounce_rate", "active_days",
      "first_seen", "last_seen", "revenue", "currency",
    ]);
    const { json: geo } = await get(handler, "/v1/identities/device-geo?user_id=u1");
    expect(geo).toMatchObject({ current: { location_lat: "52.5", seen_at: expect.any(String) as string }, history: [{ first_seen: expect.any(String) as string, events: 4 }] });
    const { json: rows } = await get(handler, `${REVENUE}/by-attribution`);
    expect(rows).toEqual(REPORT_ANSWERS.revenueByAttribution);
    const { json: companies } = await get(handler, "/v1/companies/top");
    expect(companies).toMatchObject({ companies: [{ company_id: "acme", last_seen: expect.any(String) as string }] });
    const { json: users } = await get(handler, "/v1/companies/acme/top-users");
    expect(users).toMatchObject({ company_id: "acme", users: [{ resolved_identifier: "ann@example.org" }] });
  });

  it("decode what the path names, and take a company called top", async () => {
    const daybook = stubDaybook({ projects: () => ["sh/op ü"] });
    const handler = handlerOf(daybook);
    await get(handler, "/v1/companies/a%2Fb%20%C3%A9+c%25/top-users");
    await get(handler, "/v1/companies/top/top-users");
    expect((await get(handler, "/v1/projects/sh%2Fop%20%C3%BC/revenue/ltv-cohorts")).status).toBe(200);
    expect(daybook.asked).toMatchObject([{ input: { companyId: "a/b é+c%" } }, { input: { companyId: "top" } }, { input: { project: "sh/op ü" } }]);
    for (const broken of ["/v1/companies/%ff/top-users", "/v1/companies/%/top-users"]) expect(codeOf(await get(handler, broken))).toBe("invalid_parameter");
    expect((await get(handler, "/v1/companies//top-users")).status).toBe(404);
  });

  it("carry an entity tag, answer HEAD, and refuse POST", async () => {
    const handler = handlerOf(stubDaybook());
    const etag = (await get(handler, "/v1/companies/top")).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await get(handler, "/v1/companies/top", { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await get(handler, "/v1/companies/top", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    const post = await get(handler, "/v1/companies/top", { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});

describe("query parameters", () => {
  const refused = async (path: string) => {
    const daybook = stubDaybook();
    const sent = await get(handlerOf(daybook), path);
    expect(daybook.asked).toEqual([]);
    expect(sent.headers.get("content-type")).toBe("application/problem+json");
    return [sent.status, codeOf(sent), sent.json["param"]];
  };

  it.each(["+5", "%2B5", "5.0", "5e0", "%205", "5%20", "0x5", "", "05", "-0", "five", "%D9%A5", "5,0", "NaN", "Infinity", "0", "-1", "101", "9".repeat(40)])(
    "limit=%s is refused, never clamped",
    async (text) => {
      expect(await refused(`/v1/companies/acme/top-users?limit=${text}`)).toEqual([400, "invalid_parameter", "limit"]);
    },
  );

  it.each([
    ["/v1/companies/top?range_days=366", "invalid_parameter", "range_days"],
    ["/v1/companies/top?range_days=1.5", "invalid_parameter", "range_days"],
    ["/v1/companies/top?sort=name", "invalid_parameter", "sort"],
    ["/v1/companies/top?sort=", "invalid_parameter", "sort"],
    [`${REVENUE}/by-attribution?model=linear`, "invalid_parameter", "model"],
    [`${REVENUE}/by-attribution?level=Account`, "invalid_parameter", "level"],
    [`${REVENUE}/by-attribution?dimension=term`, "invalid_parameter", "dimension"],
    [`${REVENUE}/ltv-cohorts?start_date=2026-03-01`, "unknown_parameter", "start_date"],
    ["/v1/identities/profile?user_id=u&limit=5", "unknown_parameter", "limit"],
    ["/v1/identities/profile?userId=u", "unknown_parameter", "userId"],
    ["/v1/identities/profile?user_id=u&user_id=u", "duplicate_parameter", "user_id"],
    ["/v1/identities/profile?user_id=u&user%5Fid=u", "duplicate_parameter", "user_id"],
    ["/v1/identities/profile?user_id=%ff", "invalid_parameter", "query"],
    ["/v1/identities/profile", "exactly_one_required", "email"],
    ["/v1/identities/profile?email=&user_id=", "exactly_one_required", "email"],
    ["/v1/identities/profile?email=a@b.c&user_id=u", "exactly_one_required", "email"],
    ["/v1/identities/sessions?user_id=u&cursor=x", "invalid_cursor", "cursor"],
    ["/v1/identities/sessions?user_id=u&cursor=", "invalid_cursor", "cursor"],
    ["/v1/identities/sessions?user_id=u&start_date=yesterday", "invalid_date", "start_date"],
    ["/v1/identities/sessions?user_id=u&start_date=", "invalid_date", "start_date"],
    ["/v1/identities/sessions?user_id=u&start_date=2026-03-02&end_date=2026-03-01", "invalid_date_range", "start_date"],
  ])("%s is %s", async (path, code, param) => {
    expect(await refused(path)).toEqual([400, code, param]);
  });

  it("an empty email counts as none, and messages speak the names of the wire", async () => {
    const daybook = stubDaybook();
    expect((await get(handlerOf(daybook), "/v1/identities/profile?email=&user_id=u")).status).toBe(200);
    const neither = await get(handlerOf(daybook), "/v1/identities/profile");
    expect(neither.json["detail"]).toBe("email: expected exactly one of email and user_id, got neither");
    const range = await get(handlerOf(daybook), "/v1/companies/top?range_days=0");
    expect(range.json["detail"]).toBe("range_days: expected an integer from 1 to 365, got 0");
  });

  it("describe the very bounds that queries are held to", async () => {
    const path = (pattern: string) => pattern.replace("{project_id}", "shop").replace("{company_id}", "acme");
    const described = routes
      .filter(({ method, access }) => method === "GET" && access?.role === "admin")
      .flatMap((route) => Object.entries(route.query.shape).map(([name, schema]) => ({ route, name, range: (schema as { meta(): Record<string, unknown> | undefined }).meta() })))
      .filter(({ range }) => range?.["type"] === "integer");
    expect(described).toHaveLength(8);
    for (const { route, name, range } of described) {
      const status = async (value: number) => (await get(handlerOf(stubDaybook()), `${path(route.path)}?${route.path.includes("identities") ? "user_id=u&" : ""}${name}=${value}`)).status;
      const [minimum, maximum] = [Number(range?.["minimum"]), Number(range?.["maximum"])];
      expect([route.path, name, await status(minimum - 1), await status(minimum), await status(maximum), await status(maximum + 1)]).toEqual([route.path, name, 400, 200, 200, 400]);
    }
  });
});

describe("errors of the reports", () => {
  it.each([
    ["/v1/identities/sessions?user_id=u", "identitySessions", "identity_not_found"],
    ["/v1/identities/profile?user_id=u", "identityProfile", "identity_not_found"],
    ["/v1/identities/referrers?user_id=u", "identityReferrers", "identity_not_found"],
    ["/v1/identities/device-geo?user_id=u", "identityDeviceGeo", "identity_not_found"],
    ["/v1/companies/none/top-users", "companyTopUsers", "company_not_found"],
  ] as const)("%s is 404 where there is nobody", async (path, method, code: ErrorCode) => {
    const sent = await get(handlerOf(stubDaybook({ [method]: () => Promise.reject(new DaybookError(code, "no such")) })), path);
    expect([sent.status, codeOf(sent)]).toEqual([404, code]);
  });

  it.each(["by-attribution", "ltv-cohorts"])("the revenue of an unknown or foreign project (%s) is one answer", async (report) => {
    const texts = new Set<string>();
    for (const [token, project] of [["sk_owner_0123456789abcdefgh", "unknown"], ["sk_owner_0123456789abcdefgh", "elsewhere"], ["sk_other_0123456789abcdefgh", "shop"]] as const) {
      const sent = await get(handlerOf(stubDaybook()), `/v1/projects/${project}/revenue/${report}`, { token });
      expect([sent.status, codeOf(sent)]).toEqual([404, "project_not_found"]);
      texts.add(sent.text);
    }
    expect(texts.size).toBe(1);
  });
});
