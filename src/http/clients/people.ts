import { SET_ONCE } from "../../schema/traits.js";
import { idOf, isObject, objectOf, textOf, without } from "../tracking/members.js";
import type { JsonObject } from "../tracking/members.js";
import { companyTeller, isNobody } from "../tracking/nobody.js";
import type { ReceivedRecord } from "../tracking/store-entries.js";
import { ADDRESSES } from "./fields.js";

/** Kinds of groups that are companies. Of several the first in this order is the company. */
export const COMPANY_TYPES = ["company", "organization", "org", "account", "workspace"] as const;

/** Somebody as clients tell of them. */
export interface Person {
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
}

/** What a client says of traits. */
export interface TraitChanges {
  readonly set?: unknown;
  /** Those that count only where none is set. */
  readonly setOnce?: unknown;
  /** Names of those that are no longer there. */
  readonly unset?: unknown;
  /** Numbers to add. */
  readonly add?: unknown;
  /** Values for lists: at the end, or where the list does not have them, and those to take out. */
  readonly append?: unknown;
  readonly union?: unknown;
  readonly remove?: unknown;
}

/** When a record is told, and under which id. */
export interface RecordMoment {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Emails that are set once get times up to this many ms after 1970, one for each second up to the year 2096. */
const ONCE_MS = 4_000_000_000;

/** The company of somebody's groups by kind. */
export function companyOf(groups: unknown): string | null {
  if (!isObject(groups)) return null;
  for (const type of COMPANY_TYPES) {
    const ids = groups[type];
    const id = idOf(Array.isArray(ids) ? ids[0] : ids);
    if (id !== null) return id;
  }
  return null;
}

/** Groups that are no company, for the metadata of an event; undefined: there are none. */
export function otherGroups(groups: unknown): JsonObject | undefined {
  if (!isObject(groups)) return undefined;
  const company = COMPANY_TYPES.find((type) => companyOf({ [type]: groups[type] }) !== null);
  const others = Object.entries(groups).filter(([type, ids]) => type !== company || (Array.isArray(ids) && ids.length > 1));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

export function isCompanyType(type: unknown): boolean {
  return COMPANY_TYPES.some((each) => each === type);
}

/** Records of what a client says of somebody's traits. An email that is set once is a record of its own: the newest email is the one that counts. */
export function traitRecords(person: Person, { setOnce, ...changes }: TraitChanges, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  const once = traitsOf(setOnce);
  const email = textOf(once["email"]);
  const traits = changedTraits({ ...changes, setOnce: email === null ? once : without(once, ["email"]) });
  const own = isEmpty(traits) ? [] : [identifyRecord(`${id}:set`, person, traits, createdAtMs)];
  // It names one id only: a link of 1970 would win over every other link of the device.
  const named = person.userId && !isNobody(person.userId) ? { userId: person.userId } : person;
  return email === null ? own : [...own, identifyRecord(`${id}:email`, named, { email }, onceMs(createdAtMs))];
}

/** The same of a company. @param person a member; null: nobody is meant */
export function companyRecords(companyId: string, person: Person | null, changes: TraitChanges, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  const traits = changedTraits(changes);
  const teller = person ?? { anonymousId: companyTeller(companyId) };
  const call = { messageId: `${id}:company-set`, groupId: companyId, ...teller, traits };
  const records: ReceivedRecord[] = isEmpty(traits) ? [] : [{ record: "group", call, createdAtMs }];
  return person === null ? records : [...records, memberRecord(companyId, person, { id, createdAtMs })];
}

/** Somebody belongs to a company from then on. */
export function memberRecord(companyId: string, person: Person, { id, createdAtMs }: RecordMoment): ReceivedRecord {
  return { record: "group", call: { messageId: `${id}:group`, groupId: companyId, ...person }, createdAtMs };
}

/** One id becomes another user's. */
export function aliasRecord(from: string, to: string, { id, createdAtMs }: RecordMoment): ReceivedRecord {
  return { record: "alias", call: { messageId: `${id}:alias`, previousId: from, userId: to }, createdAtMs };
}

/** Joins two ids, which are not the same. If the one is an alias already, the second record makes the other an alias of it. */
export function mergeRecords(from: string, to: string, { id, createdAtMs }: RecordMoment): ReceivedRecord[] {
  if (from === to) return [];
  return [aliasRecord(from, to, { id, createdAtMs }), aliasRecord(to, from, { id: `${id}:back`, createdAtMs: createdAtMs + 1 })];
}

function identifyRecord(messageId: string, person: Person, traits: JsonObject, createdAtMs: number): ReceivedRecord {
  return { record: "identify", call: { messageId, ...person, traits }, createdAtMs };
}

/** Traits as a record tells them: those that are set or gone, and changes of others. */
function changedTraits({ set, unset, setOnce, add, append, union, remove }: TraitChanges): JsonObject {
  const gone = Array.isArray(unset) ? unset.filter((name) => typeof name === "string") : Object.keys(objectOf(unset));
  const changes = { [SET_ONCE]: setOnce, $add: add, $append: append, $union: union, $remove: remove };
  const told = Object.entries(changes).map(([change, traits]) => [change, traitsOf(traits)] as const).filter(([, traits]) => !isEmpty(traits));
  return { ...traitsOf(set), ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(told) };
}

function isEmpty(traits: JsonObject): boolean {
  return Object.keys(traits).length === 0;
}

/** The newest email counts. So one that is set once gets a time long ago, and an earlier one gets a later time. */
function onceMs(createdAtMs: number): number {
  return Math.max(0, ONCE_MS - Math.floor(createdAtMs / 1_000));
}

/** Traits as they are stored: an address is none. */
export function traitsOf(traits: unknown): JsonObject {
  return without(objectOf(traits), ADDRESSES);
}
