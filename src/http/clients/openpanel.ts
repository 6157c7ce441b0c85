import { z } from "zod";
import { parameterError } from "../../core/base/errors.js";
import { digitsOf } from "../../core/schema/fields.js";
import type { EventInput } from "../../core/schema/event.js";
import { instantOf, isBeforeNumericMin, instantFault } from "../../core/schema/instant.js";
import { checkShape } from "../shapes/check-shape.js";
import { id, object, idOf, objectOf, textOf, isPlaceholderId, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import {
  fieldsOf, mistypedMembers, aliasRecord, companyRecords, memberRecord, traitRecords, traitsOf, type FieldNames, type RecordMoment,
} from "./people.js";

/** Properties of an event that become event fields; revenue is converted to major units first. */
export const OPENPANEL_FIELDS: FieldNames = { __revenue: "value", __path: "url", __referrer: "referrer" };

/** Properties that are stored elsewhere or not at all. */
export const OPENPANEL_DROPPED = ["__timestamp", "__deviceId", "__ip"] as const;

/** The header with the client's token. */
export const OPENPANEL_SECRET = "openpanel-client-secret";

const text = z.string().nullish();
const ids = z.array(z.union([z.string(), z.number()])).nullish();

const counter = z.looseObject({ profileId: id, property: z.string(), value: z.number().nullish() });

/** Payload schemas by type. Other types are ignored. */
const payloads = {
  track: z.looseObject({ name: z.string().min(1, "expected at least one character"), properties: object, profileId: id, groups: ids }),
  identify: z.looseObject({ profileId: id, properties: object }),
  alias: z.looseObject({ profileId: id, alias: id }),
  group: z.looseObject({ id, type: text, name: text, properties: object }),
  assign_group: z.looseObject({ groupIds: ids, profileId: id }),
  increment: counter,
  decrement: counter,
};
type Payloads = { readonly [Type in keyof typeof payloads]: z.infer<(typeof payloads)[Type]> };

/** Calls of `@openpanel/sdk`. */
export const openpanel: ClientAdapter = {
  shape: z.looseObject({ type: z.string(), payload: z.record(z.string(), z.unknown()) }),
  keyOf: ({ header }) => header(OPENPANEL_SECRET),
  itemsOf: ({ body }) => [body],
  repeats: true,
  read,
  answer: () => ({}),
};

function read(sent: unknown, context: ItemContext): readonly ReceivedItem[] | Promise<readonly ReceivedItem[]> {
  const { type, payload } = sent as { readonly type: string; readonly payload: JsonObject };
  if (!Object.hasOwn(payloads, type)) return [];
  const kind = type as keyof Payloads;
  checkShape(payloads[kind], payload, { at: "payload", secret: true });
  const { makeId, sent: { receivedAtMs } } = context;
  if (kind === "track") return trackItem(payload as Payloads["track"], context);
  const moment = { id: makeId([type, payload], false), createdAtMs: receivedAtMs };
  if (kind === "identify") return [identifyItem(payload as Payloads["identify"], moment)];
  if (kind === "alias") return [aliasRecord(idOf(payload["alias"]) ?? "", idOf(payload["profileId"]) ?? "", moment)];
  if (kind === "increment" || kind === "decrement") return additionItems(payload as Payloads["increment"], kind === "increment" ? 1 : -1, moment);
  return kind === "group" ? groupItems(payload as Payloads["group"], moment) : memberItems(payload as Payloads["assign_group"], moment);
}

async function trackItem(payload: Payloads["track"], { makeId, sent, currency }: ItemContext): Promise<readonly ReceivedItem[]> {
  const { name, properties, profileId, groups, ...others } = payload;
  const sentProperties = objectOf(properties);
  const { fields, rest } = fieldsOf(inMajorUnits(sentProperties, currency), OPENPANEL_FIELDS, OPENPANEL_DROPPED);
  const time = sentProperties["__timestamp"];
  if (isBeforeNumericMin(time)) throw parameterError("invalid_parameter", "payload.properties.__timestamp", instantFault(time));
  const timeMs = instantOf(time);
  const createdAt = timeMs ?? sent.receivedAtMs;
  const userId = idOf(profileId);
  const device = idOf(sentProperties["__deviceId"]);
  // A person without any id is a visitor, as on a page: the program forwards the address and user agent in headers.
  const isVisitor = [userId, device].every((id) => id === null || isPlaceholderId(id));
  const visitor = isVisitor ? await sent.identifyVisitor({ address: sent.header("x-client-ip"), userAgent: null }, createdAt) : null;
  const mistyped = mistypedMembers(sentProperties, { __timestamp: timeMs !== null, __deviceId: device !== null });
  const [company, ...otherGroups] = groups ?? [];
  const event: EventInput = {
    // All visitors share the connection of the program, so the visitor's id distinguishes equal events.
    id: makeId(["track", payload, visitor?.anonymousId], timeMs !== null),
    name: nameOf(name, fields.url),
    userId,
    anonymousId: visitor?.anonymousId ?? device,
    createdAt,
    companyId: idOf(company),
    ...visitor?.agent,
    ...fields,
    metadata: { ...others, ...rest, ...mistyped, ...(otherGroups.length === 0 ? {} : { groups: otherGroups }) },
  };
  return [{ event }];
}

/** The client sends amounts in the smallest unit of their currency, such as cents. */
function inMajorUnits(properties: JsonObject, reportingCurrency: string): JsonObject {
  const { __revenue: revenue, currency } = properties;
  if (typeof revenue !== "number") return properties;
  return { ...properties, __revenue: revenue / 10 ** digitsOf((textOf(currency) ?? reportingCurrency).trim().toUpperCase()) };
}

/** A screen view with a web address is a page view. */
function nameOf(name: string, url: unknown): string {
  if (name !== "screen_view") return name;
  return typeof url === "string" && /^(?:https?:\/)?\//i.test(url) ? "pageview" : "screen-view";
}

function identifyItem({ profileId, properties, ...traits }: Payloads["identify"], { id: messageId, createdAtMs }: RecordMoment): ReceivedItem {
  return { record: "identify", call: { messageId, userId: idOf(profileId), traits: traitsOf({ ...properties, ...traits }) }, createdAtMs };
}

function groupItems({ id: groupId, properties, ...traits }: Payloads["group"], moment: RecordMoment): readonly ReceivedItem[] {
  const companyId = idOf(groupId);
  return companyId === null ? [] : companyRecords(companyId, null, { set: { ...properties, ...traits } }, moment);
}

function additionItems({ profileId, property, value }: Payloads["increment"], sign: 1 | -1, moment: RecordMoment): readonly ReceivedItem[] {
  return traitRecords({ userId: idOf(profileId) }, { add: { [property]: sign * (value ?? 1) } }, moment);
}

/** The first of a person's groups is the company. */
function memberItems({ groupIds, profileId }: Payloads["assign_group"], moment: RecordMoment): readonly ReceivedItem[] {
  const [companyId, userId] = [idOf(groupIds?.[0]), idOf(profileId)];
  return companyId === null || userId === null ? [] : [memberRecord(companyId, { userId }, moment)];
}
