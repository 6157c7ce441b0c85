import { expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type DaybookOptions, type EventInput } from "daybook";
import { NOW } from "./layouts.js";

/** Source, medium and campaign of the one payment of a visitor who came as the visit tells. */
async function labelsOf(visit: Partial<EventInput>, options: Partial<DaybookOptions> = {}, isSealed = true): Promise<string> {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), ...options });
  const came = { name: "visit", hostname: "shop.example", userId: "ann", createdAt: NOW - 2_000, ...visit };
  await daybook.ingest([came, { name: "payment", userId: "ann", value: 1, createdAt: NOW - 1_000 }]);
  if (isSealed) await daybook.seal();
  const ask = async (dimension: "source" | "medium" | "campaign") =>
    (await daybook.revenueByAttribution({ project: "default", level: "identity", dimension })).rows.map((row) => row.dimension).join();
  return [await ask("source"), await ask("medium"), await ask("campaign")].join(" | ");
}

const DIRECT = "(direct) | (none) | (none)";

test.each<[what: string, visit: Partial<EventInput>, labels: string]>([
  ["no sign of anybody is direct", { url: "https://shop.example/?tab=1#utm_source=x" }, DIRECT],
  ["utm values of metadata, trimmed, case kept", { metadata: { utm_source: " News ", utm_medium: "Email", utm_campaign: "Spring" } }, "News | Email | Spring"],
  ["utm values of the query, decoded like a form", { url: "/?utm_source=a+b&utm_medium=%C3%BC&utm_campaign=1%2B1#x" }, "a b | ü | 1+1"],
  ["metadata before the query, value by value", { metadata: { utm_source: "m" }, url: "/?utm_source=q&utm_medium=q" }, "m | q | (not set)"],
  ["white space and other types are no values", { metadata: { utm_source: "  ", utm_medium: 5, utm_campaign: ["x"] } }, DIRECT],
  ["white space in metadata gives way to the query", { metadata: { utm_source: " " }, url: "/?utm_source=q" }, "q | (not set) | (not set)"],
  ["of a repeated name the first counts", { url: "/?utm_source=&utm_source=b&utm_medium=c&utm_medium=d" }, "(not set) | c | (not set)"],
  ["a second question mark is part of the name", { url: "/??utm_source=b" }, DIRECT],
  ["names are compared with their case", { url: "/?UTM_SOURCE=b" }, DIRECT],
  ["gclid", { url: "/?gclid=1" }, "google | cpc | (not set)"],
  ["msclkid, as a number", { metadata: { msclkid: 7 } }, "bing | cpc | (not set)"],
  ["fbclid", { metadata: { fbclid: "x" } }, "facebook | paid | (not set)"],
  ["gclid before the others, wherever it is", { metadata: { fbclid: "x", msclkid: "y" }, url: "/?gclid=1" }, "google | cpc | (not set)"],
  ["a click id adds nothing to utm values", { metadata: { gclid: "x" }, url: "/?utm_campaign=c" }, "(not set) | (not set) | c"],
  ["utm values before the referrer", { metadata: { utm_medium: "m" }, referrer: "https://google.com/" }, "(not set) | m | (not set)"],
  ["a referrer", { referrer: "https://WWW.Blog.example:8080/post" }, "blog.example | referral | (not set)"],
  ["a search host of any ending", { referrer: "https://www.google.co.uk/search" }, "google.co.uk | organic | (not set)"],
  ["a subdomain of a search host", { referrer: "https://r.search.yahoo.com/" }, "r.search.yahoo.com | organic | (not set)"],
  ["a social host", { referrer: "https://m.facebook.com/" }, "m.facebook.com | social | (not set)"],
  ["a host that only ends like a listed one", { referrer: "https://notx.com/" }, "notx.com | referral | (not set)"],
  ["the own host", { referrer: "https://www.shop.example/cart", hostname: "WWW.shop.example:443" }, DIRECT],
  ["another host of the own domain", { referrer: "https://blog.shop.example/" }, "blog.shop.example | referral | (not set)"],
  ["a payment page", { referrer: "https://www.paypal.com/checkout" }, DIRECT],
  ["a payment page on a subdomain", { referrer: "https://secure.worldpay.com/" }, DIRECT],
  ["an app, by its package", { referrer: "android-app://com.google.android.gm/" }, "com.google.android.gm | referral | (not set)"],
  ["a page to sign in", { referrer: "https://accounts.google.com/" }, DIRECT],
  ["no URL is no host", { referrer: "google.com" }, DIRECT],
])("%s", async (_, visit, labels) => {
  expect(await labelsOf(visit)).toBe(labels);
  expect(await labelsOf(visit, {}, false)).toBe(labels);
});

test("Hosts of options: excluded ones come to the payment pages, search and social ones take the place of the usual.", async () => {
  const attribution = { excludedHosts: ["pay.example"], searchHosts: ["find.example"], socialHosts: [] };
  const of = (referrer: string) => labelsOf({ referrer }, { attribution });
  expect(await of("https://a.pay.example/")).toBe(DIRECT);
  expect(await of("https://paypal.com/")).toBe(DIRECT);
  expect(await of("https://find.example/")).toBe("find.example | organic | (not set)");
  expect(await of("https://google.com/")).toBe("google.com | referral | (not set)");
  expect(await of("https://x.com/")).toBe("x.com | referral | (not set)");
  expect(await of("https://accounts.google.com/")).toBe(DIRECT);
});

test("Hosts of options are compared as referrers are; an ending of `*` is one label, or a country's with the level above.", async () => {
  const attribution = { excludedHosts: ["B\u00FCcher.example.", "com.Some.App"], searchHosts: ["find.*"] };
  const of = (referrer: string) => labelsOf({ referrer }, { attribution });
  expect(await of("https://xn--bcher-kva.example/")).toBe(DIRECT);
  expect(await of("android-app://com.some.app/")).toBe(DIRECT);
  expect(await of("https://find.de/")).toBe("find.de | organic | (not set)");
  expect(await of("https://m.find.co.uk/")).toBe("m.find.co.uk | organic | (not set)");
  expect(await of("https://find.spam.example/")).toBe("find.spam.example | referral | (not set)");
  expect(await of("http://findx/")).toBe("findx | referral | (not set)");
  expect(await of("https://find.co.example/")).toBe("find.co.example | referral | (not set)");
});

test("The payment may be its own touch.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await daybook.ingest([{ name: "payment", userId: "ann", value: 1, metadata: { utm_source: "ad" }, createdAt: NOW - 1 }]);
  const { rows } = await daybook.revenueByAttribution({ project: "default", level: "identity" });
  expect(rows).toEqual([{ dimension: "ad", revenue: 1, orders: 1 }]);
});
