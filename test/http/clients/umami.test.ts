import { Umami } from "@umami/node";
import { describe, expect, it } from "vitest";
import { serving, TOKEN } from "./kit.js";
import type { Fault } from "./kit.js";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0";

describe("@umami/node", () => {
  it("sends views, events, revenue and people", async () => {
    const there = await serving();
    const client = new Umami({ hostUrl: there.url, websiteId: TOKEN });
    const view = { url: "/pricing?a=1", hostname: "shop.example", referrer: "https://news.example/", language: "de", screen: "800x600", title: "Pricing", tag: "t" };
    const answers = [
      await client.track({ ...view, ip: "192.0.2.9", userAgent: FIREFOX }),
      await client.track("Signup", { plan: "pro" }),
      await client.track({ name: "Order", id: "ann", timestamp: 1_770_000_000, data: { revenue: 49.5, currency: "USD" } }),
      await client.send({ website: TOKEN, id: "ann", data: { email: "ann@example.org" } } as never, "identify"),
      await client.identify({ plan: "pro" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const events = await there.events();
    const named = (name: string) => events.find((event) => event.name === name);
    expect(events).toHaveLength(3);
    expect(named("pageview")).toMatchObject({
      url: "/pricing?a=1", hostname: "shop.example", referrer: "https://news.example/", language: "de", screen: "800x600", browser: "Firefox", os: "Windows",
      metadata: { title: "Pricing", tag: "t" },
    });
    expect(named("Order")).toMatchObject({ userId: "ann", value: 49.5, currency: "USD", createdAt: new Date(1_770_000_000_000).toISOString() });
    expect(named("Signup")?.anonymousId).toMatch(/^[0-9a-f]{32}$/);
    expect(named("Signup")?.anonymousId).not.toBe(named("pageview")?.anonymousId);
    expect(JSON.stringify(events)).not.toMatch(/192\.0\.2\.9|sk_clients_0123456789abcdefgh/);
    expect((await there.daybook.identityProfile({ email: "ann@example.org", startDate: "2026-01-01" })).revenue).toBe(49.5);
    expect(await there.daybook.countEvents({ filterGroups: [{ filters: [{ fieldName: "person.plan", operator: "=", value: "pro" }] }] })).toBe(1);
  });

  it("takes a time in seconds and in milliseconds", async () => {
    const there = await serving();
    const client = new Umami({ hostUrl: there.url, websiteId: TOKEN });
    for (const timestamp of [1_770_000_000, 1_770_000_000_000]) await client.track({ name: "a", id: "ann", timestamp });
    expect((await there.events()).map(({ createdAt }) => createdAt)).toEqual(Array(2).fill(new Date(1_770_000_000_000).toISOString()));
  });

  it.each<Fault>(["503", "lost"])("sends nothing again after %s: the program gets the answer, or the error", async (fault) => {
    const there = await serving();
    const client = new Umami({ hostUrl: there.url, websiteId: TOKEN });
    there.faults.push(fault);
    const first = await client.track("a").catch(() => null);
    expect([first?.ok ?? false, there.paths.length]).toEqual([false, 1]);
    expect(await there.daybook.countEvents({})).toBe(fault === "lost" ? 1 : 0);
  });

  it("so equal calls are several, of the same second too", async () => {
    const there = await serving();
    const client = new Umami({ hostUrl: there.url, websiteId: TOKEN });
    for (let nth = 0; nth < 3; nth += 1) {
      await client.track("a", { n: 1 });
      await client.track({ name: "b", id: "ann", timestamp: 1_770_000_000 });
    }
    expect((await there.events()).map(({ name }) => name).sort()).toEqual(["a", "a", "a", "b", "b", "b"]);
  });
});
