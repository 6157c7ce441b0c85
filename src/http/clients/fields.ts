import type { EventInput } from "../../schema/event.js";
import { idOf, textOf } from "../tracking/members.js";
import type { JsonObject } from "../tracking/members.js";

type ClientField = Extract<
  keyof EventInput,
  | "url" | "hostname" | "referrer" | "language" | "screen" | "device" | "os" | "browser" | "value" | "currency" | "externalId"
  | "locationCountry" | "locationRegion" | "locationCity" | "locationLat" | "locationLon"
>;

/** Names that a client has for fields of an event, the one that is believed first before the others. */
export type FieldNames = Readonly<Record<string, ClientField>>;

/** Members as fields of an event, and what is left of them. */
export interface ClientFields {
  readonly fields: Partial<EventInput>;
  readonly rest: Record<string, unknown>;
}

/** Revenue, where all clients have it under the same names: it stays in the metadata as well, like that of tracking calls. */
const MONEY: FieldNames = { revenue: "value", currency: "currency", order_id: "externalId" };
const IDS: readonly ClientField[] = ["externalId", "locationLat", "locationLon"];

/** Names that clients have for somebody's address and for nothing else. */
export const ADDRESSES = ["$ip", "__ip"] as const;

/**
 * Fields of an event by the names of a client. What has another type than its field takes stays where it was.
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

/** Members whose type is none that their place takes, so that they stay metadata. @param fits names, and whether what is there was taken */
export function misfits(members: JsonObject, fits: Readonly<Record<string, boolean>>): JsonObject {
  const left = Object.entries(fits).filter(([name, isTaken]) => !isTaken && ![undefined, null, ""].includes(members[name] as string));
  return Object.fromEntries(left.map(([name]) => [name, members[name]]));
}
