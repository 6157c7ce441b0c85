import { describe, expect, it } from "vitest";
import { serving, TOKEN } from "./kit.js";

const form = (value: unknown) => `data=${Buffer.from(JSON.stringify(value)).toString("base64")}`;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** What has no place, or another type than its place takes. */
const PROPERTIES = { $screen_width: "1024", $screen_height: 768, $groups: "acme", $set: 1, $set_once: "text", $unset: "a", $raw_user_agent: 5, $os: 7 };
const PANEL = { __timestamp: "soon", __deviceId: true, __path: 1 };
const PANEL_HEADERS = { "openpanel-client-secret": TOKEN };

async function metadataOf(path: string, body: object | string, headers: Record<string, string> = {}) {
  const there = await serving();
  const response = await fetch(`${there.url}${path}`, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });
  return [response.status, (await there.events()).map(({ metadata }) => metadata)];
}

describe("what has no place is metadata", () => {
  it.each<[string, string, object | string, Record<string, string>, object]>([
    ["posthog", "/batch/", { api_key: TOKEN, batch: [{ event: "a", distinct_id: "u", uuid: "1", foo: 1, properties: PROPERTIES }] }, {}, { foo: 1, ...PROPERTIES }],
    ["posthog beside properties", "/batch/", { api_key: TOKEN, batch: [{ event: "a", distinct_id: "u", uuid: "1", $set: "text", b: "c" }] }, {}, { $set: "text", b: "c" }],
    ["mixpanel", "/track", form({ event: "a", properties: { token: TOKEN, $screen_width: "1", time: "soon", distinct_id: [1] } }), FORM, { $screen_width: "1", time: "soon", distinct_id: [1] }],
    ["openpanel", "/track", { type: "track", payload: { name: "a", profileId: "u", properties: PANEL } }, PANEL_HEADERS, PANEL],
    ["amplitude", "/2/httpapi", { api_key: TOKEN, events: [{ event_type: "a", user_id: "u", insert_id: "1", user_agent: 5, os_name: 7 }] }, {}, { user_agent: 5, os_name: 7 }],
  ])("of %s", async (_, path, body, headers, metadata) => {
    expect(await metadataOf(path, body, headers)).toEqual([200, [metadata]]);
  });

  it("but no event is known by an id, or a time, that is none", async () => {
    const events = [{ user_id: {} }, { time: "soon" }, { time: -5 }].map((member, at) => ({ event_type: "a", user_id: "u", insert_id: `${at}`, ...member }));
    for (const event of events) expect(await metadataOf("/2/httpapi", { api_key: TOKEN, events: [event] })).toEqual([400, []]);
  });
});
