import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/core/base/limits.js";
import { reports } from "../../../../src/query/reports/reports.js";
import { thrown } from "../thrown.js";
import { ruled } from "../ruled-context.js";
import { equals, field, groups, is, planned } from "./planned.js";

const EVER = { fromMs: 0, toMs: LIMITS.instantMaxMs };
const everybody = { project: null, eventName: null, userId: null, range: EVER, where: [] };
const isIn = (name: unknown, operator = "in_segment", fieldName = "identity_id") => ({ filterGroups: groups([is(fieldName, name, operator)]) });
const segmentOf = (...conditions: object[]) => ({ groups: [{ conditions }] });

function conditionOf(condition: object, query: object = {}): unknown {
  const operand = planned("trend", { ...query, ...isIn("some"), segments: { some: segmentOf(condition) } }).where[0]?.[0]?.operand;
  return operand?.kind === "segment" ? operand.segment[0]?.[0] : null;
}

function refusedCondition(condition: object): readonly [string, string | undefined] | null {
  const refused = thrown(() => planned("trend", { segments: { some: segmentOf({ type: "did" }, condition) } }));
  return refused === null ? null : [refused[0], refused[1]?.replace("segments.some.groups[0].conditions[1]", "")];
}

test("a filter by segment asks for what the segment holds, in every spelling of field and operator", () => {
  const segments = { "New-1_": segmentOf({ type: "did", eventName: "signup" }) };
  const segment = [[{ type: "did", scope: { ...everybody, eventName: "signup" }, window: { kind: "range", range: EVER }, atLeast: 1, atMost: null }]];
  for (const fieldName of ["identity_id", "identityId"]) {
    for (const [operator, negated] of [["in_segment", false], [" Not_In_Segment", true]] as const) {
      const expected = [[{ operand: { kind: "segment", segment, nowMs: ruled.nowMs }, test: { op: "isSet" }, negated }]];
      expect(planned("trend", { ...isIn("New-1_", operator, fieldName), segments }).where).toEqual(expected);
    }
  }
});

test.each(["countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay", "aggregate", "searchEvents"] as const)(
  "%s takes segments, whose days are those of UTC",
  (report) => {
    const segments = { some: segmentOf({ type: "first_seen", startDate: "2026-03-01", endDate: "2026-03-01" }) };
    const plan = reports[report].plan({ ...(report === "aggregate" ? { field: "os" } : {}), project: "shop", ...isIn("some"), segments }, ruled);
    const range = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 2, 2) };
    expect(plan.where[0]?.[0]?.operand).toEqual({ kind: "segment", segment: [[{ type: "firstSeen", project: "shop", window: { kind: "range", range } }]], nowMs: ruled.nowMs });
  },
);

test("one segment is settled once, wherever it is named", () => {
  const plan = planned("retention", { ...isIn("some"), cohortEvent: isIn("some"), segments: { some: segmentOf({ type: "did" }) } });
  const operands = [plan, plan.cohortEvent].flatMap(({ where }) => where.flat().map(({ operand }) => operand));
  expect(operands).toHaveLength(3);
  expect(new Set(operands).size).toBe(1);
});

test("equal contents are equal segments, whatever they are called", () => {
  const [one, other] = ["a", "b"].map((name) => planned("trend", { ...isIn(name), segments: { [name]: segmentOf({ type: "did" }) } }));
  expect(one).toEqual(other);
});

test("groups and conditions keep their order", () => {
  const conditions = (...names: string[]) => ({ conditions: names.map((eventName) => ({ type: "did", eventName })) });
  const plan = planned("trend", { ...isIn("some"), segments: { some: { groups: [conditions("a", "b"), conditions("c")] } } });
  const operand = plan.where[0]?.[0]?.operand;
  const named = operand?.kind === "segment" ? operand.segment.map((group) => group.map((each) => each.type === "did" && each.scope.eventName)) : null;
  expect(named).toEqual([["a", "b"], ["c"]]);
});

describe("saved segments", () => {
  const context = { ...ruled, savedSegments: new Map<string, unknown>([["paying", segmentOf({ type: "did", eventName: "Paid", startDate: "2026-03-01" })]]) };

  test("are taken by their names, with the project and the zone of the query", () => {
    const plan = planned("trend", { ...isIn("paying"), project: "shop", timeZone: "Asia/Tokyo" }, context);
    const range = { fromMs: Date.UTC(2026, 1, 28, 15), toMs: LIMITS.instantMaxMs };
    const scope = { ...everybody, project: "shop", eventName: "Paid" };
    expect(plan.where[0]?.[0]?.operand).toEqual({ kind: "segment", segment: [[{ type: "did", scope, window: { kind: "range", range }, atLeast: 1, atMost: null }]], nowMs: ruled.nowMs });
  });

  test("may not have the name of one of the query", () => {
    expect(thrown(() => planned("trend", { segments: { paying: segmentOf({ type: "did" }) } }, context))).toEqual(["invalid_parameter", "segments.paying"]);
  });

  test("count what they filter where they are named", () => {
    const filters = (count: number) => groups(Array(count).fill(is("os", "x")));
    const savedSegments = new Map([["big", segmentOf({ type: "did", filterGroups: filters(60) })]]);
    const asked = (count: number) => thrown(() => planned("retention", { cohortEvent: { filterGroups: filters(count) }, returnEvent: isIn("big") }, { ...ruled, savedSegments }));
    expect(asked(39)).toBeNull();
    expect(asked(40)).toEqual(["too_many_filters", "segments.big.groups[0].conditions[0].filterGroups"]);
  });
});

