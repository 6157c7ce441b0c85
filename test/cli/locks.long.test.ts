import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { innerPid } from "./apart.js";
import { acknowledgedOf, expectAll, go, goesOn, kill, loadWriter, writes } from "./leased-writers.js";
import { emptyDirectory, type Running } from "./run.js";

const leaseMs = LIMITS.lockLeaseMs;
const READY_MS_MAX = 65_000;

async function readyMs(running: Running): Promise<number> {
  const [, ms] = await running.said(/ready (\d+)\n/);
  return Number(ms);
}

/** Nobody is left who could hold the lock: another minute would prove nothing. */
async function expectStored(directory: string, writers: readonly Running[]): Promise<void> {
  await expectAll(directory, LIMITS.lockLeaseMsMin, writers);
}

test("A host name that changes under a running writer changes nothing for one that cannot see it either, for longer than a lock counts.", async () => {
  const directory = await emptyDirectory();
  const load = (writer: number, host: string) => loadWriter(directory, { writer, leaseMs, where: { host, pids: true } });
  const [first, second, third] = await Promise.all([load(1, "laptop"), load(2, "container"), load(3, "container-b")]);
  await writes(first);
  first.child.stdin?.write("host laptop-of-the-cafe\n");
  await first.said(/host laptop-of-the-cafe\n/);
  go(second);
  await second.said(/failed store_locked: The store is open in process 1 on host laptop, which cannot be seen from here/);
  await sleep(leaseMs);
  go(third);
  await third.said(/failed store_locked: /);
  await goesOn(first);
  await kill(first);
  await expectStored(directory, [first]);
});

test("A container suspended for longer than a minute loses its store to the one that waits, and acknowledges nothing afterwards.", async () => {
  const directory = await emptyDirectory();
  const load = (writer: number) => loadWriter(directory, { writer, leaseMs, where: { host: `container-${writer}`, pids: true } });
  const [first, second] = await Promise.all([load(1), load(2)]);
  await writes(first);
  process.kill(innerPid(first), "SIGSTOP");
  go(second);
  expect(await readyMs(second)).toBeLessThan(READY_MS_MAX);
  const stood = { stdout: first.stdout };
  process.kill(innerPid(first), "SIGCONT");
  await first.said(/failed store_locked: another process has taken the store over/);
  expect(acknowledgedOf(first) - acknowledgedOf(stood)).toBeLessThanOrEqual(20);
  await goesOn(second, 1_000);
  await kill(second);
  await expectStored(directory, [first, second]);
});

test("Of two containers that wait for the same lock exactly one gets it, within 65 s; the other hears store_locked.", async () => {
  const directory = await emptyDirectory();
  const load = (writer: number) => loadWriter(directory, { writer, leaseMs, where: { host: `container-${writer}`, pids: true } });
  const [first, ...rivals] = await Promise.all([load(1), load(2), load(3)]);
  await writes(first);
  process.kill(innerPid(first), "SIGKILL");
  await first.finished;
  rivals.forEach(go);
  const outcomes = await Promise.all(rivals.map((rival) => rival.said(/(ready|failed store_locked)/)));
  expect(outcomes.map((match) => match[1]).sort()).toEqual(["failed store_locked", "ready"]);
  const winner = rivals[outcomes.findIndex((match) => match[1] === "ready")] ?? first;
  expect(await readyMs(winner)).toBeLessThan(READY_MS_MAX);
  await goesOn(winner);
  await Promise.all(rivals.map(kill));
  await expectStored(directory, [first, ...rivals]);
});
