import { DaybookError } from "../../core/base/errors.js";
import type { IngestResult } from "../../core/schema/event.js";
import type { Daybook } from "../../engine/daybook.js";
import { FIELD_OPERANDS, isFieldName } from "../../query/plan/field-names.js";
import { protectedDataOf, type ProtectedData } from "../../query/plan/scopes-of.js";
import type { AnyPlan, Operand } from "../../query/plan/plan.js";
import type { QueryData, ReportName } from "../../query/queries.js";
import type { TokenScope, TokenRecord } from "./token.js";

/** Rights that a route requires, checked in the order of the members. */
export interface RequiredAccess {
  /** Null: no scope is required; `*`: all of them are. */
  readonly scope: TokenScope | "*" | null;
  /** The lowest role; absent: any. */
  readonly role?: "admin";
  /** True: tokens of one project are refused. */
  readonly organizationWide?: boolean;
  /** True: the token may also be the user name of Basic authentication, with an empty password. */
  readonly basic?: boolean;
}

/**
 * @param prefix of the message: what requires the rights
 * @throws insufficient_scope, insufficient_role, organization_token_required, in this order
 */
export function authorize(access: RequiredAccess, token: TokenRecord, prefix = ""): void {
  if (access.scope !== null && !token.scopes.includes("*") && !token.scopes.includes(access.scope)) {
    throw new DaybookError("insufficient_scope", `${prefix}expected a token with the scope ${access.scope}`);
  }
  if (access.role === "admin" && token.role !== "owner" && token.role !== "admin") {
    throw new DaybookError("insufficient_role", `${prefix}expected a token with the role owner or admin, got ${token.role}`);
  }
  if (access.organizationWide === true && token.project !== null) {
    throw new DaybookError("organization_token_required", `${prefix}expected an organization token, got a project token`);
  }
}

/** The token of a request to a route that runs one query, and the rows that it may read. */
export interface QueryCaller {
  readonly token: TokenRecord;
  readonly daybook: QueriedDaybook;
  /** The project of the path, else the token's; null: the whole organization. */
  readonly project: string | null;
  /** Whether the Daybook is limited by the scope of a signed token, which replaces all other rights. */
  readonly isScoped: boolean;
}

/** The token of a request to any route. */
export interface Caller extends QueryCaller {
  readonly daybook: ServedDaybook;
}

/** @throws project_not_found */
export async function callerOf(daybook: ServedDaybook, token: TokenRecord, requestedProject: string | undefined): Promise<Caller> {
  return { token, daybook, project: await projectOf(requestedProject, token, daybook), isScoped: false };
}

/** @throws project_not_found (the same message for unknown projects and for those of others) */
async function projectOf(requested: string | undefined, token: TokenRecord, daybook: ServedDaybook): Promise<string | null> {
  if (requested === undefined) return token.project;
  if ((token.project !== null && token.project !== requested) || !(await daybook.projects()).includes(requested)) {
    throw new DaybookError("project_not_found", "project_id: no such project", { param: "project_id" });
  }
  return requested;
}

/** For a token of one project, an item of an erased person counts as accepted: its rejection would reveal a person of another project. */
export function hideSuppressed<Result extends Pick<IngestResult, "accepted" | "rejected">>(result: Result, { project }: TokenRecord): Result {
  if (project === null) return result;
  const rejected = result.rejected.filter(({ code }) => code !== "suppressed");
  return { ...result, accepted: result.accepted + result.rejected.length - rejected.length, rejected };
}

const REPORT = { role: "admin", organizationWide: true } as const;

/** Rights that queries require, by the data they show. */
export const QUERY_RIGHTS: Readonly<Record<QueryData, RequiredAccess>> = {
  analytics: { scope: "analytics:read" },
  events: { scope: "events:read" },
  identities: { scope: "identities:read", ...REPORT },
  revenue: { scope: "revenue:read", ...REPORT },
  companies: { scope: "companies:read", ...REPORT },
};

/** How messages name protected data, which any kind of query may use. */
const LABELS: Readonly<Record<ProtectedData, string>> = {
  revenue: "measure revenue",
  identities: "person.*, first_touch.*, last_touch.*, and conditions of type trait",
  companies: "company.*, and conditions of type company",
};

/** Whether a token may read all data that a query can use. */
export function mayQueryAll({ scopes, role, project }: TokenRecord): boolean {
  return project === null && scopes.includes("*") && (role === "owner" || role === "admin");
}

