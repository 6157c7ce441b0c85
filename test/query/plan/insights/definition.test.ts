import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { seededRandom, type Random } from "daybook/testing";
import type { PlanContext, ReportRules } from "../../../../src/query/plan/plan.js";
import { insightQuery, type InsightName } from "../../../support/random/insight-queries.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { ruled } from "../ruled-context.js";
import { groups, INSIGHTS, is, planned, refusal } from "./planned.js";

const definition = (report: InsightName, input: object = {}, context: PlanContext = ruled) => planned(report, input, context).definition;
const withRules = (rules: Partial<ReportRules>): PlanContext => ({ ...ruled, rules: { ...ruled.rules, ...rules } });
const segments = { paying: { groups: [{ conditions: [{ type: "did", eventName: "Paid" }] }] } };
const isPaying = { filterGroups: groups([is("identity_id", "paying", "in_segment")]) };

test("a definition is a hash of what the query comes to, as JSON with sorted keys", () => {
  const text = `{"calendar":{"timeZone":"UTC","weekStart":0},"eventName":null,"interval":"day","isOpen":{"end":true,"start":true},"level":"identity",\
"options":{},"project":null,"range":{"fromMs":0,"toMs":253402300800000},"report":"lifecycle","semantics":1,"userId":null,"where":[]}`;
  expect(definition("lifecycle")).toBe(`def_${createHash("sha256").update(`definition\0${text}`).digest("hex").slice(0, 32)}`);
});

test("what stands in hundreds of places is read once", () => {
  const long = (value: string) => groups(...Array.from({ length: 20 }, () => [is("os", value.repeat(4_000)), is("os", "y")]));
  const steps = (value: string) => [{ filterGroups: long(value) }, ...Array.from({ length: 19 }, () => ({ eventName: "a" }))];
  const names = ["a", "b"].map((value) => definition("funnel", { filterGroups: long("x"), steps: steps(value) }));
  expect(new Set(names).size).toBe(2);
});

test.each(INSIGHTS)("%s has the same definition tomorrow", (report) => {
  expect(definition(report)).toMatch(/^def_[0-9a-f]{32}$/);
  expect(definition(report, {}, { ...ruled, nowMs: ruled.nowMs + 86_400_000 })).toBe(definition(report));
  expect(planned(report, {}, { ...ruled, nowMs: 1 }).nowMs).toBe(1);
});

test.each<[number | "latest"]>([[0], [7], ["latest"]])("a plan as of %s is another one, and has the same definition", (asOf) => {
  expect(planned("trend", { asOf })).not.toEqual(planned("trend"));
  expect(definition("trend", { asOf })).toBe(definition("trend"));
});

test.each<[string, InsightName, object, object]>([
  ["members in another order", "trend", { interval: "week", fill: false }, { fill: false, interval: "week" }],
  ["a default that is said", "trend", {}, { measure: { type: "events" }, interval: "day", fill: true, cumulative: false, timeZone: "UTC", weekStart: "monday" }],
  ["null", "paths", {}, { node: null, startAt: null, limit: null, asOf: null }],
  ["another name of a field", "trend", { breakdown: { fields: ["country"] } }, { breakdown: { fields: ["locationCountry"] } }],
  ["another spelling of an operator", "trend", { filterGroups: groups([is("os", "x", "=")]) }, { filterGroups: groups([is("os", "x", " EQUALS ")]) }],
  ["a group without filters", "trend", { filterGroups: groups([is("os", "x")]) }, { filterGroups: groups([], [is("os", "x")]) }],
  ["the same instants", "trend", { startDate: "2026-03-01", endDate: "2026-03-01" }, { startDate: "2026-03-01T01:00:00+01:00", endDate: new Date(Date.UTC(2026, 2, 2) - 1) }],
  ["another name of a segment", "trend", { ...isPaying, segments }, { filterGroups: groups([is("identityId", "p", "IN_SEGMENT")]), segments: { p: segments.paying } }],
  ["a segment that no filter names", "trend", {}, { segments }],
  ["a step's name that is its event's", "funnel", {}, { steps: [{ eventName: "a", name: "a" }, { eventName: "b" }] }],
  ["what is compared with, by the dates that it comes to", "webOverview", { startDate: "2027-03-01", endDate: "2028-02-28", compare: "previous_period" }, { startDate: "2027-03-01", endDate: "2028-02-28", compare: "previous_year" }],
])("equal plans have equal definitions: %s", (_title, report, one, other) => {
  const [a, b] = [planned(report, one), planned(report, other)];
  expect(a.definition).toBe(b.definition);
  expect(a).toEqual(b);
});

