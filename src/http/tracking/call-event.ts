import { idOfJson } from "../../base/numeric-id.js";
import type { EventInput } from "../../schema/event.js";
import { splitAddress, withoutUser } from "../../schema/web-address.js";
import type { Agent } from "../routing/route.js";
import type { Call, EventKind } from "./call.js";
import { idOf, objectOf, screenOf, textOf } from "./members.js";
import type { JsonObject } from "./members.js";

/** Names of the events that views become: both count as page views. */
const VIEW_NAMES = { page: "pageview", screen: "screen-view" } as const;

/** The event that a track, page or screen call stands for. */
export function eventOfCall(
  kind: EventKind,
  call: Call,
  createdAtMs: number | null,
  readAgent: (text: string) => Agent,
): EventInput {
  const properties = call.properties ?? {};
  const context = call.context ?? {};
  // Only a view tells where it is among its own properties.
  const page = kind === "track" ? objectOf(context["page"]) : { ...properties, ...objectOf(context["page"]) };
  const address = textOf(page["url"]);
  const screen = objectOf(context["screen"]);
  const userAgent = textOf(context["userAgent"]);
  return {
    id: call.messageId ?? null,
    name: kind === "track" ? (call.event ?? "") : VIEW_NAMES[kind],
    userId: idOfJson(call.userId ?? null),
    anonymousId: idOfJson(call.anonymousId ?? null),
    createdAt: createdAtMs,
    metadata: { ...viewOf(kind, call), ...titleOf(page), ...campaignOf(objectOf(context["campaign"])), ...propertiesOf(kind, properties) },
    ...(address === null ? {} : splitAddress(address)),
    referrer: textOf(page["referrer"]),
    language: textOf(context["locale"]),
    screen: screenOf(screen["width"], screen["height"]) ?? textOf(context["screen"]),
    ...(userAgent === null ? {} : readAgent(userAgent)),
    value: typeof properties["revenue"] === "number" ? properties["revenue"] : null,
    currency: textOf(properties["currency"]),
    externalId: idOf(properties["order_id"]),
    companyId: idOf(context["groupId"]),
  };
}

function viewOf(kind: EventKind, { name, category }: Call): JsonObject {
  if (kind === "track") return {};
  return { ...(name ? { name } : {}), ...(category ? { category } : {}) };
}

/** Addresses of a view stand among its properties: whoever has a password in one does not mean to tell it. */
function propertiesOf(kind: EventKind, properties: JsonObject): JsonObject {
  if (kind === "track") return properties;
  const [url, referrer] = [textOf(properties["url"]), textOf(properties["referrer"])];
  return {
    ...properties,
    ...(url === null ? {} : { url: withoutUser(url) }),
    ...(referrer === null ? {} : { referrer: withoutUser(referrer) }),
  };
}

function titleOf(page: JsonObject): JsonObject {
  const title = textOf(page["title"]);
  return title === null ? {} : { title };
}

/** `name` is what utm_campaign holds; the others are called alike. */
function campaignOf(campaign: JsonObject): JsonObject {
  const entries = Object.entries(campaign).filter(([, value]) => textOf(value) !== null);
  return Object.fromEntries(entries.map(([key, value]) => [`utm_${key === "name" ? "campaign" : key}`, value]));
}
