import { z } from "zod";
import { parameterError } from "../../core/base/errors.js";
import { digitsOf } from "../../core/schema/currency.js";
import type { EventInput } from "../../core/schema/event.js";
import { instantOf, isBeforeNumericMin, instantFault } from "../../core/schema/instant.js";
import { checkShape } from "../shapes/check-shape.js";
import { id, object, idOf, objectOf, textOf, isPlaceholderId, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import { fieldsOf, misfits, aliasRecord, companyRecords, memberRecord, traitRecords, traitsOf } from "./people.js";
import type { FieldNames, RecordMoment } from "./people.js";

/** Properties of an event that become event fields; revenue is converted to major units first. */
export const OPENPANEL_FIELDS: FieldNames = { __revenue: "value", __path: "url", __referrer: "referrer" };

/** Properties that are stored elsewhere or not at all. */
export const OPENPANEL_DROPPED = ["__timestamp", "__deviceId", "__ip"] as const;

/** The header in which the client sends its token. */
export const OPENPANEL_SECRET = "openpanel-client-secret";

const text = z.string().nullish();
const ids = z.array(z.union([z.string(), z.number()])).nullish();

const counted = z.looseObject({ profileId: id, property: z.string(), value: z.number().nullish() });

/** Payload schemas by type. Other types are ignored. */
const payloads = {
  track: z.looseObject({ name: z.string().min(1, "expected at least one character"), properties: object, profileId: id, groups: ids }),
  identify: z.looseObject({ profileId: id, properties: object }),
  alias: z.looseObject({ profileId: id, alias: id }),
  group: z.looseObject({ id, type: text, name: text, properties: object }),
  assign_group: z.looseObject({ groupIds: ids, profileId: id }),
  increment: counted,
  decrement: counted,
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

function read(sent: unknown, reading: ItemContext): readonly ReceivedItem[] | Promise<readonly ReceivedItem[]> {
  const { type, payload } = sent as { readonly type: string; readonly payload: JsonObject };
  if (!Object.hasOwn(payloads, type)) return [];
  const kind = type as keyof Payloads;
  checkShape(payloads[kind], payload, { at: "payload", secret: true });
  const { idOf: idFor, sent: { receivedAtMs } } = reading;
  if (kind === "track") return tracked(payload as Payloads["track"], reading);
  const moment = { id: idFor([type, payload], false), createdAtMs: receivedAtMs };
  if (kind === "identify") return [identified(payload as Payloads["identify"], moment)];
  if (kind === "alias") return [aliasRecord(idOf(payload["alias"]) ?? "", idOf(payload["profileId"]) ?? "", moment)];
  if (kind === "increment" || kind === "decrement") return countedUp(payload as Payloads["increment"], kind === "increment" ? 1 : -1, moment);
  return kind === "group" ? grouped(payload as Payloads["group"], moment) : assigned(payload as Payloads["assign_group"], moment);
}

async function tracked(payload: Payloads["track"], { idOf: idFor, sent, currency }: ItemContext): Promise<readonly ReceivedItem[]> {
  const { name, properties, profileId, groups, ...others } = payload;
  const told = objectOf(properties);
  const { fields, rest } = fieldsOf(inMajorUnits(told, currency), OPENPANEL_FIELDS, OPENPANEL_DROPPED);
  const time = told["__timestamp"];
  if (isBeforeNumericMin(time)) throw parameterError("invalid_parameter", "payload.properties.__timestamp", instantFault(time));
  const timeMs = instantOf(time);
  const createdAt = timeMs ?? sent.receivedAtMs;
  const userId = idOf(profileId);
  const device = idOf(told["__deviceId"]);
  // A person without any id is a visitor, as on a page: the program forwards the browser and address in headers.
  const seen = [userId, device].every((id) => id === null || isPlaceholderId(id)) ? await sent.visitor({ address: sent.header("x-client-ip"), userAgent: null }, createdAt) : null;
  const [company, ...more] = groups ?? [];
  const event: EventInput = {
    // All visitors share the connection of the program: the visitor's id separates equal events.
    id: idFor(["track", payload, seen?.anonymousId], timeMs !== null),
    name: nameOf(name, fields.url),
    userId,
    anonymousId: seen?.anonymousId ?? device,
    createdAt,
    companyId: idOf(company),
    ...seen?.agent,
    ...fields,
    metadata: { ...others, ...rest, ...misfits(told, { __timestamp: timeMs !== null, __deviceId: device !== null }), ...(more.length === 0 ? {} : { groups: more }) },
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

function identified({ profileId, properties, ...traits }: Payloads["identify"], { id: messageId, createdAtMs }: RecordMoment): ReceivedItem {
  return { record: "identify", call: { messageId, userId: idOf(profileId), traits: traitsOf({ ...properties, ...traits }) }, createdAtMs };
}

function grouped({ id: groupId, properties, ...traits }: Payloads["group"], moment: RecordMoment): readonly ReceivedItem[] {
  const companyId = idOf(groupId);
  return companyId === null ? [] : companyRecords(companyId, null, { set: { ...properties, ...traits } }, moment);
}

function countedUp({ profileId, property, value }: Payloads["increment"], sign: 1 | -1, moment: RecordMoment): readonly ReceivedItem[] {
  return traitRecords({ userId: idOf(profileId) }, { add: { [property]: sign * (value ?? 1) } }, moment);
}

/** The first of a person's groups is the company. */
function assigned({ groupIds, profileId }: Payloads["assign_group"], moment: RecordMoment): readonly ReceivedItem[] {
  const [companyId, userId] = [idOf(groupIds?.[0]), idOf(profileId)];
  return companyId === null || userId === null ? [] : [memberRecord(companyId, { userId }, moment)];
}
