import type { Random } from "daybook/testing";
import { DAY_COUNT, FIRST_MS, HEAVY_USER_ID } from "./hostile-events.js";

/** A query of the library by its name, and its input. */
export interface HostileQuery {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Most of them have a value of its own in each event. */
const FIELDS = [
  "url", "url", "referrer", "path", "referrer_domain", "user_id", "metadata.trace", "metadata.amount", "metadata.utm_campaign", "metadata.key-17",
  "hostname", "name", "device", "browser", "location_country", "company_id", "first_touch.source", "first_touch.campaign",
] as const;
const NUMERIC_FIELDS = ["metadata.amount", "metadata.key-17", "metadata.trace"] as const;
const NAMES = ["page-view", "signup", "order", "search", "Payment", "unheard"] as const;

const MS_PER_DAY = 86_400_000;
const dayText = (day: number) => new Date(FIRST_MS + day * MS_PER_DAY).toISOString().slice(0, 10);

type Draw = (random: Random) => Readonly<Record<string, unknown>>;

function dates(random: Random): Record<string, unknown> {
  if (random.chance(0.5)) return {};
  const first = Math.floor(random.next() * DAY_COUNT);
  return { startDate: dayText(first), endDate: dayText(Math.min(DAY_COUNT - 1, first + Math.floor(random.next() * DAY_COUNT))) };
}

function filter(random: Random): Record<string, unknown> {
  const fieldName = random.pick(FIELDS);
  const digit = Math.floor(random.next() * 10);
  return random.pick([
    { fieldName, operator: "contains", value: String(digit) },
    { fieldName, operator: "not_contains", value: `${digit}${digit}` },
    { fieldName, operator: "regex", value: `[a-z]+[${digit}-9]{2,5}[^/]*${digit}$` },
    { fieldName, operator: "not_regex", value: `(?i)s[0-${digit}]+.*/` },
    { fieldName, operator: "starts_with", value: "https://shop.example/products/1" },
    { fieldName, operator: "is_set" },
    { fieldName, operator: "!=", value: "x" },
    { fieldName: "metadata.amount", operator: ">", value: 1_000 * digit },
    { fieldName, operator: "in", value: Array.from({ length: 200 }, (_, at) => `trace-${at * 97}`) },
    { fieldName: "device", operator: "=", value: "mobile" },
  ]);
}

function scope(random: Random): Record<string, unknown> {
  const groups = random.chance(0.5) ? [] : Array.from({ length: random.pick([1, 1, 2, 5]) }, () => ({ filters: Array.from({ length: random.pick([1, 1, 2, 4]) }, () => filter(random)) }));
  return {
    ...dates(random),
    ...(groups.length > 0 ? { filterGroups: groups } : {}),
    ...(random.chance(0.2) ? { eventName: random.pick(NAMES) } : {}),
    ...(random.chance(0.3) ? { project: random.pick(["shop", "beside"]) } : {}),
    ...(random.chance(0.1) ? segments(random, groups.length > 0) : {}),
  };
}

/** A segment beside whatever is asked, and the filter that asks who is in it. */
function segments(random: Random, isFiltered: boolean): Record<string, unknown> {
  const conditions = [random.pick([
    { type: "did", eventName: random.pick(NAMES), atLeast: random.pick([1, 2, 100]) },
    { type: "did_not", eventName: random.pick(NAMES), lastDays: 3_000 },
    { type: "first_seen", startDate: dayText(3), endDate: dayText(60) },
    { type: "did", filterGroups: [{ filters: [filter(random)] }] },
  ])];
  const named = { segments: { some: { groups: [{ conditions }] } } };
  return isFiltered ? named : { ...named, filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "some" }] }] };
}

function breakdown(random: Random): Record<string, unknown> {
  const first = random.pick(FIELDS);
  const second = random.pick(FIELDS);
  const fields = first !== second && random.chance(0.4) ? [first, second] : [first];
  return { breakdown: { fields, ...(random.chance(0.5) ? { limit: random.pick([1, 25, 1_000]) } : {}), ...(random.chance(0.3) ? { rest: true } : {}) } };
}

