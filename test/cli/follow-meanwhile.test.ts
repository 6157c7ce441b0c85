import { expect, test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { followRounds } from "./follow-rounds.js";

test(`A follower beside a process that writes, seals, compacts and erases until it is killed, and beside the next one, shows whole batches within a second, and never less (seed ${baseSeed})`, async () => {
  const { newerCount, erasedCount } = await followRounds(baseSeed, { lifeCount: 2, backupsPerLife: 2, pauseMs: 400 });
  expect(newerCount).toBeGreaterThan(5);
  expect(erasedCount).toBeGreaterThan(0);
});
