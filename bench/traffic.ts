import type { EventInput } from "daybook";
import { type Random, seededRandom } from "daybook/testing";
import { HEAVY_USER_ID, type HeavyEvent, heavyEvents } from "./heavy-user.js";
import { Orders } from "./orders.js";

export interface TrafficOptions {
  readonly seed: number;
  readonly eventCount: number;
  readonly batchRowCount: number;
}

/** One generated event: the fields that the benchmark's events have, all set unless said otherwise. */
export interface TrafficEvent extends EventInput {
  readonly id: string;
  readonly userId: string;
  readonly project: string;
  /** Epoch ms, ascending but for a few seconds; for a minute or two in small traffic. */
  readonly createdAt: number;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** Set for about one event in a hundred: orders, some twice, and refunds. */
  readonly value: number | null;
  readonly currency: string | null;
  readonly externalId: string | null;
  /** The same at all events of a user. */
  readonly companyId: string | null;
}

export const TRAFFIC_DAYS = { first: "2026-01-01", last: "2026-03-31", count: 90 } as const;

/** What the metadata may hold, with the type of each key. An event has 0 to 6 of them. */
export const METADATA_TYPES = {
  plan: "text",
  utm_source: "text",
  utm_medium: "text",
  utm_campaign: "text",
  button: "text",
  experiment: "text",
  variant: "text",
  amount: "number",
  items: "number",
  trial: "boolean",
} as const;

const firstMs = Date.parse(`${TRAFFIC_DAYS.first}T00:00:00Z`);
const userCountPerMillion = 56_000;
const dayMs = 86_400_000;
const recentMsCount = 2 ** 16;
const companyCount = 3_000;
const companyShare = 0.3;

const list = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at));

const verbs = ["pageview", "click", "signup", "purchase", "search", "share", "download", "invite"];
const things = ["", "_pricing", "_docs", "_app", "_report"];
const names = list(40, (at) => `${verbs[at % 8]}${things[Math.floor(at / 8)]}`);
const sections = ["docs", "blog", "product", "pricing", "account", "checkout", "search", "help"];
const urls = list(5_000, (at) => `/${sections[(at * 7) % 8]}/${((at * 2_654_435_761) >>> 0).toString(36)}/${at}`);
const letter = (at: number) => String.fromCharCode(65 + at);
const countries = ["US", "DE", "GB", "FR", "IN", "BR", ...list(114, (at) => `${letter(at % 26)}${letter(25 - Math.floor(at / 26))}`)];
const devices = ["desktop", "desktop", "desktop", "mobile", "mobile", "tablet"];
const systems = ["Windows", "Windows", "macOS", "Linux", "iOS", "Android"];
const browsers = ["Chrome", "Chrome", "Chrome", "Safari", "Safari", "Firefox", "Edge", "Opera"];
const screens = ["1920x1080", "1536x864", "1440x900", "2560x1440", "390x844", "412x915", "820x1180"];
const languages = ["en-US", "en-GB", "de-DE", "fr-FR", "hi-IN", "pt-BR", "es-ES", "ja-JP", "zh-CN"];
const referrers = list(300, (at) => `https://site-${at}.example/${at % 3 === 0 ? "" : `page-${at}`}`);
const hostnames = ["www.example.com", "www.example.com", "app.example.com", "docs.example.com"];
const plans = ["free", "free", "free", "pro", "team", "enterprise"];

/** Zipf with exponent 1, by the logarithm of the rank: rank 0 is the most frequent. */
function zipf(random: Random, count: number): number {
  return Math.min(count - 1, Math.floor(Math.exp(random.next() * Math.log(count + 1))) - 1);
}

/** Countries as often as their rank says. */
const countryOfUser = list(4_096, (at) => countries[Math.floor(Math.exp((at / 4_096) * Math.log(121))) - 1] ?? "US");

const zipfPick = <T>(random: Random, items: readonly T[]) => items[zipf(random, items.length)] as T;

