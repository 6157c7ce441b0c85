import { setTimeout as sleep } from "node:timers/promises";
import { fileStorage } from "daybook/node";
import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { contend, expectAll, go, goesOn, kill, killContainer, loadContainer, loadWriter, locksIn, takeOverFromSuspended, writes } from "./leased-writers.js";
import { emptyDirectory } from "./run.js";

const LONG_MS = SERVER_LIMITS.lockLeaseMs;
/** Where nobody lives who could be too late to renew. */
const SHORT_MS = 1_000;

test("After kill -9 and under another host name a store opens at once, for the process table tells that its owner has ended.", async () => {
  const directory = await emptyDirectory();
  const options = { leaseMs: LONG_MS, isPatient: false };
  const [first, second] = await Promise.all([loadWriter(directory, { ...options, writer: 1, where: { host: "before" } }), loadWriter(directory, { ...options, writer: 2, where: { host: "after" } })]);
  await writes(first);
  await kill(first);
  await writes(second);
  await kill(second);
  await expectAll(directory, LONG_MS, [first, second]);
});

test("A container made anew after kill -9 waits for a lock that nobody renews, and takes it over without anybody's help.", async () => {
  const directory = await emptyDirectory();
  const load = (writer: number) => loadContainer(directory, { writer, leaseMs: SHORT_MS });
  const [first, second] = await Promise.all([load(1), load(2)]);
  await writes(first);
  await killContainer(first);
  await writes(second);
  expect(locksIn(directory)).toHaveLength(1);
  await kill(second);
  await expectAll(directory, SHORT_MS, [first, second]);
});

test("Two containers of one host name do not take each other's pids for their own: the second hears store_locked, the first goes on.", async () => {
  const directory = await emptyDirectory();
  const load = (writer: number) => loadContainer(directory, { writer, leaseMs: LONG_MS, isPatient: false }, "same");
  const [first, second] = await Promise.all([load(1), load(2)]);
  await writes(first);
  go(second);
  const [, message] = await second.said(/failed store_locked: (.*)\n/);
  expect(message).toMatch(/^The store is open in process 1 on host same, which cannot be seen from here: its lock file LOCK~\S+ was last renewed \d+ s ago, and can be taken over in \d+ s unless it is renewed\.$/);
  await goesOn(first);
  // Seen from here, where there is one for both.
  await killContainer(first);
  expect(locksIn(directory)).toHaveLength(1);
});

test("A host name that changes under a running writer changes nothing: it goes on, and another hears store_locked at once.", async () => {
  const directory = await emptyDirectory();
  const [first, second] = await Promise.all([loadWriter(directory, { writer: 1, leaseMs: LONG_MS, where: { host: "laptop" } }), loadWriter(directory, { writer: 2, leaseMs: LONG_MS })]);
  await writes(first);
  first.child.stdin?.write("host laptop-of-the-cafe\n");
  await first.said(/host laptop-of-the-cafe\n/);
  go(second);
  await second.said(/failed store_locked: The store is open in process \d+, as its lock file LOCK~\S+ says: close it there first/);
  expect(second.stdout).not.toContain("waits");
  await goesOn(first);
  await kill(first);
  await expectAll(directory, LONG_MS, [first]);
});

test("A container that stood still for longer than its lock counts acknowledges nothing afterwards, and harms nothing of who took over.", async () => {
  const directory = await emptyDirectory();
  const load = (writer: number) => loadContainer(directory, { writer, leaseMs: SHORT_MS });
  const [first, second] = await Promise.all([load(1), load(2)]);
  await takeOverFromSuspended(first, second);
  await kill(second);
  await expectAll(directory, SHORT_MS, [first, second]);
});

test("Of two containers that find an abandoned lock at the same time exactly one gets it; the other hears store_locked.", async () => {
  const leaseMs = 3 * SHORT_MS;
  const directory = await emptyDirectory();
  const load = (writer: number) => loadContainer(directory, { writer, leaseMs });
  const [first, ...rivals] = await Promise.all([load(1), load(2), load(3)]);
  await writes(first);
  await killContainer(first);
  await contend(rivals);
  await Promise.all(rivals.map(kill));
  expect(locksIn(directory)).toHaveLength(1);
  await expectAll(directory, leaseMs, [first, ...rivals]);
});

test("A process that is suspended but seen keeps its lock, however long it stands still.", async () => {
  const directory = await emptyDirectory();
  const first = await loadWriter(directory, { writer: 1, leaseMs: SERVER_LIMITS.lockLeaseMsMin });
  await writes(first);
  first.child.kill("SIGSTOP");
  await sleep(2 * SERVER_LIMITS.lockLeaseMsMin);
  await expect(fileStorage(directory, { lockLeaseMs: SERVER_LIMITS.lockLeaseMsMin }).lock()).rejects.toMatchObject({ code: "store_locked", details: { pid: first.child.pid } });
  first.child.kill("SIGCONT");
  await goesOn(first);
  await kill(first);
  await expectAll(directory, SERVER_LIMITS.lockLeaseMsMin, [first]);
});
