import { test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { salvageRandomly } from "./salvage-kit.js";

const SALVAGE_COUNT = Number(process.env["DAYBOOK_SALVAGES"] ?? 1_000);

test(`${SALVAGE_COUNT} stores with one to three damaged files are salvaged: what is left is right, what is lost is told (seed ${baseSeed})`, async () => {
  await salvageRandomly(baseSeed, SALVAGE_COUNT);
});
