import { z } from "zod";
import { date, integer, segments, selector } from "./filters.js";
import { unconverted } from "./reports.js";

const zonedDate = date.meta({ description: "YYYY-MM-DD, a day of time_zone, or an RFC 3339 timestamp with a zone; inclusive. Default: open." });
const flag = (defaultValue: boolean, description: string) => z.boolean().nullish().meta({ default: defaultValue, description });
const choice = <const T extends readonly string[]>(names: T, more: { readonly default?: T[number]; readonly description?: string } = {}) =>
  z.enum(names).nullish().meta(more);

const UNITS = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const;
const INTERVALS = [...UNITS, "total"] as const;
const WEEK_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const MEASURES = [
  ...(["events", "unique_users", "unique_values", "sessions", "revenue"] as const),
  ...(["sum", "avg", "min", "max", "p25", "median", "p75", "p90", "p95", "p99"] as const),
] as const;

const insight = {
  ...selector,
  start_date: zonedDate,
  end_date: zonedDate,
  segments,
  time_zone: z.string().nullish().meta({ default: "UTC", description: "IANA name of the time zone of days, weeks and months." }),
  week_start: choice(WEEK_DAYS, { default: "monday" }),
  as_of: z
    .union([z.number(), z.literal("latest")], "expected a sequence, or latest")
    .nullish()
    .meta({
      description: "Sequence up to which events and identity records count, or latest: all of them count, and the answer has the newest sequence.",
    }),
};

const field = z.string().meta({ description: "A field of filters, person.KEY, company.KEY, first_touch.D, last_touch.D, or a metadata key." });
const breakdownMembers = {
  fields: z.array(field).nullish().meta({ description: "One field, or two different ones." }),
  limit: integer(1, 1_000, { default: 25 }),
  rest: flag(false, "Whether rest has the figures of all combinations that are not shown."),
};
const breakdown = z.strictObject(breakdownMembers).meta({ required: ["fields"] }).nullish().meta({
  description: "Splits the figures by the values of fields.",
});
const compare = choice(["previous_period", "previous_year"], {
  description: "Also returns the previous period, or the same dates a year before. Needs both dates.",
});
const level = choice(["identity", "account"], {
  default: "identity",
  description: "account: the company of an event, or its identity if it has no company.",
});
const shortInterval = choice(["day", "week", "month"], { default: "day" });
const listLimit = integer(1, 1_000, { default: 10, description: "Maximum length of each list." });
const someEvent = z.strictObject(selector).nullish();

const measure = z
  .strictObject({ type: z.enum(MEASURES).nullish(), field: field.nullish() })
  .meta({ required: ["type"] })
  .nullish()
  .meta({ default: { type: "events" }, description: "unique_values, sum, avg, min, max and percentiles need a field; the others take none." });

const step = z.strictObject({
  ...selector,
  name: z.string().nullish().meta({ description: "Name of the step in the answer, 1 to 200 characters." }),
});
const exclusion = z.strictObject({
  ...selector,
  after_step: integer(1, 19, { default: 1 }),
  before_step: integer(2, 20, { description: "Default: the last step." }),
});
const at = choice(["entry", "last"], {
  default: "entry",
  description: "The event whose values count: the first of the attempt, or the last one it reached.",
});
const rule = z.strictObject({ pattern: z.string().nullish(), label: z.string().nullish() }).meta({ required: ["pattern", "label"] });
const label = z.string().nullish().meta({ description: "A label, as renamed by the rules." });

