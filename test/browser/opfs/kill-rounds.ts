import { setTimeout as later } from "node:timers/promises";
import { expect } from "vitest";
import { seededRandom, type Random } from "daybook/testing";
import type { Batches } from "./killed-writer.js";
import { Profile } from "./profile.js";
import type { Lab } from "./worker.js";

declare const lab: Lab;

/** Another seed kills at other moments. */
export const SEED = Number(process.env["DAYBOOK_SEED"] ?? 20_260_302);
const ROUNDS_OF_A_STORE = 25;

/** What is known of a store, whatever happens to it. */
class Expected {
  /** Names of batches that were acknowledged, or were there once. */
  readonly #stored = new Set<string>();
  readonly faults: string[] = [];
  acknowledgedCount = 0;

  hear(line: string): void {
    const [, name] = /^acknowledged (\S+)$/.exec(line) ?? [];
    if (name === undefined) return;
    this.#stored.add(name);
    this.acknowledgedCount += rowCountOf(name);
  }

  compare(found: Batches): void {
    const rowCounts = new Map(found);
    for (const [name, rowCount] of found) if (rowCount !== rowCountOf(name)) this.faults.push(`${rowCount} rows of ${name}`);
    for (const name of this.#stored) if (!rowCounts.has(name)) this.faults.push(`${name} is lost`);
    for (const name of rowCounts.keys()) this.#stored.add(name);
  }
}

function rowCountOf(batch: string): number {
  return Number(batch.slice(batch.lastIndexOf("-") + 1));
}

/**
 * Kills all tabs at once while each of them writes to a store of its own, at any moment from its opening on, now and then the whole browser. The next
 * tab of a store compares what it holds with what was acknowledged, and goes on. Answers how many events were acknowledged.
 */
export async function killRounds(roundCount: number, tabCount: number, seed: number): Promise<number> {
  const profile = await Profile.open();
  const random = seededRandom(seed);
  let acknowledgedCount = 0;
  try {
    for (let first = 0; first < roundCount; first += ROUNDS_OF_A_STORE) {
      const stores = new Map(Array.from({ length: tabCount }, (_, at) => [`kills-${first}-${at}`, new Expected()]));
      for (let round = first; round < Math.min(first + ROUNDS_OF_A_STORE, roundCount); round += 1) await killRound(profile, stores, round, random);
      for (const [store, expected] of stores) {
        const findings = await findingsAtTheEnd(profile, store, expected);
        expect([...expected.faults, ...findings]).toEqual([]);
        acknowledgedCount += expected.acknowledgedCount;
      }
    }
  } finally {
    await profile.close();
  }
  return acknowledgedCount;
}

async function killRound(profile: Profile, stores: ReadonlyMap<string, Expected>, round: number, random: Random): Promise<void> {
  const dies = await Promise.all([...stores].map(([store, expected]) => startWriter(profile, store, round, random, expected)));
  await later(random.between(10, 400));
  if (random.chance(0.05)) return await profile.killBrowser();
  const died = dies.map((dead) => dead());
  await profile.killTabs();
  await Promise.all(died);
}

/** Starts a tab that writes. Answers what resolves once it has been killed. */
async function startWriter(profile: Profile, store: string, round: number, random: Random, expected: Expected): Promise<() => Promise<void>> {
  const { page, worker, onLine } = await profile.tab();
  onLine((line) => expected.hear(line));
  const opening = worker.evaluate((name) => lab.openKilled(name), store);
  // Some do not live to see their store open.
  if (random.chance(0.15)) opening.catch(() => undefined);
  else {
    expected.compare(await opening);
    worker.evaluate(([at, seed]) => lab.writeUntilKilled(at, seed), [round, random.below(2 ** 31)] as const).catch(() => undefined);
  }
  return async () => {
    await page.waitForEvent("crash");
    await page.close();
  };
}

async function findingsAtTheEnd(profile: Profile, store: string, expected: Expected): Promise<readonly unknown[]> {
  const { page, worker } = await profile.tab();
  expected.compare(await worker.evaluate((name) => lab.openKilled(name), store));
  await worker.evaluate(() => lab.closeKilled());
  const { findings } = await worker.evaluate((name) => lab.verifyStore(lab.opfsStorage(name)), store);
  await page.close();
  return findings;
}
