import { z } from "zod";
import { date, integer, segments, selector } from "./filters.js";

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

/** Bodies of the insight routes. */
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
