import { test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { killCycles } from "./kill-cycles.js";

const CYCLE_COUNT = Number(process.env["DAYBOOK_KILL_CYCLES"] ?? 100);

test(`A process killed ${CYCLE_COUNT} times loses no acknowledged event (seed ${baseSeed})`, async () => {
  await killCycles(baseSeed, CYCLE_COUNT);
});
