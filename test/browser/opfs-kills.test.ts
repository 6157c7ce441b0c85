import { expect, test } from "vitest";
import { SEED, killRounds } from "./opfs/kill-rounds.js";

// More are killed in opfs-kills.long.test.ts.
test(`of 2 tabs that are killed while they write, no acknowledged event is lost (DAYBOOK_SEED=${SEED})`, async () => {
  expect(await killRounds(1, 2, SEED)).toBeGreaterThan(0);
}, 120_000);
