import { idOf, isObject, objectOf, without } from "../tracking/members.js";
import type { JsonObject } from "../tracking/members.js";
import type { ToldRecord } from "../tracking/store-entries.js";
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
  /** Those that count only where nothing else was ever told. */
  readonly setOnce?: unknown;
  /** Names of those that are no longer there. */
  readonly unset?: unknown;
}

/** When a record is told, and under which id. */
export interface Moment {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Milliseconds after 1970 up to which traits are told that count only where no others are, one for each second up to the year 2096. */
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

/** Records of what a client says of somebody's traits. */
export function traitRecords(person: Person, changes: TraitChanges, { id, createdAtMs }: Moment): ToldRecord[] {
  return changed(changes).map(({ suffix, isOnce, traits }) => ({
    record: "identify",
    call: { messageId: `${id}:${suffix}`, ...person, traits },
    createdAtMs: isOnce ? onceMs(createdAtMs) : createdAtMs,
  }));
}

/** The same of a company. What counts once nobody but the company tells, for that is told long ago. @param person a member; null: nobody is meant */
export function companyRecords(companyId: string, person: Person | null, changes: TraitChanges, { id, createdAtMs }: Moment): ToldRecord[] {
  const nobody = { anonymousId: `$company_${companyId}` };
  const records = changed(changes).map(({ suffix, isOnce, traits }): ToldRecord => ({
    record: "group",
    call: { messageId: `${id}:company-${suffix}`, groupId: companyId, ...(isOnce ? nobody : (person ?? nobody)), traits },
    createdAtMs: isOnce ? onceMs(createdAtMs) : createdAtMs,
  }));
  return person === null ? records : [...records, memberRecord(companyId, person, { id, createdAtMs })];
}

/** Somebody belongs to a company from then on. */
export function memberRecord(companyId: string, person: Person, { id, createdAtMs }: Moment): ToldRecord {
  return { record: "group", call: { messageId: `${id}:group`, groupId: companyId, ...person }, createdAtMs };
}

/** One id becomes another user's. */
export function aliasRecord(from: string, to: string, { id, createdAtMs }: Moment): ToldRecord {
  return { record: "alias", call: { messageId: `${id}:alias`, previousId: from, userId: to }, createdAtMs };
}

/** Traits as they are told: those that are set or gone, and those that count once. */
function changed({ set, setOnce, unset }: TraitChanges): { readonly suffix: string; readonly isOnce: boolean; readonly traits: JsonObject }[] {
  const gone = Array.isArray(unset) ? unset.filter((name) => typeof name === "string") : Object.keys(objectOf(unset));
  const parts = [
    { suffix: "set", isOnce: false, traits: { ...traitsOf(set), ...Object.fromEntries(gone.map((name) => [name, null])) } },
    { suffix: "once", isOnce: true, traits: traitsOf(setOnce) },
  ];
  return parts.filter(({ traits }) => Object.keys(traits).length > 0);
}

/** Traits of records are believed the newest first. So what counts once is told long ago, and what was told earlier later. */
function onceMs(createdAtMs: number): number {
  return Math.max(0, ONCE_MS - Math.floor(createdAtMs / 1_000));
}

/** Traits as they are stored: an address is none. */
export function traitsOf(traits: unknown): JsonObject {
  return without(objectOf(traits), ADDRESSES);
}
