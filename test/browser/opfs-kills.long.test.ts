import { expect, test } from "vitest";
import { SEED, killRounds } from "./opfs/kill-rounds.js";

test(`of 200 tabs that are killed while they write, no acknowledged event is lost (DAYBOOK_SEED=${SEED})`, async () => {
  expect(await killRounds(50, 4, SEED)).toBeGreaterThan(50_000);
});
