import { memoryStorage, openDaybook } from "daybook";
import { seededRandom } from "daybook/testing";
import { oracle } from "../../../support/index.js";
import { arrive } from "../../../support/random/arrive.js";
import { insightHistory } from "../../../support/random/insight-history.js";
import { knownHistory } from "../../../support/random/known-history.js";
import { randomOptions } from "../../../support/random/person-options.js";
import { daybookOptions } from "../../../oracle/person-case.js";

/** Histories that are enough to notice a trait that does not follow its owner. */
export const TRAIT_HISTORY_COUNT = 200;

const FIELDS = ["person.plan", "person.a", "person.email", "company.plan"];

/**
 * Asks a Daybook what is known of people and companies while records and links come in, some at a time: what was found out before must follow them.
 * Null where all answers are the oracle's, else the first that is not.
 */
export async function traitDifference(seed: number): Promise<string | null> {
  const random = seededRandom(seed);
  // Every other one has more changes of traits, and more of them at once.
  const { history, options } = seed % 2 === 0 ? insightHistory(random) : { history: knownHistory(random), options: randomOptions(random) };
  await using daybook = await openDaybook({ storage: memoryStorage(), ...daybookOptions(options) });
  for (let at = 0; at < history.length; ) {
    const some = history.slice(at, at + random.between(1, 4));
    at += some.length;
    await arrive(daybook, some);
    const expected = oracle(history.slice(0, at), options);
    for (const field of FIELDS) {
      const query = { interval: "total", breakdown: { fields: [field] } } as const;
      const [actual, owed] = [(await daybook.trend(query)).series, expected.trend(query).series].map((series) => JSON.stringify(series));
      if (actual !== owed) return `${field} after ${at} of ${JSON.stringify(history)}: expected ${owed}, got ${actual}`;
    }
  }
  return null;
}
