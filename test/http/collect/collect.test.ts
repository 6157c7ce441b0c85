import { describe, expect, it } from "vitest";
import { loadUserAgentParser, loadBotTest } from "../../../src/http/index.js";
import { routes } from "../../../src/http/routes/table.js";
import { collect, FIREFOX, KEYS, NOON_MS, PAGE, setting } from "./kit.js";
import type { Setting } from "./kit.js";

async function stored({ daybook }: Pick<Setting, "daybook">): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for await (const event of daybook.exportEvents()) events.push({ ...event });
  return events;
}

describe("POST /v1/collect", () => {
  it("stores what a page tells, with what only a server knows", async () => {
    const place = { country: "FR", region: "Île-de-France", city: "Paris" };
    const asked: string[] = [];
    const locate = (address: string) => (asked.push(address), place);
    const there = await setting({ parseUserAgent: await loadUserAgentParser(), collect: { locate } });
    const event = {
      name: "Signup", url: `${PAGE}/join?utm_source=news&gclid=1`, referrer: "https://news.example/", title: "Join", screen: "390x844",
      metadata: { plan: "pro" }, id: "e1", age_ms: 5_000, value: 9.5, currency: "EUR",
    };
    const { status, headers, json } = await collect(there, [event], { headers: { "accept-language": "fr-CH, fr;q=0.9" } });
    expect([status, json]).toEqual([204, null]);
    expect(headers).toMatchObject({ "access-control-allow-origin": PAGE, vary: "Origin", "cache-control": "no-store" });
    expect(asked).toEqual(["192.0.2.1"]);
    const [found, ...others] = await stored(there);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      name: "Signup", project: "shop", createdAt: new Date(NOON_MS - 5_000).toISOString(), url: "/join?utm_source=news&gclid=1", hostname: "shop.example",
      referrer: "https://news.example/", metadata: { title: "Join", plan: "pro" }, screen: "390x844", language: "fr-CH", value: 9.5, currency: "EUR",
      device: "desktop", os: "Windows", browser: "Firefox", locationCountry: "FR", locationRegion: "Île-de-France", locationCity: "Paris",
    });
    expect(found?.["anonymousId"]).toMatch(/^[0-9a-f]{32}$/);
    expect(found?.["userId"]).toBeUndefined();
  });

  it("takes an event without a name for a page view, and the same id once", async () => {
    const there = await setting();
    const events = [{ url: `${PAGE}/`, id: "v1" }, { url: `${PAGE}/`, id: "v1" }];
    expect((await collect(there, events)).status).toBe(204);
    expect((await collect(there, events)).status).toBe(204);
    expect((await stored(there)).map(({ name }) => name)).toEqual(["pageview"]);
  });

  it("takes JSON under its own name and as text, and nothing else", async () => {
    const there = await setting();
    expect((await collect(there, undefined, { type: "application/json" })).status).toBe(204);
    expect((await collect(there, undefined, { type: "text/html" })).json).toMatchObject({ code: "unsupported_media_type" });
  });

  it("stores good events beside bad ones, and says of the first bad one what is wrong", async () => {
    const there = await setting();
    const { status, json, headers } = await collect(there, [{ name: "a" }, { name: "" }, { name: "b", metadata: { deep: "x".repeat(40_000) } }, { name: "c" }]);
    expect([status, json?.["code"]]).toEqual([400, "invalid_event"]);
    expect(json?.["detail"]).toMatch(/^events\[1\]\.name: expected/);
    expect(headers["access-control-allow-origin"]).toBe(PAGE);
    expect((await stored(there)).map(({ name }) => name).sort()).toEqual(["a", "c"]);
  });

  it.each([
    ["a member that is not known", { user: "u" }, "unknown_parameter", "events[0].user: unknown; allowed: name, url"],
    ["an age beyond an hour", { age_ms: 3_600_001 }, "invalid_parameter", "events[0].age_ms: expected a number from 0 to 3600000, got 3600001"],
    ["a time to come", { age_ms: -1 }, "invalid_parameter", "events[0].age_ms: expected a number from 0 to 3600000, got -1"],
    ["an id of a browser", { anonymousId: "a" }, "invalid_parameter", "events[0].anonymousId: expected none: the public key does not accept anonymous ids"],
    ["an id of a user", { userId: "u" }, "invalid_parameter", "events[0].userId: expected none: the public key does not accept user ids"],
    ["a company", { companyId: "c" }, "unknown_parameter", "events[0].companyId: unknown"],
    ["a project", { project: "other" }, "unknown_parameter", "events[0].project: unknown"],
  ])("refuses %s", async (_, event, code, detail) => {
    const there = await setting();
    const { status, json } = await collect(there, [event]);
    expect([status, json?.["code"]]).toEqual([400, code]);
    expect(String(json?.["detail"]).startsWith(detail), String(json?.["detail"])).toBe(true);
    expect(await stored(there)).toEqual([]);
  });

  it("ties visitors to users where the key takes their ids", async () => {
    const there = await setting();
    const ids = { key: "pk_ids" };
    await collect(there, [{ url: `${PAGE}/`, anonymousId: "browser-1" }, { name: "$identify", anonymousId: "browser-1", userId: "u1", id: "t1" }], ids);
    await collect(there, [{ url: `${PAGE}/a` }, { name: "$identify", userId: "u1" }], ids);
    expect(await there.daybook.countUniqueUsers({})).toBe(1);
    expect((await stored(there)).map(({ name }) => name)).toEqual(["pageview", "pageview"]);
    expect((await collect(there, [{ name: "$identify" }], ids)).json).toMatchObject({ code: "invalid_parameter", param: "events[0].userId" });
  });

  it.each([
    ["a crawler", { userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" }, "bot"],
    ["a page that is fetched ahead", { headers: { "sec-purpose": "prefetch;prerender" } }, "prefetch"],
    ["somebody who does not want to be measured", { headers: { "sec-gpc": "1" } }, "opted_out"],
  ])("answers %s, stores nothing, and counts it", async (_, sending, outcome) => {
    const there = await setting({ collect: { isBot: await loadBotTest(), honorGpc: true } });
    expect((await collect(there, undefined, sending)).status).toBe(204);
    expect(await stored(there)).toEqual([]);
    const metrics = await there.handler(new Request("http://daybook.test/metrics", { headers: { authorization: "Bearer sk_owner_0123456789abcdefgh" } }));
    expect(await metrics.text()).toContain(`daybook_collected_events_total{outcome="${outcome}"} 1\n`);
  });

  it("passes over Sec-GPC where it is not asked to honour it", async () => {
    const there = await setting();
    await collect(there, undefined, { headers: { "sec-gpc": "1" } });
    expect(await stored(there)).toHaveLength(1);
  });
});

