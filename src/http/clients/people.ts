import type { EventInput } from "../../core/schema/event.js";
import { idOf, textOf, isObject, objectOf, without, companyProxyId, isPlaceholderId, type JsonObject, type ReceivedRecord } from "../tracking/call.js";
import { SET_ONCE } from "../../core/schema/record.js";

type ClientField = Extract<
  keyof EventInput,
  | "url" | "hostname" | "referrer" | "language" | "screen" | "device" | "os" | "browser" | "value" | "currency" | "externalId"
  | "locationCountry" | "locationRegion" | "locationCity" | "locationLat" | "locationLon"
>;

/** A client's names for event fields; of several names for one field the first has precedence. */
export type FieldNames = Readonly<Record<string, ClientField>>;

/** Members that became event fields, and the remaining ones. */
export interface ClientFields {
  readonly fields: Partial<EventInput>;
  readonly rest: Record<string, unknown>;
}

/** Revenue members that all clients name alike; they also stay in the metadata, as with tracking calls. */
const MONEY: FieldNames = { revenue: "value", currency: "currency", order_id: "externalId" };
const IDS: readonly ClientField[] = ["externalId", "locationLat", "locationLon"];

/** Names that clients use only for a person's address. */
export const ADDRESSES = ["$ip", "__ip"] as const;

/**
 * Extracts event fields by the names of a client. A value of another type than its field stays in the rest.
 * @param dropped names that are neither fields nor kept
 */
export function fieldsOf(members: JsonObject, names: FieldNames, dropped: readonly string[] = []): ClientFields {
  const rest: Record<string, unknown> = { ...members };
  const fields: Partial<Record<ClientField, string | number>> = {};
  const take = (name: string, field: ClientField): boolean => {
    const value = valueOf(field, members[name]);
    if (value === null || fields[field] !== undefined) return false;
    fields[field] = value;
    return true;
  };
  for (const [name, field] of Object.entries(names)) if (take(name, field)) delete rest[name];
  for (const [name, field] of Object.entries(MONEY)) take(name, field);
  for (const name of [...dropped, ...ADDRESSES]) delete rest[name];
  return { fields: fields as Partial<EventInput>, rest };
}

function valueOf(field: ClientField, value: unknown): string | number | null {
  if (field === "value") return typeof value === "number" ? value : null;
  return IDS.includes(field) ? idOf(value) : textOf(value);
}

/** Members whose type does not fit, so that they stay metadata. @param fits by name, whether the value was used */
export function misfits(members: JsonObject, fits: Readonly<Record<string, boolean>>): JsonObject {
  const left = Object.entries(fits).filter(([name, isTaken]) => !isTaken && ![undefined, null, ""].includes(members[name] as string));
  return Object.fromEntries(left.map(([name]) => [name, members[name]]));
}

/** Group types that are companies; of several the first in this order is the company. */
export const COMPANY_TYPES = ["company", "organization", "org", "account", "workspace"] as const;

/** The ids of a person, as clients send them. */
export interface Person {
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
}

/** Changes of traits, as clients send them. */
export interface TraitChanges {
  readonly set?: unknown;
  /** Set only if the trait is unset. */
  readonly setOnce?: unknown;
  /** Names of traits to remove. */
  readonly unset?: unknown;
  /** Numbers to add. */
  readonly add?: unknown;
  /** Values to append to lists, to add to lists that lack them, and to remove from lists. */
  readonly append?: unknown;
  readonly union?: unknown;
  readonly remove?: unknown;
}

