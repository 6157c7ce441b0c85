import { createInstance, Identify, Revenue, Types } from "@amplitude/analytics-node";
import { describe, expect, it } from "vitest";
import { serving, TOKEN } from "./kit.js";
import type { Fault, Serving } from "./kit.js";

async function clientOf({ url }: Serving, options: object = {}) {
  const client = createInstance();
  await client.init(TOKEN, { serverUrl: `${url}/2/httpapi`, flushIntervalMillis: 5, logLevel: Types.LogLevel.None, ...options }).promise;
  return client;
}

describe("@amplitude/analytics-node", () => {
  it("sends events, people, companies and revenue, compressed where it is told to", async () => {
    const there = await serving();
    const client = await clientOf(there, { enableRequestBodyCompression: true });
    const ann = { user_id: "ann", device_id: "device-1" };
    const revenue = new Revenue().setPrice(3.99).setQuantity(3).setProductId("p1").setCurrency("EUR");
    const results = await Promise.all([
      client.track("Signup", { plan: "pro" }, { ...ann, groups: { company: "acme" }, os_name: "Linux", country: "France", ip: "192.0.2.9", app_version: "1.2" }).promise,
      client.track("Seen", undefined, { device_id: "device-1" }).promise,
      client.identify(new Identify().set("email", "ann@example.org").setOnce("source", "news").add("logins", 1), ann).promise,
      client.setGroup("company", "acme", ann).promise,
      client.groupIdentify("company", "acme", new Identify().set("name", "Acme")).promise,
      client.revenue(revenue, ann).promise,
    ]);
    expect(results.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200, 200]);
    const events = await there.events();
    const named = (name: string) => events.find((event) => event.name === name);
    expect(events).toHaveLength(3);
    expect(named("Signup")).toMatchObject({ userId: "ann", anonymousId: "device-1", companyId: "acme", os: "Linux", locationCountry: "France", metadata: { plan: "pro", app_version: "1.2" } });
    expect(named("revenue_amount")).toMatchObject({ value: 11.97, currency: "EUR", metadata: { $productId: "p1", $price: 3.99, $quantity: 3 } });
    expect(JSON.stringify(events)).not.toContain("192.0.2.9");
    expect((await there.daybook.identityProfile({ email: "ann@example.org" })).events).toBe(3);
    expect((await there.daybook.topCompanies({})).companies).toMatchObject([{ companyId: "acme", name: "Acme", users: 1, events: 3 }]);
    expect(await there.daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "person.source", operator: "=", value: "news" }] }] })).toBe(3);
  });

  it.each<Fault>(["500", "429", "500 after", "cut"])("loses nothing and counts nothing twice after %s", async (fault) => {
    const there = await serving();
    there.faults.push(fault);
    const client = await clientOf(there);
    const results = await Promise.all(Array.from({ length: 5 }, (_, at) => client.track("a", {}, { user_id: `u${at}` }).promise));
    expect(results.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200]);
    expect([await there.daybook.countEvents({}), await there.daybook.countUniqueUsers({}), there.faults.length]).toEqual([5, 5, 0]);
  });

  it("drops those that are not taken, and no others", async () => {
    const there = await serving();
    const client = await clientOf(there);
    const results = await Promise.all(["x".repeat(201), "good"].map((name) => client.track(name, {}, { user_id: "u1" }).promise));
    expect(results.map(({ code }) => code)).toEqual([400, 200]);
    expect([(await there.events()).map(({ name }) => name), there.paths.length]).toEqual([["good"], 2]);
  });

  it("gives up at once where its key is none", async () => {
    const there = await serving();
    const client = createInstance();
    await client.init("sk_wrong_0123456789abcdefgh", { serverUrl: `${there.url}/2/httpapi`, flushIntervalMillis: 5, logLevel: Types.LogLevel.None }).promise;
    expect((await client.track("a", {}, { user_id: "u1" }).promise).code).toBe(401);
    expect(there.paths).toHaveLength(1);
  });
});
