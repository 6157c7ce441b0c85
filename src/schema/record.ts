/** What a caller may tell about identities. Ids may be numbers, as in events. Dates: RFC 3339 text, epoch ms (from 1973 on) or `Date`. */
interface RecordFields {
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
export type IdentifyInput = RecordFields &
  PersonInput & {
    /** Absent or blank: `traits.email`, where that is text. */
    readonly email?: string | null | undefined;
    /** An object of JSON values, within the bounds of an event's metadata. */
    readonly traits?: object | null | undefined;
  };

/** Makes somebody a member of a company from then on. With both ids the user id counts. */
export type GroupInput = RecordFields &
  PersonInput & {
    readonly companyId: IdInput;
    /** Of the company: `name` and `domain` are shown. */
    readonly traits?: object | null | undefined;
  };

/** Says that `from`, a user id or an anonymous id, is the user `to`, who survives. */
export interface AliasInput extends RecordFields {
  readonly from: string | number;
  readonly to: string | number;
}

/** A record that was stored, or was there already. */
export interface LinkResult {
  /** For `unlink`. */
  readonly linkId: string;
  /** There where the call's time was more than five minutes ahead of the clock: the time of receipt, which the record is stored at. */
  readonly adjusted?: { readonly createdAt: string };
}

/** Takes the record of this id back, whether it came already or comes later. */
export interface UnlinkInput {
  /** The `linkId` of the record, or the `id` that it was told with. */
  readonly linkId: string;
  /** Not kept: an unlink is known by its `linkId`, and the same again changes nothing. */
  readonly id?: string | null | undefined;
  /** Absent: now. Changes no answer. */
  readonly createdAt?: string | number | Date | null | undefined;
}

/** What `ingestRecords` takes, told apart by `type`. A project exists before its first event. */
export type RecordInput =
  /** Here the email `""` says that there is none, whatever the traits hold. */
  | (IdentifyInput & { readonly type: "identify" })
  | (GroupInput & { readonly type: "group" })
  | (AliasInput & { readonly type: "alias" })
  | (UnlinkInput & { readonly type: "unlink" })
  | { readonly type: "project"; readonly name: string };

/** Whom a stored record is about. */
type StoredPerson =
  | { readonly userId: string; readonly anonymousId?: string }
  | { readonly userId?: never; readonly anonymousId: string };

/** One record as `exportRecords` gives it and `ingestRecords` takes it back: ids are UUIDs, times ISO milliseconds, what is not set is left out. */
export type StoredRecord =
  | (StoredPerson & {
      readonly type: "identify";
      readonly id: string;
      readonly createdAt: string;
      /** In lower case; left out where it is that of the traits; `""` where there is none though traits have one. */
      readonly email?: string;
      readonly traits?: Readonly<Record<string, unknown>>;
    })
  | (StoredPerson & {
      readonly type: "group";
      readonly id: string;
      readonly createdAt: string;
      readonly companyId: string;
      readonly traits?: Readonly<Record<string, unknown>>;
    })
  | { readonly type: "alias"; readonly id: string; readonly createdAt: string; readonly from: string; readonly to: string }
  | { readonly type: "unlink"; readonly createdAt: string; readonly linkId: string }
  | { readonly type: "project"; readonly name: string };
