import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { insightBodies } from "../../src/http/shapes/insights.js";
import {
  curlOf, keyOf, searchQuery, companiesQuery, companyDays, profileQuery, revenueTrendQuery, visitsByQuery, webQuery, funnelQuery, lifecycleQuery,
  pathsQuery, retentionQuery, stickinessQuery, attributionQuery, trendQuery,
} from "../../src/page/api/queries.js";
import { viewStateOf, scopeOf, type ViewState, type ViewScope } from "../../src/page/state/view-state.js";
import { picture } from "./random-picture.js";

const NOW_MS = Date.parse("2026-03-10T23:30:00Z");
const scoped = (shown: ViewState): ViewScope => scopeOf(shown, { nowMs: NOW_MS, extent: null });
const scope = (search: string) => scoped(viewStateOf(`project=shop&zone=Europe/Berlin&${search}`));

describe("a query of a picture", () => {
  test("has the shape that its route takes, whatever was chosen", () => {
    fc.assert(
      fc.property(picture, (shown) => {
        const { funnels, paths, retention, trends } = shown.choices;
        const at = scoped(shown);
        insightBodies.webOverview.parse(webQuery(at).body);
        insightBodies.sessionsOverview.parse(visitsByQuery(at, ["screen"]).body);
        insightBodies.trend.parse(revenueTrendQuery(at).body);
        insightBodies.trend.parse(trendQuery(at, trends)?.body ?? {});
        insightBodies.funnel.parse(funnelQuery(at, funnels)?.body ?? { steps: [] });
        insightBodies.retention.parse(retentionQuery(at, retention).body);
        insightBodies.lifecycle.parse(lifecycleQuery(at, retention).body);
        insightBodies.stickiness.parse(stickinessQuery(at, retention).body);
        insightBodies.paths.parse(pathsQuery(at, paths).body);
      }),
      { numRuns: 200 },
    );
  });

  test("is of the days of the reader's zone, where today has begun already", () => {
    expect(webQuery(scope("period=7d&filter=device~is~mobile&filter=referrer~is_set"))).toEqual({
      method: "POST",
      path: "/v1/projects/shop/insights/web",
      body: {
        filter_groups: [
          {
            filters: [
              { field_name: "device", operator: "is", value: "mobile" },
              { field_name: "referrer", operator: "is_set" },
            ],
          },
        ],
        start_date: "2026-03-05",
        end_date: "2026-03-11",
        time_zone: "Europe/Berlin",
        interval: "day",
        compare: "previous_period",
        limit: 9,
      },
    });
  });

  test("about who is new, and how often people come, is of the events that were chosen", () => {
    const { retention } = viewStateOf("view=retention&retention.cohort=Checkout~device~is~mobile&retention.unit=day").choices;
    const at = scope("period=today&filter=os~is~iOS");
    const filters = [
      { field_name: "os", operator: "is", value: "iOS" },
      { field_name: "device", operator: "is", value: "mobile" },
    ];
    const chosen = { event_name: "Checkout", filter_groups: [{ filters }] };
    expect(lifecycleQuery(at, retention).body).toMatchObject({ ...chosen, interval: "day" });
    expect(stickinessQuery(at, retention).body).toMatchObject({ ...chosen, interval: "total", unit: "day" });
  });

  test("compares only what has two ends", () => {
    expect(webQuery(scope("period=all")).body).not.toHaveProperty("compare");
    expect(webQuery(scope("compare=none")).body).not.toHaveProperty("compare");
    expect(webQuery(scope("compare=year")).body).toMatchObject({ compare: "previous_year" });
  });

  test("of days that are UTC's is asked by instants", () => {
    expect(searchQuery(scope("period=2026-03-01..2026-03-02"), { event: "" }, "c1").body).toEqual({
      start_date: "2026-02-28T23:00:00.000Z",
      end_date: "2026-03-02T22:59:59.999Z",
      filter_groups: [{ filters: [{ field_name: "project", operator: "is", value: "shop" }] }],
      limit: 50,
      all_fields: true,
      cursor: "c1",
    });
    expect(profileQuery(scope("period=all"), " ann@example.org ").path).toBe(
      "/v1/identities/profile?email=ann%40example.org&start_date=1970-01-01&end_date=9999-12-31",
    );
    expect(profileQuery(scope("period=all"), "u 1").path).toContain("user_id=u+1&");
    expect(attributionQuery(scope("period=2026-03-01"), { model: "last_touch", level: "account", dimension: "medium" }).path).toBe(
      "/v1/projects/shop/revenue/by-attribution?model=last_touch&level=account&dimension=medium&" +
        "start_date=2026-02-28T23%3A00%3A00.000Z&end_date=2026-03-01T22%3A59%3A59.999Z&limit=50",
    );
  });

  test("about companies looks back as far as it may, and says where that is not enough", () => {
    expect(companyDays(scope("period=30d"))).toEqual({ days: 30, isCut: false });
    expect(companyDays(scope("period=all"))).toEqual({ days: 365, isCut: true });
    expect(companiesQuery(scope("period=today"), { sort: "users" }).path).toBe("/v1/companies/top?range_days=1&sort=users&limit=100");
  });

  test("is none while something is missing", () => {
    const { funnels, trends } = viewStateOf("").choices;
    expect(trendQuery(scope(""), { ...trends, measure: "avg" })).toBeNull();
    expect(trendQuery(scope(""), { ...trends, measure: "avg", field: "price" })?.body).toMatchObject({ measure: { type: "avg", field: "price" } });
    const step = [
      { event: "a", filters: [] },
      { event: "", filters: [] },
    ];
    expect(funnelQuery(scope(""), { ...funnels, step })).toBeNull();
    expect(funnelQuery(scope(""), { ...funnels, step: step.slice(0, 1) })).toBeNull();
  });

  test("names its project so that no name leads elsewhere", () => {
    expect(webQuery(scopeOf({ ...viewStateOf(""), project: "../a b/?" }, { nowMs: NOW_MS, extent: null })).path).toBe(
      "/v1/projects/..%2Fa%20b%2F%3F/insights/web",
    );
  });

  test("is shown for a terminal without the token, quoted for the shell", () => {
    const query = { method: "POST", path: "/v1/x", body: { name: "it's $HOME" } } as const;
    expect(curlOf(query, "http://here")).toBe(
      `curl 'http://here/v1/x' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  ` +
        `-H "Content-Type: application/json" \\\n  -d '{"name":"it'\\''s $HOME"}'`,
    );
    expect(keyOf(query)).not.toBe(keyOf({ ...query, body: null }));
  });
});
