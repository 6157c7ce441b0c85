import type { AggregateInput, CompanyTopUsersInput, CountEventsInput, FilterInput, IdentityInput, IdentityReferrersInput, LtvCohortsInput, PerDayInput, RevenueByAttributionInput, TopCompaniesInput } from "../../../src/query/plan/input.js";
import type { History } from "../oracle/history.js";
import type { Random } from "../../../src/testing/random.js";
import { anonymousIds, companyIds, emails, projects, userIds } from "./person-values.js";
import { nowMs } from "./now.js";

/** Long before and after all that a random history holds. */
const always = { startDate: "1970-01-01", endDate: new Date(nowMs + 86_400_000).toISOString() };

/** A query about identities, money or companies, or an older one whose answer depends on who is who. */
export type PersonQuery =
  | { readonly report: "identitySessions" | "identityProfile" | "identityDeviceGeo"; readonly input: IdentityInput }
  | { readonly report: "identityReferrers"; readonly input: IdentityReferrersInput }
  | { readonly report: "revenueByAttribution"; readonly input: RevenueByAttributionInput }
  | { readonly report: "ltvCohorts"; readonly input: LtvCohortsInput }
  | { readonly report: "topCompanies"; readonly input: TopCompaniesInput }
  | { readonly report: "companyTopUsers"; readonly input: CompanyTopUsersInput }
  | { readonly report: "countEvents" | "countUniqueUsers" | "searchEvents"; readonly input: CountEventsInput }
  | { readonly report: "countUniqueUsersPerDay"; readonly input: PerDayInput }
  | { readonly report: "aggregate"; readonly input: AggregateInput };

/** What an aggregate may be of beside the fields of events: metadata by path, and what is known of people, companies and who brought them. */
const aggregated = [
  "person.email", "person.email", "person.plan", "person.name", "person.a.b", "company.name", "company.domain", "company.plan", "company.a", "company_id", "identityId",
  "first_touch.source", "first_touch.medium", "first_touch.campaign", "last_touch.source", "last_touch.medium", "last_touch.campaign",
  "touch_source", "touchMedium", "touch_campaign", "metadata.utm_source", "metadata.revenue", "metadata.order_id", "utm_campaign",
] as const;
/** Of one kind each. */
const refused = ["plan", "a.b", "person.", "company.", "metadata.", "first_touch.who", ""] as readonly string[] as readonly AggregateInput["field"][];

/** One query of each report. `identityIds` are values for filters. */
export function personQueries(random: Random, history: History, identityIds: readonly string[]): PersonQuery[] {
  const person = (): IdentityInput => (random.chance(0.02) ? random.pick(brokenPersons) : { ...anyPerson(random), ...dates(random, history) });
  const limit = (highest: number) => (random.chance(0.3) ? { limit: random.between(1, highest) } : {});
  const level = () => random.pick([{}, { level: "identity" as const }, { level: "account" as const }]);
  const project = () => random.pick([...projects, ...projects, ...projects, "none"]);
  const filtered = (): CountEventsInput => ({ filterGroups: [{ filters: [filter(random, identityIds)] }], ...(random.chance(0.3) ? { project: project() } : {}) });
  return [
    { report: "identitySessions", input: person() },
    { report: "identitySessions", input: { ...anyPerson(random), ...always } },
    { report: "identityProfile", input: person() },
    { report: "identityProfile", input: { ...anyPerson(random), ...always } },
    { report: "identityReferrers", input: { ...person(), ...limit(2) } },
    { report: "identityDeviceGeo", input: person() },
    ...(["source", "medium", "campaign"] as const).map((dimension): PersonQuery => ({
      report: "revenueByAttribution",
      input: {
        project: project(), dimension, ...level(), ...limit(3), ...dates(random, history), ...random.pick([{}, { model: "first_touch" as const }, { model: "last_touch" as const }]),
      },
    })),
    { report: "ltvCohorts", input: { project: project(), ...level(), ...limit(2) } },
    { report: "topCompanies", input: { ...days(random), ...limit(3), ...random.pick([{}, { sort: "users" }, { sort: "events" }, { sort: "last_seen" }, { sort: "revenue" }] as const) } },
    { report: "companyTopUsers", input: { companyId: random.pick([...companyIds, "none"]), ...days(random), ...limit(2) } },
    { report: "countUniqueUsers", input: random.chance(0.5) ? {} : filtered() },
    { report: "countUniqueUsersPerDay", input: filtered() },
    { report: "countEvents", input: { ...filtered(), ...(random.chance(0.5) ? { userId: id(random) } : {}) } },
    { report: "searchEvents", input: { userId: id(random) } },
  ];
}

