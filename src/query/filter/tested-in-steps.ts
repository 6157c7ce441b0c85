import type { Steps } from "../../core/base/steps.js";

const STEP_MS = 2;
/** Most tests between two reads of the clock. */
const TESTS_PER_LOOK = 8;

/** Runs a test for each index below `count`: 1 if it passes. A step tests for two milliseconds, or at least once. */
export function* testedInSteps(count: number, test: (place: number) => boolean, clock: () => number = () => performance.now()): Steps<Uint8Array> {
  const passing = new Uint8Array(count);
  let startMs = clock();
  let lookedMs = startMs;
  let perLook = 1;
  for (let from = 0; from < count; ) {
    const to = Math.min(from + perLook, count);
    for (let place = from; place < to; place += 1) passing[place] = test(place) ? 1 : 0;
    from = to;
    const nowMs = clock();
    // Testing long texts with long patterns takes milliseconds each.
    perLook = nowMs - lookedMs < STEP_MS / 4 ? Math.min(perLook * 2, TESTS_PER_LOOK) : 1;
    lookedMs = nowMs;
    if (nowMs - startMs < STEP_MS || from === count) continue;
    yield;
    lookedMs = startMs = clock();
  }
  return passing;
}
