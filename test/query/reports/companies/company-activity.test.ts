import { expect, test } from "vitest";
import { runYielding } from "../../../../src/core/base/yield.js";
import { joinedActivity, pairOf, type Activity } from "../../../../src/query/reports/companies/company-activity.js";

const PAIR_COUNT = 70_000;

/** Pairs of many users, of whom every third has a company. */
function activityOf(firstUser: number, eventCount: number): Activity {
  const actors = Uint32Array.from({ length: PAIR_COUNT }, (_, at) => (firstUser + at) * 2);
  return {
    actors, companies: actors.map((who) => (who % 3 === 0 ? 1 + (who % 50) : 0)),
    eventCounts: new Uint32Array(PAIR_COUNT).fill(eventCount), newestMs: new Float64Array(PAIR_COUNT).fill(eventCount),
  };
}

/** Events by pair. */
function countsOf({ actors, companies, eventCounts }: Activity): Map<number, number> {
  return new Map(Array.from(actors, (who, at): [number, number] => [pairOf(who, companies[at] ?? 0), eventCounts[at] ?? 0]).sort(([a], [b]) => a - b));
}

const halves = () => joinedActivity([activityOf(1, 1), activityOf(1 + PAIR_COUNT / 2, 2)]);

test("Pairs of several days are added up some ten thousand at a time, and those of another query meanwhile do not mix with them.", async () => {
  let pauseCount = 0;
  const others: Activity[] = [];
  const pause = async () => {
    pauseCount += 1;
    if (pauseCount === 2) others.push(await runYielding(joinedActivity([activityOf(5, 7), activityOf(90, 7)]), () => Promise.resolve()));
  };
  const whole = await runYielding(halves(), () => Promise.resolve());
  const interrupted = await runYielding(halves(), pause);
  expect(pauseCount).toBeGreaterThanOrEqual((2 * PAIR_COUNT + 1.5 * PAIR_COUNT) / 32_768);
  expect(countsOf(interrupted)).toEqual(countsOf(whole));
  expect(countsOf(interrupted).size).toBe(PAIR_COUNT * 1.5);
  expect(Array.from(countsOf(interrupted).values()).reduce((sum, count) => sum + count)).toBe(PAIR_COUNT * 3);
  expect(countsOf(others[0] as Activity).size).toBe(PAIR_COUNT + 85);
});

test("A sum that was stopped in the middle leaves the next one right.", async () => {
  await expect((async () => await runYielding(halves(), () => Promise.reject(new Error("stopped"))))()).rejects.toThrow("stopped");
  const whole = await runYielding(halves(), () => Promise.resolve());
  expect(Array.from(countsOf(whole).values()).reduce((sum, count) => sum + count)).toBe(PAIR_COUNT * 3);
});
