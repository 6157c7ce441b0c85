import type { AggregateInput, CountEventsInput, FilterGroupInput, FilterInput, PerDayInput } from "../../../src/query/plan/input.js";
import type { EventRecord } from "../../../src/core/schema/event.js";
import type { Random } from "../../../src/testing/random.js";
import { isFieldName } from "../../../src/query/plan/field-names.js";
import {
  anonymousIds, eventNames, metadataPaths, nastyTexts, projects, referrers, shortTexts, urls, userIds,
} from "./nasty-values.js";

export type Query =
  | { readonly report: "countEvents" | "countUniqueUsers" | "searchEvents"; readonly input: CountEventsInput }
  | {
      readonly report: "countEventsPerDay" | "countEventsRunningTotalPerDay" | "countUniqueUsersPerDay";
      readonly input: PerDayInput;
    }
  | { readonly report: "aggregate"; readonly input: AggregateInput };

const dateValues = ["2026-03-01", "2026-03-01T00:00:00Z"];
const fieldValues: Readonly<Record<string, readonly string[]>> = {
  name: eventNames, event_name: eventNames, slug: ["pageview", "purchase", "click-here", "custom", "1", "unicode-name"],
  userId: userIds, user_id: userIds, project: projects,
  createdAt: ["2026-03-01", "2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z", "2024-02-29"], created_at: ["2026-03-02"],
  location_country: shortTexts, country: shortTexts, location_city: nastyTexts, city: nastyTexts, location_region: ["a"],
  region: ["a"], location_lon: ["10", "10.0", "-3.5"], location_lat: ["0", "52.1"], device: ["mobile", "Mobile"], os: ["ios", "iOS"],
  browser: shortTexts, screen: ["390x844"], language: ["en-US", "İ", "i"], referrer: referrers,
  referrer_domain: ["google.com", "www.example.org", "google"], url: urls, path: urls, hostname: ["example.org"],
  notify: ["true", "false"], identity_id: ["idn_", "idn"], utm_source: shortTexts, utmSource: shortTexts,
  locationCountry: shortTexts, locationCity: nastyTexts, locationLat: ["0", "52.1"], referrerDomain: ["google.com"], eventName: eventNames, identityId: ["idn_"],
  anonymous_id: anonymousIds, anonymousId: anonymousIds, external_id: shortTexts, externalId: shortTexts, company_id: shortTexts, companyId: shortTexts,
  value: ["3", "3.0", "-1.5", "1e21"], currency: shortTexts, touch_source: ["google.com", "b", "google"], touchSource: ["www.example.org"],
  touch_medium: ["organic", "referral", "cpc"], touchCampaign: ["a"], touch_campaign: ["a"], id: ["00000000-0000-4000-8000-000000000000", "f"],
  ...Object.fromEntries(metadataPaths.map((path) => [`metadata.${path}`, nastyTexts])),
  plan: shortTexts, when: dateValues, "metadata.when": dateValues, "a.b": nastyTexts, missing: shortTexts, amount: ["3", "1000"], Name: shortTexts, constructor: shortTexts,
};
const fieldNames = Object.keys(fieldValues);

const equalityOperators = ["=", "!=", "eq", "is", "<>", "not_equals"];
const textOperators = [
  "contains", "not_contains", "starts_with", "not_starts_with", "ends_with",
  "not_ends_with", " ICONTAINS ",
];
const regexOperators = ["regex", "not_regex", "matches", "not_matches"];
const listOperators = ["in", "not_in", "one_of", "none_of"];
const orderOperators = [">", ">=", "<", "<=", "gt", "lte"];
const numberBounds = ["3", "3.0", "-2", "1000", "1e3", "0", "-0", "1E-7", "9007199254740993", "5e-324"];
const dateBounds = [
  "2026-03-01", "2026-03-01T00:00:00Z", "2026-02-28T23:30:00.0005-00:30", "2026-03-02", "2026-02-28T23:59:59.999Z",
];
const orderedFields = ["createdAt", "created_at", "when", "metadata.when", "amount", "metadata.amount", "location_lon", "value"];
const bounds = [...numberBounds, ...dateBounds];
const patterns = ["^a", "a$", "^$", "[A-Z]", "(?i)^A", "\\d+", "a|b", "[.]", "^.{1,3}$", "é", "[^a]", "true|null"];
const brokenFilters: readonly Partial<FilterInput>[] = [
  { operator: "like" }, { operator: "" }, { operator: ">", value: "abc" }, { operator: "<", value: "" },
  { operator: "contains", value: "" }, { operator: "between", value: "1" }, { operator: "between", value: "1,2,3" },
  { operator: "between", value: "1,2026-03-01" }, { operator: "in", value: " , " }, { operator: "in", value: "[]" },
  { operator: "regex", value: "(" }, { operator: "regex", value: "(a)\\1" }, { operator: "regex", value: "(?=a)" },
  { operator: "=", value: null }, { operator: "=", value: "x".repeat(4_097) },
  { operator: "regex", value: "x".repeat(513) },
  { fieldName: "" }, { operator: ">=", value: "2026-02-30" }, { operator: ">=", value: "2026-03-01T00:00:00" },
];

