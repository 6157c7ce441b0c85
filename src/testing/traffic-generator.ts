import { rejectUnknownOptions, type KnownOptions } from "../core/base/options.js";
import type { EventInput } from "../core/schema/event.js";
import { seededRandom, type Random } from "./random.js";

export interface TrafficOptions {
  readonly seed: number;
  readonly eventCount: number;
  /** Epoch ms of the first possible event. Default 2026-01-01. */
  readonly startMs?: number;
  /** Days over which the events spread. Default 90. */
  readonly dayCount?: number;
  /** Default: one per 18 events. */
  readonly visitorCount?: number;
  /** Default one project, `web`. */
  readonly projects?: readonly string[];
}

const KNOWN: KnownOptions<TrafficOptions> = { seed: true, eventCount: true, startMs: true, dayCount: true, visitorCount: true, projects: true };

const DAY_MS = 86_400_000;
const NAMES = [
  "pageview", "click", "search", "signup", "login", "add-to-cart", "checkout",
  ...Array.from({ length: 32 }, (_, index) => `feature-${index + 1}`),
];
const COUNTRIES = ["US", "DE", "FR", "GB", "IN", "BR", "JP", "CA", "NL", "ES"].concat(
  Array.from({ length: 110 }, (_, index) => `X${String.fromCharCode(65 + (index % 26))}${Math.floor(index / 26)}`),
);
const DEVICES = ["desktop", "mobile", "tablet"];
const SYSTEMS = ["Windows", "Android", "iOS", "macOS", "Linux"];
const BROWSERS = ["Chrome", "Safari", "Firefox", "Edge", "Samsung Internet", "Opera"];
const SCREENS = ["1920x1080", "390x844", "1440x900", "412x915", "820x1180"];
const LANGUAGES = ["en-US", "de-DE", "fr-FR", "en-GB", "pt-BR", "ja-JP", "es-ES"];
const REFERRERS = ["https://www.google.com/", "https://duckduckgo.com/", "https://news.example.org/item", "https://t.co/x"];
const PLANS = ["free", "pro", "team", "enterprise"];
const SOURCES = ["newsletter", "google", "partner"];

/**
 * Generates events of a web product with realistic skew: few pages, countries and visitors make up most of the traffic, one event in
 * a hundred is a purchase with revenue, and events are in order of time. A seed always yields the same sequence.
 * About 1.5 µs per event; nothing is kept in memory. @throws invalid_parameter, unknown_parameter
 */
export function* generateTraffic(options: TrafficOptions): Generator<EventInput> {
  rejectUnknownOptions(options, KNOWN);
  const { seed, eventCount, startMs = Date.UTC(2026, 0, 1), dayCount = 90, projects = ["web"] } = options;
  const visitorCount = options.visitorCount ?? Math.max(1, Math.floor(eventCount / 18));
  const random = seededRandom(seed);
  const spanMs = dayCount * DAY_MS;
  for (let index = 0; index < eventCount; index += 1) {
    const visitor = skewed(random, visitorCount);
    const offsetMs = Math.min(spanMs - 1, Math.floor(((index + random.next()) / eventCount) * spanMs));
    const name = random.chance(0.01) ? "purchase" : (NAMES[skewed(random, NAMES.length)] ?? "pageview");
    yield {
      ...visitorFields(visitor, random),
      id: uuidOf(random),
      name,
      project: projects[skewed(random, projects.length)] ?? "web",
      createdAt: startMs + offsetMs,
      url: urlOf(random),
      hostname: "www.example.com",
      referrer: random.chance(0.3) ? random.pick(REFERRERS) : null,
      metadata: metadataOf(name, random),
    };
  }
}

/** Derives a visitor's attributes from the number alone, so that they agree across the visitor's events. */
function visitorFields(visitor: number, random: Random): Partial<EventInput> {
  const traits = seededRandom(visitor);
  const isCustomer = traits.chance(0.4);
  const isSignedIn = isCustomer && random.chance(0.7);
  return {
    anonymousId: `device-${visitor}`,
    userId: isSignedIn ? `user-${visitor}` : null,
    locationCountry: COUNTRIES[skewed(traits, COUNTRIES.length)] ?? "US",
    locationCity: `City ${skewed(traits, 400)}`,
    device: DEVICES[skewed(traits, DEVICES.length)] ?? "desktop",
    os: SYSTEMS[skewed(traits, SYSTEMS.length)] ?? "Windows",
    browser: BROWSERS[skewed(traits, BROWSERS.length)] ?? "Chrome",
    screen: traits.pick(SCREENS),
    language: LANGUAGES[skewed(traits, LANGUAGES.length)] ?? "en-US",
  };
}

function metadataOf(name: string, random: Random): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  if (random.chance(0.5)) metadata.plan = random.pick(PLANS);
  if (random.chance(0.3)) metadata.experiment = `exp-${random.below(20)}`;
  if (random.chance(0.2)) metadata.load_ms = random.between(40, 4_000);
  if (random.chance(0.1)) metadata.utm_source = random.pick(SOURCES);
  if (random.chance(0.1)) metadata.signed_in = random.chance(0.5);
  if (name === "purchase") Object.assign(metadata, { revenue: random.between(100, 50_000) / 100, currency: "USD" });
  return metadata;
}

function urlOf(random: Random): string {
  const path = `/page/${skewed(random, 5_000)}`;
  return random.chance(0.1) ? `${path}?tab=${random.below(4)}` : path;
}

/** A number in `[0, count)`; smaller ones are more likely. */
function skewed(random: Random, count: number): number {
  return Math.floor(count * random.next() ** 3);
}

function uuidOf(random: Random): string {
  const part = () => random.below(2 ** 32).toString(16).padStart(8, "0");
  const [a, b, c, d] = [part(), part(), part(), part()];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
}
