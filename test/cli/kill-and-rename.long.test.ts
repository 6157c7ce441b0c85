import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { seededRandom } from "../../src/testing/index.js";
import { baseSeed } from "../oracle/settings.js";
import { expectAll, go, kill, loadWriter, readyMs } from "./leased-writers.js";
import { emptyDirectory, type Running } from "./run.js";

const leaseMs = SERVER_LIMITS.lockLeaseMs;
/** How long the next writer may take to be ready: where the last one cannot be seen, and where it can. */
const READY_MS_MAX = 65_000;
const READY_AT_ONCE_MS_MAX = 5_000;
const ROUND_COUNT = 50;
/** Rounds on one store each: the second finds what the first left. */
const ROUNDS_PER_STORE = 2;
/** Writers that write at the same time: the machine has few cores, and the waits are side by side. */
const WRITING_COUNT = 5;

const random = seededRandom(baseSeed);

/** Lets so many at once do what takes the machine. */
class Turns {
  #free = WRITING_COUNT;
  readonly #waiting: (() => void)[] = [];

  async take<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

const turns = new Turns();

/** Kills writers at random moments: the next is in a container of its own, or of another host name that sees the last. Answers how long each took to be ready. */
async function rounds(store: number, isSeen: boolean): Promise<number[]> {
  const directory = await emptyDirectory();
  const where = (round: number) => ({ host: `host-${store}-${round}`, pids: !isSeen });
  const writers: Running[] = [];
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS_PER_STORE; round += 1) {
    const running = await turns.take(() => loadWriter(directory, { writer: round + 1, leaseMs, where: where(round), isPatient: !isSeen }));
    writers.push(running);
    go(running);
    const ms = await readyMs(running);
    if (round > 0) took.push(ms);
    await running.said(/acknowledged \d+\n/);
    await sleep(random.next() * 1_000);
    await kill(running);
  }
  // Nobody is left who could hold the lock: another minute for each store would prove nothing.
  await turns.take(() => expectAll(directory, SERVER_LIMITS.lockLeaseMsMin, writers));
  return took;
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

test(`Kill and rename loops: ${ROUND_COUNT} rounds, no lost acknowledged event, no manual step, next writer ready within 65 s at worst and at once on the same host (seed ${baseSeed})`, async () => {
  const storeCount = ROUND_COUNT / ROUNDS_PER_STORE;
  const stores = Array.from({ length: storeCount }, (_, store) => ({ store, isSeen: store % 5 === 4 }));
  const taken = await Promise.all(stores.map(async ({ store, isSeen }) => ({ isSeen, took: await rounds(store, isSeen) })));
  const apart = taken.filter(({ isSeen }) => !isSeen).flatMap(({ took }) => took);
  const seen = taken.filter(({ isSeen }) => isSeen).flatMap(({ took }) => took);
  process.stdout.write(`ready, other container, ${apart.length} rounds: median ${median(apart)} ms, most ${Math.max(...apart)} ms; same host, ${seen.length} rounds: median ${median(seen)} ms, most ${Math.max(...seen)} ms\n`);
  expect(apart.length + seen.length).toBe(ROUND_COUNT);
  expect(Math.max(...apart)).toBeLessThan(READY_MS_MAX);
  expect(Math.max(...seen)).toBeLessThan(READY_AT_ONCE_MS_MAX);
});
