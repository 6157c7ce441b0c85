import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type HistoryItem, type OracleOptions } from "../support/index.js";
import { DaybookError } from "../../src/core/base/errors.js";
import { LIMITS } from "../../src/core/base/limits.js";
import { arrive } from "../support/random/arrive.js";
import { expectedOutcome, outcome } from "./person-answers.js";
import { liveActs, liveQueries, liveThemes, type Act } from "./live-history.js";
import { deleteAll, forgetEmptyProjects, withoutDeleted } from "./deletions.js";
import { randomOptions } from "../support/random/person-options.js";
import type { PersonQuery } from "../support/random/person-queries.js";

/** Histories of the default suite. */
export const LIVE_HISTORY_COUNTS = { big: 12, small: 4 } as const;

/** How much memory what is kept may take: everything is dropped when nobody reads it, or some of it, or nothing. */
export type Budget = "small" | "big";

interface Step {
  readonly act: Act;
  /** After it; some at once, the rest one by one. */
  readonly asked: readonly PersonQuery[];
  readonly areAskedAtOnce: boolean;
  /** The right answers are those of a Daybook that is opened then; else the oracle's. */
  readonly isOpened: boolean;
}

/** All that one random live history does. */
interface LiveCase {
  readonly options: OracleOptions;
  readonly memoryBudgetBytes: number;
  readonly limits: Partial<Record<keyof typeof LIMITS, number>>;
  readonly steps: readonly Step[];
  readonly askedInTheEnd: readonly PersonQuery[];
}

/**
 * Lets one random history happen to a Daybook that lives on, and asks the same few queries, and some others, after each step: the
 * answers must be those of the oracle, or of a Daybook that opens the same storage then, byte for byte; of the latter where somebody
 * was erased. @throws an error with the seed and a small case
 * @param deleteChance of a deletion after each step
 */
export async function checkLiveHistory(seed: number, budget: Budget, deleteChance = 0): Promise<void> {
  const difference = await liveDifference(seed, budget, deleteChance);
  if (difference === null) return;
  const small = await smallest(liveCase(seededRandom(seed), budget, deleteChance));
  throw new Error([
    `a Daybook that lives on answers otherwise; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1 (${budget} budget)`,
    JSON.stringify({ ...small.options, rates: small.options.rates === undefined ? "none" : "made up", budget: small.memoryBudgetBytes, ...small.limits }),
    ...small.steps.map(({ act, asked }) => `${JSON.stringify(act)}${asked.length === 0 ? "" : ` then ${JSON.stringify(asked)}`}`),
    (await differenceOf(small)) ?? difference,
  ].join("\n"));
}

/** The same without a search for a small case; null where all answers are as they should be. */
export function liveDifference(seed: number, budget: Budget, deleteChance = 0): Promise<string | null> {
  return differenceOf(liveCase(seededRandom(seed), budget, deleteChance));
}

function liveCase(random: Random, budget: Budget, deleteChance: number): LiveCase {
  // The same few again and again: what was kept for the last answer must not show in the next.
  const theme = random.pick(liveThemes);
  const focus = random.shuffled(theme.queries).slice(0, 3);
  const [askChance, otherChance] = [random.pick([0.6, 0.9]), 0.1];
  const asked = () => [...focus.filter(() => random.chance(0.7)), ...(random.chance(otherChance) ? [random.pick(liveQueries)] : [])];
  return {
    options: randomOptions(random),
    memoryBudgetBytes: budget === "big" ? LIMITS.memoryBudgetBytes : random.pick([1, 2_000, 8_000, 20_000, 40_000]),
    limits: {
      // Heads are full after a few rows.
      headPartRowCount: random.pick([2, 6, 16 * 1024]),
      // Tables fall behind further than changes are remembered.
      rememberedMoveCount: random.pick([1, 64 * 1024, 64 * 1024]),
      segmentsPerDayCount: random.pick([2, 4]),
    },
    steps: liveActs(random, theme, deleteChance).map((act) => ({ act, asked: random.chance(askChance) ? asked() : [], areAskedAtOnce: random.chance(0.3), isOpened: random.chance(0.15) })),
    askedInTheEnd: [...focus, ...random.shuffled(liveQueries).slice(0, 3)],
  };
}

/** Null where all answers are as they should be. */
async function differenceOf(liveCase: LiveCase): Promise<string | null> {
  const usual = { ...LIMITS };
  Object.assign(LIMITS, liveCase.limits);
  try {
    return await differenceWithin(liveCase);
  } finally {
    Object.assign(LIMITS, usual);
  }
}

