import { expect, test } from "vitest";
import { planCompanyTopUsers, planTopCompanies } from "../../../src/query/plan/reports/companies.js";
import { DAY_MS, ruled } from "./ruled-context.js";
import { thrown } from "./thrown.js";

const top = (input?: unknown) => planTopCompanies(input, ruled);
const users = (input: object) => planCompanyTopUsers({ companyId: "acme", ...input }, ruled);

test("the companies of the last 30 days are ranked by users, fifty of them", () => {
  const window = { fromMs: ruled.nowMs - 30 * DAY_MS, toMs: ruled.nowMs + 1 };
  expect(top()).toMatchObject({ report: "topCompanies", sort: "users", limit: 50, window, range: window, revenue: ruled.rules.revenue });
  expect(top({ sort: null, limit: null, rangeDays: null })).toEqual(top({}));
  expect(users({})).toMatchObject({ report: "companyTopUsers", companyId: "acme", limit: 20, window, range: window });
});

test("the window is a number of days before now, inclusive", () => {
  for (const plan of [top, users]) {
    expect(plan({ rangeDays: 1 }).window).toEqual({ fromMs: ruled.nowMs - DAY_MS, toMs: ruled.nowMs + 1 });
    expect(plan({ rangeDays: 365 }).window.fromMs).toBe(ruled.nowMs - 365 * DAY_MS);
    for (const rangeDays of [0, 366, 1.5, "30", -1]) expect(thrown(() => plan({ rangeDays })), String(rangeDays)).toEqual(["invalid_parameter", "rangeDays"]);
  }
  expect(planTopCompanies({ rangeDays: 365 }, { ...ruled, nowMs: DAY_MS }).window.fromMs).toBe(0);
});

test.each(["users", "events", "last_seen", "revenue"])("companies are sorted by %s", (sort) => {
  expect(top({ sort }).sort).toBe(sort);
});

test.each(["", "Users", "lastSeen", 0, [], {}])("a sort of %j is refused", (sort) => {
  expect(thrown(() => top({ sort }))).toEqual(["invalid_parameter", "sort"]);
});

test("limits have bounds; only the library's companyTopUsers takes Infinity, for all", () => {
  expect([top({ limit: 1 }).limit, top({ limit: 200 }).limit, users({ limit: 1 }).limit, users({ limit: 100 }).limit]).toEqual([1, 200, 1, 100]);
  expect(users({ limit: Number.POSITIVE_INFINITY }).limit).toBeNull();
  for (const limit of [0, 201, 1.5, "5", Number.POSITIVE_INFINITY]) expect(thrown(() => top({ limit }))).toEqual(["invalid_parameter", "limit"]);
  for (const limit of [0, 101, 1.5, "5", Number.NEGATIVE_INFINITY]) expect(thrown(() => users({ limit }))).toEqual(["invalid_parameter", "limit"]);
});

test("a company is named by text, and must be named", () => {
  for (const companyId of [undefined, null, "", 5, "\ud800"])
    expect(thrown(() => planCompanyTopUsers({ companyId }, ruled)), String(companyId)).toEqual(["invalid_parameter", "companyId"]);
  expect(planCompanyTopUsers({ companyId: " Acme " }, ruled).companyId).toBe(" Acme ");
});

test("unknown members are named", () => {
  expect(thrown(() => top({ startDate: "2026-03-01" }))).toEqual(["unknown_parameter", "startDate"]);
  expect(thrown(() => top({ range_days: 3 }))).toEqual(["unknown_parameter", "range_days"]);
  expect(thrown(() => users({ sort: "users" }))).toEqual(["unknown_parameter", "sort"]);
  expect(thrown(() => planCompanyTopUsers([], ruled))).toEqual(["invalid_parameter", "input"]);
});
