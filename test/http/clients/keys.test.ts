import { describe, expect, it } from "vitest";
import { serving, TOKEN } from "./kit.js";

const form = (value: unknown) => `data=${Buffer.from(JSON.stringify(value)).toString("base64")}`;
const HIDDEN = { api_key: TOKEN, deep: { token: TOKEN, kept: 1 } };
const one = { event: "a", distinct_id: "u", uuid: "1" };

/** What holds the key where it does not belong, and is taken, or not. */
const SENT: readonly (readonly [path: string, body: unknown, status: number])[] = [
  ["/batch/", { api_key: TOKEN, batch: [{ ...one, properties: [{ token: TOKEN }] }] }, 400],
  ["/batch/", { api_key: TOKEN, batch: { api_key: TOKEN } }, 400],
  ["/batch/", { api_key: TOKEN, batch: [{ ...one, token: TOKEN, properties: HIDDEN }] }, 200],
  ["/batch/", { api_key: TOKEN, batch: [{ ...one, event: "$set", properties: { $set: { ...HIDDEN, plan: "x" } } }] }, 200],
  ["/2/httpapi", { api_key: TOKEN, events: [{ event_type: { api_key: TOKEN }, user_id: "u" }] }, 400],
  ["/2/httpapi", { api_key: TOKEN, events: [{ event_type: "b", user_id: "u", insert_id: "2", token: TOKEN, event_properties: HIDDEN }] }, 200],
  ["/api/send", { type: { website: TOKEN }, payload: { website: TOKEN } }, 400],
  ["/api/send", { type: "event", website: TOKEN, payload: { website: TOKEN, name: "c", data: { website: TOKEN, ...HIDDEN } } }, 200],
  ["/engage", form([{ $token: TOKEN, $distinct_id: { $token: TOKEN } }]), 400],
  ["/track", form([{ event: "d", properties: { token: TOKEN, $current_url: TOKEN, ...HIDDEN } }]), 200],
];

describe("a token", () => {
  it("stands in no answer, event or record, wherever it was put", async () => {
    const there = await serving();
    for (const [path, body, status] of SENT) {
      const type = typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json";
      const response = await fetch(`${there.url}${path}`, { method: "POST", headers: { "content-type": type }, body: typeof body === "string" ? body : JSON.stringify(body) });
      expect([path, response.status, (await response.text()).includes(TOKEN)]).toEqual([path, status, false]);
    }
    const events = await there.events();
    expect(events.map(({ name, metadata }) => [name, metadata?.["deep"]]).sort()).toEqual(["a", "b", "c", "d"].map((name) => [name, { kept: 1 }]));
    expect(JSON.stringify([events, await there.records(), there.answered])).not.toContain(TOKEN);
  });
});
