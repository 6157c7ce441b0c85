import { setTimeout as sleep } from "node:timers/promises";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { expect } from "vitest";
import { bundledFile } from "../bundled.js";
import { type ApartOptions, apart } from "./apart.js";
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

let program: Promise<string> | null = null;

/** A writer that is about to open the store, once it is told to `go`. */
export async function loadWriter(directory: string, { writer, leaseMs, isPatient = true, where }: WriterOptions): Promise<Running> {
  program ??= bundledFile("test/cli/leased-writer.ts");
  const args = [directory, String(writer), String(leaseMs), String(isPatient)];
  const running = startProgram(await program, args, { input: null, ...(where === undefined ? {} : { within: apart(where) }) });
  await running.said(/loaded\n/);
  return running;
}

export function go({ child }: Running): void {
  child.stdin?.write("go\n");
}

/** Resolves once it has said that something is acknowledged. */
export async function writes(running: Running): Promise<void> {
  go(running);
  await running.said(/acknowledged \d+\n/);
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

/** Opens the store of writers that have ended, and demands every event that one of them acknowledged. @param writers by number, from 1 on */
export async function expectAll(directory: string, leaseMs: number, writers: readonly Running[]): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory, { lockLeaseMs: leaseMs, onLockWait: () => undefined }) });
  for (const [at, running] of writers.entries()) {
    const count = acknowledgedOf(running);
    for (let from = 0; from < count; from += 20_000) {
      const events = Array.from({ length: Math.min(20_000, count - from) }, (_, number) => crashEvent(from + number, at + 1));
      expect(await daybook.ingest(events)).toEqual({ accepted: 0, duplicates: events.length, rejected: [] });
    }
  }
  await daybook.close();
  expect((await verifyStore(fileStorage(directory))).findings).toEqual([]);
}