const maybe = (random: Random, share: number, make: () => Record<string, unknown>) => (random.chance(share) ? make() : {});
const subject = (random: Random) => random.pick([{ userId: HEAVY_USER_ID }, { userId: `user-${3 * Math.floor(random.next() * 300_000) + 3}` }, { userId: "browser-17" }]);
const level = (random: Random) => maybe(random, 0.4, () => ({ level: random.pick(["identity", "account"]) }));
const person = (random: Random) => ({ ...subject(random), ...dates(random) });

const QUERIES: Readonly<Record<string, Draw>> = {
  countEvents: (random) => ({ ...scope(random), ...maybe(random, 0.2, () => subject(random)) }),
  countEventsPerDay: scope,
  countUniqueUsers: scope,
  countUniqueUsersPerDay: scope,
  aggregate: (random) => ({ ...scope(random), field: random.pick([...FIELDS, "id", "created_at", "identity_id"]), ...maybe(random, 0.5, () => ({ limit: random.pick([10, 1_000]) })), ...maybe(random, 0.3, () => ({ measure: "unique_users" })) }),
  searchEvents: (random) => ({ ...scope(random), limit: random.pick([1, 100, 1_000]), ...maybe(random, 0.2, () => subject(random)) }),
  identitySessions: (random) => ({ ...person(random), limit: random.pick([10, 100]) }),
  identityProfile: person,
  identityReferrers: person,
  identityDeviceGeo: person,
  revenueByAttribution: (random) => ({
    project: "shop", ...dates(random), model: random.pick(["first_touch", "last_touch"]), level: random.pick(["identity", "account"]), dimension: random.pick(["source", "campaign"]),
  }),
  ltvCohorts: (random) => ({ project: "shop", level: random.pick(["identity", "account"]) }),
  topCompanies: (random) => ({ rangeDays: 365, sort: random.pick(["users", "events", "revenue"]), limit: 200 }),
  companyTopUsers: (random) => ({ companyId: `company-${4 * Math.floor(random.next() * 4_000)}`, rangeDays: 365 }),
  trend: (random) => ({
    ...scope(random),
    ...maybe(random, 0.8, () => breakdown(random)),
    ...maybe(random, 0.7, () => ({
      measure: random.pick([
        { type: "unique_users" }, { type: "sessions" }, { type: "revenue" }, { type: "unique_values", field: random.pick(FIELDS) },
        { type: random.pick(["sum", "avg", "median", "p99"]), field: random.pick(NUMERIC_FIELDS) },
      ]),
    })),
    interval: random.pick(["day", "week", "month", "total"]),
    ...maybe(random, 0.2, () => ({ cumulative: true })),
  }),
  funnel: (random) => ({
    ...scope(random),
    steps: Array.from({ length: random.pick([2, 3, 5]) }, () => random.pick<object>([{ eventName: random.pick(NAMES) }, { filterGroups: [{ filters: [filter(random)] }], name: "some" }])),
    ...maybe(random, 0.5, () => ({ order: random.pick(["strict", "any"]) })),
    ...maybe(random, 0.5, () => ({ level: random.pick(["account", "session"]) })),
    ...maybe(random, 0.5, () => breakdown(random)),
  }),
  retention: (random) => ({ ...scope(random), ...level(random), cohort: random.pick(["first_time", "recurring"]), interval: random.pick(["day", "week"]), ...maybe(random, 0.6, () => breakdown(random)) }),
  lifecycle: (random) => ({ ...scope(random), ...level(random), interval: random.pick(["day", "week", "month"]) }),
  stickiness: (random) => ({ ...scope(random), ...level(random) }),
  paths: (random) => ({ ...scope(random), node: random.pick(FIELDS), maxDepth: random.pick([2, 5, 20]), ...maybe(random, 0.3, () => ({ rules: [{ pattern: "products/[0-9]", label: "product" }] })) }),
  sessionsOverview: (random) => ({ ...scope(random), ...maybe(random, 0.6, () => breakdown(random)), ...maybe(random, 0.5, () => ({ interval: "day" })) }),
  webOverview: (random) => ({ ...scope(random), ...maybe(random, 0.5, () => ({ limit: 1_000 })), ...maybe(random, 0.5, () => ({ interval: "day" })) }),
};

export const QUERY_NAMES = Object.keys(QUERIES);

/** A query that a viewer's token may ask, whatever it costs. */
export function hostileQuery(name: string, random: Random): HostileQuery {
  return { name, input: QUERIES[name]?.(random) ?? {} };
}