export const insightBodies = {
  trend: z.strictObject({
    ...insight,
    measure,
    interval: choice(INTERVALS, { default: "day" }),
    breakdown,
    compare,
    cumulative: flag(false, "Whether each figure covers the range from its start to the end of the bucket."),
    fill: flag(true, "Whether to include empty buckets."),
  }),
  funnel: z.strictObject({
    ...insight,
    steps: z.array(step).nullish().meta({ description: "2 to 20 steps, each with an event name or a filter." }),
    order: choice(["sequential", "strict", "any"], { default: "sequential" }),
    conversion_window_sec: integer(1, 31_622_400, { default: 1_209_600 }),
    exclusions: z.array(exclusion).nullish().meta({ description: "At most 10 events that end an attempt between two steps." }),
    level: choice(["identity", "account", "session"], { default: "identity" }),
    breakdown: z.strictObject({ ...breakdownMembers, at }).meta({ required: ["fields"] }).nullish(),
    interval: choice(UNITS, { description: "Also returns the funnel of each bucket. Cannot be combined with breakdown." }),
  }).meta({ required: ["steps"] }),
  retention: z.strictObject({
    ...insight,
    cohort_event: someEvent.meta({ description: "The event that makes an entity a member of a cohort. Default: any event." }),
    return_event: someEvent.meta({ description: "The event that counts as a return. Default: any event." }),
    cohort: choice(["first_time", "recurring"], { default: "first_time" }),
    returned: choice(["on", "on_or_after"], { default: "on" }),
    interval: shortInterval,
    periods: integer(1, 366, { default: 11 }),
    level,
    breakdown,
  }),
  lifecycle: z.strictObject({ ...insight, interval: shortInterval, level }),
  stickiness: z.strictObject({
    ...insight,
    interval: choice(["week", "month", "quarter", "year", "total"], { default: "total" }),
    unit: choice(["hour", "day", "week", "month"], { default: "day", description: "Must be shorter than the interval." }),
    level,
  }),
  paths: z.strictObject({
    ...insight,
    node: field.nullish().meta({ default: "path" }),
    rules: z.array(rule).nullish().meta({
      description: "At most 50. A value gets the label of the first pattern, a regular expression, that matches it.",
    }),
    start_at: label,
    end_at: label,
    collapse: flag(true, "Whether consecutive equal labels are one node."),
    max_depth: integer(2, 20, { default: 5 }),
    limit: integer(1, 1_000, { default: 50, description: "Maximum number of nodes and of edges per step, and of sequences." }),
  }),
  sessionsOverview: z.strictObject({ ...insight, interval: choice(INTERVALS, { default: "total" }), breakdown, limit: listLimit }),
  webOverview: z.strictObject({ ...insight, limit: listLimit, interval: choice(UNITS, { description: "Default: no chart." }), compare }),
};

const count = z.int().min(0);
const rate = z.number().min(0).nullable().meta({ description: "Four decimals; null if there is nothing to divide by." });
const seconds = z.number().min(0).nullable().meta({ description: "null if there are no sessions." });
const instant = z.string().nullable().meta({ description: "ISO 8601 with milliseconds, UTC; null where the range is open." });
const values = z.array(z.string()).meta({ description: "One value per field; empty text: not set." });
const valueCount = count.meta({ description: "Number of combinations of values, whether shown or not." });

const answered = {
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

export const insightAnswers = {
  trend: z.strictObject({
    ...answered,
    ...trend,
    previous: z.strictObject(trend).nullable(),
    currency: z.string().nullable().meta({ description: "For revenue: the reporting currency, ISO 4217." }),
  }),
  funnel: z.strictObject({
    ...answered,
    pending: count.meta({ description: "Entities below the last step that may still convert." }),
    steps,
    rows: z.array(z.strictObject({ values, steps })).nullable(),
    rest: steps.nullable(),
    value_count: valueCount,
    trend: z.array(z.strictObject({ bucket, steps })).nullable(),
  }),
  retention: z.strictObject({
    ...answered,
    cohorts: z.array(z.strictObject({ bucket, size: count, periods })),
    total: periods,
    rows: z.array(z.strictObject({ values, size: count, total: periods })).nullable(),
    rest: periods.nullable(),
    value_count: valueCount,
  }),
  lifecycle: z.strictObject({
    ...answered,
    buckets: z.array(z.strictObject({ ...bucketMembers, new: count, returning: count, resurrecting: count, dormant: count })),
  }),
  stickiness: z.strictObject({
    ...answered,
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
    ...answered,
    sessions: count.meta({ description: "Sessions with a sequence." }),
    nodes: z.array(z.strictObject({ step: count, value: z.string(), sessions: count, entries: count, drop_offs: count })),
    edges: z.array(z.strictObject({ step: count, from: z.string(), to: z.string(), sessions: count })),
    sequences: z.array(z.strictObject({ values: z.array(z.string()), sessions: count })),
  }),
  sessionsOverview: z.strictObject({
    ...answered,
    buckets: z.array(z.strictObject({ ...bucketMembers, ...figures })),
    total: z.strictObject(figures),
    rows: z.array(z.strictObject({ values, figures: z.strictObject(figures) })).nullable(),
    rest: z.strictObject(figures).nullable(),
    value_count: valueCount,
    entry_pages: pages,
    exit_pages: pages,
  }),
  webOverview: z.strictObject({
    ...answered,
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
