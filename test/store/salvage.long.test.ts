import { test } from "vitest";
import { baseSeed, longCount } from "../oracle/settings.js";
import { salvageRandomly } from "./salvage-kit.js";

const SALVAGE_COUNT = longCount(1_000, "DAYBOOK_SALVAGES");

test(`${SALVAGE_COUNT} stores with one to three damaged files are salvaged: what is left is right, what is lost is told (seed ${baseSeed})`, async () => {
  await salvageRandomly(baseSeed, SALVAGE_COUNT);
});
