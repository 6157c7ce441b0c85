import { parameterError, shown } from "../core/base/errors.js";
import type { EventRecord, FoundEvent } from "../core/schema/event.js";
import { namedFieldsOf, operandOf } from "./plan/filters/field-operand.js";
import { operatorOf } from "./plan/filters/filter-groups.js";
import { FIELDS } from "../core/schema/fields.js";
import type { AnyPlan, Operand } from "./plan/plan.js";
import { isSameSetting, type ScopePlan } from "./plan/scope.js";
import { QUERIES, type ReportName } from "./queries.js";

/** What the answers of a query show without its input naming it, by the names of fields. */
const SHOWN: { readonly [Report in ReportName]?: readonly string[] } = {
  identitySessions: [
    "identity_id", "created_at", "project", "url", "referrer", "touch_source", "touch_medium", "touch_campaign", "device", "os", "browser", "screen", "language",
    "country", "region", "city", "value",
  ],
  identityProfile: ["identity_id", "created_at", "value"],
  identityReferrers: ["identity_id", "referrer"],
  identityDeviceGeo: [
    "identity_id", "created_at", "device", "os", "browser", "screen", "language", "country", "region", "city", "location_lat", "location_lon",
  ],
  ltvCohorts: ["value", "currency"],
  topCompanies: ["company_id", "company.name", "company.domain", "created_at", "value"],
  companyTopUsers: ["company_id", "user_id", "anonymous_id", "person.email", "created_at"],
  sessionsOverview: ["path"],
  webOverview: ["path", "touch_source", "touch_medium", "touch_campaign", "country", "device", "browser", "os"],
};

/** Members of an input, of its steps and of its events, that select by a field. */
const SELECTING: readonly (readonly [member: string, field: string])[] = [
  ["eventName", "name"],
  ["project", "project"],
  ["userId", "user_id"],
  ["email", "person.email"],
  ["companyId", "company_id"],
];

/** Fields that a scope lists explicitly, or that stay hidden. */
const HIDDEN = ["user_id", "anonymous_id", "identity_id", "id", "external_id"].map(keyOfName);

/** A field that follows from another one. */
const CONTAINED_IN: Readonly<Record<string, string>> = { [keyOfName("path")]: keyOfName("url"), [keyOfName("referrer_domain")]: keyOfName("referrer") };

const OF_EVENTS: ReadonlySet<Operand["kind"]> = new Set(["field", "path", "referrerDomain", "id", "createdAt", "identityId", "companyId", "member", "touch"]);

function keyOfName(name: string): string {
  const operand = operandOf(name);
  return operand === null ? "" : keyOf(operand);
}

/** A metadata key and a path of the same text are the same field. */
function keyOf(operand: Operand): string {
  return JSON.stringify(operand.kind === "metadataKey" ? { kind: "metadataPath", path: operand.key } : operand);
}

/** Whether a scope lets queries name a field. */
function mayName(operand: Operand, { fields }: ScopePlan): boolean {
  const key = keyOf(operand);
  if (fields === null) return OF_EVENTS.has(operand.kind) && !HIDDEN.includes(key);
  const listed = fields.map(keyOf);
  return listed.includes(key) || listed.includes(CONTAINED_IN[key] ?? key);
}

function forbidden(param: string, reason: string): Error {
  return parameterError("forbidden_by_scope", param, reason);
}

/**
 * Checks what can be checked before a query is planned, whatever its input: that it may run, and what it says of segments and of the calendar.
 * @throws forbidden_by_scope
 */
export function checkScopedInput(report: ReportName, input: unknown, scope: ScopePlan): void {
  const isOpen = scope.queries === null ? QUERIES[report].shows === "analytics" : scope.queries.includes(report);
  if (!isOpen) throw forbidden("queries", `the scope does not allow ${report}`);
  const members = membersOf(input);
  for (const name of ["segments", "asOf"]) if (isGiven(members[name])) throw forbidden(name, `a scope allows no ${name}`);
  for (const name of ["timeZone", "weekStart"] as const) {
    const fixed = scope[name];
    if (isGiven(members[name]) && fixed !== null && !isSameSetting(members[name], fixed))
      throw forbidden(name, `expected ${shown(fixed)}, which the scope sets, got ${shown(members[name])}`);
  }
  for (const { param, filter } of namedFieldsOf(input)) {
    const value = segmentIn(filter);
    if (value !== undefined && !scope.segments.includes(String(value)))
      throw forbidden(param.replace(/fieldName$/, "value"), `expected a saved segment that the scope lists, got ${shown(value)}`);
  }
}