/** One query of any report, with values drawn from `records` and from nasty ones; about one in thirty must be refused. */
export function randomQuery(random: Random, records: readonly EventRecord[]): Query {
  const scope: CountEventsInput = {
    ...(random.chance(0.15) ? { project: random.pick([...projects, "none"]) } : {}),
    ...(random.chance(0.15) ? { eventName: random.pick([...eventNames, "none"]) } : {}),
    ...dates(random),
    ...(random.chance(0.75) ? { filterGroups: groups(random, records) } : {}),
  };
  const user = random.chance(0.2) ? { userId: random.pick([...userIds, ...anonymousIds, "none"]) } : {};
  const fill = random.chance(0.3) ? { fill: random.chance(0.8) } : {};
  const report = random.pick([
    "countEvents", "countEventsPerDay", "countEventsRunningTotalPerDay", "countUniqueUsers", "countUniqueUsersPerDay",
    "aggregate", "searchEvents",
  ] as const);
  const limit = random.chance(0.2) ? { limit: random.between(1, 4) } : {};
  const measure = random.chance(0.4) ? { measure: random.pick(["events", "unique_users", null] as const) } : {};
  if (report === "aggregate") return { report, input: { ...scope, ...grouping(random), ...measure, ...limit } };
  if (report === "countUniqueUsers") return { report, input: scope };
  if (report === "countUniqueUsersPerDay") return { report, input: { ...scope, ...fill } };
  if (report === "countEvents" || report === "searchEvents") return { report, input: { ...scope, ...user } };
  return { report, input: { ...scope, ...user, ...fill } };
}

const brokenGroupings = [
  {}, { field: "url", metadataField: "plan" }, { field: "plan" }, { field: "Name" }, { metadataField: "" }, { field: "metadata." }, { field: "person." },
] as readonly unknown[] as readonly AggregateInput[];
const groupingFields = [...fieldNames.filter((name) => isFieldName(name) || name.startsWith("metadata.")), "person.plan", "company.plan", "first_touch.source", "last_touch.medium"] as readonly NonNullable<AggregateInput["field"]>[];
const brokenDates = ["2026-02-30", "2026-03-01T00:00:00", "", "yesterday", "1969-12-31", "2026-3-1"];

function grouping(random: Random): AggregateInput {
  if (random.chance(0.02)) return random.pick(brokenGroupings);
  return random.chance(0.5) ? { metadataField: random.pick(metadataPaths) } : { field: random.pick(groupingFields) };
}

function dates(random: Random): CountEventsInput {
  if (random.chance(0.01)) return { startDate: random.pick(brokenDates) };
  if (random.chance(0.01)) return { startDate: "2026-03-02", endDate: "2026-03-01T23:59:59.999Z" };
  const days = ["2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
  const times = ["T00:00:00.000Z", "T23:59:59.999Z", "T01:00:00+01:00", "T12:00:00.0009Z", "T00:00:00.001Z"];
  const [start, end] = [random.below(days.length), random.below(days.length)].sort((a, b) => a - b);
  const late = end === start ? "" : random.pick(["", ...times]);
  const startDate = `${days[start ?? 0]}${start === end ? "" : random.pick(["", ...times])}`;
  const endDate = `${days[end ?? 0]}${late}`;
  return {
    ...(random.chance(0.3) ? { startDate: random.chance(0.1) ? new Date(startDate) : startDate } : {}),
    ...(random.chance(0.3) ? { endDate } : {}),
  };
}

function groups(random: Random, records: readonly EventRecord[]): FilterGroupInput[] {
  const group = () => {
    const length = random.pick([0, 1, 1, 1, 2, 2, 3]);
    return { filters: Array.from({ length }, () => randomFilter(random, records)) };
  };
  return Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, group);
}

