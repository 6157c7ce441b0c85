import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { expect, test } from "vitest";
import { type ApartOptions, apart, innerPid } from "./apart.js";
import { crashEvent } from "./crash-events.js";
import { emptyDirectory, type Running, startProgram } from "./run.js";

/** Long enough for a writer on a busy machine to renew its lock, short enough to wait for. */
const LEASE_MS = 4_000;

interface WriterOptions {
  readonly leaseMs?: number;
  readonly writer?: number;
  /** Default: where the tests run. */
  readonly where?: ApartOptions;
}

/** A writer that is ready to open the store. */
async function loadWriter(directory: string, { leaseMs = LEASE_MS, writer = 1, where }: WriterOptions = {}): Promise<Running> {
  const running = startProgram("test/cli/leased-writer.ts", [directory, String(leaseMs), "0", String(writer)], { input: null, ...(where === undefined ? {} : { within: apart(where) }) });
  await running.said(/loaded\n/);
  return running;
}

function go({ child }: Running): void {
  child.stdin?.write("go\n");
}

async function startWriter(directory: string, options: WriterOptions = {}): Promise<Running> {
  const running = await loadWriter(directory, options);
  go(running);
  await running.said(/acknowledged \d+\n/);
  return running;
}

function acknowledgedOf({ stdout }: Pick<Running, "stdout">): number {
  return Math.max(0, ...[...stdout.matchAll(/acknowledged (\d+)\n/g)].map((match) => Number(match[1])));
}

async function kill(running: Running): Promise<number> {
  running.child.kill("SIGKILL");
  await running.finished;
  return acknowledgedOf(running);
}

/** Opens the store once its writers have ended, and demands every event that one of them acknowledged. */
async function expectAll(directory: string, counts: readonly number[]): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory, { lockLeaseMs: LEASE_MS, onLockWait: () => undefined }) });
  for (const [at, count] of counts.entries()) {
    const events = Array.from({ length: count }, (_, number) => crashEvent(number, at + 1));
    expect(await daybook.ingest(events)).toEqual({ accepted: 0, duplicates: count, rejected: [] });
  }
  await daybook.close();
  expect((await verifyStore(fileStorage(directory))).findings).toEqual([]);
}

const locksIn = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("LOCK"));

test("After kill -9 and under another host name a store opens at once, for the process table tells that its owner has ended.", async () => {
  const directory = await emptyDirectory();
  const count = await kill(await startWriter(directory, { leaseMs: 60_000, where: { host: "before" } }));
  const second = await startWriter(directory, { leaseMs: 60_000, writer: 2, where: { host: "after" } });
  expect(second.stdout).not.toContain("waits");
  await expectAll(directory, [count, await kill(second)]);
});

test("A container made anew after kill -9 waits for a lock that nobody renews, and takes it over without anybody's help.", async () => {
  const directory = await emptyDirectory();
  const first = await startWriter(directory, { where: { host: "container-a", pids: true } });
  process.kill(innerPid(first), "SIGKILL");
  await first.finished;
  const second = await startWriter(directory, { writer: 2, where: { host: "container-b", pids: true } });
  expect(second.stdout).toMatch(/waits \d+\n/);
  expect(locksIn(directory)).toHaveLength(1);
  await expectAll(directory, [acknowledgedOf(first), await kill(second)]);
});

test("Two containers of one host name do not take each other's pids for their own: the second hears store_locked, the first goes on.", async () => {
  const directory = await emptyDirectory();
  const first = await startWriter(directory, { where: { host: "same", pids: true } });
  const second = await loadWriter(directory, { writer: 2, where: { host: "same", pids: true } });
  go(second);
  const failed = await second.said(/failed store_locked: (.*)\n/);
  expect(failed[1]).toMatch(/^The store is open in process 1 on host same, which cannot be seen from here: its lock file LOCK~\S+ was last renewed \d s ago, and can be taken over in \d s unless it is renewed\.$/);
  await first.said(new RegExp(`acknowledged ${acknowledgedOf(first) + 100}\n`));
  await expectAll(directory, [await kill(first)]);
});

test("A host name that changes under a running writer changes nothing: it goes on, and another hears store_locked at once.", async () => {
  const directory = await emptyDirectory();
  const first = await startWriter(directory, { where: { host: "laptop" } });
  first.child.stdin?.write("host laptop-of-the-cafe\n");
  await first.said(/host laptop-of-the-cafe\n/);
  const second = await loadWriter(directory, { writer: 2 });
  go(second);
  await second.said(/failed store_locked: The store is open in process \d+, as its lock file LOCK~\S+ says: close it there first/);
  expect(second.stdout).not.toContain("waits");
  // For longer than a lock counts that is not renewed.
  await sleep(LEASE_MS);
  await first.said(new RegExp(`acknowledged ${acknowledgedOf(first) + 100}\n`));
  await expectAll(directory, [await kill(first)]);
});

test("A container that stood still for longer than its lock counts acknowledges nothing afterwards, and harms nothing of who took over.", async () => {
  const directory = await emptyDirectory();
  const first = await startWriter(directory, { where: { host: "container-a", pids: true } });
  process.kill(innerPid(first), "SIGSTOP");
  const second = await startWriter(directory, { writer: 2, where: { host: "container-b", pids: true } });
  const stoodAt = first.stdout;
  process.kill(innerPid(first), "SIGCONT");
  await first.said(/failed store_locked: another process has taken the store over/);
  await first.said(/health read_only\n/);
  await second.said(new RegExp(`acknowledged ${acknowledgedOf(second) + 1_000}\n`));
  // At most the answer for what had been stored before it stood still.
  expect(acknowledgedOf(first) - acknowledgedOf({ stdout: stoodAt })).toBeLessThanOrEqual(20);
  await expectAll(directory, [acknowledgedOf(first), await kill(second)]);
});

test("Of two containers that find an abandoned lock at the same time exactly one gets it; the other hears store_locked.", async () => {
  const directory = await emptyDirectory();
  const first = await startWriter(directory, { where: { host: "container-a", pids: true } });
  process.kill(innerPid(first), "SIGKILL");
  await first.finished;
  const rivals = await Promise.all([2, 3].map((writer) => loadWriter(directory, { writer, where: { host: `container-${writer}`, pids: true } })));
  rivals.forEach(go);
  const outcomes = await Promise.all(rivals.map((rival) => rival.said(/(ready|failed store_locked)/)));
  expect(outcomes.map((match) => match[1]).sort()).toEqual(["failed store_locked", "ready"]);
  const counts = await Promise.all(rivals.map(kill));
  expect(locksIn(directory)).toHaveLength(1);
  await expectAll(directory, [acknowledgedOf(first), ...counts]);
});

test("A process that is suspended but seen keeps its lock, however long it stands still.", async () => {
  const directory = await emptyDirectory();
  const first = await startWriter(directory, { leaseMs: 300 });
  first.child.kill("SIGSTOP");
  await sleep(600);
  await expect(fileStorage(directory, { lockLeaseMs: 300 }).lock()).rejects.toMatchObject({ code: "store_locked", details: { pid: first.child.pid } });
  first.child.kill("SIGCONT");
  await first.said(new RegExp(`acknowledged ${acknowledgedOf(first) + 100}\n`));
  await expectAll(directory, [await kill(first)]);
});
