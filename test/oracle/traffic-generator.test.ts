import { generateTraffic, seededRandom } from "daybook/testing";
import { oracle } from "../support/index.js";
import { expect, test } from "vitest";

const startMs = Date.UTC(2026, 0, 1);
const options = { seed: 7, eventCount: 4_000, startMs, dayCount: 10, projects: ["web", "app"] };

test("One seed makes one sequence of traffic, another seed another.", () => {
  const events = [...generateTraffic(options)];
  expect([...generateTraffic(options)]).toEqual(events);
  expect([...generateTraffic({ ...options, seed: 8 })]).not.toEqual(events);
});

test("Traffic fills its days, skews its values and is accepted whole.", () => {
  const asked = oracle([...generateTraffic(options)], { nowMs: startMs + 30 * 86_400_000 });
  expect(asked.countEvents()).toBe(4_000);
  expect(asked.countEventsPerDay().map(({ day }) => day)).toEqual(
    Array.from({ length: 10 }, (_, index) => new Date(startMs + index * 86_400_000).toISOString()),
  );
  const [first, second] = asked.aggregate({ field: "location_country" });
  expect(first?.property).toBe("US");
  expect(first?.count).toBeGreaterThan(2 * (second?.count ?? 0));
  const purchases = asked.searchEvents({ eventName: "purchase" });
  expect(purchases.length).toBeGreaterThan(10);
  expect(purchases.every(({ metadata }) => typeof metadata["revenue"] === "number")).toBe(true);
});

test("A random stream repeats with its seed, stays in bounds and shuffles without loss.", () => {
  const draw = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 1_000 }, () => random.between(-3, 3));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(new Set(draw(1))).toEqual(new Set([-3, -2, -1, 0, 1, 2, 3]));
  expect(seededRandom(3).shuffled([1, 2, 3, 4, 5, 6, 7, 8]).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(() => seededRandom(1).pick([])).toThrow(RangeError);
});