test.each<[string, object, object]>([
  ["did", { type: "did", eventName: "a", atLeast: 2, atMost: 2 }, { type: "did", scope: { ...everybody, eventName: "a" }, window: { kind: "range", range: EVER }, atLeast: 2, atMost: 2 }],
  ["did not", { type: "did_not", filterGroups: groups([is("os", "x")]) }, { type: "did", scope: { ...everybody, where: [[equals(field("os"), "x")]] }, window: { kind: "range", range: EVER }, atLeast: 0, atMost: 0 }],
  ["last days, which stay as they are", { type: "did", lastDays: 3_660 }, { type: "did", scope: everybody, window: { kind: "lastDays", days: 3_660 }, atLeast: 1, atMost: null }],
  ["first seen", { type: "first_seen", lastDays: 1 }, { type: "firstSeen", project: null, window: { kind: "lastDays", days: 1 } }],
  ["last seen", { type: "last_seen", endDate: "2026-03-01" }, { type: "lastSeen", project: null, window: { kind: "range", range: { fromMs: 0, toMs: Date.UTC(2026, 2, 2) } } }],
  ["a trait", { type: "trait", field: "plan", operator: "is_not", value: "free" }, { type: "is", comparison: { ...equals({ kind: "person", path: "plan" }, "free"), negated: true } }],
  ["the email", { type: "trait", field: "email", operator: "is_set" }, { type: "is", comparison: { operand: { kind: "person", path: "email" }, test: { op: "isSet" }, negated: false } }],
  ["a company", { type: "company", operator: "=", value: "acme" }, { type: "is", comparison: equals({ kind: "companyId" }, "acme") }],
  ["what is known of a company", { type: "company", field: "size", operator: ">", value: 9 }, { type: "is", comparison: { operand: { kind: "company", path: "size" }, test: { op: "number", order: ">", bound: 9 }, negated: false } }],
])("conditions: %s", (_title, condition, expected) => {
  expect(conditionOf(condition)).toEqual(expected);
});

test("nulls are absent", () => {
  expect(conditionOf({ type: "did", eventName: null, filterGroups: null, atLeast: null, atMost: null, startDate: null, endDate: null, lastDays: null })).toEqual(conditionOf({ type: "did" }));
  expect(planned("trend", { segments: { some: null } })).toEqual(planned("trend"));
});

test.each<[string, object, string, string]>([
  ["no type", { eventName: "a" }, "invalid_parameter", ".type"],
  ["a type that is none", { type: "does" }, "invalid_parameter", ".type"],
  ["an unknown member", { type: "did", minimum: 1 }, "unknown_parameter", ".minimum"],
  ["a number of times that something was not done", { type: "did_not", atLeast: 1 }, "unknown_parameter", ".atLeast"],
  ["events of somebody seen", { type: "first_seen", eventName: "a", lastDays: 1 }, "unknown_parameter", ".eventName"],
  ["a window of a trait", { type: "trait", field: "plan", operator: "is_set", lastDays: 1 }, "unknown_parameter", ".lastDays"],
  ["never", { type: "did", atLeast: 0 }, "invalid_parameter", ".atLeast"],
  ["more than a million times", { type: "did", atLeast: 1_000_001 }, "invalid_parameter", ".atLeast"],
  ["half a time", { type: "did", atLeast: 1.5 }, "invalid_parameter", ".atLeast"],
  ["at most fewer than at least", { type: "did", atLeast: 3, atMost: 2 }, "invalid_parameter", ".atMost"],
  ["no last days", { type: "did", lastDays: 0 }, "invalid_parameter", ".lastDays"],
  ["too many last days", { type: "did_not", lastDays: 3_661 }, "invalid_parameter", ".lastDays"],
  ["last days and a date", { type: "did", lastDays: 3, endDate: "2026-03-01" }, "exactly_one_required", ".lastDays"],
  ["seen at no time", { type: "last_seen" }, "invalid_parameter", ".startDate"],
  ["a date that is none", { type: "did", startDate: "2026-02-30" }, "invalid_date", ".startDate"],
  ["dates in the wrong order", { type: "first_seen", startDate: "2026-03-02", endDate: "2026-03-01" }, "invalid_date_range", ".startDate"],
  ["a trait without a name", { type: "trait", operator: "is_set" }, "invalid_parameter", ".field"],
  ["a trait with an empty name", { type: "trait", field: "", operator: "is_set" }, "invalid_parameter", ".field"],
  ["a trait without an operator", { type: "trait", field: "plan" }, "invalid_operator", ".operator"],
  ["a trait without a value", { type: "trait", field: "plan", operator: "=" }, "invalid_filter_value", ".value"],
  ["a trait in a segment", { type: "trait", field: "plan", operator: "in_segment", value: "some" }, "invalid_operator", ".operator"],
  ["a company in a segment", { type: "company", operator: "not_in_segment", value: "some" }, "invalid_operator", ".operator"],
  ["events of people in a segment", { type: "did", ...isIn("some") }, "invalid_operator", ".filterGroups[0].filters[0].operator"],
  ["what is no condition", [], "invalid_parameter", ""],
])("a condition: %s, is refused", (_title, condition, code, param) => {
  expect(refusedCondition(condition)).toEqual([code, param]);
});

