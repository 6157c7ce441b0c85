import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { planLtvCohorts, planRevenueByAttribution } from "../../../src/query/plan/reports/revenue.js";
import { DAY_MS, ruled } from "./ruled-context.js";
import { thrown } from "./thrown.js";

const everything = { project: null, eventName: null, userId: null, range: { fromMs: 0, toMs: LIMITS.instantMaxMs }, where: [] };

describe("revenue by attribution", () => {
  const plan = (input: unknown) => planRevenueByAttribution(input, ruled);

  test("settles to the first touch of accounts by source, of the last 30 days, 20 rows, whatever is null", () => {
    const settled = {
      report: "revenueByAttribution",
      ...everything,
      window: { fromMs: ruled.nowMs - 30 * DAY_MS, toMs: ruled.nowMs + 1 },
      payProject: "shop",
      model: "first_touch",
      level: "account",
      dimension: "source",
      limit: 20,
      revenue: ruled.rules.revenue,
      touch: ruled.rules.touch,
    };
    expect(plan({ project: "shop" })).toEqual(settled);
    const nulls = { model: null, level: null, dimension: null, startDate: null, endDate: null, limit: null };
    expect(plan({ project: "shop", ...nulls })).toEqual(settled);
  });

  test("takes what is given", () => {
    const given = { model: "last_touch", level: "identity", dimension: "campaign", limit: 100 };
    expect(plan({ project: " shop ", ...given, startDate: "2026-03-01", endDate: "2026-03-01" })).toMatchObject({
      ...given,
      payProject: " shop ",
      window: { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 2, 2) },
    });
  });

  test.each<[code: string, param: string, input: object]>([
    ["invalid_parameter", "project", { project: null }],
    ["invalid_parameter", "project", { project: "" }],
    ["invalid_parameter", "project", { project: 5 }],
    ["invalid_parameter", "model", { model: "linear" }],
    ["invalid_parameter", "level", { level: "company" }],
    ["invalid_parameter", "dimension", { dimension: "term" }],
    ["invalid_parameter", "limit", { limit: 0 }],
    ["invalid_parameter", "limit", { limit: 101 }],
    ["invalid_date", "startDate", { startDate: "yesterday" }],
    ["invalid_date_range", "startDate", { startDate: "2026-03-02", endDate: "2026-03-01" }],
    ["unknown_parameter", "currency", { currency: "EUR" }],
  ])("%s of %s (%j)", (code, param, input) => {
    expect(thrown(() => plan({ project: "shop", ...input }))).toEqual([code, param]);
  });

  test("nothing at all lacks a project", () => {
    expect(thrown(() => plan(undefined))).toEqual(["invalid_parameter", "project"]);
  });
});

describe("cohorts", () => {
  const plan = (input: unknown) => planLtvCohorts(input, ruled);

  test("settle to accounts, the newest 24 months", () => {
    const settled = { report: "ltvCohorts", ...everything, payProject: "shop", level: "account", limit: 24, revenue: ruled.rules.revenue };
    expect(plan({ project: "shop" })).toMatchObject(settled);
    expect(plan({ project: "shop", level: null, limit: null })).toMatchObject(settled);
    expect(plan({ project: "shop", level: "identity", limit: 60 })).toMatchObject({ level: "identity", limit: 60 });
  });

  test.each<[code: string, param: string, input: object]>([
    ["invalid_parameter", "project", { project: null }],
    ["invalid_parameter", "level", { level: "user" }],
    ["invalid_parameter", "limit", { limit: 61 }],
    ["unknown_parameter", "startDate", { startDate: "2026-03-01" }],
  ])("%s of %s (%j)", (code, param, input) => {
    expect(thrown(() => plan({ project: "shop", ...input }))).toEqual([code, param]);
  });
});
