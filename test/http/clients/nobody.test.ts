import { OpenPanel } from "@openpanel/sdk";
import Mixpanel from "mixpanel";
import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import { serving, TOKEN } from "./kit.js";
import type { Serving } from "./kit.js";

const NOBODY = ["undefined", "null", "NaN", "[object Object]", "None", "nil", "Anonymous", "guest", "0", " ", " UNDEFINED\t"];

function post({ url }: Serving, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const form = (value: unknown) => ({ method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: `data=${encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64"))}` });

describe("an id that is nobody's", () => {
  it.each(NOBODY)("joins nobody and names nobody: %j", async (id) => {
    const there = await serving();
    const batch = [
      { event: "a", distinct_id: id },
      { event: "b", distinct_id: id, properties: { $set: { plan: "pro" }, $groups: { company: id } } },
      { event: "$identify", distinct_id: "ann", properties: { $anon_distinct_id: id } },
      { event: "$create_alias", distinct_id: "bob", properties: { alias: id } },
      { event: "c", distinct_id: "ann" },
      { event: "c", distinct_id: "bob" },
    ];
    const answer = await post(there, "/batch/", { api_key: TOKEN, batch });
    expect([answer.status, answer.headers.get("daybook-notice")?.startsWith('no_id; param="userId"; name="')]).toEqual([200, true]);
    expect(await there.daybook.countUniqueUsers({})).toBe(2);
    expect((await there.events()).map(({ userId, companyId }) => [userId, companyId]).sort()).toEqual([[undefined, undefined], [undefined, undefined], ["ann", undefined], ["bob", undefined]]);
    expect((await there.records()).map((record) => ({ ...record }) as { userId?: string }).map(({ userId }) => userId)).toEqual(["ann"]);
  });

  it("is none of any client library, with a notice", async () => {
    const there = await serving();
    const id = "undefined";
    const answers = [
      await post(there, "/2/httpapi", { api_key: TOKEN, events: [{ event_type: "amplitude", user_id: id, device_id: "null", insert_id: "1" }, { event_type: "$identify", user_id: "ann", device_id: id }] }),
      await post(there, "/api/send", { type: "event", payload: { website: TOKEN, id, name: "umami" } }),
      await post(there, "/track", { type: "track", payload: { name: "openpanel", profileId: 0 } }, { "openpanel-client-secret": TOKEN, "x-client-ip": "192.0.2.1" }),
      await fetch(`${there.url}/track`, form([{ event: "mixpanel", properties: { token: TOKEN, distinct_id: `$device:${id}` } }])),
      await fetch(`${there.url}/engage`, form([{ $token: TOKEN, $distinct_id: id, $set: { plan: "pro" } }])),
      await fetch(`${there.url}/groups`, form([{ $token: TOKEN, $group_key: "company", $group_id: id, $set: { plan: "pro" } }])),
      await post(there, "/v1/track", { event: "segment", userId: id, anonymousId: id, context: { groupId: id } }, bearer),
      await post(there, "/v1/batch", { batch: [{ type: "identify", userId: id, traits: { plan: "pro" } }, { type: "identify", userId: "ann", anonymousId: id }, { type: "alias", previousId: id, userId: "ann" }, { type: "group", groupId: "acme", userId: id }] }, bearer),
    ];
    expect(await Promise.all(answers.map(async (answer) => [answer.status, answer.headers.get("daybook-notice") ?? (await answer.text())]))).toEqual([
      [200, 'no_id; param="userId"; name="undefined", no_id; param="anonymousId"; name="null", no_id; param="anonymousId"; name="undefined"'],
      [200, 'no_id; param="userId"; name="undefined"'],
      [200, 'no_id; param="userId"; name="0"'],
      [200, 'no_id; param="anonymousId"; name="undefined"'],
      [200, 'no_id; param="userId"; name="undefined"'],
      [200, 'no_id; param="groupId"; name="undefined"'],
      [200, 'no_id; param="userId"; name="undefined", no_id; param="anonymousId"; name="undefined", no_id; param="companyId"; name="undefined"'],
      [200, 'no_id; param="userId"; name="undefined", no_id; param="anonymousId"; name="undefined", no_id; param="previousId"; name="undefined"'],
    ]);
    const events = await there.events();
    expect(events.map(({ name, userId }) => [name, userId]).sort()).toEqual([["amplitude", undefined], ["mixpanel", undefined], ["openpanel", undefined], ["segment", undefined], ["umami", undefined]]);
    // Visitors, as they are without an id.
    expect(events.filter(({ anonymousId }) => anonymousId !== undefined).map(({ name }) => name).sort()).toEqual(["openpanel", "umami"]);
    expect(new Set((await there.records()).map((record) => JSON.stringify({ ...record }).includes('"ann"')))).toEqual(new Set([true]));
    expect(await (await fetch(`${there.url}/metrics`, { headers: { authorization: "Bearer sk_metrics_0123456789abcdefgh" } })).text()).toContain("\ndaybook_no_ids_total 15\n");
  });

  it("keeps what is told with it of a company, and of the device beside it", async () => {
    const there = await serving();
    const group = { event: "$groupidentify", distinct_id: "anonymous", properties: { $group_type: "company", $group_key: "acme", $group_set: { plan: "pro" } } };
    const device = { user_id: "undefined", device_id: "d1", event_type: "$identify", user_properties: { $setOnce: { email: "ann@shop.example" } } };
    const answers = [
      await post(there, "/batch/", { api_key: TOKEN, batch: [group] }),
      await post(there, "/v1/group", { groupId: "other", userId: "null", traits: { plan: "free" } }, bearer),
      await post(there, "/2/httpapi", { api_key: TOKEN, events: [device] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await there.daybook.ingest([{ name: "a", companyId: "acme" }, { name: "b", companyId: "other" }, { name: "c", anonymousId: "d1" }]);
    const of = (fieldName: string, value: string) => there.daybook.searchEvents({ filterGroups: [{ filters: [{ fieldName, operator: "=", value }] }] });
    expect((await of("company.plan", "pro")).events.map(({ name }) => name)).toEqual(["a"]);
    expect((await of("company.plan", "free")).events.map(({ name }) => name)).toEqual(["b"]);
    expect((await of("person.email", "ann@shop.example")).events.map(({ name }) => name)).toEqual(["c"]);
  });

  it("is none of a page, which is a visitor then", async () => {
    const there = await serving();
    const events = [{ name: "seen", anonymousId: "undefined", userId: "null" }, { name: "$identify", userId: " " }, { name: "seen", anonymousId: "d1", userId: "guest" }];
    const answer = await post(there, "/v1/collect", { key: "pk_with_ids_0123456789", events }, { origin: "https://shop.example" });
    expect([answer.status, answer.headers.get("daybook-notice")?.split(", ").length]).toEqual([204, 4]);
    expect(await there.records()).toEqual([]);
    expect((await there.events()).map(({ userId, anonymousId }) => [userId, anonymousId === "d1", anonymousId === undefined]).sort()).toEqual([[undefined, false, false], [undefined, true, false]]);
  });

  it("is kept of a server, which says what it means", async () => {
    const there = await serving();
    const answer = await post(there, "/v1/events", [{ name: "a", userId: "guest" }, { name: "a", userId: "none" }], bearer);
    expect([answer.status, answer.headers.get("daybook-notice")]).toEqual([200, null]);
    await there.daybook.ingest([{ name: "a", userId: "0" }]);
    expect(await there.daybook.countUniqueUsers({})).toBe(3);
  });

  it("keeps devices apart that client libraries send as undefined", async () => {
    const there = await serving();
    const posthog = new PostHog(TOKEN, { host: there.url, flushInterval: 0, flushAt: 100 });
    for (const distinctId of ["ann", "bob"]) posthog.identify({ distinctId, properties: { $anon_distinct_id: String(undefined) } });
    for (const distinctId of ["ann", "bob", String(undefined)]) posthog.capture({ distinctId, event: "a" });
    await posthog.shutdown();
    const mixpanel = Mixpanel.init(TOKEN, { host: there.host, protocol: "http", key: "any", keepAlive: false } as never);
    for (const $identified_id of ["ann", "bob"]) await new Promise((done) => mixpanel.track("$identify", { $anon_id: String(null), $identified_id }, done));
    const openpanel = new OpenPanel({ clientId: "any", clientSecret: TOKEN, apiUrl: there.url });
    for (const profileId of ["ann", "bob"]) await openpanel.send({ type: "alias", payload: { profileId, alias: String(undefined) } });
    expect([await there.daybook.countUniqueUsers({}), await there.daybook.countEvents({ userId: "ann" }), await there.daybook.countEvents({})]).toEqual([2, 1, 3]);
  });
});