test.each<[string, unknown, string, string]>([
  ["a list", [], "invalid_parameter", "segments"],
  ["eleven", Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`s${at}`, segmentOf({ type: "did" })])), "invalid_parameter", "segments"],
  ["a name with a space", { "a b": segmentOf({ type: "did" }) }, "invalid_parameter", "segments"],
  ["an empty name", { "": segmentOf({ type: "did" }) }, "invalid_parameter", "segments"],
  ["a name of 65 characters", { ["a".repeat(65)]: segmentOf({ type: "did" }) }, "invalid_parameter", "segments"],
  ["what is no segment", { a: "did" }, "invalid_parameter", "segments.a"],
  ["an unknown member", { a: { groups: [{ conditions: [{ type: "did" }] }], name: "a" } }, "unknown_parameter", "segments.a.name"],
  ["no groups", { a: {} }, "invalid_parameter", "segments.a.groups"],
  ["an empty list of groups", { a: { groups: [] } }, "invalid_parameter", "segments.a.groups"],
  ["21 groups", { a: { groups: Array(21).fill({ conditions: [{ type: "did" }] }) } }, "invalid_parameter", "segments.a.groups"],
  ["no conditions", { a: { groups: [{}] } }, "invalid_parameter", "segments.a.groups[0].conditions"],
  ["an empty list of conditions", { a: { groups: [{ conditions: [] }] } }, "invalid_parameter", "segments.a.groups[0].conditions"],
  ["51 conditions", { a: { groups: [{ conditions: Array(51).fill({ type: "did" }) }] } }, "invalid_parameter", "segments.a.groups[0].conditions"],
  ["an unknown member of a group", { a: { groups: [{ conditions: [{ type: "did" }], or: [] }] } }, "unknown_parameter", "segments.a.groups[0].or"],
])("segments: %s, though no filter names them, are refused", (_title, segments, code, param) => {
  expect(thrown(() => planned("trend", { segments }))).toEqual([code, param]);
  expect(thrown(() => reports.countEvents.plan({ segments }, ruled))).toEqual([code, param]);
});

test.each<[string, object, string, string]>([
  ["that nobody defined", isIn("none"), "invalid_filter_value", "filterGroups[0].filters[0].value"],
  ["of an inherited name", isIn("constructor"), "invalid_filter_value", "filterGroups[0].filters[0].value"],
  ["without a name", { filterGroups: groups([{ fieldName: "identity_id", operator: "in_segment" }]) }, "invalid_filter_value", "filterGroups[0].filters[0].value"],
  ["whose name is a list", isIn(["some"]), "invalid_filter_value", "filterGroups[0].filters[0].value"],
  ["of a user id", isIn("some", "in_segment", "user_id"), "invalid_operator", "filterGroups[0].filters[0].operator"],
  ["of a trait", isIn("some", "not_in_segment", "person.plan"), "invalid_operator", "filterGroups[0].filters[0].operator"],
])("a filter by a segment %s is refused", (_title, filters, code, param) => {
  const segments = { some: segmentOf({ type: "did" }) };
  expect(thrown(() => planned("trend", { ...filters, segments }))).toEqual([code, param]);
  expect(thrown(() => reports.countEvents.plan({ ...filters, segments }, ruled))).toEqual([code, param]);
});

test("names of any sort are names, and as many conditions as the bounds allow are settled", () => {
  const names = ["__proto__", "constructor", "a".repeat(64), "-", "_", "0"];
  for (const name of names) {
    const segments = JSON.parse(`{"${name}": ${JSON.stringify(segmentOf({ type: "did" }))}}`) as object;
    expect(planned("trend", { ...isIn(name), segments }).where).toHaveLength(1);
  }
  const big = { groups: Array.from({ length: 20 }, () => ({ conditions: Array(50).fill({ type: "did" }) })) };
  expect(planned("trend", { ...isIn("s0"), segments: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, big])) }).where).toHaveLength(1);
});
