import { describe, expect, it } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import { handlerOf, NOW_MS, send, stubDaybook } from "../kit.js";
import type { SendOptions } from "../kit.js";

const NONE = { success: true, accepted: 1, duplicates: 0, rejected: [], adjusted: [] };

/** What the library was handed for one call. */
async function handed(path: string, body: unknown, options: SendOptions = {}): Promise<Record<string, unknown>> {
  const daybook = stubDaybook();
  const sent = await send(handlerOf(daybook, { parseUserAgent: (text) => ({ device: `device of ${text}`, os: "Linux" }) }), path, { body, ...options });
  expect([sent.status, sent.json]).toEqual([200, NONE]);
  const input = daybook.asked[0]?.input;
  return (Array.isArray(input) ? input[0] : input) as Record<string, unknown>;
}

describe("a track call", () => {
  it("is an event with every member in its place", async () => {
    const event = await handed("/v1/track", {
      type: "track",
      messageId: "m-1",
      event: "Order Completed",
      userId: "u1",
      anonymousId: 5,
      timestamp: "2026-03-10T11:00:00.000Z",
      properties: { revenue: 9.5, currency: "EUR", order_id: 77, plan: "pro", title: "Checkout" },
      context: {
        page: { url: "https://Shop.example:8443/cart?a=1#top", referrer: "https://search.example/", title: "Cart" },
        campaign: { name: "spring", source: "mail", medium: "email", term: "", id: 5 },
        locale: "de-DE",
        screen: { width: 800, height: 600, density: 2 },
        userAgent: "agent",
        groupId: "acme",
        library: { name: "any" },
        ip: "127.0.0.1",
      },
      integrations: { All: true },
      writeKey: "x",
    });
    expect(event).toEqual({
      id: "m-1",
      name: "Order Completed",
      userId: "u1",
      anonymousId: 5,
      createdAt: Date.parse("2026-03-10T11:00:00.000Z"),
      metadata: { title: "Checkout", utm_campaign: "spring", utm_source: "mail", utm_medium: "email", revenue: 9.5, currency: "EUR", order_id: 77, plan: "pro" },
      url: "/cart?a=1",
      hostname: "shop.example",
      referrer: "https://search.example/",
      language: "de-DE",
      screen: "800x600",
      device: "device of agent",
      os: "Linux",
      value: 9.5,
      currency: "EUR",
      externalId: "77",
      companyId: "acme",
    });
  });

  it("needs nothing but its event, and what has another type than usual is passed over", async () => {
    const context = { page: "x", campaign: [], locale: 5, screen: { width: "w" }, userAgent: {}, groupId: {} };
    const properties = { revenue: "9.5", currency: 5, order_id: true };
    const unset = { referrer: null, language: null, screen: null, value: null, currency: null, externalId: null, companyId: null };
    const expected = { id: null, name: "a", userId: null, anonymousId: null, createdAt: null, ...unset };
    expect(await handed("/v1/track", { event: "a", context, properties })).toEqual({ ...expected, metadata: properties });
    expect(await handed("/v1/track", { event: "a", properties: null, context: null, timestamp: null, userId: null })).toEqual({ ...expected, metadata: {} });
  });

  it.each([
    ["https://shop.example", "/", "shop.example"],
    ["HTTP://shop.example/a%20b?c=%C3%A9#d", "/a%20b?c=%C3%A9", "shop.example"],
    ["/pricing?x=1", "/pricing?x=1", undefined],
    ["app://home", "app://home", undefined],
    ["http://", "http://", undefined],
  ])("from the page %s has the url %s", async (url, path, hostname) => {
    expect(await handed("/v1/track", { event: "a", context: { page: { url } } })).toMatchObject({ url: path, ...(hostname === undefined ? {} : { hostname }) });
  });

  it("keeps keys that objects are born with as what they are", async () => {
    const body = '{"event":"a","properties":{"__proto__":{"x":1},"constructor":"c"}}';
    const { metadata } = await handed("/v1/track", body);
    expect(JSON.stringify(metadata)).toBe('{"__proto__":{"x":1},"constructor":"c"}');
  });
});

describe("page and screen calls", () => {
  it("are page views that keep their own name", async () => {
    const properties = { url: "https://shop.example/home", referrer: "https://a.example/", title: "Home", path: "/home" };
    expect(await handed("/v1/page", { name: "Start", category: "Docs", properties, anonymousId: "a1" })).toMatchObject({
      name: "pageview",
      url: "/home",
      hostname: "shop.example",
      referrer: "https://a.example/",
      metadata: { name: "Start", category: "Docs", ...properties },
    });
    const screen = await handed("/v1/screen", { name: "Settings", properties: { name: "own" }, userId: "u1" });
    expect(screen).toMatchObject({ name: "screen-view", userId: "u1", metadata: { name: "own" } });
  });

  it("tell nobody's password, among their properties neither", async () => {
    const properties = { url: "https://ann:secret@shop.example/home#top", referrer: "ftp:bob:secret@shop.example", title: "Home" };
    const metadata = { url: "https://shop.example/home#top", referrer: "ftp:shop.example", title: "Home" };
    expect(await handed("/v1/page", { properties })).toMatchObject({ url: "/home", metadata });
  });

  it("believe the context before the properties", async () => {
    const event = await handed("/v1/page", { properties: { url: "https://a.example/1" }, context: { page: { url: "https://b.example/2" } } });
    expect(event).toMatchObject({ url: "/2", hostname: "b.example" });
    expect(await handed("/v1/track", { event: "a", properties: { url: "https://a.example/1" } })).not.toHaveProperty("url");
  });
});

