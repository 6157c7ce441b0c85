/** Members common to identity records. Ids may be numbers, as in events. Dates: RFC 3339 text, epoch ms (from 1973 on) or `Date`. */
interface RecordFields {
  /** A UUID; any other string is hashed to one; absent: a UUIDv7 is assigned. Sending the same id again changes nothing. */
  readonly id?: string | null | undefined;
  /** Absent: now. */
  readonly createdAt?: string | number | Date | null | undefined;
}

type IdInput = string | number;

type PersonInput =
  | { readonly userId: IdInput; readonly anonymousId?: IdInput | null | undefined }
  | { readonly userId?: IdInput | null | undefined; readonly anonymousId: IdInput };

/** Links an anonymous id, an email and traits to a user; or an email and traits to an anonymous id. */
export type IdentifyInput = RecordFields &
  PersonInput & {
    /** Absent or blank: `traits.email`, if that is text. */
    readonly email?: string | null | undefined;
    /** An object of JSON values, within the limits of event metadata. */
    readonly traits?: object | null | undefined;
  };

/** Makes a person a member of a company from then on. If both ids are given, the user id applies. */
export type GroupInput = RecordFields &
  PersonInput & {
    readonly companyId: IdInput;
    /** Traits of the company; `name` and `domain` are displayed. */
    readonly traits?: object | null | undefined;
  };

/** Merges `from`, a user id or an anonymous id, into the user `to`, who survives. */
export interface AliasInput extends RecordFields {
  readonly from: string | number;
  readonly to: string | number;
}

/** The result for a record that was stored now or earlier. */
export interface LinkResult {
  /** Pass it to `unlink`. */
  readonly linkId: string;
  /** Present if the call's time was more than five minutes in the future: the time of receipt, at which the record is stored. */
  readonly adjusted?: { readonly createdAt: string };
}

/** Revokes the record with this id, whether it has arrived already or arrives later. */
export interface UnlinkInput {
  /** The `linkId` of the record, or the `id` it was sent with. */
  readonly linkId: string;
  /** Not stored: an unlink is identified by its `linkId`, and repeating it changes nothing. */
  readonly id?: string | null | undefined;
  /** Absent: now. Does not affect query results. */
  readonly createdAt?: string | number | Date | null | undefined;
}

/** A record as `ingestRecords` accepts it, distinguished by `type`. A `project` record creates a project before its first event. */
export type RecordInput =
  /** The email `""` means that there is none, even if the traits have one. */
  | (IdentifyInput & { readonly type: "identify" })
  | (GroupInput & { readonly type: "group" })
  | (AliasInput & { readonly type: "alias" })
  | (UnlinkInput & { readonly type: "unlink" })
  | { readonly type: "project"; readonly name: string };

type StoredPerson =
  | { readonly userId: string; readonly anonymousId?: string }
  | { readonly userId?: never; readonly anonymousId: string };

/** A record as `exportRecords` writes it and `ingestRecords` accepts it: UUID ids, ISO times in milliseconds, members that are not set left out. */
export type StoredRecord =
  | (StoredPerson & {
      readonly type: "identify";
      readonly id: string;
      readonly createdAt: string;
      /** In lower case; left out if it equals that of the traits; `""` if there is none although the traits have one. */
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

/** The traits key for values that apply only where the trait is not set. */
export const SET_ONCE = "$set_once";

/** All traits keys that hold changes: each an object of values by trait name. */
export const TRAIT_CHANGES = [SET_ONCE, "$add", "$append", "$union", "$remove"] as const;
export type TraitChange = (typeof TRAIT_CHANGES)[number];

export type Traits = Readonly<Record<string, unknown>>;

export function isTraitChange(key: string, value: unknown): value is Traits {
  return TRAIT_CHANGES.some((each) => each === key) && typeof value === "object" && value !== null && !Array.isArray(value);
}

export function changesOf(traits: Traits, change: TraitChange): Traits {
  const changes = Object.hasOwn(traits, change) ? traits[change] : undefined;
  return isTraitChange(change, changes) ? changes : {};
}

/** The newest non-empty text of each trait, else its first set-once text. @param records traits as JSON, oldest first */
export function newestTexts(records: readonly string[]): Record<string, unknown> {
  const traits = records.map((text) => JSON.parse(text) as Traits);
  const once = [...traits].reverse().flatMap((each) => textsOf(changesOf(each, SET_ONCE)));
  return Object.fromEntries([...once, ...traits.flatMap(textsOf)]);
}

function textsOf(traits: Traits): [string, unknown][] {
  return Object.entries(traits).filter(([, value]) => typeof value === "string" && value !== "");
}
