import type { ErrorCode } from "../../../src/core/base/errors.js";
import type { InsightName } from "./insight-queries.js";

/** What is wrong with a query, and how it is refused. */
export interface InsightFault {
  /** What stands in place of the query's own members. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly code: ErrorCode;
  /** The member at fault; null where several may be called so. */
  readonly param: string | null;
}

type Row = readonly [code: ErrorCode, param: string | null, members: Readonly<Record<string, unknown>>];

const UNKNOWN = "unknown_parameter";
const INVALID = "invalid_parameter";
const long = "x".repeat(201);
const filter = { fieldName: "device", operator: "=", value: "a" };
const groupsWith = (rest: object) => [{ filters: [{ ...filter, ...rest }] }];
const filters = (count: number) => [{ filters: Array.from({ length: count }, () => filter) }];

/** Faults of filters, wherever they stand. */
function filterRows(place: string, within: (filterGroups: unknown) => Readonly<Record<string, unknown>>): Row[] {
  const at = `${place}filterGroups[0].filters[0]`;
  return [
    [INVALID, `${place}filterGroups`, within("a")],
    [INVALID, `${place}filterGroups[0]`, within([5])],
    [INVALID, `${place}filterGroups[0].filters`, within([{}])],
    [UNKNOWN, `${place}filterGroups[0].groups`, within([{ filters: [], groups: [] }])],
    [UNKNOWN, `${at}.field`, within(groupsWith({ field: "a" }))],
    [INVALID, `${at}.fieldName`, within(groupsWith({ fieldName: "" }))],
    [INVALID, `${at}.fieldName`, within(groupsWith({ fieldName: "person." }))],
    [INVALID, `${at}.fieldName`, within(groupsWith({ fieldName: "company." }))],
    [INVALID, `${at}.fieldName`, within(groupsWith({ fieldName: "first_touch.host" }))],
    [INVALID, `${at}.fieldName`, within(groupsWith({ fieldName: "last_touch." }))],
    ["invalid_operator", `${at}.operator`, within(groupsWith({ operator: "like" }))],
    ["invalid_operator", `${at}.operator`, within(groupsWith({ operator: "in_segment", value: "one" }))],
    ["invalid_filter_value", `${at}.value`, within(groupsWith({ operator: ">", value: "abc" }))],
    ["invalid_filter_value", `${at}.value`, within(groupsWith({ value: "x".repeat(4_097) }))],
    ["invalid_filter_value", `${at}.value`, within(groupsWith({ operator: "contains", value: "" }))],
    ["invalid_regex", `${at}.value`, within(groupsWith({ operator: "regex", value: "(" }))],
    ["too_many_filters", null, within(filters(101))],
    ["too_many_filters", null, within(Array.from({ length: 21 }, () => ({ filters: [filter] })))],
  ];
}

/** Faults of names, where one of some is expected. */
function choices(param: string, others: readonly unknown[] = []): Row[] {
  return ["decade", "", 5, ["day"], ...others].map((value): Row => [INVALID, param, { [param]: value }]);
}

function integers(param: string, ...beyond: readonly number[]): Row[] {
  return [1.5, "3", true, ...beyond].map((value): Row => [INVALID, param, { [param]: value }]);
}

const inSegment = { filterGroups: groupsWith({ fieldName: "identity_id", operator: "in_segment", value: "one" }) };
const segmentsWith = (one: unknown) => ({ ...inSegment, segments: { one } });
const did = { type: "did", eventName: "a" };

function condition(code: ErrorCode, member: string | null, given: unknown): Row {
  const path = "segments.one.groups[0].conditions[0]";
  return [code, member === null ? null : member === "" ? path : `${path}.${member}`, segmentsWith({ groups: [{ conditions: [given] }] })];
}

