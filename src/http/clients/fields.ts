import type { EventInput } from "../../core/schema/event.js";
import { idOf, textOf } from "../tracking/members.js";
import type { JsonObject } from "../tracking/members.js";

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
