import { expect, test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { standStill } from "./suspended.js";

const STEP = 37;

test(`A writer that stands still at a file operation while another takes over does nothing afterwards that is acknowledged or does harm (seed ${baseSeed})`, async () => {
  expect(await standStill(1 + (baseSeed % STEP), STEP)).toBeGreaterThan(10);
});
