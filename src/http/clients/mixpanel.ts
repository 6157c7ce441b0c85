import { z } from "zod";
import { parameterError } from "../../core/base/errors.js";
import { checkShape } from "../shapes/check-shape.js";
import {
  instantOfAny, idOf, objectOf, screenOf, textOf, without, id, object, isObject, type JsonObject, type ReceivedItem,
} from "../tracking/call.js";
import type { KeySource, ClientRequest } from "../routing/route.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import {
  fieldsOf, mistypedMembers, aliasRecord, companyOf, COMPANY_TYPES, mergeRecords, otherGroups, companyRecords, isCompanyType, traitRecords,
  type FieldNames, type RecordMoment, type Person, type TraitChanges,
} from "./people.js";

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
export const MIXPANEL_DROPPED = [
  ...["token", "time", "distinct_id", "$insert_id", "$user_id", "$device_id", "$screen_width", "$screen_height"],
  ...["ip", "$ip"],
] as const;

const DEVICE = "$device:";
const DAY_MS = 86_400_000;

const item = z.looseObject({ event: z.string().min(1, "expected at least one character"), properties: z.looseObject({ token: z.string() }) });

const mixpanelShape = z.looseObject({
  data: z.array(z.unknown()).meta({ description: "What is sent, as JSON in base64: one item or a list." }),
});

/** Events of the client `mixpanel`. */
export const mixpanelEvents: ClientAdapter = {
  shape: mixpanelShape,
  keyOf: (sent) => mixpanelKey(sent, (event) => objectOf(event["properties"])["token"]),
  itemsOf: ({ body }) => body["data"] as unknown[],
  read,
  answer: (_, sent) => mixpanelAnswer(sent),
};

/** The key, which all items of a request must share; undefined if they differ. */
function mixpanelKey({ body }: KeySource, keyOf: (item: JsonObject) => unknown): unknown {
  const items = Array.isArray(body["data"]) ? body["data"] : [];
  const keys = new Set(items.map((sent) => keyOf(objectOf(sent))));
  return keys.size === 1 ? [...keys][0] : undefined;
}

/** `1`, or an object if the request has `verbose`. */
function mixpanelAnswer({ body, query }: ClientRequest): unknown {
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
  const { distinct_id: distinctId } = properties;
  if (event === "$create_alias") return [aliasRecord(idOf(properties["alias"]) ?? "", idOf(distinctId) ?? "", moment)];
  if (event === "$identify") return [identifyItem(properties, moment)];
  if (event === "$merge") return mergeItems(properties["$distinct_ids"], `${at === "" ? at : `${at}.`}properties.$distinct_ids`, moment);
  const groups = Object.fromEntries(COMPANY_TYPES.map((type) => [type, properties[type]]));
  const { fields, rest } = fieldsOf(content, MIXPANEL_FIELDS, MIXPANEL_DROPPED);
  const screen = screenOf(properties["$screen_width"], properties["$screen_height"]);
  const mistyped = mistypedMembers(properties, {
    ...{ $screen_width: screen !== null, $screen_height: screen !== null, time: timeMs !== null },
    ...Object.fromEntries(["distinct_id", "$user_id", "$device_id"].map((name) => [name, idOf(properties[name]) !== null])),
  });
  const baseEvent = {
    id,
    name: event === "$mp_web_page_view" ? "pageview" : event,
    ...personOf(properties),
    createdAt: moment.createdAtMs,
    screen,
    companyId: companyOf(groups),
    ...fields,
  };
  const company = COMPANY_TYPES.find((type) => companyOf({ [type]: properties[type] }) !== null);
  const isOnlyGroup = company !== undefined && otherGroups({ [company]: properties[company] }) === undefined;
  return [{ event: { ...baseEvent, metadata: { ...(isOnlyGroup ? without(rest, [company]) : rest), ...mistyped } } }];
}

/** The client's id is unique only within an event name, person and day (UTC). */
function insertIdOf(event: string, properties: JsonObject, createdAtMs: number): string | null {
  const insertId = textOf(properties["$insert_id"]);
  const personId = idOf(properties["distinct_id"]) ?? idOf(properties["$user_id"]) ?? idOf(properties["$device_id"]);
  return insertId === null ? null : JSON.stringify([event, personId, Math.floor(createdAtMs / DAY_MS), insertId]);
}

function personOf(properties: JsonObject): Person {
  const [userId, deviceId, distinctId] = [idOf(properties["$user_id"]), idOf(properties["$device_id"]), idOf(properties["distinct_id"])];
  if (userId !== null || deviceId !== null) return { userId, anonymousId: deviceId };
  return distinctId !== null && isDevice(distinctId) ? { anonymousId: deviceIdOf(distinctId) } : { userId: distinctId };
}

function isDevice(distinctId: string): boolean {
  return distinctId.startsWith(DEVICE);
}

