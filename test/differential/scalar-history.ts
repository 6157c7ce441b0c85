import type { Random } from "daybook/testing";

/** An event whose every value is a scalar, so that it is a row of a table. Null means not set. */
export interface ScalarEvent {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly createdAt: number;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly browser: string | null;
  readonly url: string | null;
  readonly locationLat: string | null;
  readonly metadata: { readonly plan: string | null; readonly amount: number | null; readonly flag: boolean | null };
}

export const domain = {
  name: ["pageview", "click", "purchase"],
  project: ["default", "shop"],
  browser: ["Chrome", "chromium", "Safari", "Firefox", "It's", "Édge", "\uFF5E", "\u{1F600}"],
  url: ["/", "/a", "/A", "/a/b", "/b?x=1", "/100%", "/a_b", "/é"],
  location_lat: ["52.5", "-3", "52.50", "abc", "1e2"],
  plan: ["free", "Free", "pro", "3", "2026-03-01", "true"],
} as const;

const midnightMs = Date.UTC(2026, 2, 1);

/** Events over five days, many at the same milliseconds, on devices that users share. */
export function scalarHistory(random: Random, eventCount: number): ScalarEvent[] {
  const maybe = <T>(items: readonly T[]): T | null => (random.chance(0.2) ? null : random.pick(items));
  return Array.from({ length: eventCount }, (_, index) => ({
    id: `${random.below(2 ** 32).toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`,
    name: random.pick(domain.name),
    project: random.pick(domain.project),
    createdAt: midnightMs + random.between(-2, 2) * 86_400_000 + random.pick([0, 1, -1, random.below(86_400) * 1_000]),
    userId: random.chance(0.5) ? null : `u${random.below(60)}`,
    anonymousId: random.chance(0.3) ? null : `d${random.below(60)}`,
    browser: maybe(domain.browser),
    url: maybe(domain.url),
    locationLat: maybe(domain.location_lat),
    metadata: { plan: maybe(domain.plan), amount: maybe([0, 3, -1.5, 1_000, 2.25]), flag: maybe([true, false]) },
  }));
}
