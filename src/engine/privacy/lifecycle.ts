import { DaybookError } from "../../base/errors.js";
import { isoOf, MS_PER_DAY } from "../../base/time.js";
import { dueAtMs, isExtendable } from "./deadline.js";
import type { CheckedPrivacyInput } from "./input.js";
import type { ErasureReceipt, PrivacyRequest, PrivacyResolution, PrivacyStatus, PrivacySubject, PrivacyType, Regulation } from "./requests.js";

export { readPrivacyInput, readResolution } from "./input.js";

/** An id by which somebody is found again. */
export type PrivacyHolder = { readonly userId: string } | { readonly anonymousId: string };

/** A request as it is kept, as JSON. Instants are epoch ms. */
export interface StoredRequest {
  readonly id: string;
  readonly type: PrivacyType;
  readonly status: PrivacyStatus;
  readonly resolution: PrivacyResolution | null;
  readonly regulation: Regulation;
  readonly subject: PrivacySubject;
  readonly identityId: string | null;
  /** The very id that the subject named when the request came: an email may name somebody else by now, and an id may be a user's or a device's. */
  readonly holder: PrivacyHolder | null;
  readonly createdAtMs: number;
  readonly verifiedAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
  readonly resolvedAtMs: number | null;
  readonly extendedAtMs: number | null;
  readonly receipt: ErasureReceipt | null;
}

/** Who asks has this long to show that they are who they say. */
const VERIFICATION_MS = 30 * MS_PER_DAY;

/** Without a look at the person's data nobody can say that it was complete, or that there was none. */
const UNSEEN_RESOLUTIONS: readonly PrivacyResolution[] = ["denied", "withdrawn"];

/** A request that has just come in. */
export function newRequest(
  input: CheckedPrivacyInput,
  { nowMs, id, identityId, holder }: Pick<StoredRequest, "id" | "identityId" | "holder"> & { readonly nowMs: number },
): StoredRequest {
  return {
    id,
    type: input.type,
    status: "pending_verification",
    resolution: null,
    regulation: input.regulation,
    subject: input.subject,
    identityId,
    holder,
    createdAtMs: nowMs,
    verifiedAtMs: null,
    acknowledgedAtMs: null,
    resolvedAtMs: null,
    extendedAtMs: null,
    receipt: null,
  };
}

/** The request as of `nowMs`: what nobody verified in time was withdrawn the moment that time was over. */
export function expire(request: StoredRequest, nowMs: number): StoredRequest {
  const endMs = request.createdAtMs + VERIFICATION_MS;
  if (request.status !== "pending_verification" || nowMs < endMs) return request;
  return { ...request, status: "resolved", resolution: "withdrawn", resolvedAtMs: endMs };
}

/** pending_verification → submitted. @throws invalid_transition */
export function verify(request: StoredRequest, nowMs: number): StoredRequest {
  const current = expire(request, nowMs);
  if (current.status !== "pending_verification") throw refusal("verify", current);
  return { ...current, status: "submitted", verifiedAtMs: nowMs };
}

/** submitted → acknowledged. @throws invalid_transition */
export function acknowledge(request: StoredRequest, nowMs: number): StoredRequest {
  const current = expire(request, nowMs);
  if (current.status !== "submitted") throw refusal("acknowledge", current);
  return { ...current, status: "acknowledged", acknowledgedAtMs: nowMs };
}

/** Moves the deadline of a request that is not resolved, once. @throws invalid_transition */
export function extend(request: StoredRequest, nowMs: number): StoredRequest {
  const current = expire(request, nowMs);
  if (!canExtend(current)) throw refusal("extend", current);
  return { ...current, extendedAtMs: nowMs };
}

/** Ends a request: once acknowledged in any way, before that as denied or withdrawn. @throws invalid_transition */
export function resolve(request: StoredRequest, resolution: PrivacyResolution, nowMs: number): StoredRequest {
  const current = expire(request, nowMs);
  const isAllowed = current.status === "acknowledged" || (current.status !== "resolved" && UNSEEN_RESOLUTIONS.includes(resolution));
  if (!isAllowed) throw refusal(`resolve as ${resolution}`, current);
  return { ...current, status: "resolved", resolution, resolvedAtMs: nowMs };
}

/** The request as callers see it at `nowMs`. */
export function shownRequest(request: StoredRequest, nowMs: number): PrivacyRequest {
  const { createdAtMs, verifiedAtMs, acknowledgedAtMs, resolvedAtMs, extendedAtMs, receipt, holder: _, ...rest } = expire(request, nowMs);
  const dueMs = dueAtMs(rest.regulation, createdAtMs, extendedAtMs !== null);
  return {
    ...rest,
    project: null,
    createdAt: isoOf(createdAtMs),
    verifiedAt: isoOrNull(verifiedAtMs),
    acknowledgedAt: isoOrNull(acknowledgedAtMs),
    resolvedAt: isoOrNull(resolvedAtMs),
    dueAt: isoOf(dueMs),
    extendedAt: isoOrNull(extendedAtMs),
    overdue: rest.status !== "resolved" && nowMs > dueMs,
    receipt,
  };
}

/** All of them, newest first. */
export function shownRequests(requests: readonly StoredRequest[], nowMs: number): readonly PrivacyRequest[] {
  const all = requests.map((request) => shownRequest(expire(request, nowMs), nowMs));
  return all.sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1));
}

/** @throws invalid_transition where a request has no bundle, or not yet */
export function refuseBundle({ type, status, resolution }: StoredRequest): void {
  if (type !== "access" && type !== "portability") throw new DaybookError("invalid_transition", `a request for ${type} has no bundle`);
  if (status !== "acknowledged" && resolution !== "completed" && resolution !== "partially_completed")
    throw new DaybookError("invalid_transition", `expected a request that was acknowledged, this one is ${resolution ?? status}`);
}

function canExtend({ status, regulation, extendedAtMs }: StoredRequest): boolean {
  return status !== "resolved" && extendedAtMs === null && isExtendable(regulation);
}

const STEPS: Readonly<Record<PrivacyStatus, readonly string[]>> = {
  pending_verification: ["verify", `resolve as ${UNSEEN_RESOLUTIONS.join(" or ")}`],
  submitted: ["acknowledge", `resolve as ${UNSEEN_RESOLUTIONS.join(" or ")}`],
  acknowledged: ["resolve"],
  resolved: [],
};

function refusal(step: string, request: StoredRequest): DaybookError {
  const allowed = [...STEPS[request.status], ...(canExtend(request) ? ["extend"] : [])];
  const what = `a request that is ${request.status}${request.extendedAtMs === null ? "" : " and was extended"}`;
  const instead = allowed.length === 0 ? "nothing more can be done with it" : `allowed are: ${allowed.join(", ")}`;
  return new DaybookError("invalid_transition", `cannot ${step} ${what} under ${request.regulation}; ${instead}`);
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOf(ms);
}