/** Checks what a plan reads beyond the rights of its route. @throws insufficient_scope, insufficient_role, organization_token_required */
export function authorizeQuery(plan: AnyPlan, input: object, token: TokenRecord): void {
  authorizeShownFields(input, token);
  for (const data of protectedDataOf(plan)) authorize(QUERY_RIGHTS[data], token, `${LABELS[data]}: `);
}

/** Refuses a query whose answer shows values of single events, or ids of visitors, to a token without `events:read`. @throws insufficient_scope */
function authorizeShownFields(input: object, { scopes }: TokenRecord): void {
  if (scopes.includes("*") || scopes.includes("events:read")) return;
  for (const [param, name] of shownFields(input))
    if (isEventField(name))
      throw new DaybookError("insufficient_scope", `${param}: expected a token with the scope events:read to show values of ${name}`, { param });
}

/** Yields the input members of a query that name a field whose values the answer shows. */
function* shownFields(input: object): Generator<readonly [param: string, name: string]> {
  const { field, measure, breakdown, node } = input as ShownInput;
  if (typeof field === "string") yield ["field", field];
  // The number of distinct values reveals none of them.
  if (typeof measure === "object" && measure?.type !== "unique_values" && typeof measure?.field === "string") yield ["measure.field", measure.field];
  for (const [at, name] of (breakdown?.fields ?? []).entries()) yield [`breakdown.fields[${at}]`, name];
  if (typeof node === "string") yield ["node", node];
}

/** The members of a query's input that name shown fields; plan/ has validated them. */
interface ShownInput {
  readonly field?: string | null;
  readonly measure?: string | { readonly type: string; readonly field?: string | null } | null;
  readonly breakdown?: { readonly fields: readonly string[] } | null;
  readonly node?: string | null;
}

function isEventField(name: string): boolean {
  if (!isFieldName(name)) return false;
  const operand: Operand = FIELD_OPERANDS[name];
  if (operand.kind === "field") return operand.field === "anonymousId" || operand.field === "externalId";
  return operand.kind === "id" || operand.kind === "createdAt";
}

/** Members that are absent from a Daybook whose events are stored elsewhere. */
export type OptionalMembers = Pick<
  Daybook,
  "currency" | "segments" | "privacyRequests" | "timeToLive" | "deleteEvents" | "deleteProject" | "exportDeletions" | "explain" | "changes" | "stats" | SigningMethods
>;

type SigningMethods = "scoped" | "signScope" | "verifyScopeToken";

type TransferMethods = "ingest" | "identify" | "group" | "alias" | "unlink" | "ingestRecords" | "exportEvents" | "exportRecords";

/** State of a Daybook; `unreachable`: the servers that store its events do not answer. */
export type Health = Daybook["health"] | "unreachable";

/** A Daybook to serve: an embedded one, or one with events elsewhere. Routes that need a missing member answer `not_supported`. */
export interface ServedDaybook extends Pick<Daybook, ReportName | TransferMethods>, Partial<OptionalMembers> {
  /** Names of all projects. */
  projects(): readonly string[] | Promise<readonly string[]>;
  /** A function if the events are elsewhere. Absent: `ok`. */
  readonly health?: Health | (() => Promise<Health>);
}

/** What routes need that run one query: a whole Daybook, or one limited to a scope. */
export type QueriedDaybook = Pick<ServedDaybook, ReportName | "explain">;

export async function healthOf(daybook: ServedDaybook): Promise<Health> {
  return typeof daybook.health === "function" ? await daybook.health() : (daybook.health ?? "ok");
}

/** Narrows a Daybook to one that has the member. @throws not_supported */
export function requireMember<Name extends keyof OptionalMembers, Served extends Partial<Pick<OptionalMembers, Name>>>(
  daybook: Served,
  name: Name,
): Served & Pick<OptionalMembers, Name> {
  if (hasMember(daybook, name)) return daybook;
  throw new DaybookError("not_supported", `${name}: not available, because the events of this organization are stored elsewhere`);
}

export function hasMember<Name extends keyof OptionalMembers, Served extends Partial<Pick<OptionalMembers, Name>>>(
  daybook: Served,
  name: Name,
): daybook is Served & Pick<OptionalMembers, Name> {
  return daybook[name] !== undefined;
}
