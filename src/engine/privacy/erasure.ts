import { isoOf } from "../../core/base/time.js";
import { normalEmail } from "../../query/plan/reports/identity.js";
import type { ErasedCounts } from "../../store/upkeep/erase.js";
import type { SuppressedKind } from "../ingest/suppression.js";
import type { PersonIds } from "./bundle.js";
import type { StoredRequest } from "./lifecycle.js";
import type { ErasureReceipt } from "./requests.js";

export interface ErasedPerson {
  readonly ids: readonly (readonly [kind: SuppressedKind, id: string])[];
  /** Emails that belonged to this person alone, in normalized form. */
  readonly emails: ReadonlySet<string>;
  /** Null: no identity was found. */
  readonly identityId: string | null;
}

/** The ids by which saved segments may name a person. */
export function namesOf({ subject }: StoredRequest, { ids, identityId }: ErasedPerson): ReadonlySet<string> {
  const named = "userId" in subject ? [subject.userId] : [];
  return new Set([...ids.map(([, text]) => text), ...named, ...(identityId === null ? [] : [identityId])]);
}

/** The resolved request, and all others about the person, without their subjects. */
export function erasedRequests(requests: readonly StoredRequest[], resolved: StoredRequest, person: ErasedPerson): readonly StoredRequest[] {
  return requests.filter((other) => isOfErased(other, resolved, person)).map((other) => withoutSubject(other.id === resolved.id ? resolved : other));
}

/** Whether a request is about the person whom another request erased, or is that request. */
export function isOfErased(other: StoredRequest, request: StoredRequest, { ids, emails, identityId }: ErasedPerson): boolean {
  const { subject, holder } = other;
  if (other.id === request.id) return true;
  if ("erased" in subject) return false;
  if (holder !== null) return ids.some(([kind, id]) => id === (holder as Partial<Record<SuppressedKind, string>>)[kind]);
  if (identityId !== null && other.identityId === identityId) return true;
  // A request may name an email as user id, and a user id may be an email.
  const text = "email" in subject ? subject.email : subject.userId;
  return emails.has(normalEmail(text)) || ids.some(([, id]) => id === text || ("email" in subject && normalEmail(id) === normalEmail(text)));
}

export function suppressedOf({ subject }: StoredRequest, { ids, emails, identityId }: ErasedPerson): [SuppressedKind, string][] {
  const suppressed: [SuppressedKind, string][] = [...ids.map(([kind, id]): [SuppressedKind, string] => [kind, id])];
  suppressed.push(...[...emails].map((email): [SuppressedKind, string] => ["email", email]));
  if ("userId" in subject && identityId === null) suppressed.push(["userId", subject.userId], ["anonymousId", subject.userId]);
  return suppressed;
}

export function withoutSubject<Request extends StoredRequest>(request: Request): Request {
  return { ...request, subject: { erased: true as const }, holder: null };
}

export function receiptOf(ids: PersonIds, counts: ErasedCounts, nowMs: number): ErasureReceipt {
  const { events, identifyCalls, groupCalls, aliasCalls, emailCount, dictionaryValues, segmentsRewritten } = counts;
  return {
    erasedAt: isoOf(nowMs),
    events,
    identifyCalls,
    groupCalls,
    aliasCalls,
    userIds: ids.userIds.size,
    anonymousIds: ids.anonymousIds.size,
    emails: emailCount,
    dictionaryValues,
    segmentsRewritten,
  };
}
