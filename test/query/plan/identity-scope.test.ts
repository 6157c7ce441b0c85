import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { planIdentityDeviceGeo, planIdentityProfile, planIdentityReferrers, planIdentitySessions } from "../../../src/query/plan/reports/identity.js";
import { DAY_MS, ruled } from "./ruled-context.js";
import { thrown } from "./thrown.js";

const planners = { planIdentitySessions, planIdentityProfile, planIdentityReferrers, planIdentityDeviceGeo };

describe.each(Object.entries(planners))("%s", (_, plan) => {
  const refused = (input: unknown) => thrown(() => plan(input, ruled));

  test("looks at all rows, and at the last 30 days to the millisecond", () => {
    expect(plan({ userId: "u1" }, ruled)).toMatchObject({
      person: { kind: "userId", userId: "u1" },
      range: { fromMs: 0, toMs: LIMITS.instantMaxMs },
      where: [],
      project: null,
      eventName: null,
      userId: null,
      window: { fromMs: ruled.nowMs - 30 * DAY_MS, toMs: ruled.nowMs + 1 },
    });
  });

  test("takes dates inclusively on both sides, one of them or both", () => {
    const startDate = "2026-03-01";
    const endDate = "2026-03-02";
    expect(plan({ userId: "u1", startDate, endDate }, ruled).window).toEqual({ fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 2, 3) });
    expect(plan({ userId: "u1", startDate }, ruled).window).toEqual({ fromMs: Date.UTC(2026, 2, 1), toMs: ruled.nowMs + 1 });
    expect(plan({ userId: "u1", endDate }, ruled).window).toEqual({ fromMs: ruled.nowMs - 30 * DAY_MS, toMs: Date.UTC(2026, 2, 3) });
  });

  test("compares emails trimmed and in lower case, ids as they stand", () => {
    expect(plan({ email: "  Ann@Example.COM " }, ruled).person).toEqual({ kind: "email", email: "ann@example.com" });
    expect(plan({ userId: " Ann@Example.COM " }, ruled).person).toEqual({ kind: "userId", userId: " Ann@Example.COM " });
  });

  test("counts an empty text and null as not given", () => {
    expect(plan({ email: "", userId: "u1" }, ruled).person).toEqual({ kind: "userId", userId: "u1" });
    expect(plan({ email: "a@b", userId: null }, ruled).person).toEqual({ kind: "email", email: "a@b" });
  });

  test.each([{}, undefined, null, { email: "", userId: "" }, { email: null }, { email: "a@b", userId: "u1" }])("refuses both and neither: %j", (input) => {
    expect(refused(input)).toEqual(["exactly_one_required", "email"]);
  });

  test("refuses what is no text, no date, no known member and no object", () => {
    expect(refused({ userId: 5 })).toEqual(["invalid_parameter", "userId"]);
    expect(refused({ email: ["a@b"] })).toEqual(["invalid_parameter", "email"]);
    expect(refused({ userId: "\ud800" })).toEqual(["invalid_parameter", "userId"]);
    expect(refused({ userId: "u1", startDate: "2026-02-30" })).toEqual(["invalid_date", "startDate"]);
    expect(refused({ userId: "u1", endDate: "" })).toEqual(["invalid_date", "endDate"]);
    expect(refused({ userId: "u1", startDate: "2026-03-02", endDate: "2026-03-01" })).toEqual(["invalid_date_range", "startDate"]);
    expect(refused({ userId: "u1", project: "web" })).toEqual(["unknown_parameter", "project"]);
    expect(refused({ userId: "u1", user_id: "u1" })).toEqual(["unknown_parameter", "user_id"]);
    expect(refused("u1")).toEqual(["invalid_parameter", "input"]);
  });
});

test.each([
  ["sessions", planIdentitySessions, 50, 100],
  ["referrers", planIdentityReferrers, 10, 50],
] as const)("%s take a limit within bounds, and no other", (_, plan, byDefault, max) => {
  const limitOf = (limit: unknown) => plan({ userId: "u1", limit }, ruled).limit;
  expect([limitOf(null), limitOf(1), limitOf(max)]).toEqual([byDefault, 1, max]);
  for (const limit of [0, -1, max + 1, 1.5, "10", Number.NaN, Number.POSITIVE_INFINITY, true])
    expect(thrown(() => limitOf(limit)), String(limit)).toEqual(["invalid_parameter", "limit"]);
});

test.each([planIdentityProfile, planIdentityDeviceGeo])("a report without pages takes neither limit nor cursor", (plan) => {
  expect(thrown(() => plan({ userId: "u1", limit: 5 }, ruled))).toEqual(["unknown_parameter", "limit"]);
  expect(thrown(() => plan({ userId: "u1", cursor: "x" }, ruled))).toEqual(["unknown_parameter", "cursor"]);
});

test("rules come from the options", () => {
  const { session, pageviewSlugs, revenue, touch } = ruled.rules;
  expect(planIdentitySessions({ userId: "u1" }, ruled)).toMatchObject({ session, pageviewSlugs, revenue, touch });
  expect(planIdentityProfile({ userId: "u1" }, ruled)).toMatchObject({ session, pageviewSlugs, revenue });
});
