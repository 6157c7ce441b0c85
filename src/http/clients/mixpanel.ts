import { z } from "zod";
import { parameterError } from "../../core/base/errors.js";
import { checkShape } from "../shapes/check-shape.js";
import { instantOfAny, idOf, objectOf, screenOf, textOf, without, id, object, isObject, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import type { ClientKeyed, ClientSent } from "../routing/route.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import {
  fieldsOf, misfits, aliasRecord, companyOf, COMPANY_TYPES, mergeRecords, otherGroups, companyRecords, isCompanyType, traitRecords,
} from "./people.js";
import type { FieldNames, RecordMoment, Person, TraitChanges } from "./people.js";

/** Properties of an event that become event fields. */
export const MIXPANEL_FIELDS: FieldNames = {
  $current_url: "url",
  current_url: "url",
  $referrer: "referrer",
  $os: "os",
  $browser: "browser",
  $device: "device",
  mp_country_code: "locationCountry",
  $region: "locationRegion",
  $city: "locationCity",
  $latitude: "locationLat",
  $longitude: "locationLon",
};

/** Properties that are stored elsewhere or not at all: `token` is the key, `ip` an address. */
export const MIXPANEL_DROPPED = ["token", "time", "distinct_id", "$insert_id", "$user_id", "$device_id", "$screen_width", "$screen_height", "ip", "$ip"] as const;

const DEVICE = "$device:";
const DAY_MS = 86_400_000;

const item = z.looseObject({ event: z.string().min(1, "expected at least one character"), properties: z.looseObject({ token: z.string() }) });

/** The `data` of a query or of a form. */
export const mixpanelShape = z.looseObject({
  data: z.array(z.unknown()).meta({ description: "What is sent, as JSON in base64: one item or a list." }),
});

/** Events of `mixpanel`. */
export const mixpanelEvents: ClientAdapter = {
  shape: mixpanelShape,
  keyOf: (sent) => mixpanelKey(sent, (each) => objectOf(each["properties"])["token"]),
  itemsOf: ({ body }) => body["data"] as unknown[],
  read,
  answer: (_, sent) => mixpanelAnswer(sent),
};

/** The key, which all items of a request must share; undefined if they differ. */
export function mixpanelKey({ body }: ClientKeyed, of: (item: JsonObject) => unknown): unknown {
  const items = Array.isArray(body["data"]) ? body["data"] : [];
  const keys = new Set(items.map((each) => of(objectOf(each))));
  return keys.size === 1 ? [...keys][0] : undefined;
}

/** `1`, or an object if the request has `verbose`. */
export function mixpanelAnswer({ body, query }: ClientSent): unknown {
  return (body["verbose"] ?? query["verbose"]) === "1" ? { status: 1, error: null } : 1;
}

function read(sent: unknown, { at, sent: { receivedAtMs } }: ItemContext): readonly ReceivedItem[] {
  checkShape(item, sent, { at, secret: true });
  const { event, properties } = sent as z.infer<typeof item>;
  const content = without(properties, ["token", "ip"]);
  const timeMs = instantOfAny(properties["time"]);
  const createdAtMs = timeMs ?? receivedAtMs;
  // The client never resends: equal calls are separate events.
  const id = insertIdOf(event, properties, createdAtMs) ?? globalThis.crypto.randomUUID();
  const moment = { id, createdAtMs };
  const { distinct_id: own } = properties;
  if (event === "$create_alias") return [aliasRecord(idOf(properties["alias"]) ?? "", idOf(own) ?? "", moment)];
  if (event === "$identify") return [identified(properties, moment)];
  if (event === "$merge") return merged(properties["$distinct_ids"], `${at === "" ? at : `${at}.`}properties.$distinct_ids`, moment);
  const groups = Object.fromEntries(COMPANY_TYPES.map((type) => [type, properties[type]]));
  const { fields, rest } = fieldsOf(content, MIXPANEL_FIELDS, MIXPANEL_DROPPED);
  const screen = screenOf(properties["$screen_width"], properties["$screen_height"]);
  const left = misfits(properties, {
    ...{ $screen_width: screen !== null, $screen_height: screen !== null, time: timeMs !== null },
    ...Object.fromEntries(["distinct_id", "$user_id", "$device_id"].map((name) => [name, idOf(properties[name]) !== null])),
  });
  const known = {
    id,
    name: event === "$mp_web_page_view" ? "pageview" : event,
    ...personOf(properties),
    createdAt: moment.createdAtMs,
    screen,
    companyId: companyOf(groups),
    ...fields,
  };
  const company = COMPANY_TYPES.find((type) => companyOf({ [type]: properties[type] }) !== null);
  const isAlone = company !== undefined && otherGroups({ [company]: properties[company] }) === undefined;
  return [{ event: { ...known, metadata: { ...(isAlone ? without(rest, [company]) : rest), ...left } } }];
}

/** The client's id is unique only within an event name, person and day (UTC). */
function insertIdOf(event: string, properties: JsonObject, createdAtMs: number): string | null {
  const insertId = textOf(properties["$insert_id"]);
  const who = idOf(properties["distinct_id"]) ?? idOf(properties["$user_id"]) ?? idOf(properties["$device_id"]);
  return insertId === null ? null : JSON.stringify([event, who, Math.floor(createdAtMs / DAY_MS), insertId]);
}

function personOf(properties: JsonObject): Person {
  const [userId, deviceId, own] = [idOf(properties["$user_id"]), idOf(properties["$device_id"]), idOf(properties["distinct_id"])];
  if (userId !== null || deviceId !== null) return { userId, anonymousId: deviceId };
  return own !== null && isDevice(own) ? { anonymousId: deviceIdOf(own) } : { userId: own };
}

