import { expect, test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { standStill } from "./suspended.js";

const STEP = Number(process.env["DAYBOOK_STAND_STEP"] ?? 3);

test(`A writer that stands still at one of each ${STEP} file operations while another takes over does nothing afterwards that is acknowledged or does harm (seed ${baseSeed})`, async () => {
  expect(await standStill(1 + (baseSeed % STEP), STEP)).toBeGreaterThan(500 / STEP);
});
