import { expect, test } from "vitest";
import { baseSeed } from "../oracle/settings.js";
import { backupRounds } from "./backup-rounds.js";

test(`Backups taken while another process writes, seals, compacts and erases hold a prefix each, and verify (seed ${baseSeed})`, async () => {
  const reports = await backupRounds(baseSeed, { roundCount: 1, backupsPerRound: 4, isByCommand: false });
  expect(reports.length).toBe(4);
});