test.each<[string, InsightName, object, object]>([
  ["another zone of the same offset", "trend", { timeZone: "UTC" }, { timeZone: "Etc/UTC" }],
  ["another spelling of a zone, which is part of the answer to nothing but is not the same text", "trend", { timeZone: "Europe/Berlin" }, { timeZone: "europe/berlin" }],
  ["an open side", "trend", {}, { startDate: "1970-01-01", interval: "day" }],
  ["the first day of weeks", "trend", {}, { weekStart: "sunday" }],
  ["the interval", "trend", {}, { interval: "hour" }],
  ["the measure", "trend", {}, { measure: { type: "unique_users" } }],
  ["the percentile", "trend", { measure: { type: "p90", field: "value" } }, { measure: { type: "p95", field: "value" } }],
  ["the rest", "trend", { breakdown: { fields: ["os"] } }, { breakdown: { fields: ["os"], rest: true } }],
  ["the order of fields", "trend", { breakdown: { fields: ["os", "path"] } }, { breakdown: { fields: ["path", "os"] } }],
  ["what is compared with", "trend", { startDate: "2026-03-01", endDate: "2026-03-02" }, { startDate: "2026-03-01", endDate: "2026-03-02", compare: "previous_period" }],
  ["the project", "paths", {}, { project: "shop" }],
  ["a filter's complement", "paths", { filterGroups: groups([is("os", "x")]) }, { filterGroups: groups([is("os", "x", "!=")]) }],
  ["OR for AND", "paths", { filterGroups: groups([is("os", "x"), is("device", "y")]) }, { filterGroups: groups([is("os", "x")], [is("device", "y")]) }],
  ["out of the segment", "trend", { ...isPaying, segments }, { filterGroups: groups([is("identity_id", "paying", "not_in_segment")]), segments }],
  ["a step more", "funnel", {}, { steps: [{ eventName: "a" }, { eventName: "b" }, { eventName: "c" }] }],
  ["cohorts for returns", "retention", { cohortEvent: { eventName: "a" } }, { returnEvent: { eventName: "a" } }],
  ["the level", "lifecycle", {}, { level: "account" }],
  ["the unit", "stickiness", {}, { unit: "hour" }],
])("other plans have other definitions: %s", (_title, report, one, other) => {
  expect(definition(report, one)).not.toBe(definition(report, other));
});

test("no two insights have one definition", () => {
  expect(new Set(INSIGHTS.map((report) => definition(report))).size).toBe(INSIGHTS.length);
});

test("a saved segment is what it holds", () => {
  const saved = (eventName: string) => ({ ...ruled, savedSegments: new Map([["paying", { groups: [{ conditions: [{ type: "did", eventName }] }] }]]) });
  expect(definition("trend", isPaying, saved("Paid"))).toBe(definition("trend", { ...isPaying, segments }));
  expect(definition("trend", isPaying, saved("Bought"))).not.toBe(definition("trend", isPaying, saved("Paid")));
});

const OTHER_RULES: { readonly [N in keyof ReportRules]: ReportRules[N] } = {
  session: { gapMs: 8, maxMs: 70 },
  pageviewSlugs: ["looked"],
  revenue: { ...ruled.rules.revenue, paymentSlugs: ["bought"] },
  touch: { ...ruled.rules.touch, lookbackMs: null },
};

