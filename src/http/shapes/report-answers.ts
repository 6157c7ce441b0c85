import { z } from "zod";

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

/** Answers of the reports about identities, revenue and companies. */
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
