import { z } from "zod";
import { id, object, instantOfAny, idOf, objectOf, textOf, without, isPlaceholderId, type ReceivedItem } from "../tracking/call.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import { fieldsOf, traitsOf, type FieldNames } from "./people.js";

/** Members of a payload that become event fields. */
export const UMAMI_FIELDS: FieldNames = { url: "url", hostname: "hostname", referrer: "referrer", language: "language", screen: "screen" };

/** Members that are stored elsewhere or not at all: `website` is the key; `ip` and `userAgent` are never stored. */
export const UMAMI_DROPPED = ["website", "name", "data", "id", "timestamp", "ip", "userAgent"] as const;

const text = z.string().nullish();
const payload = z.looseObject({
  website: z.string().meta({ description: "The token." }),
  name: text,
  url: text,
  data: object,
  id,
  timestamp: z.number().nullish(),
  ip: text,
  userAgent: text,
});

/** Events of `@umami/node`. */
export const umami: ClientAdapter = {
  shape: z.looseObject({ type: z.enum(["event", "identify"]), payload }),
  keyOf: ({ body }) => objectOf(body["payload"])["website"],
  itemsOf: ({ body }) => [body],
  read,
  answer: () => ({ ok: true }),
};

async function read(sent: unknown, { sent: { receivedAtMs, visitor } }: ItemContext): Promise<readonly ReceivedItem[]> {
  const { type, payload: told } = sent as { readonly type: "event" | "identify"; readonly payload: z.infer<typeof payload> };
  const content = without(told, ["website", "ip", "userAgent"]);
  const createdAtMs = typeof told.timestamp === "number" ? instantOfAny(told.timestamp) : null;
  const seen = await visitor({ address: textOf(told.ip), userAgent: textOf(told.userAgent) }, createdAtMs ?? receivedAtMs);
  const userId = idOf(told.id);
  const isVisitor = userId === null || isPlaceholderId(userId);
  // The client never resends: equal calls are separate events.
  const messageId = globalThis.crypto.randomUUID();
  const person = isVisitor ? { userId, anonymousId: seen.anonymousId } : { userId };
  if (type === "identify") return [{ record: "identify", call: { messageId, ...person, traits: traitsOf(told.data) }, createdAtMs: createdAtMs ?? receivedAtMs }];
  const { fields, rest } = fieldsOf(content, UMAMI_FIELDS, UMAMI_DROPPED);
  const data = fieldsOf(told.data ?? {}, {});
  const place = { locationCountry: seen.place.country ?? null, locationRegion: seen.place.region ?? null, locationCity: seen.place.city ?? null };
  const event = { id: messageId, name: textOf(told.name) ?? "pageview", ...person, createdAt: createdAtMs ?? receivedAtMs };
  return [{ event: { ...event, ...seen.agent, ...place, ...fields, ...data.fields, metadata: { ...rest, ...data.rest } } }];
}