function mix(user: number, use: number): number {
  const mixed = Math.imul((user + 1) * 31 + use, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** The `use`-th property of a user: the same at each of the user's events. */
const trait = <T>(user: number, use: number, items: readonly T[]) => items[mix(user, use) % items.length] as T;

/** From 0 to 1, likewise. */
const fraction = (user: number, use: number) => mix(user, use) / 2 ** 32;

const hex = (random: Random, digits: number) => random.below(16 ** digits).toString(16).padStart(digits, "0");

function uuid(random: Random): string {
  return `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${"89ab"[random.below(4)]}${hex(random, 3)}-${hex(random, 6)}${hex(random, 6)}`;
}

/** More by day than by night, ascending with `progress` from 0 to 1. */
function instantOf(progress: number): number {
  const days = progress * TRAFFIC_DAYS.count;
  const rest = days - Math.floor(days);
  const warped = rest + (0.6 / (2 * Math.PI)) * Math.sin(2 * Math.PI * rest);
  return firstMs + Math.floor((Math.floor(days) + warped) * dayMs);
}

/** Up to 4 s late. */
const timeOf = (progress: number, random: Random) => Math.max(firstMs, instantOf(progress) - random.below(4_000));

function metadataOf(user: number, random: Random): TrafficEvent["metadata"] {
  const metadata: Record<string, string | number | boolean> = {};
  if (random.chance(0.6)) metadata["plan"] = trait(user, 1, plans);
  if (random.chance(0.3)) {
    metadata["utm_source"] = `source-${zipf(random, 12)}`;
    metadata["utm_medium"] = random.chance(0.5) ? "cpc" : "email";
    if (random.chance(0.5)) metadata["utm_campaign"] = `campaign-${zipf(random, 60)}`;
  }
  if (random.chance(0.2)) {
    metadata["experiment"] = `test-${random.below(8)}`;
    metadata["variant"] = random.chance(0.5) ? "a" : "b";
  } else if (random.chance(0.25)) {
    metadata["amount"] = random.below(2_000) / 4;
    metadata["items"] = 1 + zipf(random, 20);
  }
  if (Object.keys(metadata).length < 6 && random.chance(0.25)) metadata["button"] = `button-${zipf(random, 30)}`;
  if (Object.keys(metadata).length < 6 && random.chance(0.1)) metadata["trial"] = random.chance(0.5);
  return metadata;
}

/** About three users in ten belong to a company, more to the first ones: 3,000 in all. */
function companyOf(user: number): string | null {
  const share = fraction(user, 11) / companyShare;
  return share < 1 ? `company-${Math.floor(Math.exp(share * Math.log(companyCount + 1)))}.example` : null;
}

/** The traffic's state: what was drawn so far decides about what comes. */
class Traffic {
  /** By their low bits, the instants of the last minute. */
  readonly #recentMs = new Float64Array(recentMsCount);
  readonly #userCount: number;
  readonly #random: Random;
  readonly #orders: Orders;
  readonly #heavy: Iterator<HeavyEvent, undefined>;
  #nextHeavy: HeavyEvent | undefined;

  constructor({ seed, eventCount }: TrafficOptions) {
    this.#userCount = Math.max(100, Math.round((eventCount / 1_000_000) * userCountPerMillion));
    this.#random = seededRandom(seed);
    // Numbers of their own, so that all else is the same with and without them.
    this.#orders = new Orders(seededRandom(seed + 1_000_000));
    this.#heavy = heavyEvents(firstMs, TRAFFIC_DAYS.count, eventCount, seededRandom(seed + 2_000_000));
    this.#nextHeavy = this.#heavy.next().value;
  }

  /** The event at `progress` from 0 to 1. */
  eventAt(progress: number): TrafficEvent {
    const random = this.#random;
    const drawnUser = zipf(random, this.#userCount);
    const again = this.#orders.again();
    const heavy = again === null ? this.#heavyAt(progress) : undefined;
    const user = again?.user ?? (heavy === undefined ? drawnUser : this.#userCount);
    // The heavy user has one device after the other.
    const device = heavy === undefined ? user : user + (heavy.visit % 5);
    const country = trait(device, 10, countryOfUser);
    const event = {
      id: uuid(random),
      name: zipfPick(random, names),
      userId: user === this.#userCount ? HEAVY_USER_ID : `user-${((user * 2_654_435_761) >>> 0).toString(36)}-${user}`,
      project: user % 10 < 7 ? "web" : "app",
      createdAt: this.#freeMs(timeOf(progress, random)),
      locationCountry: country,
      locationRegion: `${country}-${trait(device, 3, [1, 2, 3, 4, 5])}`,
      locationCity: `${country} City ${trait(device, 4, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])}`,
      device: trait(device, 5, devices),
      os: trait(device, 2, systems),
      browser: trait(device, 6, browsers),
      screen: trait(device, 7, screens),
      language: trait(device, 8, languages),
      referrer: random.chance(0.6) ? zipfPick(random, referrers) : null,
      url: zipfPick(random, urls),
      hostname: trait(device, 9, hostnames),
      metadata: metadataOf(user, random),
      value: null as number | null,
      currency: null as string | null,
      externalId: null as string | null,
      companyId: companyOf(user),
    };
    if (heavy !== undefined) event.createdAt = heavy.createdAt;
    if (again !== null) event.name = "purchase";
    const isOrder = event.name === "purchase" && event.metadata["amount"] !== undefined;
    const order = again ?? (isOrder ? this.#orders.place(user) : null);
    if (order !== null) {
      event.value = order.value;
      event.currency = "USD";
      event.externalId = order.externalId;
    }
    return event;
  }

  /** The first millisecond from this one that no event has: no order of a user's events is left to their ids. */
  #freeMs(wantedMs: number): number {
    let ms = wantedMs;
    while (this.#recentMs[ms % recentMsCount] === ms) ms += 1;
    this.#recentMs[ms % recentMsCount] = ms;
    return ms;
  }

  /** The heavy user's event that is due, if any. */
  #heavyAt(progress: number): HeavyEvent | undefined {
    const event = this.#nextHeavy;
    if (event === undefined || event.createdAt > instantOf(progress)) return undefined;
    this.#nextHeavy = this.#heavy.next().value;
    return event;
  }
}

/** The same batches for the same options: 90 days of traffic of about 56,000 users per million events. */
export function* trafficBatches(options: TrafficOptions): Generator<TrafficEvent[]> {
  const { eventCount, batchRowCount } = options;
  const traffic = new Traffic(options);
  for (let start = 0; start < eventCount; start += batchRowCount) {
    const rowCount = Math.min(batchRowCount, eventCount - start);
    yield Array.from({ length: rowCount }, (_, at) => traffic.eventAt((start + at) / eventCount));
  }
}
