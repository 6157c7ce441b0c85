import type { EventInput } from "daybook";
import { type Random, seededRandom } from "daybook/testing";

export const FIRST_MS = Date.parse("2026-01-01T00:00:00.000Z");
export const DAY_COUNT = 90;
const DAY_MS = 86_400_000;

/** Metadata keys in all: a hostile caller brings as many as there may be. */
const KEY_COUNT = 9_900;
/** Does a tenth of all events. */
export const HEAVY_USER_ID = "heavy";

const NAMES = ["page-view", "signup", "order", "search", "Payment"];
const COUNTRIES = ["DE", "FR", "US", "IN", "BR", "JP"];

/** Five fields hold a value of its own in each event: url, referrer, user id, `metadata.trace`, and the anonymous id. */
export function* hostileBatches(eventCount: number, batchRowCount = 5_000): Generator<EventInput[]> {
  const random = seededRandom(45);
  for (let from = 0; from < eventCount; from += batchRowCount)
    yield Array.from({ length: Math.min(batchRowCount, eventCount - from) }, (_, at) => hostileEvent(from + at, eventCount, random));
}

function hostileEvent(at: number, eventCount: number, random: Random): EventInput {
  const isHeavy = at % 10 === 0;
  const isPayment = at % 50 === 7;
  return {
    name: NAMES[at % NAMES.length] ?? "page-view",
    createdAt: FIRST_MS + Math.floor((at / eventCount) * DAY_COUNT * DAY_MS) + (at % 7) * 1_000,
    project: at % 20 === 3 ? "beside" : "shop",
    userId: isHeavy ? HEAVY_USER_ID : at % 3 === 0 ? `user-${at}` : null,
    anonymousId: `browser-${at}`,
    url: `https://shop.example/products/${(at * 2_654_435_761) % 4_294_967_296}/${at}?utm_source=s${at % 1_000}`,
    referrer: `https://site-${at}.example/page`,
    hostname: "shop.example",
    locationCountry: COUNTRIES[at % COUNTRIES.length],
    device: at % 3 === 0 ? "mobile" : "desktop",
    browser: `browser ${at % 40}`,
    companyId: at % 4 === 0 ? `company-${at % 20_000}` : null,
    ...(isPayment ? { value: (at % 9_973) / 100, currency: at % 3 === 0 ? "USD" : "EUR", externalId: `order-${at}` } : {}),
    metadata: { trace: `trace-${at}`, amount: (at * 7_919) % 1_000_003, [`key-${Math.floor(random.next() * KEY_COUNT)}`]: at % 100, utm_campaign: `campaign-${at % 5_000}` },
  };
}
