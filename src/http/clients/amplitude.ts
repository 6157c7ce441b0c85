import { z } from "zod";
import type { EventInput } from "../../core/schema/event.js";
import { checkShape } from "../shapes/check-shape.js";
import { id, instant, object, callTimeMs, idOf, objectOf, textOf, without, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import type { Rejected } from "../tracking/store-entries.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import {
  fieldsOf, mistypedMembers, companyOf, companyRecords, memberRecord, otherGroups, traitRecords, type FieldNames, type Person, type TraitChanges,
} from "./people.js";

/** Members of an event that become event fields. */
export const AMPLITUDE_FIELDS: FieldNames = {
  language: "language",
  os_name: "os",
  country: "locationCountry",
  region: "locationRegion",
  city: "locationCity",
  location_lat: "locationLat",
  location_lng: "locationLon",
};

/** Members that are stored elsewhere or not at all: `ip` is an address. */
export const AMPLITUDE_DROPPED = [
  ...["event_type", "user_id", "device_id", "time", "insert_id", "event_properties", "user_properties", "group_properties", "groups", "user_agent"],
  ...["ip"],
] as const;

/** Excluded from the content that ids are made of, because they are not stored. */
const EXCLUDED = ["ip", "user_agent"];

/** Properties of an event that become event fields, those of `revenue()` included. */
export const AMPLITUDE_PROPERTIES: FieldNames = {
  $revenue: "value",
  $currency: "currency",
  "[Amplitude] Page URL": "url",
  "[Amplitude] Page Location": "url",
};

const item = z.looseObject({
  event_type: z.string().min(1, "expected at least one character"),
  user_id: id,
  device_id: id,
  time: instant,
  insert_id: z.string().nullish(),
  event_properties: object,
  user_properties: object,
  group_properties: object,
  groups: object,
});
type AmplitudeItem = z.infer<typeof item>;

/** Events of `@amplitude/analytics-node`. */
export const amplitude: ClientAdapter = {
  shape: z.looseObject({
    api_key: z.string().meta({ description: "The token." }),
    events: z.array(z.unknown()).meta({ description: "Events, each with `event_type`, `user_id` or `device_id`, `time` and `insert_id`." }),
    client_upload_time: z
      .unknown()
      .optional()
      .meta({ description: "The sender's clock at the time of sending. If it is off by more than five minutes, each `time` is corrected." }),
  }),
  keyOf: ({ body }) => body["api_key"],
  itemsOf: ({ body }) => body["events"] as unknown[],
  clock: { sentAt: ({ body }) => body["client_upload_time"], idOf: (event) => event["insert_id"] },
  read,
  answer: ({ accepted, duplicates }, { receivedAtMs }) => ({ code: 200, events_ingested: accepted + duplicates, server_upload_time: receivedAtMs }),
  refusal,
};

/** The client drops the named events and resends the others, which are stored already. */
function refusal(rejected: readonly Rejected[]): object {
  const indexes = [...new Set(rejected.map(({ index }) => index))];
  return { code: 400, error: rejected[0]?.message, events_with_invalid_fields: { event: indexes } };
}

function read(sent: unknown, { at, makeId, clockOffsetMs, sent: { receivedAtMs, parseUserAgent } }: ItemContext): readonly ReceivedItem[] {
  checkShape(item, sent, { at, secret: true });
  const event = sent as AmplitudeItem;
  const timeMs = callTimeMs(event.time, clockOffsetMs);
  const moment = { id: textOf(event.insert_id) ?? makeId(without(event, EXCLUDED), timeMs !== null), createdAtMs: timeMs ?? receivedAtMs };
  const person: Person = { userId: idOf(event.user_id), anonymousId: idOf(event.device_id) };
  const hasPerson = person.userId !== null || person.anonymousId !== null;
  const companyId = companyOf(event.groups);
  if (event.event_type === "$groupidentify")
    return companyId === null ? [] : companyRecords(companyId, hasPerson ? person : null, changesOf(event.group_properties), moment);
  const traits = traitRecords(person, changesOf(event.user_properties), moment);
  if (event.event_type !== "$identify") return [{ event: eventOf(event, person, moment.id, moment.createdAtMs, parseUserAgent) }, ...traits];
  const identify: ReceivedItem = { record: "identify", call: { messageId: moment.id, ...person }, createdAtMs: moment.createdAtMs };
  return [identify, ...traits, ...(companyId === null ? [] : [memberRecord(companyId, person, moment)])];
}

/** Properties without an operation are set. The position at which a value is inserted into a list is ignored. */
function changesOf(properties: AmplitudeItem["user_properties"]): TraitChanges {
  const all = objectOf(properties);
  const { $set, $setOnce: setOnce, $unset: unset, $add: add, $append, $prepend, $preInsert, $postInsert, $remove: remove } = all;
  const plain = Object.entries(all).filter(([name]) => !name.startsWith("$"));
  const append = { ...objectOf($append), ...objectOf($prepend) };
  const union = { ...objectOf($preInsert), ...objectOf($postInsert) };
  return { set: { ...Object.fromEntries(plain), ...objectOf($set) }, setOnce, unset, add, append, union, remove };
}

function eventOf(event: AmplitudeItem, person: Person, eventId: string, createdAt: number, parseUserAgent: ItemContext["sent"]["parseUserAgent"]): EventInput {
  const fromMembers = fieldsOf(event, AMPLITUDE_FIELDS, AMPLITUDE_DROPPED);
  const fromProperties = fieldsOf(objectOf(event.event_properties), AMPLITUDE_PROPERTIES);
  const userAgent = textOf(event["user_agent"]);
  const groups = otherGroups(event.groups);
  const value = fromProperties.fields.value ?? fromMembers.fields.value ?? priceOf(objectOf(event.event_properties), "$") ?? priceOf(event, "");
  const isView = event.event_type === "[Amplitude] Page Viewed";
  return {
    id: eventId,
    name: isView ? "pageview" : event.event_type,
    ...person,
    createdAt,
    companyId: companyOf(event.groups),
    ...(userAgent === null ? {} : parseUserAgent(userAgent)),
    ...fromMembers.fields,
    ...fromProperties.fields,
    value,
    metadata: {
      ...fromMembers.rest,
      ...mistypedMembers(event, { user_agent: userAgent !== null }),
      ...fromProperties.rest,
      ...(groups === undefined ? {} : { groups }),
    },
  };
}

/** Price times quantity, 1 by default; null without a price. */
function priceOf(members: JsonObject, prefix: string): number | null {
  const [price, quantity] = [members[`${prefix}price`], members[`${prefix}quantity`] ?? 1];
  if (typeof price !== "number" || typeof quantity !== "number") return null;
  // The product of two finite numbers may be infinite.
  return Number.isFinite(price * quantity) ? price * quantity : null;
}
