import { expect, test } from "vitest";
import type { RetentionInput } from "../../../src/query/plan/input.js";
import { ask, event, group } from "./made.js";

const nowMs = Date.parse("2026-05-05T12:00Z");
const on = (day: number, userId: string, rest = {}) => event(Date.UTC(2026, 4, day, 6), { userId, ...rest });
const signup = { name: "signup" };
const history = [
  on(1, "ann", { ...signup, metadata: { plan: "a" } }), on(2, "ann"), on(4, "ann"), on(1, "bob", { ...signup, metadata: { plan: "b" } }), on(3, "bob"),
  on(3, "carl", { ...signup, metadata: { plan: "b" } }), on(4, "carl"), on(2, "", {}),
];
const retention = (input: RetentionInput = {}) => ask(history, { nowMs }).retention({ cohortEvent: { eventName: "signup" }, periods: 3, ...input });
const shown = (input: RetentionInput = {}) => retention(input).cohorts.map(({ bucket, size, periods }) => [bucket.local, size, ...periods.map(({ entities }) => entities)]);

test("Cohorts return in the days after; what has not begun is null, what is not over incomplete.", () => {
  expect(shown()).toEqual([["2026-05-01", 2, 2, 1, 1, 1], ["2026-05-02", 0, 0, 0, 0, 0], ["2026-05-03", 1, 1, 1, 0, null]]);
  expect(retention().cohorts[2]).toEqual({
    bucket: { start: "2026-05-03T00:00:00.000Z", end: "2026-05-03T23:59:59.999Z", local: "2026-05-03", partial: false },
    size: 1,
    periods: [
      { of: 1, entities: 1, rate: 1, incomplete: false }, { of: 1, entities: 1, rate: 1, incomplete: false },
      { of: 1, entities: 0, rate: 0, incomplete: true }, { of: 1, entities: null, rate: null, incomplete: true },
    ],
  });
});

test("A period is over once its last millisecond is; a cohort is told before it begins.", () => {
  const incomplete = (now: string) => ask([event("2026-05-04T00:00Z")], { nowMs: Date.parse(now) }).retention({ periods: 1 }).cohorts[0]?.periods.map((period) => period.incomplete);
  expect(incomplete("2026-05-04T23:59:59.999Z")).toEqual([true, true]);
  expect(incomplete("2026-05-05T00:00Z")).toEqual([false, true]);
  expect(incomplete("2026-05-06T00:00Z")).toEqual([false, false]);
  const early = ask([event("2026-05-06T00:01Z")], { nowMs: Date.parse("2026-05-05T23:59Z") }).retention({ periods: 1 }).cohorts[0];
  expect(early).toMatchObject({ size: 1, periods: [{ entities: 1, rate: 1, incomplete: true }, { entities: null, rate: null, incomplete: true }] });
});

test("Totals are of the cohorts whose period is over.", () => {
  expect(retention().total).toEqual([
    { of: 3, entities: 3, rate: 1, incomplete: false }, { of: 3, entities: 2, rate: 0.6667, incomplete: false },
    { of: 2, entities: 1, rate: 0.5, incomplete: true }, { of: 2, entities: 1, rate: 0.5, incomplete: true },
  ]);
});

test("On or after counts who came then or at any later time.", () => {
  expect(shown({ returned: "on_or_after" })).toEqual([["2026-05-01", 2, 2, 2, 2, 1], ["2026-05-02", 0, 0, 0, 0, 0], ["2026-05-03", 1, 1, 1, 0, null]]);
});

test("Recurring cohorts are all who did it in the bucket; without events everything counts.", () => {
  expect(shown({ cohort: "recurring", cohortEvent: null, periods: 1 })).toEqual([["2026-05-01", 2, 2, 1], ["2026-05-02", 1, 1, 0], ["2026-05-03", 2, 2, 1], ["2026-05-04", 2, 2, 0]]);
  expect(retention({ cohort: "recurring", cohortEvent: null, periods: 1 }).total[1]).toEqual({ of: 5, entities: 2, rate: 0.4, incomplete: true });
});

test("First times are of all time: the range only chooses among them, in whole buckets.", () => {
  expect(shown({ startDate: "2026-05-03T12:00:00Z", endDate: "2026-05-03T13:00:00Z" })).toEqual([["2026-05-03", 1, 1, 1, 0, null]]);
  expect(shown({ cohortEvent: null, startDate: "2026-05-02", endDate: "2026-05-02" })).toEqual([["2026-05-02", 0, 0, 0, 0, 0]]);
  expect(shown({ cohortEvent: null, startDate: "2026-05-04" })).toEqual([]);
  expect(retention({ startDate: "2026-05-03T12:00:00Z", endDate: "2026-05-03T13:00:00Z" }).cohorts[0]?.bucket).toMatchObject({ start: "2026-05-03T00:00:00.000Z", partial: false });
});