describe("the key of a page", () => {
  it.each([
    [PAGE, "pk_shop", 204, PAGE],
    ["https://www.shop.example", "pk_shop", 204, "https://www.shop.example"],
    ["https://a.b.shop.example", "pk_shop", 204, "https://a.b.shop.example"],
    ["http://shop.example", "pk_shop", 403, undefined],
    ["http://www.shop.example", "pk_shop", 403, undefined],
    ["https://shop.example:8443", "pk_shop", 403, undefined],
    ["https://www.shop.example:8443", "pk_shop", 403, undefined],
    ["https://evilshop.example", "pk_shop", 403, undefined],
    ["https://shop.example.evil.example", "pk_shop", 403, undefined],
    ["https://.shop.example", "pk_shop", 403, undefined],
    ["null", "pk_shop", 403, undefined],
    [null, "pk_shop", 403, undefined],
    ["https://elsewhere.example", "pk_any", 204, "*"],
    ["null", "pk_any", 204, "*"],
    [null, "pk_any", 204, "*"],
    [PAGE, "pk_old", 401, undefined],
    [PAGE, "pk_nowhere", 401, undefined],
    [PAGE, "pk_unknown", 401, undefined],
    [PAGE, "sk_owner_0123456789abcdefgh", 401, undefined],
  ])("from %s with %s is answered %i", async (origin, key, status, allowed) => {
    const there = await setting();
    const taken = await collect(there, undefined, { origin, key });
    expect([taken.status, taken.headers["access-control-allow-origin"]]).toEqual([status, allowed]);
    expect(await stored(there)).toHaveLength(status === 204 ? 1 : 0);
    if (status === 403) expect(taken.json).toMatchObject({ code: "origin_not_allowed" });
    expect(taken.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(taken.headers["set-cookie"]).toBeUndefined();
  });

  it("gets a preflight answered, whoever asks, and with it nothing", async () => {
    const there = await setting();
    const { status, headers, json } = await collect(there, [], { method: "OPTIONS", origin: "https://elsewhere.example" });
    expect([status, json]).toEqual([204, null]);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "https://elsewhere.example", "access-control-allow-methods": "POST", "access-control-allow-headers": "content-type", vary: "Origin",
    });
  });

  it("opens no other route, whatever the method, as bearer or as user name", async () => {
    const there = await setting();
    const guarded = routes.filter(({ access }) => access !== null);
    for (const path of new Set(guarded.map((route) => route.path))) {
      const address = `http://daybook.test${path.replaceAll(/\{\w+\}/g, "shop")}`;
      const ofPath = guarded.filter((route) => route.path === path);
      const methods = ofPath.map(({ method }) => method as string);
      const hasPreflight = ofPath.some((route) => "runs" in route);
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const isTaken = methods.includes(method === "HEAD" ? "GET" : method);
        const status = isTaken ? 401 : method === "OPTIONS" && hasPreflight ? 204 : 405;
        for (const authorization of ["Bearer pk_shop", `Basic ${btoa("pk_shop:")}`]) {
          const body = method === "GET" || method === "HEAD" ? {} : { body: "{}" };
          const response = await there.handler(new Request(address, { method, headers: { authorization }, ...body }));
          expect([method, path, response.status]).toEqual([method, path, status]);
          expect([path, response.headers.get("access-control-allow-origin")]).toEqual([path, null]);
        }
      }
    }
  });

  it("has no CORS on any other route", async () => {
    const there = await setting();
    const asked = new Request("http://daybook.test/v1/events", { method: "OPTIONS", headers: { origin: PAGE, "access-control-request-method": "POST" } });
    const response = await there.handler(asked);
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });
});

