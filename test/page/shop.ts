import { memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import type { Random } from "../../src/testing/random.js";
import { seededRandom } from "../../src/testing/random.js";

/** Days back from now that the shop has been open. */
export const SHOP_DAYS = 120;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** What a stranger may send: it must be seen as text, and run nowhere. */
export const PLANTED = `<img src=x onerror="window.planted=1">"'&`;

const PAGES = [
  "/",
  "/shop",
  "/shop/lamps",
  "/shop/chairs",
  "/shop/tables",
  "/product/oak-table",
  "/product/reading-lamp",
  "/product/wicker-chair",
  "/product/desk-lamp",
  "/about",
  "/journal",
  "/journal/how-we-oil-a-table",
  "/journal/a-visit-to-the-workshop",
  "/contact",
  "/help/delivery",
  "/pricing",
];
const SOURCES: readonly (readonly [string | null, string, number])[] = [
  [null, "", 30],
  ["https://www.google.com/", "", 28],
  ["https://duckduckgo.com/", "", 7],
  ["https://www.reddit.com/r/furniture", "", 5],
  ["https://news.ycombinator.com/item?id=1", "", 3],
  ["https://www.bing.com/", "", 4],
  ["https://cabinetmakers.example/links", "", 4],
  [null, "utm_source=newsletter&utm_medium=email&utm_campaign=autumn-letter", 11],
  [null, "utm_source=google&utm_medium=cpc&utm_campaign=lamps", 6],
  ["https://t.co/abc", "", 2],
];
const PLACES: readonly (readonly [string, string, string, number])[] = [
  ["DE", "Berlin", "Berlin", 14],
  ["DE", "Bavaria", "Munich", 8],
  ["DE", "Hamburg", "Hamburg", 6],
  ["FR", "Île-de-France", "Paris", 11],
  ["GB", "England", "London", 12],
  ["US", "New York", "New York", 14],
  ["US", "California", "San Francisco", 8],
  ["NL", "North Holland", "Amsterdam", 6],
  ["AT", "Vienna", "Vienna", 5],
  ["CH", "Zurich", "Zürich", 4],
  ["SE", "Stockholm", "Stockholm", 3],
  ["JP", "Tokyo", "Tokyo", 2],
  ["BR", "São Paulo", "São Paulo", 2],
];
const AGENTS: readonly (readonly [string, string, string, string, number])[] = [
  ["desktop", "Windows", "Chrome", "1920x1080", 28],
  ["desktop", "macOS", "Safari", "1440x900", 14],
  ["desktop", "Linux", "Firefox", "1920x1080", 8],
  ["mobile", "iOS", "Mobile Safari", "390x844", 24],
  ["mobile", "Android", "Chrome", "412x915", 20],
  ["tablet", "iOS", "Mobile Safari", "820x1180", 6],
];
const COMPANIES = [
  ["larch", "Larch & Sons", "larch.example"],
  ["fjord", "Fjord Interiors", "fjord.example"],
  ["atelier-9", "Atelier 9", "atelier9.example"],
] as const;

/** A furniture shop's site and till up to now: the same for a seed and a moment. */
export async function openShop(nowMs: number, visitorCount = 2_200): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), currency: "EUR" });
  const random = seededRandom(7);
  const events: EventInput[] = [];
  for (let visitor = 0; visitor < visitorCount; visitor += 1) events.push(...visitorEvents(visitor, random, nowMs));
  events.push({
    name: PLANTED,
    project: "shop",
    anonymousId: "v1",
    url: `/${PLANTED}`,
    createdAt: nowMs - 7 * MINUTE_MS,
    metadata: { note: PLANTED, link: "javascript:alert(1)" },
    hostname: "shop.example",
  });
  const past = events.filter(({ createdAt }) => typeof createdAt === "number" && createdAt <= nowMs);
  await daybook.ingest(past.sort((a, b) => Number(a.createdAt) - Number(b.createdAt)));
  await daybook.ingest([{ name: "pageview", project: "journal", anonymousId: "j1", url: "/", createdAt: nowMs - 80 * DAY_MS }]);
  await tellPeople(daybook, visitorCount, nowMs);
  return daybook;
}