describe("calls about who somebody is", () => {
  it("reach the library under its names", async () => {
    const about = { messageId: "m", timestamp: NOW_MS - 5 };
    const record = { id: "m", createdAt: NOW_MS - 5 };
    expect(await handed("/v1/identify", { ...about, userId: 7, anonymousId: "a", traits: { email: "a@b.c" }, context: { ip: "x" } })).toEqual({
      ...record, userId: 7, anonymousId: "a", traits: { email: "a@b.c" },
    });
    expect(await handed("/v1/group", { ...about, groupId: "acme", userId: "u", traits: { name: "Acme" } })).toEqual({
      ...record, companyId: "acme", userId: "u", anonymousId: null, traits: { name: "Acme" },
    });
    expect(await handed("/v1/alias", { ...about, previousId: "a", userId: "u", anonymousId: "passed over" })).toEqual({ ...record, from: "a", to: "u" });
  });

  it("may come from a token of a project, but for aliases", async () => {
    for (const [path, body] of [["identify", { userId: "u" }], ["group", { groupId: "g", userId: "u" }]] as const)
      expect((await send(handlerOf(stubDaybook()), `/v1/${path}`, { body, token: "sk_shop_0123456789abcdefgh" })).status).toBe(200);
    const daybook = stubDaybook();
    const sent = await send(handlerOf(daybook), "/v1/alias", { body: { previousId: "a", userId: "u" }, token: "sk_shop_0123456789abcdefgh" });
    expect([sent.status, sent.json["code"], daybook.asked]).toEqual([403, "organization_token_required", []]);
  });

  it.each([
    ["companyId", "groupId", "/v1/group", { groupId: "g", userId: "u" }, "group"],
    ["from", "previousId", "/v1/alias", { previousId: "a", userId: "u" }, "alias"],
    ["to", "userId", "/v1/alias", { previousId: "a", userId: "u" }, "alias"],
    ["traits.x", "traits.x", "/v1/identify", { userId: "u" }, "identify"],
  ])("are refused for their %s as %s", async (param, name, path, body, method) => {
    const thrown = new DaybookError("invalid_parameter", `${param}: expected another`, { param, reason: "expected another" });
    const sent = await send(handlerOf(stubDaybook({ [method]: () => Promise.reject(thrown) })), path, { body });
    expect([sent.status, sent.json["param"], sent.json["detail"]]).toEqual([400, name, `${name}: expected another`]);
  });
});

describe("the time of a call", () => {
  const createdAt = async (members: object) => (await handed("/v1/track", { event: "a", ...members }))["createdAt"];
  const iso = (ms: number) => new Date(ms).toISOString();

  it("is what it says where the sender's clock is off by five minutes at most: that may be time on the way", async () => {
    for (const offsetMs of [0, 1, -1, 40_000, 300_000, -300_000])
      expect(await createdAt({ timestamp: NOW_MS - 60_000, sentAt: NOW_MS - offsetMs })).toBe(NOW_MS - 60_000);
    expect(await createdAt({ timestamp: NOW_MS - 60_000, sentAt: NOW_MS - 300_001 })).toBe(NOW_MS - 60_000 + 300_001);
    expect(await createdAt({ timestamp: NOW_MS - 60_000, sentAt: NOW_MS + 300_001 })).toBe(NOW_MS - 60_000 - 300_001);
  });

  it("does not move over midnight by time on the way", async () => {
    expect(await createdAt({ timestamp: "2026-03-09T23:59:59.990Z", sentAt: NOW_MS - 20 })).toBe(Date.parse("2026-03-09T23:59:59.990Z"));
  });

  it("is `originalTimestamp` where only that is told, as by RudderStack", async () => {
    expect(await createdAt({ originalTimestamp: iso(NOW_MS - 5_000), sentAt: iso(NOW_MS) })).toBe(NOW_MS - 5_000);
    expect(await createdAt({ timestamp: iso(NOW_MS - 9_000), originalTimestamp: iso(NOW_MS - 5_000) })).toBe(NOW_MS - 9_000);
  });

  it("is what it says, less what the sender's clock is off by more", async () => {
    const eventMs = NOW_MS - 60_000;
    expect(await createdAt({ timestamp: iso(eventMs) })).toBe(eventMs);
    expect(await createdAt({ timestamp: eventMs })).toBe(eventMs);
    // An hour fast, sent ten seconds after it happened and received at once.
    expect(await createdAt({ timestamp: iso(NOW_MS + 3_590_000), sentAt: iso(NOW_MS + 3_600_000) })).toBe(NOW_MS - 10_000);
    // A day slow.
    expect(await createdAt({ timestamp: iso(NOW_MS - 86_400_000 - 7_000), sentAt: iso(NOW_MS - 86_400_000) })).toBe(NOW_MS - 7_000);
    expect(await createdAt({ timestamp: "2026-03-10T13:59:00+02:00", sentAt: "2026-03-10T14:00:00+02:00" })).toBe(NOW_MS - 60_000);
  });

  it("is the receive time where it says nothing", async () => {
    expect(await createdAt({})).toBeNull();
    expect(await createdAt({ sentAt: iso(NOW_MS) })).toBeNull();
  });

  it("stays where it is when sentAt cannot be read, and within the years there are", async () => {
    for (const sentAt of ["yesterday", {}, null, -1]) expect(await createdAt({ timestamp: NOW_MS - 5, sentAt })).toBe(NOW_MS - 5);
    expect(await createdAt({ timestamp: iso(0), sentAt: "9999-12-31T23:59:59Z" })).toBe(iso(0));
    expect(await createdAt({ timestamp: "9999-12-31T23:59:59Z", sentAt: iso(0) })).toBe(Date.parse("9999-12-31T23:59:59.999Z"));
  });
});