async function differenceWithin({ options: { nowMs, ...rules }, memoryBudgetBytes, steps, askedInTheEnd }: LiveCase): Promise<string | null> {
  // With journals, and nothing deflated: that takes longer than all the rest.
  const storage = Object.assign(memoryStorage(), { volatile: false });
  const options: DaybookOptions = { ...(rules as Partial<DaybookOptions>), storage, durability: "os", clock: fixedClock(nowMs) };
  await using living = await openDaybook({ ...options, memoryBudgetBytes });
  let past: readonly HistoryItem[] = [];
  let isErased = false;
  const expectedAnswers = async (asked: readonly PersonQuery[], isOpened: boolean): Promise<string[]> => {
    const told = oracle(past, { ...rules, nowMs });
    if (!isErased && !isOpened) return asked.map((query) => JSON.stringify(expectedOutcome(told, query)));
    await using fresh = await openDaybook({ ...options, readOnly: true });
    return await answers(fresh, asked, false);
  };
  for (const { act, asked, areAskedAtOnce, isOpened } of steps) {
    await happen(living, act);
    if ("items" in act) past = [...past, ...act.items];
    if ("delete" in act) {
      past = withoutDeleted(past, act.delete, nowMs);
      await forgetEmptyProjects(living, past);
    }
    isErased ||= "erase" in act;
    if (asked.length === 0) continue;
    const given = await answers(living, asked, areAskedAtOnce);
    const difference = firstDifference(asked, given, await expectedAnswers(asked, isOpened));
    if (difference !== null) return difference;
  }
  for (const isOpened of [true, false]) {
    const difference = firstDifference(askedInTheEnd, await answers(living, askedInTheEnd, false), await expectedAnswers(askedInTheEnd, isOpened));
    if (difference !== null) return difference;
  }
  return null;
}

/** Lets one act happen. @throws what nobody expects */
export async function happen(daybook: Daybook, act: Act): Promise<void> {
  if ("seal" in act) await daybook.seal();
  else if ("items" in act) for (const item of groupsOf(act.items)) await arrive(daybook, item).catch(refuseOthers);
  else if ("delete" in act) await deleteAll(daybook, act.delete);
  else await erase(daybook, act.erase);
}

/** Events in a row together, unless one that is refused would take others with it. */
function groupsOf(items: readonly HistoryItem[]): (readonly HistoryItem[])[] {
  return items.every((item) => "name" in item) ? [items] : items.map((item) => [item]);
}

/** What is about the erased stays out. */
function refuseOthers(error: unknown): void {
  if (!(error instanceof DaybookError) || error.code !== "suppressed") throw error;
}

async function erase(daybook: Daybook, subject: { readonly userId: string } | { readonly email: string }): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject, regulation: "gdpr" });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

async function answers(daybook: Daybook, asked: readonly PersonQuery[], atOnce: boolean): Promise<string[]> {
  const ask = async (query: PersonQuery) => JSON.stringify(await outcome(daybook, query));
  if (atOnce) return Promise.all(asked.map(ask));
  const given: string[] = [];
  for (const query of asked) given.push(await ask(query));
  return given;
}

function firstDifference(asked: readonly PersonQuery[], given: readonly string[], expected: readonly string[]): string | null {
  const at = asked.findIndex((_, place) => given[place] !== expected[place]);
  return at === -1 ? null : `${JSON.stringify(asked[at])}\nexpected ${expected[at]}\n     got ${given[at]}`;
}

/** More tries would take minutes. */
const TRY_COUNT = 400;

/** The smallest case found by leaving out steps, items and queries, while it still fails. */
async function smallest(start: LiveCase): Promise<LiveCase> {
  let small = start;
  let tries = 0;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const steps of smallerSteps(small.steps)) {
      const smaller = { ...small, steps };
      tries += 1;
      if (tries > TRY_COUNT) return small;
      if ((await differenceOf(smaller).catch(() => null)) === null) continue;
      small = smaller;
      isSmaller = true;
      break;
    }
  }
  return small;
}

function* smallerSteps(steps: readonly Step[]): Generator<readonly Step[]> {
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < steps.length; at += size) yield steps.toSpliced(at, size);
  for (const [at, step] of steps.entries()) {
    if (step.asked.length > 0) yield steps.with(at, { ...step, asked: [] });
    if ("items" in step.act) for (const place of step.act.items.keys()) yield steps.with(at, { ...step, act: { items: step.act.items.toSpliced(place, 1) } });
    for (const place of step.asked.keys()) yield steps.with(at, { ...step, asked: step.asked.toSpliced(place, 1) });
  }
}
