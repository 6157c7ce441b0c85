/** What a caller may tell about identities. Ids may be numbers, as in events. Dates: RFC 3339 text, epoch ms or `Date`. */
interface RecordInput {
  /** A UUID; any other string is hashed to one; absent: a UUIDv7 is assigned. The same id again changes nothing. */
  readonly id?: string | null | undefined;
  /** Absent: now. */
  readonly createdAt?: string | number | Date | null | undefined;
}

type IdInput = string | number;

/** Whom a record is about: a user id, an anonymous id, or both. */
type PersonInput =
  | { readonly userId: IdInput; readonly anonymousId?: IdInput | null | undefined }
  | { readonly userId?: IdInput | null | undefined; readonly anonymousId: IdInput };

/** Ties an anonymous id, an email and traits to a user; or an email and traits to an anonymous id. */
export type IdentifyInput = RecordInput &
  PersonInput & {
    /** Absent: `traits.email`, where that is text. */
    readonly email?: string | null | undefined;
    /** An object of JSON values, within the bounds of an event's metadata. */
    readonly traits?: object | null | undefined;
  };

/** Makes somebody a member of a company from then on. With both ids the user id counts. */
export type GroupInput = RecordInput &
  PersonInput & {
    readonly companyId: IdInput;
    /** Of the company: `name` and `domain` are shown. */
    readonly traits?: object | null | undefined;
  };

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