/** Id and time of a record. */
export interface RecordMoment {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Emails that are set once get times below this many ms after 1970, one for each second up to the year 2096. */
const ONCE_MS = 4_000_000_000;

/** The company among a person's groups by type; null: none. */
export function companyOf(groups: unknown): string | null {
  if (!isObject(groups)) return null;
  for (const type of COMPANY_TYPES) {
    const ids = groups[type];
    const id = idOf(Array.isArray(ids) ? ids[0] : ids);
    if (id !== null) return id;
  }
  return null;
}

/** Groups besides the company, for the metadata of an event, and its list if that has more than one id; undefined: none. */
export function otherGroups(groups: unknown): JsonObject | undefined {
  if (!isObject(groups)) return undefined;
  const company = COMPANY_TYPES.find((type) => companyOf({ [type]: groups[type] }) !== null);
  const others = Object.entries(groups).filter(([type, ids]) => type !== company || (Array.isArray(ids) && ids.length > 1));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

export function isCompanyType(type: unknown): boolean {
  return COMPANY_TYPES.some((each) => each === type);
}

/** Records of trait changes. An email that is set once gets a record of its own, because the newest email wins. */
export function traitRecords(person: Person, { setOnce, ...changes }: TraitChanges, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  const once = traitsOf(setOnce);
  const email = textOf(once["email"]);
  const traits = changedTraits({ ...changes, setOnce: email === null ? once : without(once, ["email"]) });
  const own = isEmpty(traits) ? [] : [identifyRecord(`${id}:set`, person, traits, createdAtMs)];
  // One id only: a link dated 1970 would win over every other link of the device.
  const named = person.userId && !isPlaceholderId(person.userId) ? { userId: person.userId } : person;
  return email === null ? own : [...own, identifyRecord(`${id}:email`, named, { email }, onceMs(createdAtMs))];
}

/** Records of a company's trait changes. @param person a member; null: none */
export function companyRecords(companyId: string, person: Person | null, changes: TraitChanges, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  const traits = changedTraits(changes);
  const teller = person ?? { anonymousId: companyProxyId(companyId) };
  const call = { messageId: `${id}:company-set`, groupId: companyId, ...teller, traits };
  const records: ReceivedRecord[] = isEmpty(traits) ? [] : [{ record: "group", call, createdAtMs }];
  return person === null ? records : [...records, memberRecord(companyId, person, { id, createdAtMs })];
}

/** Makes a person a member of a company from then on. */
export function memberRecord(companyId: string, person: Person, { id, createdAtMs }: RecordMoment): ReceivedRecord {
  return { record: "group", call: { messageId: `${id}:group`, groupId: companyId, ...person }, createdAtMs };
}

/** Makes one id an alias of another. */
export function aliasRecord(from: string, to: string, { id, createdAtMs }: RecordMoment): ReceivedRecord {
  return { record: "alias", call: { messageId: `${id}:alias`, previousId: from, userId: to }, createdAtMs };
}

/** Merges two different ids. If `from` already is an alias, the second record makes `to` an alias of it. */
export function mergeRecords(from: string, to: string, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  if (from === to) return [];
  return [aliasRecord(from, to, { id, createdAtMs }), aliasRecord(to, from, { id: `${id}:back`, createdAtMs: createdAtMs + 1 })];
}

function identifyRecord(messageId: string, person: Person, traits: JsonObject, createdAtMs: number): ReceivedRecord {
  return { record: "identify", call: { messageId, ...person, traits }, createdAtMs };
}

/** Traits as a record stores them: set values, null for removed ones, and change operators. */
function changedTraits({ set, unset, setOnce, add, append, union, remove }: TraitChanges): JsonObject {
  const gone = Array.isArray(unset) ? unset.filter((name) => typeof name === "string") : Object.keys(objectOf(unset));
  const changes = { [SET_ONCE]: setOnce, $add: add, $append: append, $union: union, $remove: remove };
  const told = Object.entries(changes).map(([change, traits]) => [change, traitsOf(traits)] as const).filter(([, traits]) => !isEmpty(traits));
  return { ...traitsOf(set), ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(told) };
}

function isEmpty(traits: JsonObject): boolean {
  return Object.keys(traits).length === 0;
}

/** The newest email wins. So one that is set once is dated long ago, and an earlier one gets a later time. */
function onceMs(createdAtMs: number): number {
  return Math.max(0, ONCE_MS - Math.floor(createdAtMs / 1_000));
}

/** Traits to store, without addresses. */
export function traitsOf(traits: unknown): JsonObject {
  return without(objectOf(traits), ADDRESSES);
}
