import { expect, test } from "vitest";
import type { SegmentCondition } from "../../../src/query/plan/input.js";
import { ask, event, group, identify } from "./made.js";

const history = [
  event("2026-03-01T00:00Z", { name: "buy" }), event("2026-03-02T00:00Z", { name: "buy" }), event("2026-03-03T00:00Z"),
  event("2026-03-02T23:30Z", { userId: "bob", name: "buy", project: "shop" }), event("2026-05-31T00:00Z", { userId: "bob" }), event("2026-03-04T00:00Z", { userId: "carl" }), event("2026-03-05T00:00Z", { userId: null }),
  identify("2026-01-01T00:00Z", { email: "ann@x.io", traits: { plan: "pro" } }), group("2026-01-01T00:00Z", "acme", { traits: { size: 5 } }), group("2026-04-01T00:00Z", "beta", { userId: "carl" }),
];
const filterOf = (operator: string, value: unknown = "s") => [{ filters: [{ fieldName: "identity_id", operator, value }] }];
/** Whose events are in a segment. */
const members = (conditions: readonly SegmentCondition[], input: { project?: string; timeZone?: string } = {}) => {
  const { series } = ask(history).trend({ ...input, interval: "total", segments: { s: { groups: [{ conditions }] } }, filterGroups: filterOf("in_segment"), breakdown: { fields: ["user_id"] } });
  return series.map(({ values }) => values[0]).sort();
};

test("People did something so many times, or not at all.", () => {
  const buy = { type: "did", eventName: "buy" } as const;
  expect(members([buy])).toEqual(["ann", "bob"]);
  expect(members([{ ...buy, atLeast: 2 }])).toEqual(["ann"]);
  expect(members([{ ...buy, atMost: 1 }])).toEqual(["bob"]);
  expect(members([{ type: "did_not", eventName: "buy" }])).toEqual(["carl"]);
  expect(members([buy, { type: "did_not", eventName: "buy", startDate: "2026-03-03" }])).toEqual(["ann", "bob"]);
  expect(members([{ type: "did", filterGroups: [{ filters: [{ fieldName: "name", operator: "!=", value: "buy" }] }], atMost: 1 }])).toEqual(["ann", "bob", "carl"]);
});

test("Events are of the query's project, days of its zone.", () => {
  expect(members([{ type: "did", eventName: "buy" }], { project: "default" })).toEqual(["ann"]);
  expect(members([{ type: "did", eventName: "buy", startDate: "2026-03-03", endDate: "2026-03-03" }])).toEqual([]);
  expect(members([{ type: "did", eventName: "buy", startDate: "2026-03-03", endDate: "2026-03-03" }], { timeZone: "Europe/Berlin" })).toEqual(["bob"]);
});

test("People were first or last seen in a window, which may be of days before now.", () => {
  expect(members([{ type: "first_seen", startDate: "2026-03-02" }])).toEqual(["bob", "carl"]);
  expect(members([{ type: "last_seen", endDate: "2026-03-03" }])).toEqual(["ann"]);
  expect(members([{ type: "last_seen", lastDays: 1 }])).toEqual(["bob"]);
  const edges = ["2026-05-31T00:00Z", "2026-06-01T00:00Z", "2026-06-01T00:00:00.001Z", "2026-05-30T23:59:59.999Z"].map((time) => event(time, { userId: time }));
  const lastDay = { s: { groups: [{ conditions: [{ type: "did" as const, lastDays: 1 }] }] } };
  expect(ask(edges).countEvents({ segments: lastDay, filterGroups: filterOf("in_segment") })).toBe(2);
  expect(members([{ type: "first_seen", startDate: "2026-03-03" }], { project: "default" })).toEqual(["bob", "carl"]);
  expect(() => members([{ type: "last_seen" }])).toThrow("window");
  expect(() => members([{ type: "last_seen", lastDays: 1, endDate: "2026-03-03" }])).toThrow("lastDays");
});

test("People are known by traits, and by the company they were last seen with.", () => {
  expect(members([{ type: "trait", field: "plan", operator: "=", value: "pro" }])).toEqual(["ann"]);
  expect(members([{ type: "trait", field: "plan", operator: "!=", value: "pro" }])).toEqual(["bob", "carl"]);
  expect(members([{ type: "trait", field: "email", operator: "ends_with", value: "@x.io" }])).toEqual(["ann"]);
  expect(members([{ type: "company", operator: "in", value: "acme,beta" }])).toEqual(["ann", "carl"]);
  expect(members([{ type: "company", field: "size", operator: ">", value: "4" }])).toEqual(["ann"]);
  expect(members([{ type: "company", operator: "is_not_set" }])).toEqual(["bob"]);
});

test("Groups are alternatives; without identity an event is in none.", () => {
  const segments = { s: { groups: [{ conditions: [{ type: "did", eventName: "buy" } as const] }, { conditions: [{ type: "trait", field: "plan", operator: "=", value: "x" } as const] }] } };
  const count = (operator: string) => ask(history).countEvents({ segments, filterGroups: filterOf(operator) });
  expect([count("in_segment"), count("not_in_segment"), count("IN_SEGMENT")]).toEqual([5, 2, 5]);
  expect(ask(history).countUniqueUsers({ segments, filterGroups: filterOf("in_segment") })).toBe(2);
  expect(ask(history).aggregate({ field: "name", segments, filterGroups: filterOf("in_segment") })).toEqual([{ property: "buy", count: 3 }, { property: "e", count: 2 }]);
  // Bob's second step is three months later.
  expect(ask(history).funnel({ segments, steps: [{ filterGroups: filterOf("in_segment") }, { eventName: "e" }] }).steps.map(({ entities }) => entities)).toEqual([2, 1]);
});

test("Segments may be saved; those nobody defined, of other fields, of both kinds or within one another are refused.", () => {
  const s = { groups: [{ conditions: [{ type: "did", eventName: "buy" } as const] }] };
  const asked = ask(history, { segments: { s } });
  const code = (ask: () => unknown) => { try { ask(); return null; } catch (error) { return (error as { code?: string }).code; } };
  expect(asked.countEvents({ filterGroups: filterOf("in_segment") })).toBe(5);
  expect(code(() => asked.countEvents({ filterGroups: filterOf("in_segment", "t") }))).toBe("invalid_filter_value");
  expect(code(() => asked.countEvents({ segments: { s } }))).toBe("invalid_parameter");
  expect(code(() => asked.countEvents({ filterGroups: [{ filters: [{ fieldName: "user_id", operator: "in_segment", value: "s" }] }] }))).toBe("invalid_operator");
  expect(code(() => asked.countEvents({ filterGroups: filterOf("in_segment", "t"), segments: { t: { groups: [{ conditions: [{ type: "did", filterGroups: filterOf("in_segment") }] }] } } }))).toBe("invalid_operator");
});
