import { normalEmail } from "../../query/plan/subject.js";
import type { StoredRequest } from "./lifecycle.js";
import type { PrivacyResolution } from "./requests.js";
import type { SuppressedKind } from "../ingest/suppression.js";

/** Resolutions that erase the person. */
export const ERASING: readonly PrivacyResolution[] = ["completed", "partially_completed"];

/** An erased person. */
export interface ErasedPerson {
  /** All user ids and anonymous ids. */
  readonly ids: readonly (readonly [kind: SuppressedKind, id: string])[];
  /** Emails that belonged to this person alone, in normalized form. */
  readonly emails: ReadonlySet<string>;
  /** Null: no identity was found. */
  readonly identityId: string | null;
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

/** The ids that are suppressed from then on. */
export function suppressedOf({ subject }: StoredRequest, { ids, emails, identityId }: ErasedPerson): [SuppressedKind, string][] {
  const suppressed: [SuppressedKind, string][] = [...ids.map(([kind, id]): [SuppressedKind, string] => [kind, id])];
  suppressed.push(...[...emails].map((email): [SuppressedKind, string] => ["email", email]));
  if ("userId" in subject && identityId === null) suppressed.push(["userId", subject.userId], ["anonymousId", subject.userId]);
  return suppressed;
}

/** A request that no longer names the person. */
export function withoutSubject<Request extends StoredRequest>(request: Request): Request {
  return { ...request, subject: { erased: true as const }, holder: null };
}