const segmentRows: readonly Row[] = [
  ["invalid_filter_value", "filterGroups[0].filters[0].value", inSegment],
  ["invalid_filter_value", "filterGroups[0].filters[0].value", { filterGroups: groupsWith({ fieldName: "identity_id", operator: "not_in_segment", value: null }) }],
  [INVALID, "segments", { segments: [] }],
  [INVALID, "segments", { segments: "one" }],
  [INVALID, "segments", { segments: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`s${at}`, { groups: [{ conditions: [did] }] }])) }],
  [INVALID, null, { segments: { "a b": { groups: [{ conditions: [did] }] } } }],
  [INVALID, null, { segments: { ["n".repeat(65)]: { groups: [{ conditions: [did] }] } } }],
  [INVALID, "segments.one", segmentsWith([])],
  [UNKNOWN, "segments.one.name", segmentsWith({ name: "one", groups: [{ conditions: [did] }] })],
  [INVALID, "segments.one.groups", segmentsWith({})],
  [INVALID, "segments.one.groups", segmentsWith({ groups: [] })],
  [INVALID, "segments.one.groups", segmentsWith({ groups: Array.from({ length: 21 }, () => ({ conditions: [did] })) })],
  [INVALID, "segments.one.groups[0].conditions", segmentsWith({ groups: [{ conditions: [] }] })],
  [INVALID, "segments.one.groups[0].conditions", segmentsWith({ groups: [{ conditions: Array.from({ length: 51 }, () => did) }] })],
  condition(INVALID, "", "did"),
  condition(INVALID, "type", { type: "does" }),
  condition(INVALID, "type", {}),
  condition(UNKNOWN, "atLeast", { type: "did_not", atLeast: 1 }),
  condition(UNKNOWN, "field", { ...did, field: "plan" }),
  condition(UNKNOWN, "eventName", { type: "first_seen", lastDays: 1, eventName: "a" }),
  condition(UNKNOWN, "lastDays", { type: "trait", field: "plan", operator: "is_set", lastDays: 1 }),
  condition(INVALID, "atLeast", { ...did, atLeast: 0 }),
  condition(INVALID, "atLeast", { ...did, atLeast: 1_000_001 }),
  condition(INVALID, "atMost", { ...did, atLeast: 3, atMost: 2 }),
  condition(INVALID, "atMost", { ...did, atMost: 0 }),
  condition(INVALID, "lastDays", { ...did, lastDays: 0 }),
  condition(INVALID, "lastDays", { ...did, lastDays: 3_661 }),
  condition("exactly_one_required", null, { ...did, lastDays: 1, startDate: "2026-03-01" }),
  condition("invalid_date", "startDate", { ...did, startDate: "2026-02-30" }),
  condition("invalid_date_range", "startDate", { ...did, startDate: "2026-03-02", endDate: "2026-03-01" }),
  condition(INVALID, null, { type: "first_seen" }),
  condition(INVALID, null, { type: "last_seen" }),
  condition(INVALID, "field", { type: "trait", operator: "is_set" }),
  condition(INVALID, "field", { type: "trait", field: "", operator: "is_set" }),
  condition("invalid_operator", "operator", { type: "trait", field: "plan", operator: "like", value: "a" }),
  condition("invalid_operator", "operator", { type: "trait", field: "plan", operator: "in_segment", value: "one" }),
  condition("invalid_filter_value", "value", { type: "company", operator: "=" }),
  condition("invalid_regex", "value", { type: "company", operator: "regex", value: "(" }),
  condition("invalid_operator", "filterGroups[0].filters[0].operator", { ...did, ...inSegment }),
  condition("too_many_filters", null, { ...did, filterGroups: filters(100) }),
];

const sharedRows: readonly Row[] = [
  [UNKNOWN, "colour", { colour: "red" }],
  [UNKNOWN, "userId", { userId: "ann" }],
  [UNKNOWN, "event_name", { event_name: "a" }],
  [INVALID, "project", { project: 5 }],
  [INVALID, "eventName", { eventName: ["a"] }],
  ...["+01:00", "-0330", "Mars/Olympus", "", "Europe/Berlin ", "Local", 5].map((timeZone): Row => [INVALID, "timeZone", { timeZone }]),
  ...choices("weekStart", ["Monday", 0]),
  ...["2026-02-30", "", "yesterday", "2026-03-01T00:00:00", "1969-12-31"].map((startDate): Row => ["invalid_date", "startDate", { startDate }]),
  ["invalid_date", "endDate", { endDate: "2026-3-1" }],
  ["invalid_date_range", "startDate", { startDate: "2026-03-02", endDate: "2026-03-01T23:59:59.999Z", timeZone: "UTC" }],
  ["invalid_date_range", "startDate", { startDate: "2011-12-30", endDate: "2011-12-30", timeZone: "Pacific/Apia" }],
  ["invalid_date_range", "startDate", { startDate: "2026-03-02", endDate: "2026-03-01T23:00:00Z", timeZone: "America/New_York" }],
  ...[-1, 1.5, 1e9, "newest", "1"].map((asOf): Row => [INVALID, "asOf", { asOf }]),
  ...filterRows("", (filterGroups) => ({ filterGroups })),
  ...segmentRows,
];

