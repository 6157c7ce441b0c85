import type { Random } from "daybook/testing";
import { expect } from "vitest";
import type { FunnelInput } from "../../../../src/query/plan/input.js";
import { event } from "../made.js";
import { names, randomFilter, randomScope } from "../random-history.js";
import type { InsightLaw } from "./law.js";

const orders = ["strict", "sequential", "any"] as const;
const windows = [1, 60, 1_200, 3_600, 86_400, undefined] as const;
type Answer = { readonly steps: readonly { readonly entities: number }[] };
const countsOf = ({ steps }: Answer) => steps.map(({ entities }) => entities);
const isAtMost = (less: readonly number[], more: readonly number[]) => expect(less.every((count, index) => count <= (more[index] ?? Infinity)), `${less.join()} against ${more.join()}`).toBe(true);

function randomFunnel(random: Random): FunnelInput {
  const step = () => random.pick([{ eventName: random.pick(names) }, { eventName: random.pick(names) }, { filterGroups: [{ filters: [randomFilter(random)] }] }]);
  const order = random.pick(orders);
  const steps = Array.from({ length: random.between(2, 4) }, step);
  const after = random.between(1, steps.length - 1);
  const exclusion = () => ({ ...step(), ...(order === "any" ? {} : { afterStep: after, beforeStep: random.between(after + 1, steps.length) }) });
  return {
    ...randomScope(random), steps, order, conversionWindowSec: random.pick(windows), level: random.pick(["identity", "account", "session"]),
    ...(random.chance(0.3) ? { exclusions: [exclusion()] } : {}),
  };
}

export const funnelLaws: readonly InsightLaw[] = [
  {
    title: "Steps never increase; the first one is of all who did it.",
    count: 200,
    check: async ({ random, asked }) => {
      const input = randomFunnel(random);
      const counts = countsOf(await asked.funnel(input));
      expect(counts).toEqual([...counts].sort((a, b) => b - a));
      const { filterGroups: _filterGroups, eventName: _eventName, ...scope } = randomScope(random);
      const steps = names.slice(0, 2).map((eventName) => ({ eventName }));
      expect(countsOf(await asked.funnel({ ...scope, steps }))[0]).toBe((await asked.trend({ ...scope, eventName: "a", measure: { type: "unique_users" } })).series[0]?.total);
      expect(countsOf(await asked.funnel({ ...scope, steps, level: "session" }))[0]).toBe((await asked.trend({ ...scope, eventName: "a", measure: { type: "sessions" } })).series[0]?.total);
      const anyStep = [{ filters: [{ fieldName: "name", operator: "in", value: "a,b" }] }];
      expect(countsOf(await asked.funnel({ ...scope, steps, order: "any" }))[0]).toBe((await asked.trend({ ...scope, filterGroups: anyStep, measure: { type: "unique_users" } })).series[0]?.total);
    },
  },
  {
    title: "Strict is at most sequential, which is at most any; a longer window and an exclusion less lower no step.",
    count: 200,
    check: async ({ random, asked }) => {
      const { exclusions, order: _order, ...input } = randomFunnel(random);
      const whole = exclusions?.map(({ eventName, filterGroups }) => ({ eventName, filterGroups }));
      const [strict, sequential, any] = await Promise.all(orders.map(async (order) => countsOf(await asked.funnel({ ...input, order, exclusions: whole }))));
      isAtMost(strict ?? [], sequential ?? []);
      isAtMost(sequential ?? [], any ?? []);
      for (const order of orders) {
        isAtMost(countsOf(await asked.funnel({ ...input, order, exclusions: whole })), countsOf(await asked.funnel({ ...input, order })));
        const [shorter = 1, longer = 1] = [random.pick([1, 60, 3_600]), random.pick([7_200, 86_400])];
        isAtMost(countsOf(await asked.funnel({ ...input, order, exclusions: whole, conversionWindowSec: shorter })), countsOf(await asked.funnel({ ...input, order, exclusions: whole, conversionWindowSec: longer })));
      }
    },
  },
  {
    title: "One more event lowers no step, unless it is strict or excluded.",
    count: 100,
    check: async ({ random, history, asked, askedOf }) => {
      const { exclusions: _exclusions, ...input } = randomFunnel(random);
      const order = random.pick(["sequential", "any"] as const);
      const scope = { ...input, order, level: "identity" as const, eventName: null, filterGroups: null };
      const more = [...history, event(Date.parse("2026-03-27T00:00Z") + random.below(5 * 72) * 1_200_000, { name: random.pick(names), userId: random.pick(["ann", "bob"]) })];
      isAtMost(countsOf(await asked.funnel(scope)), countsOf(await (await askedOf(more)).funnel(scope)));
    },
  },
  {
    title: "The first steps count as the funnel of them alone.",
    count: 150,
    check: async ({ random, asked }) => {
      const { exclusions: _exclusions, ...input } = randomFunnel(random);
      const order = random.pick(["sequential", "strict"] as const);
      const count = random.between(2, input.steps.length);
      expect(countsOf(await asked.funnel({ ...input, order, steps: input.steps.slice(0, count) }))).toEqual(countsOf(await asked.funnel({ ...input, order })).slice(0, count));
    },
  },
  {
    title: "A bucket of the trend is the funnel of that bucket; on scalars the rows and the rest are all.",
    count: 150,
    check: async ({ random, asked }) => {
      const input = randomFunnel(random);
      const interval = random.pick(["hour", "day", "week"] as const);
      for (const { bucket, steps } of (await asked.funnel({ ...input, interval })).trend ?? []) {
        expect((await asked.funnel({ ...input, startDate: bucket.start, endDate: bucket.end })).steps).toEqual(steps);
      }
      const breakdown = { fields: [random.pick(["device", "path", "name"])], limit: random.pick([1, 25]), rest: true, at: random.pick(["entry", "last"] as const) };
      const { steps, rows, rest } = await asked.funnel({ ...input, breakdown });
      const parts = [...(rows ?? []).map((row) => row.steps), rest ?? []];
      expect(steps.map((_, index) => parts.reduce((sum, own) => sum + (own[index]?.entities ?? 0), 0))).toEqual(countsOf({ steps }));
      expect(steps).toEqual((await asked.funnel(input)).steps);
    },
  },
];