test("The query's own filters hold for both events.", () => {
  const filterGroups = [{ filters: [{ fieldName: "user_id", operator: "=", value: "bob" }] }];
  expect(shown({ filterGroups, periods: 2 })).toEqual([["2026-05-01", 1, 1, 0, 1]]);
  expect(shown({ returnEvent: { eventName: "signup" }, periods: 1 })).toEqual([["2026-05-01", 2, 2, 0], ["2026-05-02", 0, 0, 0], ["2026-05-03", 1, 1, 0]]);
});

test("Rows are by the first cohort event in the bucket, the rest once a member.", () => {
  const broken = retention({ breakdown: { fields: ["plan"], limit: 1, rest: true }, periods: 1 });
  expect(broken.rows).toEqual([{
    values: ["b"], size: 2, total: [{ of: 2, entities: 2, rate: 1, incomplete: false }, { of: 2, entities: 1, rate: 0.5, incomplete: false }],
  }]);
  expect(broken.rest).toEqual([{ of: 1, entities: 1, rate: 1, incomplete: false }, { of: 1, entities: 1, rate: 1, incomplete: false }]);
  expect(broken.valueCount).toBe(2);
});

test("Weeks and months are the zone's, periods twelve with the first.", () => {
  const late = [event("2026-01-31T23:30Z"), event("2026-02-28T23:30Z")];
  const { cohorts } = ask(late).retention({ interval: "month", timeZone: "Europe/Berlin" });
  expect(cohorts.map(({ bucket, periods }) => [bucket.local, periods.length, periods[1]?.entities])).toEqual([["2026-02", 12, 1]]);
  const weeks = ask([event("2026-03-07T00:00Z"), event("2026-03-08T00:00Z")]);
  expect(weeks.retention({ interval: "week", weekStart: "sunday", periods: 1 }).cohorts[0]?.periods[1]?.entities).toBe(1);
  expect(weeks.retention({ interval: "week", periods: 1 }).cohorts[0]?.periods[1]?.entities).toBe(0);
});

test("Accounts return when anybody of them does.", () => {
  const people = [group("2026-01-01T00:00Z", "acme", {}), group("2026-01-01T00:00Z", "acme", { userId: "bob" }), on(1, "ann"), on(2, "bob")];
  const firstPeriod = (level: "identity" | "account") => ask(people, { nowMs }).retention({ level, periods: 1 }).cohorts.map(({ size, periods }) => [size, periods[1]?.entities]);
  expect(firstPeriod("identity")).toEqual([[1, 0], [1, 0]]);
  expect(firstPeriod("account")).toEqual([[1, 1]]);
});

test("Lifecycle tells who is new, returns, comes back or is gone.", () => {
  const lives = (input = {}) => ask(history, { nowMs }).lifecycle(input).buckets.map((bucket) => [bucket.local, bucket.new, bucket.returning, bucket.resurrecting, bucket.dormant]);
  expect(lives()).toEqual([["2026-05-01", 2, 0, 0, 0], ["2026-05-02", 0, 1, 0, 1], ["2026-05-03", 1, 0, 1, 1], ["2026-05-04", 0, 1, 1, 1]]);
  expect(lives({ startDate: "2026-05-04T20:00:00Z", endDate: "2026-05-05" })).toEqual([["2026-05-04", 0, 1, 1, 1], ["2026-05-05", 0, 0, 0, 2]]);
  expect(ask(history, { nowMs }).lifecycle({ startDate: "2026-05-04T20:00:00Z", endDate: "2026-05-05" }).buckets.map(({ partial }) => partial)).toEqual([false, true]);
  expect(lives({ eventName: "signup" })).toEqual([["2026-05-01", 2, 0, 0, 0], ["2026-05-02", 0, 0, 0, 2], ["2026-05-03", 1, 0, 0, 0]]);
});

test("Stickiness counts on how many days people came.", () => {
  const { buckets } = ask(history, { nowMs }).stickiness();
  expect(buckets).toEqual([{
    start: null, end: null, local: null, partial: true, entities: 3, avg: 7 / 3, units: [{ units: 2, entities: 2, atLeast: 3 }, { units: 3, entities: 1, atLeast: 1 }],
  }]);
  expect(ask([]).stickiness({ startDate: "2026-05-01", endDate: "2026-05-02" }).buckets).toEqual([
    { start: "2026-05-01T00:00:00.000Z", end: "2026-05-02T23:59:59.999Z", local: null, partial: false, entities: 0, avg: null, units: [] },
  ]);
});

test("A week over the edge of a month counts in both.", () => {
  const edge = [event("2026-04-30T00:00Z"), event("2026-05-01T00:00Z")];
  const { buckets } = ask(edge).stickiness({ interval: "month", unit: "week" });
  expect(buckets.map(({ local, entities, avg, units }) => [local, entities, avg, units.length])).toEqual([["2026-04", 1, 1, 1], ["2026-05", 1, 1, 1]]);
  expect(() => ask(edge).stickiness({ interval: "month", unit: "month" })).toThrow("unit");
});
