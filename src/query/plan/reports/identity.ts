import type { PlanContext, IdentityScope, IdentityDeviceGeoPlan, IdentityProfilePlan, IdentityReferrersPlan, IdentitySessionsPlan, RequestedPerson } from "../plan.js";
import { readMembers, readBounded, readText, type InputMembers } from "../members.js";
import { parameterError } from "../../../core/base/errors.js";
import { planWindow, windowed } from "../date-range.js";
import { hash128, toHex } from "../../../core/base/hash.js";
import { readCursor } from "../cursor.js";
import { sessionRules } from "../report-rules.js";

/** An email in the form in which it is compared: trimmed and lower-cased. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The person, from exactly one of `email` and `userId`. @throws exactly_one_required, invalid_parameter */
function planPerson(members: InputMembers): RequestedPerson {
  const isEmpty = (name: string) => (members.values.get(name) ?? "") === "";
  if (isEmpty("email") === isEmpty("userId")) {
    const came = isEmpty("email") ? "neither" : "both";
    throw parameterError("exactly_one_required", "email", `expected exactly one of email and userId, got ${came}`);
  }
  const userId = isEmpty("userId") ? null : readText(members, "userId");
  if (userId !== null) return { kind: "userId", userId };
  return { kind: "email", email: normalEmail(readText(members, "email") ?? "") };
}

const SCOPE_NAMES = ["email", "userId", "startDate", "endDate"];

/** Reads the members of an identity report's input. @throws invalid_parameter, unknown_parameter */
function readIdentityInput(input: unknown, extraNames: readonly string[]): InputMembers {
  return readMembers(input ?? {}, "", [...SCOPE_NAMES, ...extraNames]);
}

/** Plans the part that all identity reports share. @throws exactly_one_required, invalid_parameter, invalid_date, invalid_date_range */
function planIdentityScope(members: InputMembers, { nowMs }: PlanContext): IdentityScope {
  const person = planPerson(members);
  return { ...windowed(planWindow(members, nowMs)), person };
}

/** Plans an `identityDeviceGeo` query. @throws what `planIdentityScope` throws, unknown_parameter */
export function planIdentityDeviceGeo(input: unknown, context: PlanContext): IdentityDeviceGeoPlan {
  return { report: "identityDeviceGeo", ...planIdentityScope(readIdentityInput(input, []), context) };
}

/** Plans an `identityProfile` query. @throws what `planIdentityScope` throws, unknown_parameter */
export function planIdentityProfile(input: unknown, context: PlanContext): IdentityProfilePlan {
  const scope = planIdentityScope(readIdentityInput(input, []), context);
  return { report: "identityProfile", ...scope, ...sessionRules(context.rules) };
}

export const REFERRERS_LIMIT = { min: 1, max: 50, default: 10 } as const;

/** Plans an `identityReferrers` query. @throws what `planIdentityScope` throws, unknown_parameter */
export function planIdentityReferrers(input: unknown, context: PlanContext): IdentityReferrersPlan {
  const members = readIdentityInput(input, ["limit"]);
  const scope = planIdentityScope(members, context);
  return { report: "identityReferrers", ...scope, limit: readBounded(members, "limit", REFERRERS_LIMIT) };
}

export const SESSIONS_LIMIT = { min: 1, max: 100, default: 50 } as const;

/** Plans an `identitySessions` query. @throws invalid_cursor, cursor_mismatch, and what `planIdentityScope` throws */
export function planIdentitySessions(input: unknown, context: PlanContext): IdentitySessionsPlan {
  const members = readIdentityInput(input, ["cursor", "limit"]);
  const scope = planIdentityScope(members, context);
  const fingerprint = fingerprintOf(scope, members);
  return {
    report: "identitySessions",
    ...scope,
    limit: readBounded(members, "limit", SESSIONS_LIMIT),
    cursor: readCursor("identitySessions", members, fingerprint, context.cursorKey),
    fingerprint,
    ...context.rules,
  };
}

/** Default bounds move with the clock from page to page; they must not change the fingerprint. */
function fingerprintOf({ person, window }: IdentityScope, { values }: InputMembers): string {
  const fromMs = values.has("startDate") ? window.fromMs : null;
  const toMs = values.has("endDate") ? window.toMs : null;
  return toHex(hash128("identitySessions", JSON.stringify([person, fromMs, toMs])));
}
