import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type Storage } from "daybook";
import { seededRandom } from "daybook/testing";
import fc from "fast-check";
import { allPages, daybookOutcome } from "../oracle/answers.js";
import { randomQuery } from "../support/random/event-queries.js";
import { baseSeed, caseCount, nowMs } from "../oracle/settings.js";

/** The default suite runs one in so many cases of a law, the long one all of them. */
const QUICK_SHARE = 20;

/** Checks a law on random values; a failure prints seed, path and the smallest counterexample. */
export async function holds<T extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  law: (...values: T) => Promise<void>,
  runs = 150,
): Promise<void> {
  await fc.assert(fc.asyncProperty<T>(...arbitraries, law), { seed: baseSeed, numRuns: caseCount(Math.ceil(runs / QUICK_SHARE), runs) });
}

/** A Daybook whose clock stands still. */
export function openAt(storage: Storage): Promise<Daybook> {
  return openDaybook({ storage, clock: fixedClock(nowMs) });
}

/** Calls `use` with a Daybook of these events, half of them sealed where `sealed`; closes it. */
export async function withEvents(
  events: readonly EventInput[],
  sealed: boolean,
  use: (daybook: Daybook) => Promise<void>,
): Promise<void> {
  const daybook = await openAt(memoryStorage());
  try {
    await daybook.ingest(events.slice(0, events.length / 2));
    if (sealed) await daybook.seal();
    await daybook.ingest(events.slice(events.length / 2));
    await use(daybook);
  } finally {
    await daybook.close();
  }
}

const queries = (() => {
  const random = seededRandom(baseSeed);
  return Array.from({ length: 40 }, () => randomQuery(random, []));
})();

/** The answers to forty fixed queries and the whole content, a line each: equal texts mean byte-identical answers. */
export async function allAnswers(daybook: Daybook): Promise<string> {
  const lines: unknown[] = await allPages(daybook, {}, 7);
  for (const query of queries) lines.push([query, await daybookOutcome(daybook, query, 3)]);
  return lines.map((line) => JSON.stringify(line)).join("\n");
}
