import { deepStrictEqual } from "node:assert/strict";
import { memoryStorage, openDaybook, type Daybook } from "daybook";
import { oracle, type HistoryItem, type Oracle, type OracleOptions } from "../../../support/index.js";
import { arrive } from "../../../support/random/arrive.js";
import type { InsightQuery } from "../../../support/random/insight-queries.js";
import { daybookOptions } from "../../../oracle/person-case.js";
import { lastingMemory } from "../../../store/objects.js";
import { asExpected, expectedOutcome, insightOutcome } from "./insight-answers.js";

/** What happens to a Daybook, one after the other. */
export type Step =
  /** It is opened, or opened again, and may use so many bytes; null: the usual. */
  | { readonly opens: number | null }
  | { readonly items: readonly HistoryItem[] }
  | { readonly seals: true }
  | { readonly asks: InsightQuery; readonly isCompared: boolean };

/** All that one random history does. */
export interface InsightRun {
  readonly options: OracleOptions;
  /** Deflating takes longer than all the rest. */
  readonly isDeflated: boolean;
  readonly steps: readonly Step[];
}

/** Lets a history happen; null where all answers are those of the oracle, else the first that is not. @throws what no query deserves */
export async function differenceOf({ options, isDeflated, steps }: InsightRun): Promise<string | null> {
  const storage = isDeflated ? lastingMemory() : Object.assign(memoryStorage(), { volatile: false });
  const open = (budget: number | null) => openDaybook({ storage, durability: "os", ...daybookOptions(options), ...(budget === null ? {} : { memoryBudgetBytes: budget }) });
  const past: HistoryItem[] = [];
  // Of what has come so far.
  let expected: Oracle | null = null;
  let daybook: Daybook | null = null;
  try {
    for (const step of steps) {
      if ("opens" in step) {
        await daybook?.close();
        daybook = await open(step.opens);
        continue;
      }
      daybook ??= await open(null);
      if ("items" in step) {
        await arrive(daybook, step.items);
        past.push(...step.items);
        expected = null;
      } else if ("seals" in step) await daybook.seal();
      else if (!step.isCompared) await insightOutcome(daybook, step.asks);
      else {
        expected ??= oracle(past, options);
        const difference = await differenceAbout(daybook, expected, step.asks);
        if (difference !== null) return difference;
      }
    }
    return null;
  } finally {
    await daybook?.close();
  }
}

async function differenceAbout(daybook: Daybook, expected: Oracle, query: InsightQuery): Promise<string | null> {
  const owed = expectedOutcome(expected, query);
  const actual = asExpected(await insightOutcome(daybook, query), owed);
  try {
    deepStrictEqual(actual, owed);
    return null;
  } catch {
    return `expected ${JSON.stringify(owed)}\n     got ${JSON.stringify(actual)}`;
  }
}
