/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys are below the length of their counts */
import { inPieces } from "../../base/in-pieces.js";
import type { SessionPage, SessionsOverview } from "../../plan/insights/answers.js";
import type { SessionsOverviewPlan } from "../../plan/insights/plan.js";
import { slotsOf } from "../insights/buckets.js";
import { combinationsOf, greatestOf, restOf, type KeyGroups } from "../insights/combinations.js";
import { rateOf } from "../numbers/shown.js";
import { sessionFigures, UserCounter } from "./session-figures.js";
import { greatest, groupsOfKeys } from "./visit-list.js";
import { VisitsByKey } from "./visits-by-key.js";
import type { Counting, Visits } from "./visits.js";

/** Keys of the visits of a question, asked for one after the other. */
export interface KeysOfVisits {
  /** What keys of pages stand for. */
  readonly paths: KeyGroups;
  /** The page of the first event, or of the last one with a url. */
  pagesAt(end: "entry" | "exit"): Uint32Array;
  /** What keys of a breakdown stand for. */
  readonly groups: KeyGroups;
  /** Those of first events. */
  keys(): Promise<Uint32Array>;
}

/** Sessions counted and timed, over time and by the values of their first events. */
export async function sessionsAnswer(
  visits: Visits,
  plan: SessionsOverviewPlan,
  of: KeysOfVisits,
  { scratch, pause }: Counting,
): Promise<Omit<SessionsOverview, "definition" | "asOf">> {
  const users = new UserCounter(scratch);
  const figuresOf = (some: Visits) => sessionFigures(some, users, pause);
  const buckets: SessionsOverview["buckets"][number][] = [];
  for (const slot of slotsOf(plan, plan.interval, visits.extent)) buckets.push({ ...slot.bucket, ...(await figuresOf(visits.within(slot))) });
  const total = await figuresOf(visits);
  const entryPages = await pagesOf(visits, of.pagesAt("entry"), of.paths, plan.limit, pause);
  const exitPages = await pagesOf(visits, of.pagesAt("exit"), of.paths, plan.limit, pause);
  return { buckets, total, ...(await rowsOf(visits, plan, of, figuresOf)), entryPages, exitPages };
}

type Breakdown = Pick<SessionsOverview, "rows" | "rest" | "valueCount">;

/** By the values of first events. */
async function rowsOf(
  visits: Visits,
  { breakdown }: SessionsOverviewPlan,
  of: KeysOfVisits,
  figuresOf: (visits: Visits) => Promise<SessionsOverview["total"]>,
): Promise<Breakdown> {
  if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
  const byKey = new VisitsByKey(visits, await of.keys());
  const all = combinationsOf(byKey.keys, of.groups);
  const sizes = Float64Array.from(all, (combination) => byKey.countOf(combination.keys));
  const shown = greatestOf(all, sizes, breakdown.limit);
  const rows: { values: readonly string[]; figures: SessionsOverview["total"] }[] = [];
  for (const { values, keys: own } of shown) {
    rows.push({ values, figures: await figuresOf(byKey.of(own)) });
  }
  return { rows, rest: breakdown.rest ? await figuresOf(byKey.of(restOf(all, new Set(shown)))) : null, valueCount: all.length };
}

/** Pages by the sessions that begin, or end, there. */
async function pagesOf(
  { view, sessions }: Visits,
  keyOfVisit: Uint32Array,
  paths: KeyGroups,
  limit: number,
  pause: () => Promise<void>,
): Promise<SessionPage[]> {
  const { eventCounts } = view.facts;
  await pause();
  const { groupOfKey, numbers } = groupsOfKeys(keyOfVisit, paths);
  const [counts, bounces] = [new Uint32Array(numbers.length), new Uint32Array(numbers.length)];
  await inPieces(keyOfVisit.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const group = groupOfKey[keyOfVisit[at]!]!;
      counts[group]! += 1;
      if (eventCounts[sessions[at]!] === 1) bounces[group]! += 1;
    }
  });
  const shown = greatest(counts, counts, (group) => paths.valuesOfGroup(numbers[group]!)[0]!, limit);
  return shown.map(({ place, value }) => {
    const [count, bounced] = [counts[place]!, bounces[place]!];
    return { value, sessions: count, bounces: bounced, bounceRate: rateOf(bounced, count) };
  });
}
