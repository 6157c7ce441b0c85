import { PostHog } from "posthog-node";
import { describe, expect, it } from "vitest";
import { serving, TOKEN } from "./kit.js";
import type { Fault } from "./kit.js";

const QUICK = { fetchRetryDelay: 1, flushInterval: 0, flushAt: 100 };

describe("posthog-node", () => {
  it("sends events, views, people, aliases and companies, compressed", async () => {
    const there = await serving();
    const client = new PostHog(TOKEN, { host: there.url, ...QUICK });
    client.capture({ distinctId: "ann", event: "Signup", properties: { plan: "pro", $ip: "192.0.2.9" }, groups: { company: "acme", team: "blue" } });
    client.capture({
      distinctId: "ann", event: "$pageview",
      properties: { $current_url: "https://shop.example/pricing?a=1", $referrer: "https://news.example/", $os: "Linux", $screen_width: 800, $screen_height: 600 },
    });
    client.capture({ distinctId: "ann", event: "Order Completed", properties: { revenue: 49.5, currency: "USD", order_id: "o1" }, timestamp: new Date("2026-01-02T03:04:05Z") });
    client.capture({ distinctId: "visitor-1", event: "Seen", properties: { $process_person_profile: false, token: TOKEN } });
    client.identify({ distinctId: "ann", properties: { $set: { email: "ann@example.org", plan: "pro" }, $set_once: { source: "news" }, $anon_distinct_id: "visitor-1" } });
    client.setPersonProperties({ distinctId: "ann", properties: { city: "Paris" }, propertiesOnce: { plan: "free" } });
    client.alias({ distinctId: "ann", alias: "ann-2" });
    client.groupIdentify({ groupType: "company", groupKey: "acme", properties: { name: "Acme" } });
    client.groupIdentify({ groupType: "team", groupKey: "blue", properties: { name: "Blue" } });
    await client.shutdown();
    expect(new Set(there.paths)).toEqual(new Set(["/batch/"]));
    const events = await there.events();
    const named = (name: string) => events.find((event) => event.name === name);
    expect(events.map(({ name }) => name).sort()).toEqual(["Order Completed", "Seen", "Signup", "pageview"]);
    expect(named("Signup")).toMatchObject({ userId: "ann", project: "shop", companyId: "acme", metadata: { plan: "pro", $lib: "posthog-node", $groups: { team: "blue" } } });
    expect(named("pageview")).toMatchObject({ url: "/pricing?a=1", hostname: "shop.example", referrer: "https://news.example/", os: "Linux", screen: "800x600" });
    expect(named("Order Completed")).toMatchObject({ value: 49.5, currency: "USD", externalId: "o1" });
    expect(named("Order Completed")?.createdAt.slice(0, 17)).toBe("2026-01-02T03:04:");
    expect(named("Seen")).toMatchObject({ anonymousId: "visitor-1" });
    expect(JSON.stringify(events)).not.toMatch(/192\.0\.2\.9|sk_clients_0123456789abcdefgh/);
    const { daybook } = there;
    expect(await daybook.countUniqueUsers({})).toBe(1);
    for (const [key, value] of [["plan", "pro"], ["city", "Paris"], ["source", "news"]] as const)
      expect([key, await daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: `person.${key}`, operator: "=", value }] }] })]).toEqual([key, 4]);
    expect((await daybook.identityProfile({ email: "ann@example.org", startDate: "2026-01-01" })).events).toBe(4);
    expect((await daybook.topCompanies({})).companies).toMatchObject([{ companyId: "acme", name: "Acme", users: 1 }]);
  });

  it.each<[string, Fault[]]>([["errors and refusals", ["500", "429", "500 after"]], ["lost answers", ["lost", "500 after"]]])("loses nothing by %s, and counts nothing twice", async (_, faults) => {
    const there = await serving();
    there.faults.push(...faults);
    const client = new PostHog(TOKEN, { host: there.url, ...QUICK});
    for (let at = 0; at < 12; at += 1) client.capture({ distinctId: `u${at % 4}`, event: "a", timestamp: new Date(1_770_000_000_000) });
    client.identify({ distinctId: "u1", properties: { plan: "pro" } });
    await client.shutdown();
    expect([await there.daybook.countEvents({}), await there.daybook.countUniqueUsers({})]).toEqual([12, 4]);
    expect(there.paths).toHaveLength(1 + faults.length);
    expect(there.faults).toEqual([]);
  });

  it("hears of events that are not taken, and drops them; the others are stored", async () => {
    const there = await serving();
    const client = new PostHog(TOKEN, { host: there.url, ...QUICK });
    const errors: unknown[] = [];
    client.on("error", (error: unknown) => errors.push(error));
    client.capture({ distinctId: "u1", event: "x".repeat(201) });
    client.capture({ distinctId: "u1", event: "good" });
    await client.flush().catch(() => undefined);
    await client.shutdown();
    expect([there.paths.length, errors.length, (await there.events()).map(({ name }) => name)]).toEqual([1, 1, ["good"]]);
  });
});
