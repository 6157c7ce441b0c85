import { test } from "vitest";
import { baseSeed, longCount } from "../oracle/settings.js";
import { killCycles } from "./kill-cycles.js";

const CYCLE_COUNT = longCount(100, "DAYBOOK_KILL_CYCLES");

test(`A process killed ${CYCLE_COUNT} times loses no acknowledged event (seed ${baseSeed})`, async () => {
  await killCycles(baseSeed, CYCLE_COUNT);
});