function isDevice(distinctId: string): boolean {
  return distinctId.startsWith(DEVICE);
}

/** The id that events of the device have. */
function deviceIdOf(distinctId: string): string {
  return isDevice(distinctId) ? distinctId.slice(DEVICE.length) : distinctId;
}

/** A plain anonymous id is a user id in Daybook, so it becomes an alias of the identified one. */
function identified(properties: JsonObject, moment: RecordMoment): ReceivedItem {
  const [userId, other] = [idOf(properties["$identified_id"] ?? properties["distinct_id"]), idOf(properties["$anon_id"])];
  if (userId !== null && other !== null && !isDevice(other)) return aliasRecord(other, userId, moment);
  return { record: "identify", call: { messageId: moment.id, userId, anonymousId: other === null ? null : deviceIdOf(other) }, createdAtMs: moment.createdAtMs };
}

/** Merges the ids of one person: the first one that is not a device's stays. @throws invalid_parameter */
function merged(ids: unknown, at: string, moment: RecordMoment): readonly ReceivedItem[] {
  const all = (Array.isArray(ids) ? (ids as readonly unknown[]) : []).map(idOf).filter((id) => id !== null);
  const stays = all.find((id) => !isDevice(id));
  const others = new Set(all.filter((id) => id !== stays));
  if (stays === undefined || others.size !== 1) throw parameterError("invalid_parameter", at, "expected two different ids, at most one of them a device id");
  const [other = stays] = others;
  if (!isDevice(other)) return mergeRecords(other, stays, moment);
  return [{ record: "identify", call: { messageId: moment.id, userId: stays, anonymousId: deviceIdOf(other) }, createdAtMs: moment.createdAtMs }];
}

const common = {
  $token: z.string(),
  $time: z.union([z.number(), z.string()]).nullish(),
  $set: object,
  $set_once: object,
  $unset: z.array(z.string()).nullish(),
  $add: object,
  $append: object,
  $union: object,
  $remove: object,
};
const profile = z.looseObject({ ...common, $distinct_id: id });
const company = z.looseObject({ ...common, $group_key: z.string(), $group_id: id });

/** Traits with another name in Daybook: a person's email, and a company's name. */
const PERSON_NAMES = new Map([["$email", "email"]]);
const COMPANY_NAMES = new Map([["$name", "name"]]);

/** The list of a person's payments, which is not a trait. */
const CHARGES = "$transactions";
const CHARGE_NAME = "Payment";

/** Profiles of `mixpanel`: traits, and `people.track_charge`. Other operations are ignored. */
export const mixpanelPeople: ClientAdapter = {
  shape: mixpanelShape,
  keyOf: (sent) => mixpanelKey(sent, (each) => each["$token"]),
  itemsOf: ({ body }) => body["data"] as unknown[],
  read: readProfile,
  answer: (_, sent) => mixpanelAnswer(sent),
};

/** Groups of `mixpanel`; only companies are stored. */
export const mixpanelGroups: ClientAdapter = { ...mixpanelPeople, read: readGroup };

function readProfile(sent: unknown, reading: ItemContext): readonly ReceivedItem[] {
  checkShape(profile, sent, { at: reading.at, secret: true });
  const told = sent as z.infer<typeof profile>;
  const person = { userId: idOf(told.$distinct_id) };
  const records = traitRecords(person, changesOf(told, PERSON_NAMES), momentOf(told, reading));
  const charge = told.$append?.[CHARGES];
  return isObject(charge) ? [...records, chargeOf(charge, person, reading)] : records;
}

function chargeOf(charge: JsonObject, { userId }: { readonly userId: string | null }, { sent: { receivedAtMs } }: ItemContext): ReceivedItem {
  const { $amount: amount, $time: time, ...properties } = charge;
  const { fields, rest } = fieldsOf(properties, { $currency: "currency" });
  const value = typeof amount === "number" ? amount : null;
  const createdAt = instantOfAny(time) ?? receivedAtMs;
  return { event: { id: globalThis.crypto.randomUUID(), name: CHARGE_NAME, userId, createdAt, ...fields, value, metadata: rest } };
}

function readGroup(sent: unknown, reading: ItemContext): readonly ReceivedItem[] {
  checkShape(company, sent, { at: reading.at, secret: true });
  const told = sent as z.infer<typeof company>;
  const companyId = idOf(told.$group_id);
  if (!isCompanyType(told.$group_key) || companyId === null) return [];
  return companyRecords(companyId, null, changesOf(told, COMPANY_NAMES), momentOf(told, reading));
}

type ProfileChanges = Pick<z.infer<typeof company>, keyof typeof common>;

function changesOf({ $set, $set_once: setOnce, $unset, $add, $append, $union, $remove }: ProfileChanges, names: ReadonlyMap<string, string>): TraitChanges {
  const named = (traits: JsonObject | null | undefined) => {
    const own = without(objectOf(traits), [CHARGES, ...names.keys()]);
    const renamed = [...names].flatMap(([name, here]) => (objectOf(traits)[name] === undefined ? [] : [[here, objectOf(traits)[name]] as const]));
    return { ...own, ...Object.fromEntries(renamed) };
  };
  const unset = $unset?.map((name) => names.get(name) ?? name);
  return { set: named($set), setOnce: named(setOnce), unset, add: named($add), append: named($append), union: named($union), remove: named($remove) };
}

function momentOf(sent: JsonObject, { sent: { receivedAtMs } }: ItemContext): { readonly id: string; readonly createdAtMs: number } {
  return { id: globalThis.crypto.randomUUID(), createdAtMs: instantOfAny(sent["$time"]) ?? receivedAtMs };
}
