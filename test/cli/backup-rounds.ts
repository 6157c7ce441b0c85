import { openDaybook, verifyStore, type EventInput } from "daybook";
import { fileStorage } from "daybook/node";
import { seededRandom } from "daybook/testing";
import { expect } from "vitest";
import { join } from "node:path";
import { backupStore, type BackupReport } from "../../src/store/backup/backup-store.js";
import { crashEvent } from "./crash-events.js";
import { type Running, daybook as run, emptyDirectory, startProgram } from "./run.js";

export const WRITER_COUNT = 3;

/** What is known to be acknowledged. */
export interface Acknowledged {
  /** Events of each writer, from 0 on. */
  readonly counts: readonly number[];
  readonly erased: readonly string[];
}

export interface BackupRounds {
  readonly roundCount: number;
  readonly backupsPerRound: number;
  /** Whether the first backup of each round is made by a process of the command line. */
  readonly isByCommand: boolean;
}

/**
 * Takes backups of a store that a process writes, seals, compacts and erases in all the time, each into the place of the one before, and demands
 * of each that it verifies and holds a prefix. Answers what they took.
 */
export async function backupRounds(seed: number, { roundCount, backupsPerRound, isByCommand }: BackupRounds): Promise<readonly BackupReport[]> {
  const random = seededRandom(seed);
  const reports: BackupReport[] = [];
  let erasedCount = 0;
  for (let round = 0; round < roundCount; round += 1) {
    const [directory, target] = [await emptyDirectory(), join(await emptyDirectory(), "backup")];
    const batchRows = [20, 1, 60, 7, 30][round % 5] ?? 1;
    const firsts = JSON.stringify(Array.from({ length: WRITER_COUNT }, () => 0));
    const writer = startProgram("test/cli/busy-writer.ts", [directory, firsts, String(batchRows), `round ${round}`]);
    let said = 0;
    for (let number = 0; number < backupsPerRound; number += 1) {
      await moreThan(writer, said);
      // The last one of each round is of a store in which somebody was erased.
      if (number === backupsPerRound - 1) await writer.said(/erased .*;\n/);
      await new Promise((resolve) => setTimeout(resolve, random.next() * 30));
      const before = acknowledgedBy(writer);
      said = writer.stdout.length;
      const place = `backup ${number} of round ${round} of seed ${seed}`;
      if (isByCommand && number === 0) expect((await run(["backup", "--data", directory, "--out", target])).code, place).toBe(0);
      else reports.push(await backupStore(fileStorage(directory), fileStorage(target), { takenMs: Date.now() }));
      // While it is looked at nothing grows: that would take longest.
      writer.child.kill("SIGSTOP");
      await expectPrefix(target, before, batchRows, place);
      writer.child.kill("SIGCONT");
    }
    erasedCount += acknowledgedBy(writer).erased.length;
    writer.child.kill("SIGKILL");
    const { stderr, signal } = await writer.finished;
    expect([stderr, signal]).toEqual(["", "SIGKILL"]);
  }
  expect(erasedCount).toBeGreaterThan(0);
  return reports;
}

/** Resolves once a process has said something since. */
async function moreThan(writer: Running, said: number): Promise<void> {
  while (writer.stdout.length <= said && writer.child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** What a busy writer has said so far. */
export function acknowledgedBy({ stdout }: Running): Acknowledged {
  const counts = Array.from({ length: WRITER_COUNT }, () => 0);
  for (const [, of, count] of stdout.matchAll(/acknowledged (\d+) (\d+)\n/g)) counts[Number(of)] = Number(count);
  return { counts, erased: [...stdout.matchAll(/erased (.*);\n/g)].map((match) => match[1] ?? "") };
}

async function expectPrefix(target: string, { counts, erased }: Acknowledged, batchRows: number, place: string): Promise<void> {
  const { findings, notes, eventCount } = await verifyStore(fileStorage(target));
  expect([findings, notes], place).toEqual([[], []]);
  const daybook = await openDaybook({ storage: fileStorage(target), readOnly: true });
  const stored = counts.map((): number[] => []);
  let storedCount = 0;
  for await (const { metadata, ...event } of daybook.exportEvents()) {
    storedCount += 1;
    if (event.name === "gone") {
      if (erased.includes(String(event.userId))) expect.fail(`${place}: ${event.userId} is back`);
      continue;
    }
    const [number, writer] = [Number(metadata?.["number"]), Number(metadata?.["writer"])];
    // Not by `expect`, which takes longer than all the rest.
    if (textOf({ ...event, metadata }) !== textOf(crashEvent(number, writer))) expect.fail(`${place}: event ${number} of ${writer} is ${JSON.stringify(event)}`);
    stored[writer]?.push(number);
  }
  for (const [writer, numbers] of stored.entries()) {
    expect(numbers.sort((a, b) => a - b).findIndex((number, at) => number !== at), place).toBe(-1);
    expect(numbers.length, place).toBeGreaterThanOrEqual(counts[writer] ?? 0);
    expect(numbers.length % batchRows, place).toBe(0);
  }
  expect([await daybook.countEvents(), eventCount], place).toEqual([storedCount, storedCount]);
  await daybook.close();
}

function textOf({ name, userId, url, metadata }: Pick<EventInput, "name" | "userId" | "url" | "metadata">): string {
  return JSON.stringify([name, userId, url, Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
