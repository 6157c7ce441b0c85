import type { Steps } from "../base/steps.js";

const STEP_MS = 2;
/** Tests between two looks at the clock, at most. */
const TESTS_PER_LOOK = 8;

/** What a test says of each of some values: 1 where it passes. A step is as many as are tested in two milliseconds, or one. */
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
    // Tests of long texts by long patterns take milliseconds each.
    perLook = nowMs - lookedMs < STEP_MS / 4 ? Math.min(perLook * 2, TESTS_PER_LOOK) : 1;
    lookedMs = nowMs;
    if (nowMs - startMs < STEP_MS || from === count) continue;
    yield;
    lookedMs = startMs = clock();
  }
  return passing;
}
