import type { EventInput } from "../../core/schema/event.js";
import {
  idOf, textOf, isObject, objectOf, without, companyProxyId, isPlaceholderId, type JsonObject, type ReceivedRecord,
} from "../tracking/call.js";
import { SET_ONCE } from "../../core/schema/record.js";

type ClientField = Extract<
  keyof EventInput,
  | "url" | "hostname" | "referrer" | "language" | "screen" | "device" | "os" | "browser" | "value" | "currency" | "externalId"
  | "locationCountry" | "locationRegion" | "locationCity" | "locationLat" | "locationLon"
>;

/** A client's names for event fields; of several names for one field, the first has precedence. */
export type FieldNames = Readonly<Record<string, ClientField>>;

export interface ClientFields {
  readonly fields: Partial<EventInput>;
  readonly rest: Record<string, unknown>;
}

/** Revenue members that all clients name alike; they also stay in the metadata, as with tracking calls. */
const MONEY: FieldNames = { revenue: "value", currency: "currency", order_id: "externalId" };
/** Fields that accept text or a number. */
const TEXT_OR_NUMBER: readonly ClientField[] = ["externalId", "locationLat", "locationLon"];

/** Names that clients use only for a person's IP address. */
export const ADDRESSES = ["$ip", "__ip"] as const;

/**
 * Extracts event fields by the names of a client. A value whose type does not fit its field stays in `rest`.
 * @param dropped names that are neither fields nor part of `rest`
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
  return TEXT_OR_NUMBER.includes(field) ? idOf(value) : textOf(value);
}

/** Members whose value has the wrong type, so that they stay metadata. @param fits by name, whether the value was used */
export function mistypedMembers(members: JsonObject, fits: Readonly<Record<string, boolean>>): JsonObject {
  const unused = Object.entries(fits).filter(([name, isUsed]) => !isUsed && ![undefined, null, ""].includes(members[name] as string));
  return Object.fromEntries(unused.map(([name]) => [name, members[name]]));
}

/** Group types that are companies; if a person has several, the first in this order is the company. */
export const COMPANY_TYPES = ["company", "organization", "org", "account", "workspace"] as const;

export interface Person {
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
}

export interface TraitChanges {
  readonly set?: unknown;
  /** Set only if the trait is unset. */
  readonly setOnce?: unknown;
  readonly unset?: unknown;
  readonly add?: unknown;
  /** Values to append to lists, to add to lists that lack them, and to remove from lists. */
  readonly append?: unknown;
  readonly union?: unknown;
  readonly remove?: unknown;
}

export interface RecordMoment {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Emails that are set once get times below this many ms after 1970, one for each second up to the year 2096. */
const SET_ONCE_EMAIL_MS_MAX = 4_000_000_000;

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

/** Groups besides the company, for the metadata of an event; the company's too if it has several ids. Undefined: none. */
export function otherGroups(groups: unknown): JsonObject | undefined {
  if (!isObject(groups)) return undefined;
  const company = COMPANY_TYPES.find((type) => companyOf({ [type]: groups[type] }) !== null);
  const others = Object.entries(groups).filter(([type, ids]) => type !== company || (Array.isArray(ids) && ids.length > 1));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

export function isCompanyType(type: unknown): boolean {
  return COMPANY_TYPES.some((name) => name === type);
}

/** Records of trait changes. An email that is set once gets a record of its own, because the newest email wins. */
export function traitRecords(person: Person, { setOnce, ...changes }: TraitChanges, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  const setOnceTraits = traitsOf(setOnce);
  const email = textOf(setOnceTraits["email"]);
  const traits = changedTraits({ ...changes, setOnce: email === null ? setOnceTraits : without(setOnceTraits, ["email"]) });
  const records = isEmpty(traits) ? [] : [identifyRecord(`${id}:set`, person, traits, createdAtMs)];
  // Only the user id: a link dated 1970 would take precedence over every other link of the device.
  const ids = person.userId && !isPlaceholderId(person.userId) ? { userId: person.userId } : person;
  return email === null ? records : [...records, identifyRecord(`${id}:email`, ids, { email }, setOnceEmailMs(createdAtMs))];
}

/** Records of a company's trait changes. @param person a member; null: none */
export function companyRecords(companyId: string, person: Person | null, changes: TraitChanges, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  const traits = changedTraits(changes);
  const ids = person ?? { anonymousId: companyProxyId(companyId) };
  const call = { messageId: `${id}:company-set`, groupId: companyId, ...ids, traits };
  const records: ReceivedRecord[] = isEmpty(traits) ? [] : [{ record: "group", call, createdAtMs }];
  return person === null ? records : [...records, memberRecord(companyId, person, { id, createdAtMs })];
}

/** Makes a person a member of a company from the record's time on. */
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
  const removed = Array.isArray(unset) ? unset.filter((name) => typeof name === "string") : Object.keys(objectOf(unset));
  const changes = { [SET_ONCE]: setOnce, $add: add, $append: append, $union: union, $remove: remove };
  const operations = Object.entries(changes)
    .map(([change, traits]) => [change, traitsOf(traits)] as const)
    .filter(([, traits]) => !isEmpty(traits));
  return { ...traitsOf(set), ...Object.fromEntries(removed.map((name) => [name, null])), ...Object.fromEntries(operations) };
}

function isEmpty(traits: JsonObject): boolean {
  return Object.keys(traits).length === 0;
}

/** The newest email wins, so an email that is set once is dated near 1970, and of two of them the earlier one gets the later time. */
function setOnceEmailMs(createdAtMs: number): number {
  return Math.max(0, SET_ONCE_EMAIL_MS_MAX - Math.floor(createdAtMs / 1_000));
}

/** Traits to store, without IP addresses. */
export function traitsOf(traits: unknown): JsonObject {
  return without(objectOf(traits), ADDRESSES);
}