function breakdownRows(): Row[] {
  const given = (breakdown: unknown) => ({ breakdown });
  return [
    [INVALID, "breakdown", given("device")],
    [INVALID, "breakdown.fields", given({})],
    [INVALID, "breakdown.fields", given({ fields: [] })],
    [INVALID, "breakdown.fields", given({ fields: "device" })],
    [INVALID, "breakdown.fields", given({ fields: ["device", "path", "os"] })],
    [INVALID, null, given({ fields: ["device", "device"] })],
    [INVALID, null, given({ fields: ["", "device"] })],
    [INVALID, null, given({ fields: ["device", "first_touch.url"] })],
    [INVALID, null, given({ fields: ["person."] })],
    [INVALID, "breakdown.limit", given({ fields: ["device"], limit: 0 })],
    [INVALID, "breakdown.limit", given({ fields: ["device"], limit: 1_001 })],
    [INVALID, "breakdown.rest", given({ fields: ["device"], rest: 1 })],
    [UNKNOWN, "breakdown.order", given({ fields: ["device"], order: "asc" })],
  ];
}

const levelRows = choices("level", ["session", "company"]);
const measure = (given: unknown) => ({ measure: given });
const step = { eventName: "a" };
const steps = (first: unknown) => ({ steps: [first, step] });
const rules = (rule: unknown) => ({ rules: [rule] });

