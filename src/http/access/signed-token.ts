import { DaybookError } from "../../core/base/errors.js";
import type { Scope } from "../../query/plan/scope.js";
import { ExpiredScopeToken, organizationOfScopeToken } from "../../engine/tokens/scope-token.js";
import type { VerifiedScope } from "../../engine/tokens/scope-tokens.js";
import { invalidToken } from "./authenticator.js";
import type { OrganizationsOnDemand } from "./organizations.js";
import { hasMember, type QueryCaller, type ServedDaybook } from "./rights.js";
import type { TokenRecord } from "./token.js";

/** What a valid signed token opens. */
export interface SignedCaller {
  readonly token: TokenRecord;
  readonly scope: Scope;
  /** Pages that may use the token in browsers; null: none. */
  readonly origins: readonly string[] | null;
}

/**
 * Verifies a token with the key of the organization that it names: a key is of one store, so the token fails at every other organization.
 * @throws invalid_token (the same for an organization that is not served)
 */
export async function signedCallerOf(
  value: string,
  organizations: OrganizationsOnDemand,
  sha256Hex: (text: string) => string,
): Promise<SignedCaller> {
  const organization = organizationOfScopeToken(value);
  if (organization === null) throw invalidToken();
  const verified = await verifiedBy(organizations, organization, value);
  const { scope, origins, expiresAt } = verified;
  const token = {
    id: "signed",
    // Tokens of equal scopes share their slots: however many tokens a holder has, other scopes keep theirs.
    sha256: `signed ${verified.organization} ${sha256Hex(JSON.stringify(scope))}`,
    organization: verified.organization,
    project: null,
    role: "viewer",
    scopes: [],
    created_at: null,
    expires_at: expiresAt,
    revoked_at: null,
  } as const;
  return { token, scope, origins };
}

/** A caller that is limited to the scope of a signed token. @throws invalid_token (the organization has no scopes) */
export function scopedCaller(daybook: ServedDaybook, { token, scope }: SignedCaller, project: string | null): QueryCaller {
  if (!hasMember(daybook, "scoped")) throw invalidToken();
  return { token, daybook: daybook.scoped(scope), project, isScoped: true };
}

/** @throws invalid_token, with the message for every token that is not valid */
async function verifiedBy(organizations: OrganizationsOnDemand, organization: string, value: string): Promise<VerifiedScope> {
  try {
    return await organizations.verifyScopeToken(organization, value);
  } catch (thrown) {
    throw thrown instanceof DaybookError && thrown.code === "invalid_token" ? invalidToken(thrown.cause) : thrown;
  }
}

/** The pages that may learn why a signed token was refused: those of a token that was signed here, but has expired. Null: none. */
export function originsOfRefused(thrown: unknown): readonly string[] | null {
  return thrown instanceof DaybookError && thrown.cause instanceof ExpiredScopeToken ? thrown.cause.origins : null;
}