/** Checks the fields that a valid query names, selects by and shows. @throws forbidden_by_scope */
export function checkScopedFields(plan: AnyPlan & { readonly report: ReportName }, input: unknown, scope: ScopePlan): void {
  for (const { param, name, operand, filter } of namedFieldsOf(input))
    if (segmentIn(filter) === undefined && !mayName(operand, scope)) throw forbidden(param, `the scope does not list the field ${shown(name)}`);
  for (const [path, members] of selectorsOf(input))
    for (const [member, field] of SELECTING)
      if (isGiven(members[member]) && !mayNameField(field, scope)) throw forbidden(`${path}${member}`, `the scope does not list the field ${shown(field)}`);
  for (const field of shownBy(plan))
    if (!mayNameField(field, scope)) throw forbidden("queries", `answers of ${plan.report} show ${shown(field)}, which the scope does not list in fields`);
}

function mayNameField(field: string, scope: ScopePlan): boolean {
  const operand = operandOf(field);
  return operand !== null && mayName(operand, scope);
}

function shownBy({ report, node, measure, level, ...plan }: AnyPlan & { readonly report: ReportName }): readonly string[] {
  const ofReport = report === "revenueByAttribution" ? [`touch_${(plan as { readonly dimension?: string }).dimension ?? "source"}`, ...MONEY] : (SHOWN[report] ?? []);
  return [
    ...ofReport,
    ...(report === "paths" && node?.kind === "path" ? ["path"] : []),
    ...(typeof measure === "object" && measure.type === "revenue" ? MONEY : []),
    // It counts companies.
    ...(level === "account" ? ["company_id"] : []),
  ];
}

/** Sums in another currency than the reporting one are shown apart. */
const MONEY = ["value", "currency"];

const NULLABLE = new Set(["referrer", "identityId", "value"]);

/** A found event as a scope shows it: what its fields do not list looks as if it were not set. */
export function shownEvent<E extends EventRecord | FoundEvent>(event: E, scopes: readonly ScopePlan[]): E {
  const may = (operand: Operand) => scopes.every((scope) => mayName(operand, scope));
  const metadata = Object.fromEntries(Object.entries(event.metadata).filter(([key]) => may({ kind: "metadataKey", key })));
  const blank: Record<string, unknown> = { metadata };
  for (const [member, value] of Object.entries(event)) {
    if (member === "metadata" || mayMember(member, may)) continue;
    blank[member] = NULLABLE.has(member) ? null : typeof value === "boolean" ? false : "";
  }
  return { ...event, ...blank };
}

const MEMBER_OPERANDS = new Map<string, Operand | null>([...FIELDS.map(({ camel }) => camel), "id", "createdAt", "identityId"].map((name) => [name, operandOf(name)]));

function mayMember(member: string, may: (operand: Operand) => boolean): boolean {
  const operand = MEMBER_OPERANDS.get(member) ?? null;
  return operand !== null && may(operand);
}

/** Whether a query has a filter by segment. */
export function namesSegment(input: unknown): boolean {
  return namedFieldsOf(input).some(({ filter }) => segmentIn(filter) !== undefined);
}

/** The name of the segment in a filter; undefined: the filter compares a field. */
function segmentIn(filter: Readonly<Record<string, unknown>> | null): unknown {
  const operator = filter?.["operator"];
  return typeof operator === "string" && operatorOf(operator)?.test === "inSegment" ? (filter?.["value"] ?? null) : undefined;
}

/** The input, and its members that select events, with their paths. */
function selectorsOf(input: unknown): (readonly [path: string, members: Readonly<Record<string, unknown>>])[] {
  const members = membersOf(input);
  const listed = ["steps", "exclusions"].flatMap((name) => {
    const items = members[name];
    return Array.isArray(items) ? items.map((item: unknown, at) => [`${name}[${at}].`, membersOf(item)] as const) : [];
  });
  return [["", members], ...listed, ...["cohortEvent", "returnEvent"].map((name) => [`${name}.`, membersOf(members[name])] as const)];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}
