import { hash128, toHex } from "../../../core/base/hash.js";
import type { PlanContext } from "../context.js";
import { readCursor } from "../cursor.js";
import { planIdentityScope, readIdentityInput } from "./identity-scope.js";
import { readInteger, type InputMembers } from "../members.js";
import type { IdentityScope, Plan } from "../plan.js";

export const LIMIT_MAX = 100;
export const LIMIT_DEFAULT = 50;

/** Plans an `identitySessions` query. @throws invalid_cursor, cursor_mismatch, and what `planIdentityScope` throws */
export function planIdentitySessions(input: unknown, context: PlanContext): Plan<"identitySessions"> {
  const members = readIdentityInput(input, ["cursor", "limit"]);
  const scope = planIdentityScope(members, context);
  const fingerprint = fingerprintOf(scope, members);
  const { session, pageviewSlugs, revenue, touch } = context.rules;
  return {
    report: "identitySessions",
    ...scope,
    limit: readInteger(members, "limit", 1, LIMIT_MAX) ?? LIMIT_DEFAULT,
    cursor: readCursor("identitySessions", members, fingerprint, context.cursorKey),
    fingerprint,
    session,
    pageviewSlugs,
    revenue,
    touch,
  };
}

/** Default bounds move with the clock from page to page; they must not change the fingerprint. */
function fingerprintOf({ subject, window }: IdentityScope, { values }: InputMembers): string {
  const fromMs = values.has("startDate") ? window.fromMs : null;
  const toMs = values.has("endDate") ? window.toMs : null;
  return toHex(hash128("identitySessions", JSON.stringify([subject, fromMs, toMs])));
}
