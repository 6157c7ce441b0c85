import * as amplitude from "@amplitude/analytics-node";
import { OpenPanel } from "@openpanel/sdk";
import { Umami } from "@umami/node";
import Mixpanel from "mixpanel";
import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import { serving, TOKEN, WHOLE } from "./kit.js";
import type { Serving } from "./kit.js";

/** What somebody's events stand under, by some of their traits; `""` is not set. */
async function traitsOf({ daybook }: Serving, kind: "person" | "company", ...keys: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const key of keys) {
    const { series } = await daybook.trend({ interval: "total", breakdown: { fields: [`${kind}.${key}`] } });
    found[key] = series.map(({ values }) => values[0] ?? "");
  }
  return found;
}

/** Calls of `mixpanel` one after the other, so that what comes first is first. */
async function inOrder(calls: readonly ((done: (error?: unknown) => void) => void)[]): Promise<void> {
  for (const call of calls) {
    expect(await new Promise((resolve) => call((error) => resolve(error ?? null)))).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const SILENT = { trace: none, debug: none, info: none, warn: none, error: none };
function none() {
  return undefined;
}

function mixpanelOf({ host }: Serving) {
  return Mixpanel.init(WHOLE, { host, protocol: "http", key: "any", keepAlive: false, logger: SILENT } as never);
}

/** Sends events of posthog-node, each a day after the one before. */
async function captured({ url }: Serving, ...events: readonly { readonly event: string; readonly distinctId?: string; readonly properties: object }[]): Promise<void> {
  const client = new PostHog(WHOLE, { host: url, flushInterval: 0, flushAt: 100 });
  for (const [day, { distinctId = "ann", ...each }] of events.entries()) client.capture({ distinctId, timestamp: new Date(Date.UTC(2025, 2, 1 + day)), ...each });
  await client.shutdown();
}

describe("traits of posthog-node", () => {
  it("that are set once are those of the first event, not of one that tells null or \"\"", async () => {
    const there = await serving();
    await captured(there,
      { event: "a", properties: { $set_once: { ref: null, from: "" } } },
      { event: "a", properties: { $set_once: { ref: "news", from: "mail" } } },
      { event: "a", properties: { $set_once: { ref: "search", from: "ads" } } });
    expect(await traitsOf(there, "person", "ref", "from")).toEqual({ ref: ["news"], from: ["mail"] });
  });

  it("may be set once again after they were unset, and keep what is set", async () => {
    const there = await serving();
    await captured(there,
      { event: "a", properties: { $set: { plan: "pro", city: "Rome" }, $set_once: { ref: "news" } } },
      { event: "a", properties: { $unset: ["plan", "ref"] } },
      { event: "a", properties: { $set_once: { plan: "free", city: "Oslo" } } });
    expect(await traitsOf(there, "person", "plan", "city", "ref")).toEqual({ plan: ["free"], city: ["Rome"], ref: [""] });
  });

  it("of one millisecond are in order of the ids of events: the first is set once", async () => {
    const there = await serving();
    const at = "2025-03-01T10:00:00Z";
    const batch = ["2", "1", "3"].map((digit) => ({ uuid: `00000000-0000-4000-8000-00000000000${digit}`, event: "a", distinct_id: "ann", timestamp: at, properties: { $set_once: { ref: `r${digit}` } } }));
    const { status } = await fetch(`${there.url}/batch/`, { method: "POST", body: JSON.stringify({ api_key: TOKEN, batch }) });
    expect(status).toBe(200);
    const records = await there.records();
    const first = records.map((record) => ({ ...record })).sort((a, b) => (String(a["id" as never]) < String(b["id" as never]) ? -1 : 1))[0] as { readonly traits?: { readonly $set_once?: { readonly ref?: string } } };
    expect(await traitsOf(there, "person", "ref")).toEqual({ ref: [first.traits?.$set_once?.ref] });
  });

  it("are those of both ids once $merge_dangerously made them one", async () => {
    const there = await serving();
    await captured(there,
      { event: "a", distinctId: "old", properties: { $set_once: { ref: "news" } } },
      { event: "a", distinctId: "ann", properties: { $set_once: { ref: "mail" } } },
      { event: "$merge_dangerously", distinctId: "ann", properties: { alias: "old" } });
    // Nobody becomes another by a merge with themselves.
    await captured(there, { event: "$merge_dangerously", distinctId: "ann", properties: { alias: "ann" } });
    expect(await there.daybook.countUniqueUsers({})).toBe(1);
    expect((await there.records()).filter(({ type }) => type === "alias")).toHaveLength(2);
    expect(await traitsOf(there, "person", "ref")).toEqual({ ref: ["news"] });
    expect((await there.daybook.countEvents({ userId: "ann" }))).toBe(2);
  });

  it("that are an email set once name whoever has no other", async () => {
    const there = await serving();
    await captured(there,
      { event: "a", properties: { $set_once: { email: "ann@shop.example" } } },
      { event: "a", distinctId: "bob", properties: { $set: { email: "bob@shop.example" } } },
      { event: "a", distinctId: "bob", properties: { $set_once: { email: "later@shop.example" } } });
    expect(await traitsOf(there, "person", "email")).toEqual({ email: ["bob@shop.example", "ann@shop.example"] });
  });
});

describe("profiles of mixpanel", () => {
  it("are set, set once, unset, counted, and lists of them grow, are joined and shrink", async () => {
    const there = await serving();
    const { people, track } = mixpanelOf(there);
    await inOrder([
      (done) => track("a", { distinct_id: "ann" }, done),
      (done) => people.set_once("ann", "source", "", done),
      (done) => people.set_once("ann", { source: "news", city: "Rome" }, done),
      (done) => people.set_once("ann", "source", "mail", done),
      (done) => people.set("ann", { $email: "Ann@Shop.example", plan: "pro", $name: "Ann" }, done),
      (done) => people.unset("ann", ["plan", "city"], done),
      (done) => people.increment("ann", "logins", 1, done),
      (done) => people.increment("ann", { logins: 4, credits: -2 }, done),
      (done) => people.append("ann", "seen", "a", done),
      (done) => people.append("ann", { seen: "b" }, done),
      (done) => people.union("ann", { seen: ["b", "c"] }, done),
      (done) => people.remove("ann", { seen: "a" }, done),
    ]);
    expect(await traitsOf(there, "person", "source", "city", "plan", "email", "$name", "logins", "credits", "seen")).toEqual({
      source: ["news"], city: [""], plan: [""], email: ["ann@shop.example"], $name: ["Ann"], logins: ["5"], credits: ["-2"], seen: ["b", "c"],
    });
    expect((await there.daybook.identityProfile({ email: "ann@shop.example" })).events).toBe(1);
  });

  it("of companies are set, set once, unset, joined and shrink", async () => {
    const there = await serving();
    const { groups, track } = mixpanelOf(there);
    await inOrder([
      (done) => track("a", { distinct_id: "ann", company: "acme" }, done),
      (done) => groups.set_once("company", "acme", { $name: "Acme", size: 7 }, done),
      (done) => groups.set_once("company", "acme", { $name: "Other", size: 8 }, done),
      (done) => groups.union("company", "acme", { uses: ["a", "b"] } as never, done),
      (done) => groups.remove("company", "acme", { uses: "a" }, done),
      (done) => groups.unset("company", "acme", "size", done),
    ]);
    expect(await traitsOf(there, "company", "name", "uses", "size")).toEqual({ name: ["Acme"], uses: ["b"], size: [""] });
    expect((await there.daybook.topCompanies({})).companies).toMatchObject([{ companyId: "acme", name: "Acme" }]);
  });
});

describe("ids of mixpanel", () => {
  it("are one person by $identify, of devices and of plain anonymous ids, and by $merge", async () => {
    const there = await serving();
    const { track } = mixpanelOf(there);
    const seen = (distinct_id: string) => (done: (error?: unknown) => void) => track("a", { distinct_id }, done);
    await inOrder([
      ...["3f2a-anon", "$device:d1", "ann", "old", "older", "$device:d2", "bob"].map(seen),
      (done) => track("$identify", { $anon_id: "3f2a-anon", $identified_id: "ann" }, done),
      (done) => track("$identify", { $anon_id: "$device:d1", $identified_id: "ann" }, done),
      (done) => track("$merge", { $distinct_ids: ["ann", "old"] }, done),
      // The second became somebody else before.
      (done) => track("$merge", { $distinct_ids: ["older", "old"] }, done),
      (done) => track("$merge", { $distinct_ids: ["$device:d2", "ann"] }, done),
    ]);
    expect([await there.daybook.countUniqueUsers({}), await there.daybook.countEvents({ userId: "ann" })]).toEqual([2, 6]);
  });

  it("are merged two by two, and not without a person", async () => {
    const there = await serving();
    const { track } = mixpanelOf(there);
    for (const ids of [["$device:d1", "$device:d2"], ["ann"], ["ann", "ann"], ["a", "b", "c"], "ann"])
      expect(String(await new Promise((resolve) => track("$merge", { $distinct_ids: ids }, resolve)))).toContain("expected two different ids, at most one of them a device id");
  });

  it("and the name and day of an event tell its $insert_id from the same of others", async () => {
    const there = await serving();
    const { import: put } = mixpanelOf(there);
    const at = (day: number, hour: number) => Date.UTC(2026, 1, day, hour) / 1_000;
    const sent = (event: string, distinct_id: string, time: number) => (done: (error?: unknown) => void) => put(event, time, { distinct_id, $insert_id: "i1" }, done);
    await inOrder([sent("a", "ann", at(1, 9)), sent("a", "ann", at(1, 10)), sent("b", "ann", at(1, 9)), sent("a", "bob", at(1, 9)), sent("a", "ann", at(2, 9))]);
    expect((await there.events()).map(({ name, userId, createdAt }) => [name, userId, createdAt.slice(8, 13)]).sort()).toEqual([
      ["a", "ann", "01T09"], ["a", "ann", "02T09"], ["a", "bob", "01T09"], ["b", "ann", "01T09"],
    ]);
  });
});

describe("user properties of @amplitude/analytics-node", () => {
  it("are set once, counted, unset, and lists of them grow and shrink, of one device of two users too", async () => {
    const there = await serving();
    const client = amplitude.createInstance();
    await client.init(TOKEN, { serverUrl: `${there.url}/2/httpapi`, flushIntervalMillis: 1 }).promise;
    const changed = (day: number, user_id: string, change: (identify: amplitude.Identify) => amplitude.Identify) =>
      client.identify(change(new amplitude.Identify()), { user_id, device_id: "d1", time: Date.UTC(2026, 1, day) } as never).promise;
    await client.track("a", {}, { device_id: "d1" }).promise;
    await Promise.all([
      changed(1, "ann", (ann) => ann.setOnce("source", "news").add("logins", 2).set("plan", "pro").append("seen", "a").set("list", "x")),
      changed(2, "ann", (ann) => ann.setOnce("source", "mail").add("logins", 3).unset("plan").append("seen", ["b", "b"]).append("list", "y")),
      changed(3, "ann", (ann) => ann.postInsert("seen", ["b", "c"]).preInsert("tags", "t").prepend("list", "z").remove("logins", 1)),
      changed(4, "ann", (ann) => ann.remove("seen", ["a"])),
      changed(5, "bob", (bob) => bob.setOnce("source", "ads")),
    ]);
    expect(await traitsOf(there, "person", "source", "logins", "plan", "seen", "tags", "list")).toEqual({
      source: ["news"], logins: ["5"], plan: [""], seen: ["b", "c"], tags: ["t"], list: ["x", "y", "z"],
    });
    expect(await there.daybook.countEvents({ userId: "ann" })).toBe(1);
  });

  it("of revenue are price times quantity in whole units of the currency", async () => {
    const there = await serving();
    const client = amplitude.createInstance();
    await client.init(TOKEN, { serverUrl: `${there.url}/2/httpapi`, flushIntervalMillis: 1 }).promise;
    await client.revenue(new amplitude.Revenue().setProductId("p1").setPrice(4.5).setQuantity(3).setRevenueType("sale"), { user_id: "ann" }).promise;
    expect(await there.events()).toMatchObject([{ name: "revenue_amount", userId: "ann", value: 13.5 }]);
  });
});

describe("profiles of @openpanel/sdk", () => {
  it("are counted up and down, and revenue is in the smallest unit of its currency", async () => {
    const there = await serving();
    const client = new OpenPanel({ clientId: "daybook", clientSecret: TOKEN, apiUrl: there.url });
    await client.identify({ profileId: "ann", properties: { plan: "pro" } });
    await client.increment({ profileId: "ann", property: "visits", value: 5 });
    await client.increment({ profileId: "ann", property: "visits" });
    await client.decrement({ profileId: "ann", property: "visits", value: 2 });
    await client.revenue(1_999);
    await client.revenue(1_000, { currency: "jpy" });
    await client.revenue(1_500, { currency: "KWD", deviceId: "d1" });
    await client.revenue(-250, { currency: "EUR" });
    expect(await traitsOf(there, "person", "visits", "plan")).toEqual({ visits: ["4"], plan: ["pro"] });
    const amounts = (await there.events()).map(({ value, currency }) => [value, currency]);
    expect(amounts.sort()).toEqual([[-2.5, "EUR"], [1.5, "KWD"], [1_000, "jpy"], [19.99, undefined]]);
  });
});

describe("users of @umami/node", () => {
  it("have the properties that were told last, and revenue in whole units", async () => {
    const there = await serving();
    const client = new Umami({ hostUrl: there.url, websiteId: TOKEN, userAgent: "Firefox/130.0" } as never);
    const send = (type: string, payload: object) => client.send({ website: TOKEN, id: "ann", ...payload } as never, type as never);
    await send("identify", { data: { plan: "free", $set_once: { source: "news" } }, timestamp: 1_770_000_000 });
    await send("identify", { data: { plan: "pro", $set_once: { source: "mail" } }, timestamp: 1_770_000_001 });
    await send("event", { name: "buy", data: { revenue: 19.99, currency: "USD" } });
    expect(await traitsOf(there, "person", "plan", "source")).toEqual({ plan: ["pro"], source: ["news"] });
    expect(await there.events()).toMatchObject([{ name: "buy", userId: "ann", value: 19.99, currency: "USD" }]);
  });
});
