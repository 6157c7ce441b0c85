import { z } from "zod";
import { unconverted } from "./report-answers.js";

const count = z.int().min(0);
const rate = z.number().min(0).nullable().meta({ description: "Four decimals; null if there is nothing to divide by." });
const seconds = z.number().min(0).nullable().meta({ description: "null if there are no sessions." });
const instant = z.string().nullable().meta({ description: "ISO 8601 with milliseconds, UTC; null where the range is open." });
const values = z.array(z.string()).meta({ description: "One value per field; empty text: not set." });
const valueCount = count.meta({ description: "Number of combinations of values, whether shown or not." });

const insight = {
  definition: z.string().meta({ description: "def_ and 32 hexadecimal digits, a hash of the settled query: equal definitions mean the same query." }),
  as_of: count.nullable().meta({ description: "Sequence up to which events and identity records counted; null if as_of was not requested." }),
};

const bucketMembers = {
  start: instant,
  end: instant,
  local: z.string().nullable().meta({ description: "Name of the calendar unit in the query's time zone; null for total." }),
  partial: z.boolean().meta({ description: "True if the range cuts the bucket, or the bucket is not over." }),
};
const bucket = z.strictObject(bucketMembers);

const series = z.strictObject({
  values,
  counted: count.meta({ description: "Number of events or sessions that the figures are made of." }),
  total: z.number().nullable().meta({ description: "The figure of the whole range." }),
  data: z.array(z.number().nullable()).meta({ description: "One figure per bucket." }),
});
const trend = { buckets: z.array(bucket), series: z.array(series), rest: series.nullable(), value_count: valueCount, unconverted };

const times = z.strictObject({ avg_sec: z.number(), median_sec: z.number(), p90_sec: z.number() }).nullable().meta({
  description: "null for step 1, and for a step that no entity reached.",
});
const steps = z.array(
  z.strictObject({
    name: z.string(),
    entities: count,
    conversion_rate: rate.meta({ description: "Relative to step 1." }),
    step_rate: rate.meta({ description: "Relative to the previous step." }),
    drop_offs: count,
    from_previous: times,
    from_entry: times,
  }),
);

const periods = z.array(
  z.strictObject({
    of: count,
    entities: count.nullable().meta({ description: "null if the period has not begun." }),
    rate,
    incomplete: z.boolean().meta({ description: "True if the period is not over." }),
  }),
);

const figures = {
  sessions: count,
  users: count,
  events: count,
  pageviews: count,
  bounces: count,
  bounce_rate: rate,
  duration_avg_sec: seconds,
  duration_median_sec: seconds,
  duration_p90_sec: seconds,
  pages_per_session: rate,
};
const pages = z.array(z.strictObject({ value: z.string(), sessions: count, bounces: count, bounce_rate: rate }));

const web = z.strictObject({ visitors: count, views: count, visits: count, views_per_visit: rate, bounce_rate: rate, duration_avg_sec: seconds });
const visits = z.array(z.strictObject({ value: z.string(), visitors: count, visits: count }));

/** Answers of the insight routes. */
export const insightAnswers = {
  trend: z.strictObject({
    ...insight,
    ...trend,
    previous: z.strictObject(trend).nullable(),
    currency: z.string().nullable().meta({ description: "For revenue: the reporting currency, ISO 4217." }),
  }),
  funnel: z.strictObject({
    ...insight,
    pending: count.meta({ description: "Entities below the last step that may still convert." }),
    steps,
    rows: z.array(z.strictObject({ values, steps })).nullable(),
    rest: steps.nullable(),
    value_count: valueCount,
    trend: z.array(z.strictObject({ bucket, steps })).nullable(),
  }),
  retention: z.strictObject({
    ...insight,
    cohorts: z.array(z.strictObject({ bucket, size: count, periods })),
    total: periods,
    rows: z.array(z.strictObject({ values, size: count, total: periods })).nullable(),
    rest: periods.nullable(),
    value_count: valueCount,
  }),
  lifecycle: z.strictObject({
    ...insight,
    buckets: z.array(z.strictObject({ ...bucketMembers, new: count, returning: count, resurrecting: count, dormant: count })),
  }),
  stickiness: z.strictObject({
    ...insight,
    buckets: z.array(
      z.strictObject({
        ...bucketMembers,
        entities: count,
        avg: z.number().nullable().meta({ description: "Average number of units per entity." }),
        units: z.array(z.strictObject({ units: count, entities: count, at_least: count })),
      }),
    ),
  }),
  paths: z.strictObject({
    ...insight,
    sessions: count.meta({ description: "Sessions with a sequence." }),
    nodes: z.array(z.strictObject({ step: count, value: z.string(), sessions: count, entries: count, drop_offs: count })),
    edges: z.array(z.strictObject({ step: count, from: z.string(), to: z.string(), sessions: count })),
    sequences: z.array(z.strictObject({ values: z.array(z.string()), sessions: count })),
  }),
  sessionsOverview: z.strictObject({
    ...insight,
    buckets: z.array(z.strictObject({ ...bucketMembers, ...figures })),
    total: z.strictObject(figures),
    rows: z.array(z.strictObject({ values, figures: z.strictObject(figures) })).nullable(),
    rest: z.strictObject(figures).nullable(),
    value_count: valueCount,
    entry_pages: pages,
    exit_pages: pages,
  }),
  webOverview: z.strictObject({
    ...insight,
    now_online: count.meta({ description: "People with an event in the last five minutes, regardless of dates and filters." }),
    figures: web,
    previous: web.nullable(),
    chart: z.array(z.strictObject({ ...bucketMembers, visitors: count, views: count, visits: count })).nullable(),
    pages: z.array(z.strictObject({ value: z.string(), visitors: count, views: count })),
    entry_pages: visits,
    exit_pages: visits,
    sources: visits,
    mediums: visits,
    campaigns: visits,
    countries: visits,
    devices: visits,
    browsers: visits,
    systems: visits,
  }),
};