async function tellPeople(daybook: Daybook, visitorCount: number, nowMs: number): Promise<void> {
  const records = [];
  for (let visitor = 0; visitor < visitorCount; visitor += 9) {
    const createdAt = nowMs - SHOP_DAYS * DAY_MS;
    records.push({
      type: "identify",
      userId: `u${visitor}`,
      anonymousId: `v${visitor}`,
      email: `person${visitor}@mail.example`,
      traits: { plan: visitor % 2 === 0 ? "pro" : "free" },
      createdAt,
    } as const);
    const company = COMPANIES[(visitor / 9) % 7];
    if (company !== undefined)
      records.push({
        type: "group",
        userId: `u${visitor}`,
        companyId: company[0],
        traits: { name: company[1], domain: company[2] },
        createdAt,
      } as const);
  }
  await daybook.ingestRecords(records);
  const { id } = await daybook.privacyRequests.create({ type: "access", subject: { email: "person9@mail.example" } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "u18" }, regulation: "ccpa" });
}

function visitorEvents(visitor: number, random: Random, nowMs: number): EventInput[] {
  const [locationCountry, locationRegion, locationCity] = weighted(PLACES, random);
  const [device, os, browser, screen] = weighted(AGENTS, random);
  const isCustomer = visitor % 9 === 0;
  const who = {
    anonymousId: `v${visitor}`,
    ...(isCustomer && { userId: `u${visitor}` }),
    locationCountry,
    locationRegion,
    locationCity,
    device,
    os,
    browser,
    screen,
    language: "en-GB",
  };
  const events: EventInput[] = [];
  // More of them lately, fewer at weekends and at night.
  let at = nowMs - Math.floor(random.next() ** 1.35 * SHOP_DAYS * DAY_MS);
  const visitCount = 1 + (random.chance(0.4) ? random.below(isCustomer ? 9 : 3) : 0);
  for (let visit = 0; visit < visitCount && at < nowMs; visit += 1) {
    const day = Math.floor(at / DAY_MS) * DAY_MS;
    const hour = 6 + Math.floor((random.next() + random.next()) * 8.5);
    const start = Math.min(nowMs - random.below(50) * 1_000, day + hour * 3_600_000 + random.below(3_600_000));
    if (![0, 6].includes(new Date(day).getUTCDay()) || random.chance(0.6)) events.push(...visitEvents(who, start, random));
    at += Math.floor((0.4 + random.next() * 12) * DAY_MS);
  }
  return events.map((event) => ({ ...event, project: "shop", hostname: "shop.example" }));
}

function visitEvents(who: Omit<EventInput, "name">, start: number, random: Random): EventInput[] {
  const [referrer, campaign] = weighted(SOURCES, random);
  const events: EventInput[] = [];
  let at = start;
  const add = (name: string, url: string, more: Partial<EventInput> = {}) => {
    events.push({ ...who, name, url, createdAt: at, ...more });
    at += 4_000 + Math.floor(random.next() ** 2 * 3 * MINUTE_MS);
  };
  const entry = PAGES[Math.floor(random.next() ** 2 * PAGES.length)] ?? "/";
  const utm = Object.fromEntries(new URLSearchParams(campaign));
  add("pageview", campaign === "" ? entry : `${entry}?${campaign}`, { referrer, metadata: utm });
  while (random.chance(0.62)) add("pageview", PAGES[Math.floor(random.next() ** 1.5 * PAGES.length)] ?? "/");
  if (events.length < 2 || !random.chance(0.3)) return events;
  const price = 40 + random.below(900);
  add("Add to cart", "/product/oak-table", { metadata: { price, material: random.pick(["oak", "ash", "steel"]) } });
  if (!random.chance(0.6)) return events;
  add("Checkout", "/checkout", { metadata: { items: 1 + random.below(4) } });
  if (random.chance(0.65))
    add("Order Completed", "/thanks", {
      value: price,
      currency: random.chance(0.985) ? "EUR" : "NOK",
      externalId: `o-${start}-${random.below(1e9)}`,
    });
  return events;
}

function weighted<R extends readonly [...unknown[], number]>(rows: readonly R[], random: Random): R {
  const weights = rows.map((row) => Number(row.at(-1)));
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, row] of rows.entries()) {
    left -= weights[index] ?? 0;
    if (left < 0) return row;
  }
  return random.pick(rows);
}
