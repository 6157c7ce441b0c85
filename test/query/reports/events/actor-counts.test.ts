import { expect, test } from "vitest";
import { runAtOnce } from "../../../../src/core/base/yield.js";
import { addedCounts, eachAddedCount, type ActorCounts } from "../../../../src/query/reports/events/actor-counts.js";

const ACTOR_COUNT = 70_000;

function countsOf(firstActor: number, count: number): ActorCounts {
  return { actors: Uint32Array.from({ length: ACTOR_COUNT }, (_, at) => firstActor + at), counts: new Uint32Array(ACTOR_COUNT).fill(count) };
}

const parts = [countsOf(1, 1), countsOf(1 + ACTOR_COUNT / 2, 2)];
const others = [countsOf(3, 9), countsOf(4, 9)];
const sum = ({ counts }: ActorCounts) => Array.from(counts).reduce((total, count) => total + count, 0);

test("Counts are added up some ten thousand at a time; others that are added up meanwhile do not mix with them.", () => {
  const whole = runAtOnce(addedCounts(parts));
  expect([whole.actors.length, sum(whole)]).toEqual([ACTOR_COUNT * 1.5, ACTOR_COUNT * 3]);
  const steps = addedCounts(parts);
  let stepCount = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    stepCount += 1;
    if (stepCount === 2) expect(sum(runAtOnce(addedCounts(others)))).toBe(ACTOR_COUNT * 18);
  }
  expect(stepCount).toBeGreaterThanOrEqual((2 * ACTOR_COUNT) / 32_768);
  expect(step.value).toEqual(whole);
});

test("Whoever has a count is visited once, in steps too, and a sum that was left in the middle leaves the next one right.", () => {
  addedCounts(parts).next();
  const met = new Map<number, number>();
  const visit = (who: number, count: number) => {
    expect(met.has(who)).toBe(false);
    met.set(who, count);
  };
  let stepCount = 0;
  for (const _ of eachAddedCount(parts, (actor) => actor >>> 1, visit)) {
    stepCount += 1;
    if (stepCount === 4) eachAddedCount(others, (actor) => actor, () => undefined).next();
  }
  expect(stepCount).toBeGreaterThanOrEqual((2 * ACTOR_COUNT + (1.5 * ACTOR_COUNT) / 2) / 32_768);
  expect([...met.values()].reduce((total, count) => total + count)).toBe(ACTOR_COUNT * 3);
  expect(sum(runAtOnce(addedCounts(parts)))).toBe(ACTOR_COUNT * 3);
});
