import { expect, test } from "vitest";
import { baseSeed, longStride } from "../oracle/settings.js";
import { backupRounds } from "./backup-rounds.js";

test(`Backups taken by another reader while a process writes, seals, compacts and erases hold a prefix each, and verify (seed ${baseSeed})`, async () => {
  const reports = await backupRounds(baseSeed, { roundCount: 1, backupsPerRound: 4, isByCommand: false });
  expect(reports.length).toBe(4);
});

const ROUND_COUNT = Number(process.env["DAYBOOK_BACKUP_ROUNDS"] ?? 10 / longStride(2));
const BACKUPS_PER_ROUND = 20;

test(`${ROUND_COUNT * BACKUPS_PER_ROUND} backups under full load hold a prefix each, and verify (seed ${baseSeed})`, async () => {
  const reports = await backupRounds(baseSeed, { roundCount: ROUND_COUNT, backupsPerRound: BACKUPS_PER_ROUND, isByCommand: true });
  // Most go on from another moment.
  expect(reports.filter(({ sequence }, at) => sequence !== reports[at - 1]?.sequence).length).toBeGreaterThan(reports.length * 0.8);
  expect(reports.filter(({ removedFileCount }) => removedFileCount > 0).length).toBeGreaterThan(reports.length * 0.5);
});
