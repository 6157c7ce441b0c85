import type { PrivacyRequest } from "../../ask/answers.js";

export const TYPES = [
  ["access", "Access"],
  ["erasure", "Erasure"],
  ["portability", "Portability"],
  ["rectification", "Rectification"],
  ["opt_out", "Opt-out"],
] as const;
export const REGULATIONS = [
  ["gdpr", "GDPR"],
  ["ccpa", "CCPA"],
  ["lgpd", "LGPD"],
  ["other", "Other"],
] as const;

const STATUSES: Readonly<Record<PrivacyRequest["status"], string>> = {
  pending_verification: "Not verified yet",
  submitted: "Verified",
  acknowledged: "Under way",
  resolved: "Resolved",
};

const RESOLUTIONS: Readonly<Record<NonNullable<PrivacyRequest["resolution"]>, string>> = {
  completed: "Completed",
  no_records_found: "Nothing was found",
  partially_completed: "Partially completed",
  denied: "Denied",
  withdrawn: "Withdrawn",
};

export function typeName(type: PrivacyRequest["type"]): string {
  return TYPES.find(([name]) => name === type)?.[1] ?? type;
}

export function statusName({ status, resolution }: PrivacyRequest): string {
  return resolution === null ? STATUSES[status] : RESOLUTIONS[resolution];
}

/** Whom a request is about; null: they were erased. */
export function subjectOf({ subject }: PrivacyRequest): string | null {
  if ("email" in subject) return subject.email;
  return "user_id" in subject ? subject.user_id : null;
}