describe("too many events", () => {
  it("of one address wait, others do not, and later they may", async () => {
    const there = await setting({ collect: { perAddressBurst: 3, perAddressPerSec: 0.5 } });
    const burst = await Promise.all([1, 2, 3, 4].map(() => collect(there)));
    expect(burst.map(({ status }) => status)).toEqual([204, 204, 204, 429]);
    expect(burst[3]?.headers).toMatchObject({ "retry-after": "2", "access-control-allow-origin": PAGE });
    expect((await collect(there, undefined, { address: "192.0.2.2" })).status).toBe(204);
    there.clock.set(NOON_MS + 2_000);
    expect((await collect(there)).status).toBe(204);
    expect((await collect(there)).status).toBe(429);
  });

  it("of one IPv6 network are those of one address", async () => {
    const there = await setting({ collect: { perAddressBurst: 1, perAddressPerSec: 1 } });
    expect((await collect(there, undefined, { address: "2001:db8:1:2::1" })).status).toBe(204);
    expect((await collect(there, undefined, { address: "2001:db8:1:2:3::9" })).status).toBe(429);
    expect((await collect(there, undefined, { address: "2001:db8:1:3::1" })).status).toBe(204);
  });

  it("of one key wait, from whatever address", async () => {
    const there = await setting({ collect: { burst: 2, perSec: 1 } });
    const statuses = [];
    for (const last of [1, 2, 3]) statuses.push((await collect(there, undefined, { address: `192.0.2.${last}` })).status);
    expect(statuses).toEqual([204, 204, 429]);
    expect((await collect(there, undefined, { key: "pk_any" })).status).toBe(204);
  });
});

