import { expect, test } from "vitest";
import { baseSeed, longCount } from "../oracle/settings.js";
import { followRounds } from "./follow-rounds.js";

const BACKUP_COUNT = longCount(200, "DAYBOOK_FOLLOWED_BACKUPS");
const LIFE_COUNT = Math.min(10, BACKUP_COUNT);

test(`A follower beside ${BACKUP_COUNT} backups, one a second under full load, and ${LIFE_COUNT} writers that are killed, never fails, shows no batch in part, and never goes back (seed ${baseSeed})`, async () => {
  const followed = await followRounds(baseSeed, { lifeCount: LIFE_COUNT, backupsPerLife: Math.ceil(BACKUP_COUNT / LIFE_COUNT), pauseMs: 1_000 });
  expect(followed.newerCount).toBeGreaterThan(BACKUP_COUNT);
  expect(followed.erasedCount).toBeGreaterThan(LIFE_COUNT);
});
