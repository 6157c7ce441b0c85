import { z } from "zod";
import type { EventInput } from "../../core/schema/event.js";
import { checkShape } from "../shapes/check-shape.js";
import { callTimeMs, idOf, isObject, screenOf, textOf, without, id, instant, object, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import {
  fieldsOf, mistypedMembers, aliasRecord, companyOf, companyRecords, isCompanyType, mergeRecords, otherGroups, traitRecords, type FieldNames,
  type RecordMoment, type Person,
} from "./people.js";

/** Properties of an event that become event fields. */
export const POSTHOG_FIELDS: FieldNames = {
  $current_url: "url",
  $pathname: "url",
  $referrer: "referrer",
  $browser_language: "language",
  $locale: "language",
  $device_type: "device",
  $os: "os",
  $browser: "browser",
  $geoip_country_code: "locationCountry",
  $geoip_subdivision_1_name: "locationRegion",
  $geoip_city_name: "locationCity",
  $geoip_latitude: "locationLat",
  $geoip_longitude: "locationLon",
};

/** Properties that are stored elsewhere or not at all: `token` is the key again, `$ip` an address. */
export const POSTHOG_DROPPED = [
  ...["$set", "$set_once", "$unset", "$groups", "$raw_user_agent", "$screen_width", "$screen_height", "$process_person_profile", "$ignore_sent_at"],
  ...["$ip", "token"],
] as const;

/** Excluded from the content that ids are made of, because they are not stored. */
const EXCLUDED = ["token", "$raw_user_agent"];

const NAMES: ReadonlyMap<string, string> = new Map([["$pageview", "pageview"], ["$screen", "screen-view"]]);

const item = z.looseObject({
  event: z.string().min(1, "expected at least one character"),
  distinct_id: id,
  uuid: z.string().nullish(),
  timestamp: instant,
  properties: object,
});

/** Calls of `posthog-node`. */
export const posthog: ClientAdapter = {
  shape: z.looseObject({
    api_key: z.string().meta({ description: "The token." }),
    batch: z.array(z.unknown()).meta({ description: "Events, each with `event`, `distinct_id`, `uuid`, `timestamp` and `properties`." }),
    sent_at: z
      .unknown()
      .optional()
      .meta({ description: "The sender's clock at the time of sending. If it is off by more than five minutes, each `timestamp` is corrected." }),
  }),
  keyOf: ({ body }) => body["api_key"],
  itemsOf: ({ body }) => body["batch"] as unknown[],
  clock: { sentAt: ({ body }) => body["sent_at"], idOf: (event) => event["uuid"] },
  read,
  answer: () => ({ status: "Ok" }),
};

function read(sent: unknown, { at, makeId, clockOffsetMs, sent: { receivedAtMs, parseUserAgent } }: ItemContext): readonly ReceivedItem[] {
  checkShape(item, sent, { at, secret: true });
  const { event, uuid, distinct_id: distinctId, timestamp, properties: sentProperties, ...others } = sent as z.infer<typeof item>;
  // Newer clients send the members beside these as properties.
  const properties: JsonObject = { ...others, ...sentProperties };
  const createdAtMs = callTimeMs(timestamp, properties["$ignore_sent_at"] === true ? null : clockOffsetMs);
  const content = [event, distinctId, timestamp, without(properties, EXCLUDED)];
  const moment = { id: textOf(uuid) ?? makeId(content, createdAtMs !== null), createdAtMs: createdAtMs ?? receivedAtMs };
  const personId = idOf(distinctId ?? properties["distinct_id"]);
  const person: Person = properties["$process_person_profile"] === false ? { anonymousId: personId } : { userId: personId };
  const traits = { set: properties["$set"], setOnce: properties["$set_once"], unset: properties["$unset"] };
  const traitItems = traitRecords(person, traits, moment);
  if (event === "$set") return traitItems;
  if (event === "$groupidentify") return [...traitItems, ...companyItems(properties, personId, moment)];
  const isLink = event === "$identify" || event === "$create_alias" || event === "$merge_dangerously";
  if (isLink) return [...traitItems, ...linkItems(event, properties, personId, moment)];
  return [{ event: eventOf(event, properties, person, moment, parseUserAgent) }, ...traitItems];
}

function eventOf(
  name: string,
  properties: JsonObject,
  person: Person,
  { id: eventId, createdAtMs }: RecordMoment,
  parseUserAgent: ItemContext["sent"]["parseUserAgent"],
): EventInput {
  const { fields, rest } = fieldsOf(properties, POSTHOG_FIELDS, POSTHOG_DROPPED);
  const userAgent = textOf(properties["$raw_user_agent"]);
  const groups = otherGroups(properties["$groups"]);
  const screen = screenOf(properties["$screen_width"], properties["$screen_height"]);
  const isObjectAt = (member: string) => isObject(properties[member]);
  const mistyped = mistypedMembers(properties, {
    ...{ $screen_width: screen !== null, $screen_height: screen !== null, $raw_user_agent: userAgent !== null },
    ...{
      $groups: isObjectAt("$groups"),
      $set: isObjectAt("$set"),
      $set_once: isObjectAt("$set_once"),
      $unset: typeof properties["$unset"] === "object",
    },
  });
  return {
    id: eventId,
    name: NAMES.get(name) ?? name,
    ...person,
    createdAt: createdAtMs,
    screen,
    companyId: companyOf(properties["$groups"]),
    ...(userAgent === null ? {} : parseUserAgent(userAgent)),
    ...fields,
    referrer: fields.referrer === "$direct" ? null : fields.referrer,
    metadata: { ...rest, ...mistyped, ...(groups === undefined ? {} : { $groups: groups }) },
  };
}

/** Links an earlier id of a person, whether it has events or not. */
function linkItems(event: string, properties: JsonObject, personId: string | null, moment: RecordMoment): readonly ReceivedItem[] {
  const other = idOf(properties[event === "$identify" ? "$anon_distinct_id" : "alias"]);
  if (event === "$create_alias") return [aliasRecord(other ?? "", personId ?? "", moment)];
  if (event === "$merge_dangerously") return mergeRecords(other ?? "", personId ?? "", moment);
  // Also linked as a device, because a token of one project may not send aliases.
  const call = { messageId: moment.id, userId: personId, anonymousId: other === personId ? null : other };
  const identify: ReceivedItem = { record: "identify", call, createdAtMs: moment.createdAtMs };
  return other === null ? [identify] : [identify, aliasRecord(other, personId ?? "", moment)];
}

/** If only the group is meant, the client sends a generated person id. */
function companyItems(properties: JsonObject, personId: string | null, moment: RecordMoment): readonly ReceivedItem[] {
  const { $group_type: type, $group_key: key, $group_set: traits } = properties;
  const companyId = idOf(key);
  if (!isCompanyType(type) || companyId === null) return [];
  const hasPerson = personId !== null && personId !== `$${String(type)}_${companyId}`;
  return companyRecords(companyId, hasPerson ? { userId: personId } : null, { set: traits }, moment);
}
