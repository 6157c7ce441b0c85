import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { expect } from "vitest";
import { type ApartOptions, apart, innerPid } from "./apart.js";
import { crashEvent } from "./crash-events.js";
import { type Running, startProgram } from "./run.js";

export interface WriterOptions {
  /** Whose ids its events have: from 1 on. */
  readonly writer: number;
  readonly leaseMs: number;
  /** It waits for a lock whose owner it cannot see. */
  readonly isPatient?: boolean;
  /** Default: where the tests run. */
  readonly where?: ApartOptions;
}

/** A writer that is about to open the store, once it is told to `go`. */
export async function loadWriter(directory: string, { writer, leaseMs, isPatient = true, where }: WriterOptions): Promise<Running> {
  const args = [directory, String(writer), String(leaseMs), String(isPatient)];
  const running = startProgram("test/cli/leased-writer.ts", args, { input: null, ...(where === undefined ? {} : { within: apart(where) }) });
  await running.said(/loaded\n/);
  return running;
}

/** A writer with pids of its own, as in a container; unless told otherwise under a host name of its own. */
export function loadContainer(directory: string, options: Omit<WriterOptions, "where">, host = `container-${options.writer}`): Promise<Running> {
  return loadWriter(directory, { ...options, where: { host, pids: true } });
}

export const locksIn = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("LOCK"));

export function go({ child }: Running): void {
  child.stdin?.write("go\n");
}

/** Resolves once it has said that something is acknowledged. */
export async function writes(running: Running): Promise<void> {
  go(running);
  await running.said(/acknowledged \d+\n/);
}

/** What the writer itself says it took to open the store, in ms. */
export async function readyMs(running: Running): Promise<number> {
  const [, ms] = await running.said(/ready (\d+)\n/);
  return Number(ms);
}

/** Resolves once it has acknowledged so many events more. */
export async function goesOn(running: Running, count = 100): Promise<void> {
  const from = acknowledgedOf(running);
  while (acknowledgedOf(running) < from + count) {
    await sleep(5);
    if (running.child.exitCode !== null) throw new Error(`the writer has ended: ${running.stdout}${running.stderr}`);
  }
}

/** How many events it says are stored. */
export function acknowledgedOf({ stdout }: { readonly stdout: string }): number {
  return Math.max(0, ...[...stdout.matchAll(/acknowledged (\d+)\n/g)].map((match) => Number(match[1])));
}

export async function kill(running: Running): Promise<void> {
  running.child.kill("SIGKILL");
  await running.finished;
}

/** A container ends with its first process. */
export async function killContainer(running: Running): Promise<void> {
  process.kill(innerPid(running), "SIGKILL");
  await running.finished;
}

/** One stands still, another takes over and writes; what the first says once it may go on. */
export async function takeOverFromSuspended(first: Running, second: Running): Promise<void> {
  await writes(first);
  process.kill(innerPid(first), "SIGSTOP");
  await writes(second);
  const stood = { stdout: first.stdout };
  process.kill(innerPid(first), "SIGCONT");
  await first.said(/failed store_locked: another process has taken over the store/);
  await first.said(/health read_only\n/);
  // At most the answer for what was stored before it stood still.
  expect(acknowledgedOf(first) - acknowledgedOf(stood)).toBeLessThanOrEqual(20);
  await goesOn(second, 1_000);
}

/** Lets all open the store at the same time: exactly one gets it. Answers which. */
export async function contend(rivals: readonly Running[]): Promise<Running> {
  rivals.forEach(go);
  const outcomes = await Promise.all(rivals.map((rival) => rival.said(/(ready|failed store_locked)/)));
  const winners = rivals.filter((_, at) => outcomes[at]?.[1] === "ready");
  expect(winners).toHaveLength(1);
  return winners[0] as Running;
}

/** Opens the store of writers that have ended, and demands every event that one of them acknowledged. @param writers by number, from 1 on */
export async function expectAll(directory: string, leaseMs: number, writers: readonly Running[]): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory, { lockLeaseMs: leaseMs, onLockWait: () => undefined }) });
  for (const [at, running] of writers.entries()) {
    const count = acknowledgedOf(running);
    for (let from = 0; from < count; from += 20_000) {
      const events = Array.from({ length: Math.min(20_000, count - from) }, (_, number) => crashEvent(from + number, at + 1));
      expect(await daybook.ingest(events)).toEqual({ accepted: 0, duplicates: events.length, rejected: [], adjusted: [] });
    }
  }
  await daybook.close();
  expect((await verifyStore(fileStorage(directory))).findings).toEqual([]);
}
