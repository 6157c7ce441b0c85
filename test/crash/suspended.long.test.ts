import { expect, test } from "vitest";
import { standStill } from "./suspended.js";

test("A writer that stands still at any file operation while another takes over does nothing afterwards that is acknowledged or does harm.", async () => {
  expect(await standStill(1, 1)).toBeGreaterThan(500);
});
