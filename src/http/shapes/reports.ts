import { z } from "zod";
import { MEASURES } from "../../query/plan/reports/events.js";
import { date, segments, selector } from "./filters.js";

const PLAIN_INTEGER = /^-?(?:0|[1-9][0-9]*)$/;

interface IntegerRange {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

/** A plain decimal integer, which becomes a number in the input of the query. `plan/` enforces its range. */
function integer(range: IntegerRange) {
  const plain = z.string().refine((text) => PLAIN_INTEGER.test(text), "expected a plain decimal integer");
  return plain.optional().meta({ type: "integer", ...range });
}

const text = z.string().optional();
const start = text.meta({ description: "YYYY-MM-DD, or an RFC 3339 timestamp with a zone; inclusive; default: 30 days before now." });
const end = text.meta({ description: "YYYY-MM-DD, or an RFC 3339 timestamp with a zone; inclusive; default: now." });

const identity = {
  email: text.meta({ description: "Exactly one of email and user_id." }),
  user_id: text.meta({ description: "A user id, or an anonymous id if no user has this id." }),
  start_date: start,
  end_date: end,
};
const rangeDays = integer({ minimum: 1, maximum: 365, default: 30 });
const level = z.enum(["account", "identity"]).optional().meta({ default: "account" });

export const reportQueries = {
  sessions: z.strictObject({ ...identity, limit: integer({ minimum: 1, maximum: 100, default: 50 }), cursor: text }),
  identity: z.strictObject(identity),
  referrers: z.strictObject({ ...identity, limit: integer({ minimum: 1, maximum: 50, default: 10 }) }),
  byAttribution: z.strictObject({
    model: z.enum(["first_touch", "last_touch"]).optional().meta({ default: "first_touch" }),
    level,
    dimension: z.enum(["source", "medium", "campaign"]).optional().meta({ default: "source" }),
    start_date: start,
    end_date: end,
    limit: integer({ minimum: 1, maximum: 100, default: 20 }),
  }),
  ltvCohorts: z.strictObject({ level, limit: integer({ minimum: 1, maximum: 60, default: 24 }) }),
  topCompanies: z.strictObject({
    range_days: rangeDays,
    sort: z.enum(["users", "events", "last_seen", "revenue"]).optional().meta({ default: "users" }),
    limit: integer({ minimum: 1, maximum: 200, default: 50 }),
  }),
  companyTopUsers: z.strictObject({ range_days: rangeDays, limit: integer({ minimum: 1, maximum: 100, default: 20 }) }),
};

const uniqueUsers = { event_name: selector.event_name, start_date: date, end_date: date, filter_groups: selector.filter_groups, segments };
const countEvents = { ...uniqueUsers, user_id: z.string().nullish() };
const fill = z.boolean().nullish().meta({ description: "Whether to include days without events." });

export const queryBodies = {
  countEvents: z.strictObject(countEvents),
  perDay: z.strictObject({ ...countEvents, fill }),
  uniqueUsers: z.strictObject(uniqueUsers),
  uniqueUsersPerDay: z.strictObject({ ...uniqueUsers, fill }),
  aggregate: z.strictObject({
    ...uniqueUsers,
    field: z.string().nullish().meta({ description: "A field of filters, person.KEY, company.KEY, first_touch.D, last_touch.D, or metadata.KEY." }),
    metadata_field: z.string().nullish(),
    measure: z.enum(MEASURES).nullish().meta({ description: "What is counted for each value. Default: events." }),
    limit: z.number().nullish().meta({ description: "Maximum number of items; the largest are returned. Default: all." }),
  }),
  searchEvents: z.strictObject({ ...countEvents, cursor: z.string().nullish(), limit: z.number().nullish(), all_fields: z.boolean().nullish() }),
};

const instant = z.string().meta({ description: "ISO 8601 with milliseconds, UTC." });
const count = z.int().min(0);
const field = z.string().nullable().meta({ description: "null: not set." });
const money = z.number().meta({ description: "Major units of the reporting currency, net." });
const currency = z.string().meta({ description: "The reporting currency, ISO 4217." });

const environment = {
  device: field,
  os: field,
  browser: field,
  screen: field,
  language: field,
  location_country: field,
  location_region: field,
  location_city: field,
};
const deviceGeo = { ...environment, location_lat: field, location_lon: field };

const session = z.strictObject({
  session_id: z.string(),
  project: z.string(),
  started_at: instant,
  ended_at: instant,
  duration_sec: z.number().min(0),
  events: count,
  pageviews: count,
  is_bounce: z.boolean(),
  entry_url: field,
  exit_url: field,
  referrer: field,
  utm_source: field,
  utm_medium: field,
  utm_campaign: field,
  ...environment,
  revenue: money,
});

export const unconverted = z
  .array(z.strictObject({ currency: z.string(), revenue: z.number(), orders: count }))
  .meta({ description: "Money in currencies without an exchange rate; no other figure includes it." });

export const reportAnswers = {
  sessions: z.strictObject({
    identity_id: z.string(),
    sessions: z.array(session),
    cursor: z.string().nullable().meta({ description: "Cursor of the next page; null on the last page." }),
  }),
  profile: z.strictObject({
    identity_id: z.string(),
    events: count,
    pageviews: count,
    sessions: count,
    duration_avg_sec: z.number().nullable(),
    duration_p90_sec: z.number().nullable(),
    bounce_rate: z.number().min(0).max(1).nullable(),
    active_days: count,
    first_seen: instant.nullable(),
    last_seen: instant.nullable(),
    revenue: money,
    currency,
  }),
  referrers: z.strictObject({ identity_id: z.string(), referrers: z.array(z.strictObject({ referrer: z.string(), count })) }),
  deviceGeo: z.strictObject({
    identity_id: z.string(),
    current: z.strictObject({ ...deviceGeo, seen_at: instant }).nullable(),
    history: z.array(z.strictObject({ ...deviceGeo, first_seen: instant, last_seen: instant, events: count })),
  }),
  byAttribution: z.strictObject({
    currency,
    rows: z.array(z.strictObject({ dimension: z.string(), revenue: money, orders: count })),
    unconverted,
  }),
  ltvCohorts: z.strictObject({
    currency,
    cohorts: z.array(
      z.strictObject({
        cohort: z.string().meta({ description: "YYYY-MM, UTC." }),
        entities: count,
        revenue: money,
        orders: count,
        ltv: z.number().meta({ description: "revenue / entities." }),
      }),
    ),
    unconverted,
  }),
  topCompanies: z.strictObject({
    currency,
    companies: z.array(
      z.strictObject({
        company_id: z.string(),
        name: z.string(),
        domain: z.string().nullable(),
        events: count,
        users: count,
        last_seen: instant,
        revenue: money,
      }),
    ),
  }),
  companyTopUsers: z.strictObject({
    company_id: z.string(),
    users: z.array(z.strictObject({ resolved_identifier: z.string(), events: count, last_seen: instant })),
  }),
};