describe("the address of a visitor", () => {
  it.each([
    ["nobody is believed by default", [], "10.0.0.1", "203.0.113.7", "10.0.0.1"],
    ["a named proxy is", ["10.0.0.0/8"], "10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["what stands before the last proxy may be forged", ["10.0.0.0/8"], "10.0.0.1", "198.51.100.1, 203.0.113.7, 10.0.0.2", "203.0.113.7"],
    ["who is no proxy is not believed", ["10.0.0.0/8"], "192.0.2.9", "203.0.113.7", "192.0.2.9"],
    ["an address of IPv4 in IPv6 is the same", ["127.0.0.1/8"], "::ffff:127.0.0.1", "2001:db8::1", "2001:db8::1"],
    ["ports and brackets are left out", ["127.0.0.1"], "127.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
    ["what is no address ends the chain", ["127.0.0.1"], "127.0.0.1", "203.0.113.7, unknown", "127.0.0.1"],
    ["all may be proxies", ["127.0.0.1", "203.0.113.7"], "127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["nothing may be said", ["127.0.0.1"], "127.0.0.1", "", "127.0.0.1"],
    ["a network of IPv6", ["fd00::/8"], "fd12:3456::1", "203.0.113.7", "203.0.113.7"],
    ["another network of IPv6", ["fd00::/8"], "fe00::1", "203.0.113.7", "fe00::1"],
    ["an address in brackets without a port", ["127.0.0.1"], "127.0.0.1", "[203.0.113.7]", "203.0.113.7"],
    ["bits within a byte", ["172.16.0.0/12"], "172.31.255.255", "203.0.113.7", "203.0.113.7"],
    ["bits within a byte, just outside", ["172.16.0.0/12"], "172.32.0.0", "203.0.113.7", "172.32.0.0"],
  ])("%s", async (_, trustProxy, address, forwarded, expected) => {
    const asked: string[] = [];
    const there = await setting({ trustProxy, collect: { locate: (each) => (asked.push(each), {}) } });
    await collect(there, undefined, { address, headers: { "x-forwarded-for": forwarded } });
    expect(asked).toEqual([expected]);
  });

  it.each(["10.0.0.0/33", "10.0.0", "fd00::/129", "::1::", "host.example", "10.0.0.0/", "10.0.0.256", "1:2:3:4:5:6:7"])("refuses %j as a proxy", async (proxy) => {
    await expect(setting({ trustProxy: [proxy] })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "trustProxy[0]" } });
  });

  it("is nowhere in what is stored, nor is the user agent", async () => {
    const there = await setting({ parseUserAgent: await loadUserAgentParser() });
    await collect(there, undefined, { address: "203.0.113.77" });
    const text = JSON.stringify(await stored(there));
    expect(text).not.toContain("203.0.113.77");
    expect(text).not.toContain(FIREFOX);
  });
});

it("refuses options that nobody reads, and rates that are none", async () => {
  await expect(setting({ collect: { perSecond: 1 } as object })).rejects.toMatchObject({ code: "unknown_parameter" });
  await expect(setting({ collect: { perSec: 0 } })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "collect.perSec" } });
  expect(KEYS).toHaveLength(6);
});

it("a page cannot take the id of an order before the server sends it, nor a second page of another project", async () => {
  const there = await setting();
  const view = { id: "order-1001", name: "order", url: `${PAGE}/` };
  for (const key of ["pk_shop", "pk_shop", "pk_any"]) expect((await collect(there, [view], { key })).status).toBe(204);
  expect(await there.daybook.ingest([{ id: "order-1001", name: "order", project: "shop" }])).toMatchObject({ accepted: 1, duplicates: 0 });
  expect([await there.daybook.countEvents({ project: "shop" }), await there.daybook.countEvents({ project: "blog" })]).toEqual([2, 1]);
});
