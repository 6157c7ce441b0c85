import { DaybookError } from "../../core/base/errors.js";
import { organizationOfScopeToken } from "../../engine/tokens/scope-token.js";
import type { VerifiedScope } from "../../engine/tokens/scope-tokens.js";
import { invalidToken } from "./authenticator.js";
import { hasMember, type QueryCaller, type ServedDaybook } from "./rights.js";

/** A caller with a signed token. */
export interface SignedCaller extends QueryCaller {
  /** Pages that may use the token in browsers; null: none. */
  readonly origins: readonly string[] | null;
}

/**
 * Verifies a token with the key of the organization that it names: a key is of one store, so the token fails at every other organization.
 * @throws invalid_token (the same for an organization that is not served)
 */
export async function signedCallerOf(
  value: string,
  organizations: ReadonlyMap<string, ServedDaybook>,
  sha256Hex: (text: string) => string,
): Promise<SignedCaller> {
  const organization = organizationOfScopeToken(value);
  const daybook = organization === null ? undefined : organizations.get(organization);
  if (daybook === undefined || !hasMember(daybook, "verifyScopeToken") || !hasMember(daybook, "scoped")) throw invalidToken();
  const verified = await verifiedBy(daybook, value);
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
  return { token, daybook: daybook.scoped(scope), project: null, isScoped: true, origins };
}

/** @throws invalid_token, with the message for every token that is not valid */
async function verifiedBy(daybook: Required<Pick<ServedDaybook, "verifyScopeToken">>, value: string): Promise<VerifiedScope> {
  try {
    return await daybook.verifyScopeToken(value);
  } catch (thrown) {
    throw thrown instanceof DaybookError && thrown.code === "invalid_token" ? invalidToken() : thrown;
  }
}
