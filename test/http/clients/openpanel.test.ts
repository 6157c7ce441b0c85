import { OpenPanel } from "@openpanel/sdk";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serving, TOKEN, WHOLE } from "./kit.js";
import type { Fault, Serving } from "./kit.js";

function clientOf({ url }: Serving, clientSecret = TOKEN): OpenPanel {
  return new OpenPanel({ clientId: "daybook", clientSecret, apiUrl: url });
}

describe("@openpanel/sdk", () => {
  it("sends events, views, people, companies and revenue", async () => {
    const there = await serving();
    const client = clientOf(there);
    await client.track("Seen", { __deviceId: "device-1" });
    await client.identify({ profileId: "ann", email: "ann@example.org", firstName: "Ann", properties: { plan: "pro" } });
    await client.upsertGroup({ id: "acme", type: "company", name: "Acme" });
    await client.setGroup("acme");
    await client.track("Signup", { plan: "pro" });
    await client.track("screen_view", { __path: "https://shop.example/pricing", __title: "Pricing", __referrer: "https://news.example/" });
    await client.revenue(4950, { currency: "USD" });
    await clientOf(there, WHOLE).send({ type: "alias", payload: { profileId: "ann", alias: "ann-2" } } as never);
    expect(new Set(there.paths)).toEqual(new Set(["/track"]));
    const events = await there.events();
    const named = (name: string) => events.find((event) => event.name === name);
    expect(events).toHaveLength(4);
    expect(named("Seen")).toMatchObject({ anonymousId: "device-1" });
    expect(named("Signup")).toMatchObject({ userId: "ann", companyId: "acme", metadata: { plan: "pro" } });
    expect(named("pageview")).toMatchObject({ url: "/pricing", hostname: "shop.example", referrer: "https://news.example/", metadata: { __title: "Pricing" } });
    expect(named("revenue")).toMatchObject({ value: 49.5, currency: "USD" });
    expect(await there.daybook.identityProfile({ email: "ann@example.org" })).toMatchObject({ events: 3, revenue: 49.5 });
    expect((await there.daybook.identityProfile({ userId: "ann-2" })).events).toBe(3);
    expect((await there.daybook.topCompanies({})).companies).toMatchObject([{ companyId: "acme", name: "Acme", users: 1 }]);
  });

  it.each<Fault[]>([["500", "429"], ["500 after", "lost"]])("tries again after %s and %s, and counts once", async (...faults) => {
    const there = await serving();
    there.faults.push(...faults);
    const client = clientOf(there);
    await client.track("a", { profileId: "u1" });
    await client.track("a", { profileId: "u2" });
    expect([await there.daybook.countEvents({}), await there.daybook.countUniqueUsers({}), there.paths.length]).toEqual([2, 2, 4]);
  });

  it("waits at least half a second before it does, so equal calls that come sooner are several, each of which counts once after lost answers", async () => {
    const there = await serving();
    const client = clientOf(there);
    const three = async () => {
      for (let nth = 0; nth < 3; nth += 1) await client.track("a", { profileId: "u1" });
    };
    await three();
    expect(await there.daybook.countEvents({})).toBe(3);
    there.faults.push("lost", "lost", "lost");
    await Promise.all(Array.from({ length: 3 }, () => client.track("b", { profileId: "u1" })));
    expect([await there.daybook.countEvents({ eventName: "b" }), there.paths.length]).toEqual([3, 9]);
  });

  it("tells events that waited in the same millisecond apart", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_790_000_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const there = await serving();
    const client = new OpenPanel({ clientId: "daybook", clientSecret: TOKEN, apiUrl: there.url, disabled: true });
    for (let nth = 0; nth < 3; nth += 1) await client.track("a", { profileId: "u1" });
    client.ready();
    await vi.waitFor(async () => expect(await there.daybook.countEvents({ startDate: "2026-01-01" })).toBe(3));
  });

  it("tells events that waited apart by their times", async () => {
    const there = await serving();
    const client = new OpenPanel({ clientId: "daybook", clientSecret: TOKEN, apiUrl: there.url, disabled: true });
    await client.track("a", { profileId: "u1" });
    await new Promise((resolve) => setTimeout(resolve, 3));
    await client.track("a", { profileId: "u1" });
    client.ready();
    await vi.waitFor(async () => expect(await there.daybook.countEvents({})).toBe(2));
    expect(new Set((await there.events()).map(({ createdAt }) => createdAt)).size).toBe(2);
  });

  it("is silent where its secret is none", async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => errors.mockRestore());
    const there = await serving();
    expect(await clientOf(there, "sk_wrong_0123456789abcdefgh").track("a", {})).toBeNull();
    expect([there.paths.length, errors.mock.calls.length]).toEqual([1, 0]);
  });
});
