import type { Random } from "daybook/testing";
import { expect, test } from "vitest";
import type { RetentionInput } from "../../../src/plan/insights/input.js";
import { names, ofHistories, randomScope } from "./random-history.js";

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function randomRetention(random: Random): RetentionInput {
  return {
    ...randomScope(random), interval: random.pick(["day", "week", "month"]), periods: random.between(1, 5), level: random.pick(["identity", "account"]),
    cohort: random.pick(["first_time", "recurring"]), returned: random.pick(["on", "on_or_after"]),
    ...(random.chance(0.5) ? { cohortEvent: { eventName: random.pick(names) } } : {}), ...(random.chance(0.5) ? { returnEvent: { eventName: random.pick(names) } } : {}),
  };
}

test("Period 0 is the size; on or after falls, and is at least on.", () => {
  ofHistories(200, ({ random, asked }) => {
    const input = randomRetention(random);
    const [on, after] = [asked.retention({ ...input, returned: "on" }), asked.retention({ ...input, returned: "on_or_after" })];
    expect(on.cohorts.map(({ size }) => size)).toEqual(after.cohorts.map(({ size }) => size));
    for (const [index, { size, periods }] of after.cohorts.entries()) {
      expect(periods).toHaveLength((input.periods ?? 0) + 1);
      expect(periods[0]).toMatchObject({ of: size, entities: size });
      const later = periods.slice(1).map(({ entities }) => entities ?? 0);
      expect(later).toEqual([...later].sort((a, b) => b - a));
      expect(periods.every(({ entities }, period) => (entities ?? 0) >= (on.cohorts[index]?.periods[period]?.entities ?? 0))).toBe(true);
    }
    const breakdown = { fields: [random.pick(["device", "path"])], limit: random.pick([1, 25]), rest: true };
    const { rows, rest, total } = asked.retention({ ...input, breakdown });
    for (const [period, { of, entities }] of total.entries()) {
      const parts = [...(rows ?? []).map((row) => row.total[period]), rest?.[period]];
      expect([sum(parts.map((part) => part?.of ?? 0)), sum(parts.map((part) => part?.entities ?? 0))]).toEqual([of, entities]);
    }
  });
});

test("Sizes are the unique users: of all time for first times, of each bucket where they recur.", () => {
  ofHistories(150, ({ random, asked }) => {
    const { project, timeZone, weekStart } = randomScope(random);
    const eventName = random.pick([...names, null]);
    const interval = random.pick(["day", "week", "month"] as const);
    const question = { project, timeZone, weekStart, interval };
    const first = asked.retention({ ...question, cohortEvent: { eventName }, cohort: "first_time" }).cohorts;
    expect(sum(first.map(({ size }) => size))).toBe(asked.countUniqueUsers({ project, eventName }));
    const recurring = asked.retention({ ...question, cohortEvent: { eventName }, cohort: "recurring" }).cohorts;
    const users = asked.trend({ ...question, eventName, measure: { type: "unique_users" } });
    expect(recurring.map(({ bucket, size }) => ({ bucket, size }))).toEqual(users.buckets.map((bucket, index) => ({ bucket, size: users.series[0]?.data[index] })));
  });
});

test("Lifecycle shares out the users of a bucket, and those of the one before.", () => {
  ofHistories(150, ({ random, asked }) => {
    const { project, timeZone, weekStart, eventName } = randomScope(random);
    const question = { project, timeZone, weekStart, eventName, interval: random.pick(["day", "week", "month"] as const) };
    const { buckets } = asked.lifecycle(question);
    const users = asked.trend({ ...question, measure: { type: "unique_users" } });
    const active = users.series[0]?.data ?? [];
    expect(buckets.map((bucket) => bucket.new + bucket.returning + bucket.resurrecting)).toEqual(active);
    expect(buckets.map((bucket) => bucket.returning + bucket.dormant).slice(1)).toEqual(active.slice(0, -1));
    const sizes = new Map(asked.retention(question).cohorts.map(({ bucket, size }) => [bucket.local, size]));
    expect(buckets.map((bucket) => bucket.new)).toEqual(buckets.map(({ local }) => sizes.get(local) ?? 0));
    const again = asked.retention({ ...question, cohort: "recurring", periods: 1 }).cohorts;
    expect(buckets.slice(1).map(({ returning }) => returning)).toEqual(again.slice(0, -1).map(({ periods }) => periods[1]?.entities));
  });
});

test("Stickiness adds up to the users, and to those of its units.", () => {
  ofHistories(150, ({ random, asked }) => {
    const scope = randomScope(random);
    const [interval, unit] = random.pick([["week", "day"], ["month", "week"], ["total", "hour"], ["year", "month"], ["total", "day"]] as const);
    const { buckets } = asked.stickiness({ ...scope, interval, unit });
    for (const { start, end, entities, avg, units } of buckets) {
      const inside = { ...scope, ...(start === null ? {} : { startDate: start }), ...(end === null ? {} : { endDate: end }), measure: { type: "unique_users" as const } };
      expect(entities).toBe(asked.trend(inside).series[0]?.total);
      expect(sum(units.map((row) => row.entities))).toBe(entities);
      const visits = sum((asked.trend({ ...inside, interval: unit }).series[0]?.data ?? []).map(Number));
      expect(sum(units.map((row) => row.units * row.entities))).toBe(visits);
      expect(avg).toBe(entities === 0 ? null : visits / entities);
      expect(units[0]?.atLeast ?? 0).toBe(entities);
    }
  });
});
