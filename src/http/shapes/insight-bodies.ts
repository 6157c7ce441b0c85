import { z } from "zod";
import { date, integer, segments, selector } from "./filters.js";

const zonedDate = date.meta({ description: "YYYY-MM-DD, a day of time_zone, or an RFC 3339 timestamp with a zone; inclusive. Default: open." });
const flag = (byDefault: boolean, description: string) => z.boolean().nullish().meta({ default: byDefault, description });
const choice = <const T extends readonly string[]>(names: T, more: { readonly default?: T[number]; readonly description?: string } = {}) => z.enum(names).nullish().meta(more);

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
  time_zone: z.string().nullish().meta({ default: "UTC", description: "An IANA name: whose days, weeks and months are meant." }),
  week_start: choice(WEEK_DAYS, { default: "monday" }),
  as_of: z.union([z.number(), z.literal("latest")], "expected a sequence, or latest").nullish().meta({ description: "Sequence up to which events and identity records count, or latest: all of them, and the answer tells the newest." }),
};

const field = z.string().meta({ description: "A field of filters, person.KEY, company.KEY, first_touch.D, last_touch.D, or a metadata key." });
const breakdownMembers = {
  fields: z.array(field).nullish().meta({ description: "One, or two different ones." }),
  limit: integer(1, 1_000, { default: 25 }),
  rest: flag(false, "Whether what is not shown is answered together."),
};
const breakdown = z.strictObject(breakdownMembers).meta({ required: ["fields"] }).nullish().meta({ description: "Shows the figures by the values of fields." });
const compare = choice(["previous_period", "previous_year"], { description: "Answers the period before, or the same dates a year before, too. Needs both dates." });
const level = choice(["identity", "account"], { default: "identity", description: "account: the company of an event, else its identity." });
const shortInterval = choice(["day", "week", "month"], { default: "day" });
const listLimit = integer(1, 1_000, { default: 10, description: "Of each list." });
const someEvent = z.strictObject(selector).nullish();

const measure = z
  .strictObject({ type: z.enum(MEASURES).nullish(), field: field.nullish() })
  .meta({ required: ["type"] })
  .nullish()
  .meta({ default: { type: "events" }, description: "unique_values, sum, avg, min, max and percentiles are of a field, the others of none." });

const step = z.strictObject({ ...selector, name: z.string().nullish().meta({ description: "What the answer calls it, 1 to 200 characters." }) });
const exclusion = z.strictObject({ ...selector, after_step: integer(1, 19, { default: 1 }), before_step: integer(2, 20, { description: "Default: the last step." }) });
const at = choice(["entry", "last"], { default: "entry", description: "By the values of the chain's first event, or of its last one." });
const rule = z.strictObject({ pattern: z.string().nullish(), label: z.string().nullish() }).meta({ required: ["pattern", "label"] });
const label = z.string().nullish().meta({ description: "A label, after the rules." });

/** Bodies of the insight routes. */
export const insightBodies = {
  trend: z.strictObject({
    ...insight,
    measure,
    interval: choice(INTERVALS, { default: "day" }),
    breakdown,
    compare,
    cumulative: flag(false, "Each figure is of the range up to the end of its bucket."),
    fill: flag(true, "Whether buckets in which nothing counts are shown."),
  }),
  funnel: z.strictObject({
    ...insight,
    steps: z.array(step).nullish().meta({ description: "2 to 20, each with an event's name or a filter." }),
    order: choice(["sequential", "strict", "any"], { default: "sequential" }),
    conversion_window_sec: integer(1, 31_622_400, { default: 1_209_600 }),
    exclusions: z.array(exclusion).nullish().meta({ description: "At most 10: events that end a try between two steps." }),
    level: choice(["identity", "account", "session"], { default: "identity" }),
    breakdown: z.strictObject({ ...breakdownMembers, at }).meta({ required: ["fields"] }).nullish(),
    interval: choice(UNITS, { description: "Answers each bucket's own funnel too. Not together with breakdown." }),
  }).meta({ required: ["steps"] }),
  retention: z.strictObject({
    ...insight,
    cohort_event: someEvent.meta({ description: "What makes somebody a member of a cohort. Default: any event." }),
    return_event: someEvent.meta({ description: "What counts as a return. Default: any event." }),
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
    unit: choice(["hour", "day", "week", "month"], { default: "day", description: "Shorter than the interval." }),
    level,
  }),
  paths: z.strictObject({
    ...insight,
    node: field.nullish().meta({ default: "path" }),
    rules: z.array(rule).nullish().meta({ description: "At most 50: the first pattern, a regular expression, that matches a value gives its label." }),
    start_at: label,
    end_at: label,
    collapse: flag(true, "Whether equal labels in a row are one node."),
    max_depth: integer(2, 20, { default: 5 }),
    limit: integer(1, 1_000, { default: 50, description: "Of nodes and edges per step, and of sequences." }),
  }),
  sessionsOverview: z.strictObject({ ...insight, interval: choice(INTERVALS, { default: "total" }), breakdown, limit: listLimit }),
  webOverview: z.strictObject({ ...insight, limit: listLimit, interval: choice(UNITS, { description: "Default: no chart." }), compare }),
};
