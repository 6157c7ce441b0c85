/** What a caller may tell about identities. Ids may be numbers, as in events. Dates: RFC 3339 text, epoch ms or `Date`. */
interface RecordInput {
  /** A UUID; any other string is hashed to one; absent: a UUIDv7 is assigned. The same id again changes nothing. */
  readonly id?: string | null;
  /** Absent: now. */
  readonly createdAt?: string | number | Date | null;
}

/** Ties an anonymous id, an email and traits to a user; or an email and traits to an anonymous id. */
export interface IdentifyInput extends RecordInput {
  readonly userId?: string | number | null;
  readonly anonymousId?: string | number | null;
  /** Absent: `traits.email`, where that is text. */
  readonly email?: string | null;
  readonly traits?: Readonly<Record<string, unknown>> | null;
}

/** Makes somebody a member of a company from then on. With both ids the user id counts. */
export interface GroupInput extends RecordInput {
  readonly companyId: string | number;
  readonly userId?: string | number | null;
  readonly anonymousId?: string | number | null;
  /** Of the company: `name` and `domain` are shown. */
  readonly traits?: Readonly<Record<string, unknown>> | null;
}

/** Says that `from`, a user id or an anonymous id, is the user `to`, who survives. */
export interface AliasInput extends RecordInput {
  readonly from: string | number;
  readonly to: string | number;
}

/** A record that was stored, or was there already. */
export interface LinkResult {
  /** For `unlink`. */
  readonly linkId: string;
}
