import { DaybookError } from "../../core/base/errors.js";
import { FIELD_OPERANDS, isFieldName } from "../../query/plan/field-names.js";
import { protectedDataOf, type ProtectedData } from "../../query/plan/scopes-of.js";
import type { AnyPlan, Operand } from "../../query/plan/plan.js";
import type { QueryData } from "../../query/queries.js";
import { authorize, type Health, type OptionalMembers, type RequiredAccess, type ServedDaybook } from "./access.js";
import type { TokenRecord } from "./token.js";

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

/**
 * Refuses a resolved query that uses data which the token may not read. The route has checked its own rights before.
 * @param input input of the plan
 * @throws insufficient_scope, insufficient_role, organization_token_required
 */
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

export async function healthOf(daybook: ServedDaybook): Promise<Health> {
  return typeof daybook.health === "function" ? await daybook.health() : (daybook.health ?? "ok");
}

/** Narrows a Daybook to one that has the member. @throws not_supported */
export function requireMember<Name extends keyof OptionalMembers>(daybook: ServedDaybook, name: Name): ServedDaybook & Pick<OptionalMembers, Name> {
  if (hasMember(daybook, name)) return daybook;
  throw new DaybookError("not_supported", `${name}: not available, because the events of this organization are stored elsewhere`);
}

function hasMember<Name extends keyof OptionalMembers>(daybook: ServedDaybook, name: Name): daybook is ServedDaybook & Pick<OptionalMembers, Name> {
  return daybook[name] !== undefined;
}