test.each<[string, InsightName, object, (keyof ReportRules)[]]>([
  ["events", "trend", {}, []],
  ["sessions", "trend", { measure: { type: "sessions" } }, ["session", "revenue"]],
  ["revenue", "trend", { measure: { type: "revenue" } }, ["revenue"]],
  ["who brought a visit", "trend", { breakdown: { fields: ["touch_source"] } }, ["touch"]],
  ["who brought a payment", "trend", { measure: { type: "unique_values", field: "first_touch.source" } }, ["revenue", "touch"]],
  ["a filter by who brought a payment, of a step", "funnel", { steps: [{ eventName: "a" }, { filterGroups: groups([is("last_touch.medium", "email")]) }] }, ["revenue", "touch"]],
  ["a filter by who brought a visit, of a segment", "lifecycle", { ...isPaying, segments: { paying: { groups: [{ conditions: [{ type: "did", filterGroups: groups([is("touch_medium", "email")]) }] }] } } }, ["touch"]],
  ["steps of people", "funnel", {}, []],
  ["steps of sessions", "funnel", { level: "session" }, ["session", "revenue"]],
  ["returns", "retention", {}, []],
  ["stickiness", "stickiness", {}, []],
  ["paths", "paths", {}, ["session", "revenue"]],
  ["sessions and their figures", "sessionsOverview", {}, ["session", "pageviewSlugs", "revenue"]],
  ["figures of a web site", "webOverview", {}, ["session", "pageviewSlugs", "revenue", "touch"]],
])("of options the rules in use are part of it, no others: %s", (_title, report, input, inUse) => {
  const names = Object.keys(OTHER_RULES) as (keyof ReportRules)[];
  const changing = names.filter((name) => definition(report, input, withRules({ [name]: OTHER_RULES[name] })) !== definition(report, input));
  expect(changing).toEqual(inUse);
});

/** Of few possible ones, some of which mean the same. */
function fewQueries(random: Random): object {
  const some = (members: object) => (random.chance(0.3) ? members : {});
  const filters = () => groups(...random.pick([[], [[]], [[is("country", "x")]], [[is("location_country", "x", "is")]], [[is("country", "x")], []], [[is("country", ["x"], "in")]]]));
  return {
    ...some({ interval: random.pick([null, "day", "week"]) }),
    ...some({ weekStart: random.pick(["monday", "sunday"]) }),
    ...some({ fill: random.chance(0.5) }),
    ...some({ startDate: random.pick(["2026-03-01", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00.0001Z", "2026-03-02"]) }),
    ...some({ breakdown: { fields: [random.pick(["os", "referrer_domain", "referrerDomain"])], ...some({ limit: random.pick([25, 24]) }) } }),
    ...some({ filterGroups: filters() }),
  };
}

test("equal plans, and no others, have equal definitions", () => {
  const textByDefinition = new Map<string, string>();
  const definitionByText = new Map<string, string>();
  for (let at = 0; at < caseCount(400, 10_000); at += 1) {
    const random = seededRandom(baseSeed + at);
    const known = { random, timesMs: [ruled.nowMs - 1], nowMs: ruled.nowMs, identityIds: ["idn_1"] };
    const { report, input } = random.chance(0.7) ? { report: "trend" as const, input: fewQueries(random) } : insightQuery(random.pick(INSIGHTS), known);
    if (refusal(report, input) !== null) continue;
    const { definition: name, nowMs: _nowMs, ...rest } = planned(report, input);
    const text = JSON.stringify(rest);
    expect(textByDefinition.get(name) ?? text, `With the seed ${baseSeed + at}`).toBe(text);
    expect(definitionByText.get(text) ?? name, `With the seed ${baseSeed + at}`).toBe(name);
    textByDefinition.set(name, text);
    definitionByText.set(text, name);
  }
  expect(textByDefinition.size).toBeGreaterThan(0);
});
