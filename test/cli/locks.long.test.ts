import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { contend, expectAll, go, goesOn, kill, killContainer, loadContainer, readyMs, takeOverFromSuspended, writes } from "./leased-writers.js";
import { emptyDirectory, type Running } from "./run.js";

const leaseMs = SERVER_LIMITS.lockLeaseMs;
const READY_MS_MAX = 65_000;

/** Nobody is left who could hold the lock: another minute would prove nothing. */
async function expectStored(directory: string, writers: readonly Running[]): Promise<void> {
  await expectAll(directory, SERVER_LIMITS.lockLeaseMsMin, writers);
}

/** What is waited for is a minute of each: side by side they take no longer. */
const scenes: Readonly<Record<string, () => Promise<void>>> = {
  "A host name that changes under a running writer changes nothing for one that cannot see it either, for longer than a lock counts.": async () => {
    const directory = await emptyDirectory();
    const load = (writer: number, host: string) => loadContainer(directory, { writer, leaseMs }, host);
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
  },
  "A container suspended for longer than a minute loses its store to the one that waits, and acknowledges nothing afterwards.": async () => {
    const directory = await emptyDirectory();
    const load = (writer: number) => loadContainer(directory, { writer, leaseMs });
    const [first, second] = await Promise.all([load(1), load(2)]);
    await takeOverFromSuspended(first, second);
    expect(await readyMs(second)).toBeLessThan(READY_MS_MAX);
    await kill(second);
    await expectStored(directory, [first, second]);
  },
  "Of two containers that wait for the same lock exactly one gets it, within 65 s; the other hears store_locked.": async () => {
    const directory = await emptyDirectory();
    const load = (writer: number) => loadContainer(directory, { writer, leaseMs });
    const [first, ...rivals] = await Promise.all([load(1), load(2), load(3)]);
    await writes(first);
    await killContainer(first);
    const winner = await contend(rivals);
    expect(await readyMs(winner)).toBeLessThan(READY_MS_MAX);
    await goesOn(winner);
    await Promise.all(rivals.map(kill));
    await expectStored(directory, [first, ...rivals]);
  },
};

test("Of hosts that cannot see each other one has the store, also where names change, where it was suspended, and where two wait.", async () => {
  const all = Object.entries(scenes).map(async ([title, play]) => {
    await play().catch((error: unknown) => {
      throw new Error(title, { cause: error });
    });
  });
  await Promise.all(all);
});
