import { describe, expect, it } from "vitest";
import { useServerLimits } from "../../limits.js";
import { collect, NOON_MS, PAGE, setting } from "./kit.js";
import type { Sending, Setting } from "./kit.js";

const DAY_MS = 86_400_000;

useServerLimits({ collectedDayValueCount: 60, collectedAddressDayValueCount: 30, collectedDayKeyCount: 4, collectedAddressDayKeyCount: 3 });

async function stored({ daybook }: Pick<Setting, "daybook">): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for await (const event of daybook.exportEvents()) events.push({ ...event });
  return events;
}

async function metrics({ handler }: Pick<Setting, "handler">): Promise<string> {
  return await (await handler(new Request("http://daybook.test/metrics", { headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } }))).text();
}

const views = (from: number, count: number) => Array.from({ length: count }, (_, at) => ({ url: `${PAGE}/p${from + at}`, id: `e${from + at}` }));

async function urlsOf(there: Setting): Promise<string[]> {
  return (await stored(there)).map(({ url }) => String(url));
}

describe("what a page may bring that is new", () => {
  it("ends with the budget of its address: then events are stored, and others stand for what is new", async () => {
    const there = await setting();
    expect((await collect(there, views(0, 50))).status).toBe(204);
    const urls = await urlsOf(there);
    expect(urls).toHaveLength(50);
    const others = urls.filter((url) => url === "(other)");
    expect(others.length).toBeGreaterThan(15);
    expect(new Set(urls).size).toBe(50 - others.length + 1);
    expect(await metrics(there)).toContain(`daybook_collected_withheld_total{part="value"} ${others.length}\n`);
  });

  it("leaves known values as they are, whatever the budget", async () => {
    const there = await setting();
    const known = { name: "Signup", url: `${PAGE}/known`, title: "Known", metadata: { plan: "pro" }, referrer: "https://news.example/" };
    expect(await there.daybook.ingest([{ name: "Signup", project: "shop", url: "/known", referrer: "https://news.example/", metadata: { title: "Known", plan: "pro" } }])).toMatchObject({ accepted: 1 });
    await collect(there, views(0, 50));
    expect((await collect(there, [{ ...known, id: "k" }])).status).toBe(204);
    const found = (await stored(there)).filter(({ name }) => name === "Signup").at(-1);
    expect(found).toMatchObject({ name: "Signup", slug: "signup", url: "/known", hostname: "shop.example", referrer: "https://news.example/", metadata: { title: "Known", plan: "pro" } });
  });

  it("is a day's, and of one address: another goes on, and so does the next day", async () => {
    const there = await setting();
    await collect(there, views(0, 50));
    await collect(there, [{ url: `${PAGE}/late` }]);
    expect(await urlsOf(there)).not.toContain("/late");
    await collect(there, [{ url: `${PAGE}/elsewhere` }], { address: "192.0.2.9" });
    expect(await urlsOf(there)).toContain("/elsewhere");
    there.clock.set(NOON_MS + DAY_MS);
    await collect(there, [{ url: `${PAGE}/next-day` }]);
    expect(await urlsOf(there)).toContain("/next-day");
  });

  it("ends with the budget of its key, from however many addresses, until the next day; another key goes on", async () => {
    const there = await setting();
    for (let last = 1; last <= 5; last += 1) await collect(there, views(last * 100, 20), { address: `192.0.2.${last}` });
    const urls = await urlsOf(there);
    expect(urls).toHaveLength(100);
    const distinct = new Set(urls.filter((url) => url !== "(other)")).size;
    // Three quarters of 60, the fields that all of them share included.
    expect(distinct).toBeGreaterThan(25);
    expect(distinct).toBeLessThanOrEqual(45);
    // The rest is left to ids: who comes now is somebody, and somebody else.
    expect(await there.daybook.countUniqueUsers({})).toBe(5);
    await collect(there, [{ url: `${PAGE}/too-much` }], { address: "192.0.2.9" });
    expect(await there.daybook.countUniqueUsers({})).toBe(6);
    there.clock.set(NOON_MS + DAY_MS);
    await collect(there, [{ url: `${PAGE}/next-day` }], { address: "192.0.2.9" });
    expect((await urlsOf(there)).filter((url) => ["/too-much", "/next-day"].includes(url))).toEqual(["/next-day"]);
    await collect(there, [{ url: `${PAGE}/other-key` }], { key: "pk_any", address: "192.0.2.1" });
    expect(await urlsOf(there)).toContain("/other-key");
  });

  it("never makes two people one: ids that are too much are left out, and ties that need them", async () => {
    const there = await setting();
    const ids: Sending = { key: "pk_ids" };
    await collect(there, views(0, 50), ids);
    const late = [{ name: "pageview", userId: "ann", anonymousId: "a1" }, { name: "pageview", userId: "bob", anonymousId: "b1" }, { name: "$identify", userId: "cat", anonymousId: "c1" }];
    expect(await collect(there, late, ids)).toMatchObject({ status: 204, json: null });
    const texts = JSON.stringify(await stored(there));
    for (const text of ["ann", "bob", "a1", "b1", '"userId":"(other)"', '"anonymousId":"(other)"']) expect(texts).not.toContain(`"${text}"`);
    expect(await there.daybook.countUniqueUsers({})).toBe(1);
    expect(await metrics(there)).toMatch(/withheld_total\{part="id"\} 4\n[^]*withheld_total\{part="record"\} 1\n/);
    for await (const record of there.daybook.exportRecords()) expect(record).toBeUndefined();
  });

  it("leaves metadata keys out beyond its budget, but for those of ours, which always fit", async () => {
    const there = await setting();
    const metadata = { k1: 1, k2: 1, k3: 1, k4: 1, url: "https://a.example/" };
    expect((await collect(there, [{ name: "a", title: "Here", metadata }])).status).toBe(204);
    expect((await stored(there))[0]?.["metadata"]).toEqual({ title: "Here", k1: 1, k2: 1, k3: 1, url: "https://a.example/" });
    expect(await metrics(there)).toContain('daybook_collected_withheld_total{part="key"} 1\n');
    await collect(there, [{ name: "a", metadata: { k5: 1, k6: 1 } }], { address: "192.0.2.9" });
    expect((await stored(there)).map(({ metadata: found }) => found)).toContainEqual({ k5: 1 });
  });

  it("leaves an order without its id rather than make one of several, and an amount unknown", async () => {
    const there = await setting();
    await there.daybook.ingest([{ name: "Order Completed", project: "shop", createdAt: new Date(NOON_MS - 1_000), metadata: { order_id: "o0", revenue: 1 } }]);
    await collect(there, views(0, 50));
    await collect(there, [1, 2].map((at) => ({ name: "Order Completed", id: `o${at}`, value: 1000 + at, metadata: { order_id: `o${at}`, revenue: 77 + at } })));
    const orders = (await stored(there)).filter(({ name, project }) => name === "Order Completed" && project === "shop");
    const late = { metadata: { order_id: null, revenue: "(other)" }, value: undefined };
    expect(orders.slice(1).map(({ metadata, value }) => ({ metadata, value }))).toEqual([late, late]);
  });
});
