import { expect, test } from "vitest";
import { testedInSteps } from "../../../src/query/filter/predicate.js";

/** The tests of each step, where each takes so long as it says. */
function stepsOf(count: number, costMs: (place: number) => number): { readonly passing: readonly number[]; readonly stepsMs: readonly number[] } {
  let nowMs = 0;
  const stepsMs: number[] = [];
  const steps = testedInSteps(count, (place) => {
    nowMs += costMs(place);
    return place % 3 === 0;
  }, () => nowMs);
  let startMs = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    stepsMs.push(nowMs - startMs);
    startMs = nowMs;
    if (step.done === true) return { passing: [...step.value], stepsMs };
  }
}

const expected = (count: number) => Array.from({ length: count }, (_, place) => (place % 3 === 0 ? 1 : 0));

test.each([
  ["that are quick", 1_000_000, () => 0.0001, 40, 60],
  ["that take a while", 10_000, () => 0.05, 200, 260],
  ["that take long", 50, () => 40, 50, 50],
  ["of which some take long", 10_000, (place: number) => (place > 5_000 && place < 5_050 ? 40 : 0.0001), 42, 51],
])("Values %s are all tested, and a step is as long as two milliseconds or one test.", (_, count, costMs, fewest, most) => {
  const { passing, stepsMs } = stepsOf(count, costMs);
  expect(passing).toEqual(expected(count));
  expect(stepsMs.length).toBeGreaterThanOrEqual(fewest);
  expect(stepsMs.length).toBeLessThanOrEqual(most);
  // What begins to take long is not seen before the next look at the clock.
  expect(stepsMs.filter((ms) => ms > Math.max(3, 1.1 * costMs(5_001))).length).toBeLessThanOrEqual(1);
});

test("No values take no step.", () => {
  expect(stepsOf(0, () => 1)).toEqual({ passing: [], stepsMs: [0] });
});