/** Aggregates by what is known of whom, of events and of people, some of them filtered. */
export function aggregateQueries(random: Random, count: number): PersonQuery[] {
  const filtered = (): CountEventsInput => ({ filterGroups: [{ filters: [{ fieldName: random.pick(aggregated), ...random.pick([{ operator: "is_set" }, { operator: "=", value: "ann@x.io" }, { operator: "contains", value: "o" }] as const) }] }] });
  return Array.from({ length: count }, () => ({
    report: "aggregate",
    input: {
      field: random.pick(random.chance(0.03) ? refused : aggregated),
      ...random.pick([{}, { measure: "unique_users" }] as const),
      ...(random.chance(0.3) ? filtered() : {}),
      ...(random.chance(0.3) ? { project: random.pick(projects) } : {}),
      ...(random.chance(0.2) ? { startDate: "2026-03-01" } : {}),
      ...(random.chance(0.2) ? { limit: random.between(1, 3) } : {}),
    } as AggregateInput,
  }));
}

function id(random: Random): string {
  return random.pick([random.pick(userIds), random.pick(anonymousIds), random.chance(0.2) ? "nobody" : "ann"]);
}

const brokenPersons = [{}, { email: "", userId: null }, { email: "ann@x.io", userId: "ann" }] as readonly unknown[] as readonly IdentityInput[];

function anyPerson(random: Random): IdentityInput {
  return random.chance(0.35) ? { email: random.pick([...emails, "\uFF5E", "nobody@x.io"]) } : { userId: id(random), ...random.pick([{}, { email: "" }]) } as IdentityInput;
}

/** Bounds at the very milliseconds of events, days, and none. */
function dates(random: Random, history: History): { startDate?: string; endDate?: string } {
  const instants = history.flatMap((item) => ("createdAt" in item && typeof item.createdAt === "number" ? [item.createdAt] : []));
  const bound = () => {
    const ms = random.chance(0.5) && instants.length > 0 ? random.pick(instants) + random.pick([-1, 0, 0, 1]) : Date.UTC(2026, random.below(3), random.between(1, 12), 12);
    const text = new Date(ms).toISOString();
    return random.chance(0.3) ? text.slice(0, 10) : text;
  };
  return { ...(random.chance(0.5) ? { startDate: bound() } : {}), ...(random.chance(0.5) ? { endDate: bound() } : {}) };
}

function days(random: Random): { rangeDays?: number } {
  return random.pick([{}, { rangeDays: 1 }, { rangeDays: 9 }, { rangeDays: 10 }, { rangeDays: 30 }, { rangeDays: 365 }]);
}

function filter(random: Random, identityIds: readonly string[]): FilterInput {
  const [fieldName, values] = random.chance(0.5) ? ["company_id", companyIds] as const : ["identity_id", [...identityIds, "idn_"]] as const;
  const operator = random.pick(["=", "!=", "in", "not_in", "contains", "is_set", "is_not_set", "not_starts_with"]);
  const value = () => random.pick(values);
  if (operator.endsWith("set")) return { fieldName, operator };
  return { fieldName, operator, value: operator.endsWith("in") ? JSON.stringify([value(), value()]) : value() };
}
