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

async function read(sent: unknown, { sent: { receivedAtMs, identifyVisitor } }: ItemContext): Promise<readonly ReceivedItem[]> {
  const { type, payload: call } = sent as { readonly type: "event" | "identify"; readonly payload: z.infer<typeof payload> };
  const content = without(call, ["website", "ip", "userAgent"]);
  const createdAtMs = typeof call.timestamp === "number" ? instantOfAny(call.timestamp) : null;
  const visitor = await identifyVisitor({ address: textOf(call.ip), userAgent: textOf(call.userAgent) }, createdAtMs ?? receivedAtMs);
  const userId = idOf(call.id);
  const isVisitor = userId === null || isPlaceholderId(userId);
  // The client never resends: equal calls are separate events.
  const messageId = globalThis.crypto.randomUUID();
  const person = isVisitor ? { userId, anonymousId: visitor.anonymousId } : { userId };
  if (type === "identify") {
    const traits = traitsOf(call.data);
    return [{ record: "identify", call: { messageId, ...person, traits }, createdAtMs: createdAtMs ?? receivedAtMs }];
  }
  const { fields, rest } = fieldsOf(content, UMAMI_FIELDS, UMAMI_DROPPED);
  const data = fieldsOf(call.data ?? {}, {});
  const place = {
    locationCountry: visitor.place.country ?? null,
    locationRegion: visitor.place.region ?? null,
    locationCity: visitor.place.city ?? null,
  };
  const event = { id: messageId, name: textOf(call.name) ?? "pageview", ...person, createdAt: createdAtMs ?? receivedAtMs };
  return [{ event: { ...event, ...visitor.agent, ...place, ...fields, ...data.fields, metadata: { ...rest, ...data.rest } } }];
}