/** A device id without the prefix, as events of the device have it. */
function deviceIdOf(distinctId: string): string {
  return isDevice(distinctId) ? distinctId.slice(DEVICE.length) : distinctId;
}

/** An anonymous id without the device prefix is a user id in Daybook, so it becomes an alias of the identified one. */
function identifyItem(properties: JsonObject, moment: RecordMoment): ReceivedItem {
  const [userId, other] = [idOf(properties["$identified_id"] ?? properties["distinct_id"]), idOf(properties["$anon_id"])];
  if (userId !== null && other !== null && !isDevice(other)) return aliasRecord(other, userId, moment);
  return identifyRecordOf(userId, other === null ? null : deviceIdOf(other), moment);
}

function identifyRecordOf(userId: string | null, anonymousId: string | null, { id: messageId, createdAtMs }: RecordMoment): ReceivedItem {
  return { record: "identify", call: { messageId, userId, anonymousId }, createdAtMs };
}

/** Merges two ids of one person into the first one that is not a device id. @throws invalid_parameter */
function mergeItems(ids: unknown, at: string, moment: RecordMoment): readonly ReceivedItem[] {
  const all = (Array.isArray(ids) ? (ids as readonly unknown[]) : []).map(idOf).filter((id) => id !== null);
  const target = all.find((id) => !isDevice(id));
  const others = new Set(all.filter((id) => id !== target));
  if (target === undefined || others.size !== 1)
    throw parameterError("invalid_parameter", at, "expected two different ids, at most one of them a device id");
  const [other = target] = others;
  if (!isDevice(other)) return mergeRecords(other, target, moment);
  return [identifyRecordOf(target, deviceIdOf(other), moment)];
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

/** Profiles of the client `mixpanel`: traits, and `people.track_charge`. Other operations are ignored. */
export const mixpanelPeople: ClientAdapter = {
  shape: mixpanelShape,
  keyOf: (sent) => mixpanelKey(sent, (profile) => profile["$token"]),
  itemsOf: ({ body }) => body["data"] as unknown[],
  read: readProfile,
  answer: (_, sent) => mixpanelAnswer(sent),
};

/** Groups of the client `mixpanel`; only companies are stored. */
export const mixpanelGroups: ClientAdapter = { ...mixpanelPeople, read: readGroup };

function readProfile(sent: unknown, context: ItemContext): readonly ReceivedItem[] {
  checkShape(profile, sent, { at: context.at, secret: true });
  const update = sent as z.infer<typeof profile>;
  const person = { userId: idOf(update.$distinct_id) };
  const records = traitRecords(person, changesOf(update, PERSON_NAMES), momentOf(update, context));
  const charge = update.$append?.[CHARGES];
  return isObject(charge) ? [...records, chargeOf(charge, person, context)] : records;
}

function chargeOf(charge: JsonObject, { userId }: { readonly userId: string | null }, { sent: { receivedAtMs } }: ItemContext): ReceivedItem {
  const { $amount: amount, $time: time, ...properties } = charge;
  const { fields, rest } = fieldsOf(properties, { $currency: "currency" });
  const value = typeof amount === "number" ? amount : null;
  const createdAt = instantOfAny(time) ?? receivedAtMs;
  return { event: { id: globalThis.crypto.randomUUID(), name: CHARGE_NAME, userId, createdAt, ...fields, value, metadata: rest } };
}

function readGroup(sent: unknown, context: ItemContext): readonly ReceivedItem[] {
  checkShape(company, sent, { at: context.at, secret: true });
  const update = sent as z.infer<typeof company>;
  const companyId = idOf(update.$group_id);
  if (!isCompanyType(update.$group_key) || companyId === null) return [];
  return companyRecords(companyId, null, changesOf(update, COMPANY_NAMES), momentOf(update, context));
}

type ProfileChanges = Pick<z.infer<typeof company>, keyof typeof common>;

function changesOf(
  { $set, $set_once: setOnce, $unset, $add, $append, $union, $remove }: ProfileChanges,
  names: ReadonlyMap<string, string>,
): TraitChanges {
  const named = (traits: JsonObject | null | undefined) => {
    const unchanged = without(objectOf(traits), [CHARGES, ...names.keys()]);
    const renamed = [...names].flatMap(([name, trait]) => (objectOf(traits)[name] === undefined ? [] : [[trait, objectOf(traits)[name]] as const]));
    return { ...unchanged, ...Object.fromEntries(renamed) };
  };
  const unset = $unset?.map((name) => names.get(name) ?? name);
  return { set: named($set), setOnce: named(setOnce), unset, add: named($add), append: named($append), union: named($union), remove: named($remove) };
}

function momentOf(sent: JsonObject, { sent: { receivedAtMs } }: ItemContext): { readonly id: string; readonly createdAtMs: number } {
  return { id: globalThis.crypto.randomUUID(), createdAtMs: instantOfAny(sent["$time"]) ?? receivedAtMs };
}
