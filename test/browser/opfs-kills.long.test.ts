import { expect, test } from "vitest";
import { longCount } from "../oracle/settings.js";
import { SEED, killRounds } from "./opfs/kill-rounds.js";

const TABS_PER_ROUND = 4;
const ROUND_COUNT = Math.ceil(longCount(200, "DAYBOOK_KILLED_TABS") / TABS_PER_ROUND);
/** Far fewer than a tab has acknowledged when it is killed. */
const EVENTS_PER_TAB = 250;

test(`of ${ROUND_COUNT * TABS_PER_ROUND} tabs that are killed while they write, no acknowledged event is lost (DAYBOOK_SEED=${SEED})`, async () => {
  expect(await killRounds(ROUND_COUNT, TABS_PER_ROUND, SEED)).toBeGreaterThan(ROUND_COUNT * TABS_PER_ROUND * EVENTS_PER_TAB);
});
