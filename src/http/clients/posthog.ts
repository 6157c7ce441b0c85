import { z } from "zod";
import type { EventInput } from "../../core/schema/event.js";
import { checkShape } from "../shapes/check-shape.js";
import { callTimeMs, idOf, isObject, screenOf, textOf, without, id, instant, object, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import { fieldsOf, misfits, aliasRecord, companyOf, companyRecords, isCompanyType, mergeRecords, otherGroups, traitRecords } from "./people.js";
import type { FieldNames, RecordMoment, Person } from "./people.js";

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

/** Left out of the content of ids, because they are not stored. */
const UNSEEN = ["token", "$raw_user_agent"];

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
    sent_at: z.unknown().optional().meta({ description: "The sender's clock at the time of sending. If it is off by more than five minutes, each `timestamp` is corrected." }),
  }),
  keyOf: ({ body }) => body["api_key"],
  itemsOf: ({ body }) => body["batch"] as unknown[],
  clock: { sentAt: ({ body }) => body["sent_at"], idOf: (each) => each["uuid"] },
  read,
  answer: () => ({ status: "Ok" }),
};

function read(sent: unknown, { at, idOf: idFor, clockOffsetMs, sent: { receivedAtMs, readAgent } }: ItemContext): readonly ReceivedItem[] {
  checkShape(item, sent, { at, secret: true });
  const { event, uuid, distinct_id: distinctId, timestamp, properties: own, ...others } = sent as z.infer<typeof item>;
  // Newer clients send all of them as properties.
  const properties: JsonObject = { ...others, ...own };
  const createdAtMs = callTimeMs(timestamp, properties["$ignore_sent_at"] === true ? null : clockOffsetMs);
  const moment = { id: textOf(uuid) ?? idFor([event, distinctId, timestamp, without(properties, UNSEEN)], createdAtMs !== null), createdAtMs: createdAtMs ?? receivedAtMs };
  const who = idOf(distinctId ?? properties["distinct_id"]);
  const person: Person = properties["$process_person_profile"] === false ? { anonymousId: who } : { userId: who };
  const traits = { set: properties["$set"], setOnce: properties["$set_once"], unset: properties["$unset"] };
  const told = traitRecords(person, traits, moment);
  if (event === "$set") return told;
  if (event === "$identify" || event === "$create_alias" || event === "$merge_dangerously") return [...told, ...linksOf(event, properties, who, moment)];
  if (event === "$groupidentify") return [...told, ...companyTold(properties, who, moment)];
  return [{ event: eventOf(event, properties, person, moment, readAgent) }, ...told];
}

function eventOf(name: string, properties: JsonObject, person: Person, { id: eventId, createdAtMs }: RecordMoment, readAgent: ItemContext["sent"]["readAgent"]): EventInput {
  const { fields, rest } = fieldsOf(properties, POSTHOG_FIELDS, POSTHOG_DROPPED);
  const userAgent = textOf(properties["$raw_user_agent"]);
  const groups = otherGroups(properties["$groups"]);
  const screen = screenOf(properties["$screen_width"], properties["$screen_height"]);
  const isObjectAt = (member: string) => isObject(properties[member]);
  const left = misfits(properties, {
    ...{ $screen_width: screen !== null, $screen_height: screen !== null, $raw_user_agent: userAgent !== null },
    ...{ $groups: isObjectAt("$groups"), $set: isObjectAt("$set"), $set_once: isObjectAt("$set_once"), $unset: typeof properties["$unset"] === "object" },
  });
  return {
    id: eventId,
    name: NAMES.get(name) ?? name,
    ...person,
    createdAt: createdAtMs,
    screen,
    companyId: companyOf(properties["$groups"]),
    ...(userAgent === null ? {} : readAgent(userAgent)),
    ...fields,
    referrer: fields.referrer === "$direct" ? null : fields.referrer,
    metadata: { ...rest, ...left, ...(groups === undefined ? {} : { $groups: groups }) },
  };
}

/** Links an earlier id of a person, whether it has events or not. */
function linksOf(event: string, properties: JsonObject, own: string | null, moment: RecordMoment): readonly ReceivedItem[] {
  const other = idOf(properties[event === "$identify" ? "$anon_distinct_id" : "alias"]);
  if (event === "$create_alias") return [aliasRecord(other ?? "", own ?? "", moment)];
  if (event === "$merge_dangerously") return mergeRecords(other ?? "", own ?? "", moment);
  // Also linked as a device: a token of one project may not send aliases.
  const known: ReceivedItem = { record: "identify", call: { messageId: moment.id, userId: own, anonymousId: other === own ? null : other }, createdAtMs: moment.createdAtMs };
  return other === null ? [known] : [known, aliasRecord(other, own ?? "", moment)];
}

/** The client invents a person id if only the group is meant. */
function companyTold(properties: JsonObject, own: string | null, moment: RecordMoment): readonly ReceivedItem[] {
  const { $group_type: type, $group_key: key, $group_set: traits } = properties;
  const companyId = idOf(key);
  if (!isCompanyType(type) || companyId === null) return [];
  const isNobody = own === null || own === `$${String(type)}_${companyId}`;
  return companyRecords(companyId, isNobody ? null : { userId: own }, { set: traits }, moment);
}