/** One filter over any field, operator and value; about one in fifty is wrong. */
function randomFilter(random: Random, records: readonly EventRecord[]): FilterInput {
  const isOrdered = random.chance(0.1);
  const fieldName = random.pick(isOrdered ? orderedFields : fieldNames);
  const pool = fieldValues[fieldName] ?? [];
  const nasty = () => random.pick([...pool, random.pick(nastyTexts)]);
  const value = () => (random.chance(0.6) ? drawn(random, records, fieldName) : null) ?? nasty();
  if (random.chance(0.02)) return { fieldName, operator: "=", value: "a", ...random.pick(brokenFilters) };
  const kind = isOrdered ? random.between(6, 7) : random.below(10);
  if (kind < 3) return { fieldName, operator: random.pick(equalityOperators), value: coerced(random, value()) };
  if (kind < 5) return { fieldName, operator: random.pick(textOperators), value: coerced(random, part(random, value())) };
  if (kind < 6) return { fieldName, operator: random.pick(listOperators), value: list(random, [value(), value(), value()]) };
  if (kind < 7) return { fieldName, operator: random.pick(orderOperators), value: coerced(random, random.pick(bounds)) };
  if (kind < 8) {
    const pair = random.pick([numberBounds, dateBounds]);
    const [low, high] = [random.pick(pair), random.pick(pair)];
    const range = random.pick<unknown>([`${low},${high}`, `${low} , ${high}`, [low, high], JSON.stringify([low, high])]);
    return { fieldName, operator: random.pick(["between", "not_between"]), value: range };
  }
  if (kind < 9) return { fieldName, operator: random.pick(regexOperators), value: random.pick(patterns) };
  const operator = random.pick(["is_set", "is_not_set", "exists", "not_exists", "=", "!="]);
  return operator.includes("=") ? { fieldName, operator, value: "" } : { fieldName, operator };
}

/** What an event holds in this field, as text; null where that is no scalar or not set. */
function drawn(random: Random, records: readonly EventRecord[], fieldName: string): string | null {
  if (records.length === 0) return null;
  const { metadata, ...fields } = random.pick(records);
  const camelName = fieldName.replace(/_./g, (letters) => letters.slice(1).toUpperCase());
  const path = fieldName.replace("metadata.", "");
  const [first = "", second = ""] = path.split(".");
  const own = (value: unknown, key: string): unknown =>
    Object.entries(typeof value === "object" && value !== null ? value : {}).find(([name]) => name === key)?.[1];
  const value: unknown = own(fields, camelName) ?? own(metadata, path) ?? own(own(metadata, first), second);
  const scalar: unknown = Array.isArray(value) && value.length > 0 ? random.pick<unknown>(value) : value;
  return ["string", "number", "boolean"].includes(typeof scalar) && scalar !== "" ? String(scalar) : null;
}

function part(random: Random, text: string): string {
  const characters = [...text];
  const [start, end] = [random.below(characters.length), random.between(1, characters.length)];
  return random.chance(0.4) ? characters.slice(start, end).join("") || text : text;
}

/** Now and then the JSON number or boolean that a text spells. */
function coerced(random: Random, text: string): unknown {
  if (random.chance(0.2) && (text === "true" || text === "false")) return text === "true";
  return random.chance(0.2) && /^-?[1-9]\d*$/.test(text) ? Number(text) : text;
}

function list(random: Random, items: string[]): unknown {
  const kept = items.slice(0, random.between(1, 3));
  return random.pick([
    kept.map((item) => item.replaceAll(",", "\\,")).join(random.pick([",", " , ", ",,"])) + random.pick(["", ",b"]),
    JSON.stringify(kept),
    JSON.stringify([...kept, "", 3, true]),
    kept,
  ]);
}
