import { expect } from "vitest";
import type { TrendInput, TrendMeasure } from "../../../../src/query/plan/input.js";
import { randomFilter, randomScope, zones } from "../random-history.js";
import type { InsightLaw } from "./law.js";

const sumOf = (data: readonly (number | null)[]) => data.reduce<number>((sum, figure) => sum + (figure ?? 0), 0);
const intervals = ["hour", "day", "week", "month", "quarter", "year", "total"] as const;
const additive: readonly TrendMeasure[] = [{ type: "events" }, { type: "sum", field: "value" }, { type: "sessions" }, { type: "revenue" }];
const measures: readonly TrendMeasure[] = [
  ...additive, { type: "unique_users" }, { type: "unique_values", field: "x" }, { type: "sum", field: "x" }, { type: "avg", field: "x" }, { type: "median", field: "x" }, { type: "p90", field: "x" }, { type: "max", field: "x" },
];
const scalars = ["device", "path", "name", "country", "x", "user_id", "person.plan", "company_id", "last_touch.source"];

export const trendLaws: readonly InsightLaw[] = [
  {
    title: "Totals are the counts; by day in UTC the series are those of the days.",
    count: 150,
    check: async ({ random, asked }) => {
      const { timeZone: _zone, weekStart: _weekStart, ...scope } = randomScope(random);
      const fill = random.chance(0.5);
      const events = await asked.trend({ ...scope, fill });
      expect(events.series[0]?.total).toBe(await asked.countEvents(scope));
      const daysOf = ({ buckets, series }: typeof events) => buckets.map(({ local }, index) => ({ day: `${local}T00:00:00.000Z`, count: series[0]?.data[index] }));
      expect(daysOf(events)).toEqual(await asked.countEventsPerDay({ ...scope, fill }));
      expect(daysOf(await asked.trend({ ...scope, fill, cumulative: true }))).toEqual(await asked.countEventsRunningTotalPerDay({ ...scope, fill }));
      const users = await asked.trend({ ...scope, fill, measure: { type: "unique_users" } });
      expect(users.series[0]?.total).toBe(await asked.countUniqueUsers(scope));
      expect(daysOf(users)).toEqual(await asked.countUniqueUsersPerDay({ ...scope, fill }));
    },
  },
  {
    title: "What adds up adds up over buckets; each bucket is the query with its dates; the last cumulative figure is the total.",
    count: 200,
    check: async ({ random, asked }) => {
      const input: TrendInput = { ...randomScope(random), measure: random.pick(measures), interval: random.pick(intervals) };
      const { buckets, series: [series] } = await asked.trend(input);
      const measure = input.measure ?? { type: "events" };
      if (additive.some(({ type }) => type === measure.type) && measure.field !== "x") expect(sumOf(series?.data ?? [])).toBeCloseTo(series?.total ?? NaN, 9);
      for (const [index, { start, end }] of buckets.entries()) {
        const alone = await asked.trend({ ...input, interval: "total", ...(start === null ? {} : { startDate: start }), ...(end === null ? {} : { endDate: end }) });
        expect(alone.series[0]?.total).toBe(series?.data[index]);
      }
      const cumulative = await asked.trend({ ...input, cumulative: true });
      expect(cumulative.series[0]?.total).toBe(series?.total);
      expect(cumulative.series[0]?.data.at(-1) ?? series?.total).toBe(series?.total);
      const users = (await asked.trend({ ...input, measure: { type: "unique_users" } })).series[0];
      expect(Math.max(0, ...(users?.data ?? []).map(Number))).toBeLessThanOrEqual(users?.total ?? 0);
      expect(sumOf(users?.data ?? [])).toBeGreaterThanOrEqual(users?.total ?? 0);
    },
  },
  {
    title: "What is compared is the query asked of its dates.",
    count: 100,
    check: async ({ random, asked }) => {
      const compare = random.pick(["previous_period", "previous_year"] as const);
      const input: TrendInput = { measure: random.pick(measures), timeZone: random.pick(zones), interval: random.pick(intervals), startDate: "2026-03-29", endDate: random.pick(["2026-03-30", "2026-03-29T12:34:56Z"]) };
      const { previous } = await asked.trend({ ...input, compare });
      const [startDate, endDate] = [previous?.buckets.at(0)?.start, previous?.buckets.at(-1)?.end];
      const { previous: none, currency: _currency, ...alone } = await asked.trend({ ...input, startDate, endDate });
      expect(none).toBeNull();
      expect(alone).toEqual(previous);
    },
  },
  {
    title: "On scalars the series and the rest are all, and a series is the query with its value as a filter.",
    count: 200,
    check: async ({ random, asked }) => {
      const { filterGroups: _filterGroups, ...scope } = randomScope(random);
      const field = random.pick(scalars);
      const input: TrendInput = { ...scope, measure: random.pick(additive), interval: random.pick(intervals) };
      const broken = await asked.trend({ ...input, breakdown: { fields: [field], limit: random.pick([1, 2, 25]), rest: true } });
      const whole = await asked.trend(input);
      expect(sumOf([...broken.series, broken.rest].map((series) => series?.total ?? 0))).toBeCloseTo(whole.series[0]?.total ?? NaN, 9);
      expect(broken.buckets).toEqual(whole.buckets);
      for (const series of input.measure?.type === "sessions" ? [] : broken.series) {
        const filterGroups = [{ filters: [{ fieldName: field, operator: "=", value: series.values[0] }] }];
        const alone = await asked.trend({ ...input, interval: "total", filterGroups });
        expect(alone.series[0]).toMatchObject({ counted: series.counted, total: series.total });
      }
    },
  },
  {
    title: "A filter and its complement share everything out.",
    count: 100,
    check: async ({ random, asked }) => {
      const { filterGroups: _filterGroups, ...scope } = randomScope(random);
      const measure = random.pick(additive.filter(({ type }) => type !== "sessions"));
      const total = async (operator: string | null) => {
        const filterGroups = operator === null ? null : [{ filters: [{ fieldName: "path", operator, value: "/a" }] }];
        return (await asked.trend({ ...scope, measure, filterGroups })).series[0]?.total ?? NaN;
      };
      expect((await total("=")) + (await total("!="))).toBeCloseTo(await total(null), 9);
    },
  },
  {
    title: "Revenue by first and last touch is that by attribution.",
    count: 100,
    check: async ({ random, asked }) => {
      const [model, dimension] = [random.pick(["first_touch", "last_touch"] as const), random.pick(["source", "medium", "campaign"] as const)];
      const input = { project: "default", startDate: "2026-03-28", endDate: "2026-03-30" };
      const { series, unconverted } = await asked.trend({ ...input, measure: { type: "revenue" }, breakdown: { fields: [`${model}.${dimension}`] } });
      const byAttribution = await asked.countEvents({ project: "default" }) === 0 ? null : await asked.revenueByAttribution({ ...input, model, dimension, level: "identity" });
      const rows = series.filter(({ counted }) => counted > 0).map(({ values: [value], total }) => [value, total]).sort();
      expect(rows).toEqual((byAttribution?.rows ?? []).map((row) => [row.dimension, row.revenue]).sort());
      expect(unconverted).toEqual(byAttribution?.unconverted ?? []);
    },
  },
  {
    title: "Sums are those of the aggregate; averages lie between the least and the greatest.",
    count: 100,
    check: async ({ random, asked }) => {
      const { timeZone: _zone, weekStart: _weekStart, ...scope } = randomScope(random);
      const of = async (type: "sum" | "avg" | "min" | "p25" | "median" | "p75" | "p90" | "p95" | "p99" | "max") => (await asked.trend({ ...scope, measure: { type, field: "x" }, interval: "total" })).series[0];
      const properties = (await asked.aggregate({ ...scope, metadataField: "x" })).filter(({ property }) => /^-?\d/.test(property));
      const exact = properties.reduce((sum, { property, count }) => sum + BigInt(Math.round(Number(property) * 10)) * BigInt(count), 0n);
      expect((await of("sum"))?.total).toBeCloseTo(Number(exact) / 10, 6);
      const numeric = [">=", "<"].map((operator) => ({ filters: [...(scope.filterGroups?.[0]?.filters ?? []), { fieldName: "x", operator, value: "0" }] }));
      expect((await of("sum"))?.counted).toBe(await asked.countEvents({ ...scope, filterGroups: numeric }));
      const [sum, average] = [(await of("sum"))?.total ?? 0, (await of("avg"))?.total ?? 0];
      expect(Math.abs(average * ((await of("sum"))?.counted ?? 0) - sum)).toBeLessThanOrEqual(Math.abs(sum) * 1e-12);
      const ascending = await Promise.all((["min", "p25", "median", "p75", "p90", "p95", "p99", "max"] as const).map(async (type) => (await of(type))?.total ?? 0));
      expect(ascending).toEqual([...ascending].sort((a, b) => a - b));
    },
  },
  {
    title: "Who is in a segment and who is not are all; who did something ever are its users.",
    count: 100,
    check: async ({ random, asked }) => {
      const filter = randomFilter(random);
      const atLeast = random.between(1, 3);
      const did = (least: number) => ({ s: { groups: [{ conditions: [{ type: "did" as const, atLeast: least, filterGroups: [{ filters: [filter] }] }] }] } });
      const users = async (operator: string, least = atLeast) => await asked.countUniqueUsers({ segments: did(least), filterGroups: [{ filters: [{ fieldName: "identity_id", operator, value: "s" }] }] });
      const events = async (operator: string) => await asked.countEvents({ segments: did(atLeast), filterGroups: [{ filters: [{ fieldName: "identity_id", operator, value: "s" }] }] });
      expect((await events("in_segment")) + (await events("not_in_segment"))).toBe(await asked.countEvents());
      expect((await users("in_segment")) + (await users("not_in_segment"))).toBe(await asked.countUniqueUsers());
      expect((await users("in_segment", 1))).toBe(await asked.countUniqueUsers({ filterGroups: [{ filters: [filter] }] }));
      expect((await users("in_segment", atLeast + 1))).toBeLessThanOrEqual((await users("in_segment", atLeast)));
    },
  },
];
