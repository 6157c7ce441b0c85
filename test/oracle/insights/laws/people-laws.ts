import type { Random } from "daybook/testing";
import { expect } from "vitest";
import type { RetentionInput } from "../../../../src/query/plan/input.js";
import { names, randomScope } from "../random-history.js";
import type { InsightLaw } from "./law.js";

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function randomRetention(random: Random): RetentionInput {
  return {
    ...randomScope(random), interval: random.pick(["day", "week", "month"]), periods: random.between(1, 5), level: random.pick(["identity", "account"]),
    cohort: random.pick(["first_time", "recurring"]), returned: random.pick(["on", "on_or_after"]),
    ...(random.chance(0.5) ? { cohortEvent: { eventName: random.pick(names) } } : {}), ...(random.chance(0.5) ? { returnEvent: { eventName: random.pick(names) } } : {}),
  };
}

export const peopleLaws: readonly InsightLaw[] = [
  {
    title: "Period 0 is the size; on or after falls, and is at least on.",
    count: 200,
    check: async ({ random, asked }) => {
      const input = randomRetention(random);
      const [on, after] = [await asked.retention({ ...input, returned: "on" }), await asked.retention({ ...input, returned: "on_or_after" })];
      expect(on.cohorts.map(({ size }) => size)).toEqual(after.cohorts.map(({ size }) => size));
      for (const [index, { size, periods }] of after.cohorts.entries()) {
        expect(periods).toHaveLength((input.periods ?? 0) + 1);
        expect(periods[0]).toMatchObject({ of: size, entities: size });
        const later = periods.slice(1).map(({ entities }) => entities ?? 0);
        expect(later).toEqual([...later].sort((a, b) => b - a));
        expect(periods.every(({ entities }, period) => (entities ?? 0) >= (on.cohorts[index]?.periods[period]?.entities ?? 0))).toBe(true);
      }
      const breakdown = { fields: [random.pick(["device", "path"])], limit: random.pick([1, 25]), rest: true };
      const { rows, rest, total } = await asked.retention({ ...input, breakdown });
      for (const [period, { of, entities }] of total.entries()) {
        const parts = [...(rows ?? []).map((row) => row.total[period]), rest?.[period]];
        expect([sum(parts.map((part) => part?.of ?? 0)), sum(parts.map((part) => part?.entities ?? 0))]).toEqual([of, entities]);
      }
    },
  },
  {
    title: "Of one person on or after is each later on.",
    count: 100,
    check: async ({ random, asked }) => {
      const { startDate: _startDate, endDate: _endDate, ...scope } = randomRetention(random);
      // Beyond all that happens within the days of a history.
      const periods = 6;
      const userId = random.pick(["ann", "bob", "carl"]);
      const input = { ...scope, filterGroups: [{ filters: [{ fieldName: "user_id", operator: "=", value: userId }] }], periods };
      const [on, after] = [await asked.retention({ ...input, returned: "on" }), await asked.retention({ ...input, returned: "on_or_after" })];
      for (const [index, { periods: found }] of after.cohorts.entries()) {
        const later = (period: number) => (on.cohorts[index]?.periods ?? []).slice(period).map(({ entities }) => entities ?? 0);
        for (const [period, { entities }] of found.entries()) {
          if (period > 0 && entities !== null && on.cohorts[index]?.size === 1) expect(entities).toBe(Math.max(...later(period)));
        }
      }
    },
  },
  {
    title: "Sizes are the unique users: of all time for first times, of each bucket where they recur.",
    count: 150,
    check: async ({ random, asked }) => {
      const { project, timeZone, weekStart } = randomScope(random);
      const eventName = random.pick([...names, null]);
      const interval = random.pick(["day", "week", "month"] as const);
      const query = { project, timeZone, weekStart, interval };
      const first = (await asked.retention({ ...query, cohortEvent: { eventName }, cohort: "first_time" })).cohorts;
      expect(sum(first.map(({ size }) => size))).toBe(await asked.countUniqueUsers({ project, eventName }));
      const recurring = (await asked.retention({ ...query, cohortEvent: { eventName }, cohort: "recurring" })).cohorts;
      const users = await asked.trend({ ...query, eventName, measure: { type: "unique_users" } });
      expect(recurring.map(({ bucket, size }) => ({ bucket, size }))).toEqual(users.buckets.map((bucket, index) => ({ bucket, size: users.series[0]?.data[index] })));
    },
  },
  {
    title: "Lifecycle shares out the users of a bucket, and those of the one before.",
    count: 150,
    check: async ({ random, asked }) => {
      const { project, timeZone, weekStart, eventName } = randomScope(random);
      const query = { project, timeZone, weekStart, eventName, interval: random.pick(["day", "week", "month"] as const) };
      const { buckets } = await asked.lifecycle(query);
      const users = await asked.trend({ ...query, measure: { type: "unique_users" } });
      const active = users.series[0]?.data ?? [];
      expect(buckets.map((bucket) => bucket.new + bucket.returning + bucket.resurrecting)).toEqual(active);
      expect(buckets.map((bucket) => bucket.returning + bucket.dormant).slice(1)).toEqual(active.slice(0, -1));
      const sizes = new Map((await asked.retention(query)).cohorts.map(({ bucket, size }) => [bucket.local, size]));
      expect(buckets.map((bucket) => bucket.new)).toEqual(buckets.map(({ local }) => sizes.get(local) ?? 0));
      const again = (await asked.retention({ ...query, cohort: "recurring", periods: 1 })).cohorts;
      expect(buckets.slice(1).map(({ returning }) => returning)).toEqual(again.slice(0, -1).map(({ periods }) => periods[1]?.entities));
    },
  },
  {
    title: "Stickiness adds up to the users, and to those of its units.",
    count: 150,
    check: async ({ random, asked }) => {
      const scope = randomScope(random);
      const [interval, unit] = random.pick([["week", "day"], ["month", "week"], ["total", "hour"], ["year", "month"], ["total", "day"]] as const);
      const { buckets } = await asked.stickiness({ ...scope, interval, unit });
      for (const { start, end, entities, avg, units } of buckets) {
        const inside = { ...scope, ...(start === null ? {} : { startDate: start }), ...(end === null ? {} : { endDate: end }), measure: { type: "unique_users" as const } };
        expect(entities).toBe((await asked.trend(inside)).series[0]?.total);
        expect(sum(units.map((row) => row.entities))).toBe(entities);
        const visits = sum(((await asked.trend({ ...inside, interval: unit })).series[0]?.data ?? []).map(Number));
        expect(sum(units.map((row) => row.units * row.entities))).toBe(visits);
        expect(avg).toBe(entities === 0 ? null : visits / entities);
        expect(units[0]?.atLeast ?? 0).toBe(entities);
      }
    },
  },
];
