import { DaybookError } from "../../core/base/errors.js";
import { isoOf, MS_PER_DAY } from "../../core/base/time.js";
import type {
  CheckedPrivacyInput, ErasureReceipt, PrivacyRequest, PrivacyResolution, PrivacyStatus, PrivacySubject, PrivacyType, Regulation, PrivacyRequests,
} from "./requests.js";

/** Time to respond, and time after an extension, both counted from receipt; null: no extension. */
interface Term {
  readonly unit: "day" | "month";
  readonly count: number;
  readonly extendedCount: number | null;
}

const TERMS: Readonly<Record<Regulation, Term>> = {
  // GDPR article 12(3): one month, extendable by two further months.
  gdpr: { unit: "month", count: 1, extendedCount: 3 },
  // California Code of Regulations, title 11, section 7021: 45 days, and 45 more.
  ccpa: { unit: "day", count: 45, extendedCount: 90 },
  // LGPD article 19, II: 15 days.
  lgpd: { unit: "day", count: 15, extendedCount: null },
  other: { unit: "day", count: 30, extendedCount: null },
};

function isExtendable(regulation: Regulation): boolean {
  return TERMS[regulation].extendedCount !== null;
}

/** Epoch ms by which a request received at `createdAtMs` must be resolved. */
function dueAtMs(regulation: Regulation, createdAtMs: number, isExtended: boolean): number {
  const { unit, count, extendedCount } = TERMS[regulation];
  const total = isExtended ? (extendedCount ?? count) : count;
  return unit === "day" ? createdAtMs + total * MS_PER_DAY : addMonths(createdAtMs, total);
}

/** The same time of day, UTC, on the same day of a later month, or on its last day if the month is shorter. */
function addMonths(ms: number, count: number): number {
  const from = new Date(ms);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)) + (ms % MS_PER_DAY);
}

export { readPrivacyInput, readResolution } from "./requests.js";

/** An id by which a person is found again. */
export type PrivacyHolder = { readonly userId: string } | { readonly anonymousId: string };

/** A request as it is stored, as JSON. Instants are epoch ms. */
export interface StoredRequest {
  readonly id: string;
  readonly type: PrivacyType;
  readonly status: PrivacyStatus;
  readonly resolution: PrivacyResolution | null;
  readonly regulation: Regulation;
  readonly subject: PrivacySubject;
  readonly identityId: string | null;
  /** The id the subject resolved to at receipt: an email may belong to another person later, and an id may be a user's or a device's. */
  readonly holder: PrivacyHolder | null;
  readonly createdAtMs: number;
  readonly verifiedAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
  readonly resolvedAtMs: number | null;
  readonly extendedAtMs: number | null;
  readonly receipt: ErasureReceipt | null;
}

/** Time to verify that the requester is the person in question. */
const VERIFICATION_MS = 30 * MS_PER_DAY;

/** Resolutions before acknowledgment: the others require a check of the person's data. */
const UNSEEN_RESOLUTIONS: readonly PrivacyResolution[] = ["denied", "withdrawn"];

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

/** The request as of `nowMs`: one not verified in time was withdrawn when that time ended. */
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

/** Resolves a request: any resolution after acknowledgment, only denied or withdrawn before. @throws invalid_transition */
export function resolve(request: StoredRequest, resolution: PrivacyResolution, nowMs: number): StoredRequest {
  const current = expire(request, nowMs);
  const isAllowed = current.status === "acknowledged" || (current.status !== "resolved" && UNSEEN_RESOLUTIONS.includes(resolution));
  if (!isAllowed) throw refusal(`resolve as ${resolution}`, current);
  return { ...current, status: "resolved", resolution, resolvedAtMs: nowMs };
}

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

/** @throws invalid_transition if a request has no bundle, or not yet */
export function refuseBundle({ type, status, resolution }: StoredRequest): void {
  if (type !== "access" && type !== "portability") throw new DaybookError("invalid_transition", `a request of the type ${type} has no bundle`);
  if (status !== "acknowledged" && resolution !== "completed" && resolution !== "partially_completed")
    throw new DaybookError("invalid_transition", `expected an acknowledged request, got one that is ${resolution ?? status}`);
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
  const instead = allowed.length === 0 ? "no further step is possible" : `allowed: ${allowed.join(", ")}`;
  return new DaybookError("invalid_transition", `cannot ${step} ${what} under ${request.regulation}; ${instead}`);
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOf(ms);
}

/** Changes a request at a time, epoch ms. @throws invalid_transition */
export type RequestStep = (request: StoredRequest, nowMs: number) => StoredRequest;

/** The steps of a privacy request that only change the request, wherever requests are stored. */
export abstract class PrivacySteps implements Pick<PrivacyRequests, "verify" | "acknowledge" | "extend"> {
  verify(id: string): Promise<PrivacyRequest> {
    return this.step(id, verify);
  }

  acknowledge(id: string): Promise<PrivacyRequest> {
    return this.step(id, acknowledge);
  }

  extend(id: string): Promise<PrivacyRequest> {
    return this.step(id, extend);
  }

  /** Applies a step and stores the changed request. @throws privacy_request_not_found, invalid_transition */
  protected abstract step(id: string, change: RequestStep): Promise<PrivacyRequest>;
}

export const ERASING: readonly PrivacyResolution[] = ["completed", "partially_completed"];
