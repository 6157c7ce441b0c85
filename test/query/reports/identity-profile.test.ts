import type { Daybook, EventInput } from "daybook";
import { expect, test } from "vitest";
import { hash128, toHex } from "../../../src/core/base/hash.js";
import { DAY, HOUR, MINUTE, NOW, inEveryLayout, iso } from "./layouts.js";

const T = Date.UTC(2026, 2, 10, 23, 50);
const at = (id: string, ms: number, more: Partial<EventInput> = {}): EventInput => ({ id, name: "x", userId: "ann", createdAt: ms, url: "/", ...more });

test("a profile tells the window in figures, and the first and last sight of all time", async () => {
  const events: EventInput[] = [
    at("old", T - 60 * DAY, { name: "pageview" }),
    at("a1", T, { name: "pageview" }),
    at("a2", T + 20 * MINUTE, { name: "Screen View" }),
    at("b1", T + 3 * HOUR, { name: "page" }),
    at("b2", T + 3 * HOUR + 1_001),
    at("c", T + 2 * DAY, { name: "paid", value: 20, externalId: "o1" }),
    at("d", T + 3 * DAY, { name: "paid", value: 4.25, url: null }),
    at("e", T + 3 * DAY, { name: "paid", userId: "bob", value: 100 }),
    at("future", NOW + 10 * DAY, { createdAt: NOW + 4 * MINUTE }),
  ];
  await inEveryLayout(events, async (daybook) => {
    expect(await daybook.identityProfile({ userId: "ann" })).toEqual({
      identityId: `idn_${toHex(hash128("user", "ann"))}`,
      events: 6,
      pageviews: 3,
      sessions: 3,
      durationAvgSec: 400.334,
      durationP90Sec: 960.2,
      bounceRate: 0.3333,
      activeDays: 4,
      firstSeen: iso(T - 60 * DAY),
      lastSeen: iso(NOW + 4 * MINUTE),
      revenue: 24.25,
      currency: "USD",
    });
  });
});

test("a profile of a window without events has figures of nothing: zeros, and null for ratios", async () => {
  await inEveryLayout([at("a", T)], async (daybook) => {
    const profile = await daybook.identityProfile({ userId: "ann", startDate: "2026-01-01", endDate: "2026-01-31" });
    expect(profile).toMatchObject({
      events: 0, pageviews: 0, sessions: 0, durationAvgSec: null, durationP90Sec: null, bounceRate: null, activeDays: 0, firstSeen: iso(T), lastSeen: iso(T), revenue: 0,
    });
  });
});

test("an identity that only a record mentions was never seen", async () => {
  const prepare = async (daybook: Daybook) => void (await daybook.identify({ anonymousId: "tab", email: "tab@example.com" }));
  await inEveryLayout([at("a", T)], async (daybook) => {
    expect(await daybook.identityProfile({ email: "TAB@example.com" })).toMatchObject({ events: 0, firstSeen: null, lastSeen: null });
  }, { prepare });
});

test("page views are told by the options' slugs", async () => {
  const events = [at("a", T, { name: "Product Seen" }), at("b", T, { name: "pageview" }), at("c", T, { slug: "product-seen" })];
  await inEveryLayout(events, async (daybook) => {
    expect((await daybook.identityProfile({ userId: "ann" })).pageviews).toBe(2);
  }, { pageviewSlugs: ["product-seen", "never"] });
});

test("the events of the profile are those that counting finds for the user", async () => {
  const events = Array.from({ length: 200 }, (_, n) => at(`n${n}`, T - n * 5 * HOUR, n % 3 === 0 ? { userId: null, anonymousId: "tab" } : n % 50 === 1 ? { anonymousId: "tab" } : {}));
  await inEveryLayout(events, async (daybook) => {
    for (const window of [{ startDate: "2026-03-01", endDate: "2026-03-05" }, { startDate: "2026-01-01", endDate: "2026-03-31" }]) {
      const { events: count } = await daybook.identityProfile({ userId: "ann", ...window });
      expect(count).toBe(await daybook.countEvents({ userId: "ann", ...window }));
      expect(count).toBeGreaterThan(10);
    }
  });
});
