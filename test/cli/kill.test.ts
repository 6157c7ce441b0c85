import { test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { killCycles } from "./kill-cycles.js";

test(`A process killed under writers, seals, compactions and erasures loses no acknowledged event, doubles none, and brings nobody erased back (seed ${baseSeed})`, async () => {
  await killCycles(baseSeed, 2);
});
