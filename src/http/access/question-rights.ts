import { DaybookError } from "../../base/errors.js";
import { FIELD_OPERANDS, isFieldName } from "../../plan/field-names.js";
import { mattersOf } from "../../plan/matters-of.js";
import type { Matter } from "../../plan/matters-of.js";
import type { Operand, Plan } from "../../plan/plan.js";
import { authorize } from "./access.js";
import type { RequiredAccess } from "./access.js";
import type { TokenRecord } from "./token.js";

const REPORT = { role: "admin", organizationWide: true } as const;
/** What reports about persons, money and companies ask for. */
export const PEOPLE: RequiredAccess = { scope: "identities:read", ...REPORT };
export const MONEY: RequiredAccess = { scope: "revenue:read", ...REPORT };
export const COMPANIES: RequiredAccess = { scope: "companies:read", ...REPORT };

/** What a question may be about, whichever question it is. */
const MATTERS: Readonly<Record<Matter, readonly [access: RequiredAccess, what: string]>> = {
  revenue: [MONEY, "measure revenue"],
  identities: [PEOPLE, "person.*, first_touch.*, last_touch.*, and conditions of type trait"],
  companies: [COMPANIES, "company.*, and conditions of type company"],
};

/** Whether nothing that a question may hold is kept from a token. */
export function mayAskAll({ scopes, role, project }: TokenRecord): boolean {
  return project === null && scopes.includes("*") && (role === "owner" || role === "admin");
}

/**
 * Refuses a settled question to a token that may not have what it holds, beside what its route asks for.
 * @param input what the plan was made of
 * @throws insufficient_scope, insufficient_role, organization_token_required
 */
export function authorizePlan(plan: Plan, input: object, token: TokenRecord): void {
  authorizeShown(input, token);
  for (const matter of mattersOf(plan)) {
    const [access, what] = MATTERS[matter];
    authorize(access, token, `${what}: `);
  }
}

/** Refuses an answer that names values of single events, or ids of visitors, to a token that may not read events. @throws insufficient_scope */
function authorizeShown(input: object, { scopes }: TokenRecord): void {
  if (scopes.includes("*") || scopes.includes("events:read")) return;
  for (const [param, name] of shownFields(input))
    if (isOfEvents(name))
      throw new DaybookError("insufficient_scope", `${param}: expected a token with the scope events:read to show values of ${name}`, { param });
}

/** The members of any question that name a field whose values its answer shows. */
function* shownFields(input: object): Generator<readonly [param: string, name: string]> {
  const { field, measure, breakdown, node } = input as PlanMember;
  if (typeof field === "string") yield ["field", field];
  // How many different ones there are tells none of them.
  if (typeof measure === "object" && measure?.type !== "unique_values" && typeof measure?.field === "string") yield ["measure.field", measure.field];
  for (const [at, each] of (breakdown?.fields ?? []).entries()) yield [`breakdown.fields[${at}]`, each];
  if (typeof node === "string") yield ["node", node];
}

/** As plan/ took it. */
interface PlanMember {
  readonly field?: string | null;
  readonly measure?: string | { readonly type: string; readonly field?: string | null } | null;
  readonly breakdown?: { readonly fields: readonly string[] } | null;
  readonly node?: string | null;
}

function isOfEvents(name: string): boolean {
  if (!isFieldName(name)) return false;
  const operand: Operand = FIELD_OPERANDS[name];
  if (operand.kind === "field") return operand.field === "anonymousId" || operand.field === "externalId";
  return operand.kind === "id" || operand.kind === "createdAt";
}
