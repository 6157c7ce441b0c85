import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { insightBodies } from "../../src/http/shapes/insight-bodies.js";
import { curlOf, keyOf } from "../../src/page/ask/question.js";
import { searchQuestion } from "../../src/page/ask/questions/events.js";
import { revenueTrendQuestion, visitsByQuestion, webQuestion } from "../../src/page/ask/questions/overview.js";
import { companiesQuestion, companyDays, profileQuestion } from "../../src/page/ask/questions/people.js";
import { funnelQuestion, lifecycleQuestion, pathsQuestion, retentionQuestion, stickinessQuestion } from "../../src/page/ask/questions/product.js";
import { attributionQuestion } from "../../src/page/ask/questions/revenue.js";
import { trendQuestion } from "../../src/page/ask/questions/trends.js";
import { pictureOf } from "../../src/page/state/address.js";
import type { Picture } from "../../src/page/state/picture.js";
import { scopeOf, type ViewScope } from "../../src/page/state/scope.js";
import { picture } from "./random-picture.js";

const NOW_MS = Date.parse("2026-03-10T23:30:00Z");
const scoped = (shown: Picture): ViewScope => scopeOf(shown, { nowMs: NOW_MS, extent: null });
const scope = (search: string) => scoped(pictureOf(`project=shop&zone=Europe/Berlin&${search}`));

describe("a question of a picture", () => {
  test("has the shape that its route takes, whatever was chosen", () => {
    fc.assert(
      fc.property(picture, (shown) => {
        const { funnels, paths, retention, trends } = shown.choices;
        const at = scoped(shown);
        insightBodies.webOverview.parse(webQuestion(at).body);
        insightBodies.sessionsOverview.parse(visitsByQuestion(at, ["screen"]).body);
        insightBodies.trend.parse(revenueTrendQuestion(at).body);
        insightBodies.trend.parse(trendQuestion(at, trends)?.body ?? {});
        insightBodies.funnel.parse(funnelQuestion(at, funnels)?.body ?? { steps: [] });
        insightBodies.retention.parse(retentionQuestion(at, retention).body);
        insightBodies.lifecycle.parse(lifecycleQuestion(at, retention).body);
        insightBodies.stickiness.parse(stickinessQuestion(at, retention).body);
        insightBodies.paths.parse(pathsQuestion(at, paths).body);
      }),
      { numRuns: 200 },
    );
  });

  test("is of the days of the reader's zone, where today has begun already", () => {
    expect(webQuestion(scope("period=7d&filter=device~is~mobile&filter=referrer~is_set"))).toEqual({
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
    const { retention } = pictureOf("view=retention&retention.cohort=Checkout~device~is~mobile&retention.unit=day").choices;
    const at = scope("period=today&filter=os~is~iOS");
    const filters = [
      { field_name: "os", operator: "is", value: "iOS" },
      { field_name: "device", operator: "is", value: "mobile" },
    ];
    const chosen = { event_name: "Checkout", filter_groups: [{ filters }] };
    expect(lifecycleQuestion(at, retention).body).toMatchObject({ ...chosen, interval: "day" });
    expect(stickinessQuestion(at, retention).body).toMatchObject({ ...chosen, interval: "total", unit: "day" });
  });

  test("compares only what has two ends", () => {
    expect(webQuestion(scope("period=all")).body).not.toHaveProperty("compare");
    expect(webQuestion(scope("compare=none")).body).not.toHaveProperty("compare");
    expect(webQuestion(scope("compare=year")).body).toMatchObject({ compare: "previous_year" });
  });

  test("of days that are UTC's is asked by instants", () => {
    expect(searchQuestion(scope("period=2026-03-01..2026-03-02"), { event: "" }, "c1").body).toEqual({
      start_date: "2026-02-28T23:00:00.000Z",
      end_date: "2026-03-02T22:59:59.999Z",
      filter_groups: [{ filters: [{ field_name: "project", operator: "is", value: "shop" }] }],
      limit: 50,
      all_fields: true,
      cursor: "c1",
    });
    expect(profileQuestion(scope("period=all"), " ann@example.org ").path).toBe(
      "/v1/identities/profile?email=ann%40example.org&start_date=1970-01-01&end_date=9999-12-31",
    );
    expect(profileQuestion(scope("period=all"), "u 1").path).toContain("user_id=u+1&");
    expect(attributionQuestion(scope("period=2026-03-01"), { model: "last_touch", level: "account", dimension: "medium" }).path).toBe(
      "/v1/projects/shop/revenue/by-attribution?model=last_touch&level=account&dimension=medium&" +
        "start_date=2026-02-28T23%3A00%3A00.000Z&end_date=2026-03-01T22%3A59%3A59.999Z&limit=50",
    );
  });

  test("about companies looks back as far as it may, and says where that is not enough", () => {
    expect(companyDays(scope("period=30d"))).toEqual({ days: 30, isCut: false });
    expect(companyDays(scope("period=all"))).toEqual({ days: 365, isCut: true });
    expect(companiesQuestion(scope("period=today"), { sort: "users" }).path).toBe("/v1/companies/top?range_days=1&sort=users&limit=100");
  });

  test("is none while something is missing", () => {
    const { funnels, trends } = pictureOf("").choices;
    expect(trendQuestion(scope(""), { ...trends, measure: "avg" })).toBeNull();
    expect(trendQuestion(scope(""), { ...trends, measure: "avg", field: "price" })?.body).toMatchObject({ measure: { type: "avg", field: "price" } });
    const step = [
      { event: "a", filters: [] },
      { event: "", filters: [] },
    ];
    expect(funnelQuestion(scope(""), { ...funnels, step })).toBeNull();
    expect(funnelQuestion(scope(""), { ...funnels, step: step.slice(0, 1) })).toBeNull();
  });

  test("names its project so that no name leads elsewhere", () => {
    expect(webQuestion(scopeOf({ ...pictureOf(""), project: "../a b/?" }, { nowMs: NOW_MS, extent: null })).path).toBe(
      "/v1/projects/..%2Fa%20b%2F%3F/insights/web",
    );
  });

  test("is shown for a terminal without the token, quoted for the shell", () => {
    const question = { method: "POST", path: "/v1/x", body: { name: "it's $HOME" } } as const;
    expect(curlOf(question, "http://here")).toBe(
      `curl 'http://here/v1/x' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  ` +
        `-H "Content-Type: application/json" \\\n  -d '{"name":"it'\\''s $HOME"}'`,
    );
    expect(keyOf(question)).not.toBe(keyOf({ ...question, body: null }));
  });
});