const ownRows: Readonly<Record<InsightName, readonly Row[]>> = {
  trend: [
    ...breakdownRows(),
    [UNKNOWN, "breakdown.at", { breakdown: { fields: ["device"], at: "last" } }],
    [INVALID, "measure", measure("events")],
    [INVALID, "measure.type", measure({})],
    [INVALID, "measure.type", measure({ type: "mode", field: "x" })],
    [INVALID, "measure.field", measure({ type: "sum" })],
    [INVALID, "measure.field", measure({ type: "p90", field: "" })],
    [INVALID, "measure.field", measure({ type: "unique_values", field: "person." })],
    [INVALID, "measure.field", measure({ type: "avg", field: "first_touch.url" })],
    ...["events", "unique_users", "sessions", "revenue"].map((type): Row => [UNKNOWN, "measure.field", measure({ type, field: "x" })]),
    [UNKNOWN, "measure.unit", measure({ type: "sum", field: "x", unit: "ms" })],
    ...choices("interval", ["days", "second"]),
    ...choices("compare", ["previous_month"]),
    [INVALID, "compare", { compare: "previous_period", startDate: null }],
    [INVALID, "compare", { compare: "previous_year", startDate: "2026-03-01", endDate: null }],
    [INVALID, "compare", { compare: "previous_year", startDate: "1970-03-01", endDate: "1970-03-02" }],
    [INVALID, "compare", { compare: "previous_period", startDate: "1970-01-03", endDate: "1970-01-31" }],
    [INVALID, "cumulative", { cumulative: "yes" }],
    [INVALID, "fill", { fill: 1 }],
    [INVALID, "interval", { interval: "minute", startDate: "2026-03-01", endDate: "2026-03-07" }],
  ],
  funnel: [
    ...breakdownRows(),
    ...levelRows.filter(([, , members]) => members["level"] !== "session"),
    [INVALID, "breakdown.at", { breakdown: { fields: ["device"], at: "first" } }],
    [INVALID, "steps", { steps: null }],
    [INVALID, "steps", { steps: "a" }],
    [INVALID, "steps", { steps: [step] }],
    [INVALID, "steps", { steps: Array.from({ length: 21 }, () => step) }],
    [INVALID, "steps[0]", steps("a")],
    [INVALID, "steps[0]", steps({})],
    [INVALID, "steps[0]", steps({ name: "a", filterGroups: [] })],
    [INVALID, "steps[0].eventName", steps({ eventName: 5 })],
    [INVALID, "steps[0].name", steps({ eventName: "a", name: "" })],
    [INVALID, "steps[0].name", steps({ eventName: "a", name: long })],
    [UNKNOWN, "steps[0].event", steps({ eventName: "a", event: "b" })],
    ...filterRows("steps[0].", (filterGroups) => steps({ eventName: "a", filterGroups })),
    ["too_many_filters", null, { filterGroups: filters(50), steps: [{ filterGroups: filters(50) }, { filterGroups: filters(1) }] }],
    ...choices("order"),
    ...integers("conversionWindowSec", 0, 31_622_401),
    [INVALID, "exclusions", { exclusions: "x" }],
    [INVALID, "exclusions", { exclusions: Array.from({ length: 11 }, () => step) }],
    [INVALID, "exclusions[0]", { exclusions: [{}] }],
    [UNKNOWN, "exclusions[0].name", { exclusions: [{ ...step, name: "a" }] }],
    [INVALID, "exclusions[0].afterStep", { exclusions: [{ ...step, afterStep: 0 }] }],
    [INVALID, null, { exclusions: [{ ...step, afterStep: 2, beforeStep: 2 }] }],
    [INVALID, null, { exclusions: [{ ...step, afterStep: 20 }] }],
    [INVALID, "exclusions[0].beforeStep", { exclusions: [{ ...step, beforeStep: 21 }] }],
    [INVALID, null, { order: "any", steps: [step, step, step], exclusions: [{ ...step, afterStep: 2 }] }],
    [INVALID, null, { order: "any", steps: [step, step, step], exclusions: [{ ...step, beforeStep: 2 }] }],
    ...choices("interval", ["total"]),
    [INVALID, null, { interval: "day", breakdown: { fields: ["device"] } }],
  ],
  retention: [
    ...breakdownRows(),
    ...levelRows,
    [UNKNOWN, "breakdown.at", { breakdown: { fields: ["device"], at: "last" } }],
    ...(["cohortEvent", "returnEvent"] as const).flatMap((member): Row[] => [
      [INVALID, member, { [member]: "a" }],
      [UNKNOWN, `${member}.name`, { [member]: { name: "a" } }],
      [INVALID, `${member}.eventName`, { [member]: { eventName: 5 } }],
      ...filterRows(`${member}.`, (filterGroups) => ({ [member]: { filterGroups } })),
    ]),
    ["too_many_filters", null, { filterGroups: filters(34), cohortEvent: { filterGroups: filters(33) }, returnEvent: { filterGroups: filters(34) } }],
    ...choices("cohort"), ...choices("returned"), ...choices("interval", ["hour", "year", "total"]),
    ...integers("periods", 0, 367),
  ],
  lifecycle: [...levelRows, ...choices("interval", ["hour", "quarter", "total"]), [UNKNOWN, "breakdown", { breakdown: { fields: ["device"] } }]],
  stickiness: [
    ...levelRows, ...choices("interval", ["day", "hour"]), ...choices("unit", ["minute", "year"]),
    [INVALID, "unit", { interval: "week", unit: "week" }],
    [INVALID, "unit", { interval: "week", unit: "month" }],
    [INVALID, "unit", { interval: "month", unit: "month" }],
  ],
  paths: [
    [INVALID, "node", { node: "" }],
    [INVALID, "node", { node: 5 }],
    [INVALID, "node", { node: "company." }],
    [INVALID, "rules", { rules: "a" }],
    [INVALID, "rules", { rules: Array.from({ length: 51 }, () => ({ pattern: "a", label: "b" })) }],
    [INVALID, "rules[0]", rules("a")],
    [INVALID, "rules[0].pattern", rules({ label: "a" })],
    [INVALID, "rules[0].pattern", rules({ pattern: "", label: "a" })],
    [INVALID, "rules[0].pattern", rules({ pattern: long, label: "a" })],
    [INVALID, "rules[0].label", rules({ pattern: "a" })],
    [INVALID, "rules[0].label", rules({ pattern: "a", label: "" })],
    [INVALID, "rules[0].label", rules({ pattern: "a", label: long })],
    ["invalid_regex", "rules[0].pattern", rules({ pattern: "(", label: "a" })],
    ["invalid_regex", "rules[0].pattern", rules({ pattern: "(a)\\1", label: "a" })],
    [UNKNOWN, "rules[0].flags", rules({ pattern: "a", label: "b", flags: "i" })],
    [INVALID, "startAt", { startAt: 5 }],
    [INVALID, null, { startAt: "/a", endAt: "/a" }],
    [INVALID, "collapse", { collapse: "no" }],
    ...integers("maxDepth", 1, 21), ...integers("limit", 0, 1_001),
    [UNKNOWN, "interval", { interval: "day" }],
  ],
  sessionsOverview: [...breakdownRows(), ...choices("interval", ["second"]), ...integers("limit", 0, 1_001), [UNKNOWN, "compare", { compare: "previous_year" }]],
  webOverview: [
    ...choices("interval", ["total"]), ...integers("limit", 0, 1_001), ...choices("compare"),
    [INVALID, "compare", { compare: "previous_period" }],
    [UNKNOWN, "breakdown", { breakdown: { fields: ["device"] } }],
  ],
};

/** All that can be wrong with a query of an insight, one fault each. */
export function insightFaults(report: InsightName): InsightFault[] {
  return [...sharedRows, ...ownRows[report]].map(([code, param, members]) => ({ code, param, members }));
}
