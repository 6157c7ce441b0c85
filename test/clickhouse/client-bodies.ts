import type { SendOptions } from "../http/kit.js";

const NAME = "from a client";
const KEY = "sk_owner_0123456789abcdefgh";
const TIME = "2026-03-09T10:00:00.000Z";

const json = (body: unknown): SendOptions => ({ body, token: null });
const form = (value: unknown): SendOptions => ({
  body: `data=${Buffer.from(JSON.stringify(value)).toString("base64")}`,
  headers: { "content-type": "application/x-www-form-urlencoded" },
  token: null,
});

/** What client libraries and pages send to a route, with ids or without; the key of pages is unknown. */
export function clientBodies(path: string): SendOptions[] {
  if (path.startsWith("/batch") || path.startsWith("/i/v0"))
    return [json({ api_key: KEY, batch: [{ event: NAME, distinct_id: "u1", uuid: "p1", timestamp: TIME, properties: { a: 1 } }] })];
  if (path === "/2/httpapi") return [json({ api_key: KEY, events: [{ event_type: NAME, user_id: "u1", insert_id: "am1", time: Date.parse(TIME) }] })];
  if (path === "/api/send") return [json({ type: "event", payload: { website: KEY, name: NAME, url: "/x", hostname: "h.example" } })];
  if (path === "/api/event") return [json({ n: NAME, u: "https://h.example/x", d: KEY }), json({ name: NAME, url: "https://h.example/" })];
  if (path === "/engage") return [form([{ $token: KEY, $distinct_id: "u1", $set: { plan: "pro" } }])];
  if (path === "/groups") return [form([{ $token: KEY, $group_key: "company", $group_id: "acme", $set: { name: "Acme" } }])];
  const properties = { token: KEY, distinct_id: "u1", $insert_id: `${path}1`, time: Date.parse(TIME) / 1_000 };
  if (path === "/track" || path === "/import") return [form([{ event: NAME, properties }])];
  return [json({ key: KEY, events: [{ url: "https://h.example/" }] })];
}
