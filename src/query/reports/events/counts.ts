/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import type { PerDayItem } from "../../plan/input.js";
import type { CountPlan, PerDayPlan } from "../../plan/plan.js";
import { countBits } from "../../../storage/column/bitmap.js";
import { histogramOf, type Histogram } from "../../../storage/column/column.js";
import { isWhole, select, fewRows, countAll, type Selector } from "../../filter/select.js";
import { knownMax, wasRequested, type Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import { onePass, type Pass, type Report } from "../form/report.js";
import {
  actorsOfAll, actorsPass, countIdentities, distinctActors, passingActors, passingByUnit, unitedByUnit, type ActorsByUnit, type DistinctActors,
  type UnitedByUnit,
} from "./distinct-actors.js";
import type { CodeSet } from "../../../storage/column/code-set.js";
import { perDayItems } from "../../answer/per-day.js";

/**
 * Number of selected rows, cached with a whole sealed segment.
 * Cost: for one test of one column its distinct codes, the first time; otherwise about a bit per row and test.
 */
export function countRows(rows: Rows, selector: Selector): number {
  const { all, any, key } = selector;
  if (!isWhole(rows, selector)) return countSelected(rows, selector);
  if (all.length === 0 && any.length === 0) return rows.rowCount;
  return key === null ? countWhole(rows, selector) : rows.derive(`count ${key}`, () => countWhole(rows, selector), () => NUMBER_BYTES);
}

const NUMBER_BYTES = 8;

function countWhole(rows: Rows, selector: Selector): number {
  const { all, any } = selector;
  if (any.length > 0) return countSelected(rows, selector);
  const only = all[0]!;
  const few = all.length > 1 ? fewRows(rows, selector) : null;
  if (few !== null) return few.length;
  if (all.length > 1 || only.kind !== "codes" || only.columns.length > 1 || !rows.immutable) return countAll(rows, all);
  const column = only.columns[0]!;
  // A histogram serves the next value of the column too, and takes several times as long as a bitmap of one value.
  return wasRequested(rows, `histogram ${column}`) ? countCodes(histogram(rows, column), only.sets[0]!) : countAll(rows, all);
}

function countSelected(rows: Rows, selector: Selector): number {
  const selection = select(rows, selector);
  if (selection.kind === "none") return 0;
  if (selection.kind === "rows") return selection.rows.length;
  return selection.kind === "range" ? selection.to - selection.from : countBits(selection.bits);
}

/** Rows per code of a column, cached with a sealed segment. */
export function histogram(rows: Rows, column: string): Histogram {
  return rows.derive(`histogram ${column}`, () => histogramOf(rows.column(column), knownMax(rows, column)), (made) => made.codes.byteLength * 2);
}

function countCodes(histogram: Histogram, set: CodeSet): number {
  const { codes, counts } = histogram;
  let count = 0;
  for (let at = 0; at < codes.length; at += 1) if (set.has(codes[at]!)) count += counts[at]!;
  return count;
}

export const countEvents: Report<CountPlan<"countEvents">, number> = {
  prepare: (plan) => onePass(countPass(plan), ({ count }) => count),
};

function countPass(plan: CountPlan<"countEvents">): Pass<{ count: number }, number> {
  return {
    scopes: [plan],
    columns: [],
    begin: () => ({ count: 0 }),
    scan: (state, rows, [selector]) => {
      state.count += countRows(rows, selector);
    },
    cached: {
      key: `${plan.report} `,
      of: ({ count }) => count,
      add: (state, count) => void (state.count += count),
      byteLength: () => 8,
    },
  };
}

type DayCounts = Map<number, number>;

function dayCountsPass(plan: PerDayPlan<"countEventsPerDay" | "countEventsRunningTotalPerDay">): Pass<DayCounts, DayCounts> {
  const add = (counts: DayCounts, day: number, count: number) => counts.set(day, (counts.get(day) ?? 0) + count);
  return {
    scopes: [plan],
    columns: [],
    begin: () => new Map(),
    scan: (state, rows, [selector]) => {
      const count = countRows(rows, selector);
      if (count > 0) add(state, rows.day, count);
    },
    cached: {
      key: `${plan.report} `,
      of: (state) => state,
      add: (state, cached) => {
        for (const [day, count] of cached) add(state, day, count);
      },
      byteLength: ({ size }) => size * 32,
    },
  };
}

export const countEventsPerDay: Report<PerDayPlan<"countEventsPerDay">, readonly PerDayItem[]> = {
  prepare: (plan) => onePass(dayCountsPass(plan), (counts) => perDayItems(counts, plan.range, plan.fill)),
};

export const countEventsRunningTotalPerDay: Report<PerDayPlan<"countEventsRunningTotalPerDay">, readonly PerDayItem[]> = {
  prepare: (plan) =>
    onePass(dayCountsPass(plan), (counts) => {
      let total = 0;
      return perDayItems(counts, plan.range, plan.fill).map(({ day, count }) => {
        total += count;
        return { day, count: total };
      });
    }),
};

/** Number of distinct identities among matching events. Segments provide actors; identities are resolved once, at the end. */
export const countUniqueUsers: Report<CountPlan<"countUniqueUsers">, number> = {
  prepare: (plan, { identities }) => onePass({ ...actorsPass(plan), only: passingActors }, (actors) => countIdentities(actors, identities)),
};

function addDay(state: ActorsByUnit, day: number, actors: DistinctActors): void {
  const ofDay = state.get(day);
  if (ofDay === undefined) state.set(day, [actors]);
  else ofDay.push(actors);
}

export const countUniqueUsersPerDay: Report<PerDayPlan<"countUniqueUsersPerDay">, readonly PerDayItem[]> = {
  prepare: (plan, { identities }) =>
    onePass(actorsByDayPass(plan), (state) => {
      const counts = new Map<number, number>();
      for (const [day, parts] of state) {
        const count = countIdentities(parts, identities);
        if (count > 0) counts.set(day, count);
      }
      return perDayItems(counts, plan.range, plan.fill);
    }),
};

function actorsByDayPass(plan: PerDayPlan<"countUniqueUsersPerDay">): Pass<ActorsByUnit, UnitedByUnit> {
  return {
    scopes: [plan],
    columns: ACTOR_COLUMNS,
    begin: () => new Map(),
    scan: (state, rows, [selector]) => addDay(state, rows.day, distinctActors(rows, selector)),
    scanActors: (state, rows, actors) => addDay(state, rows.day, actorsOfAll(rows, actors)),
    only: passingByUnit,
    cached: {
      key: `${plan.report} `,
      of: unitedByUnit,
      add: (state, { byUnit }) => {
        for (const [day, actors] of byUnit) addDay(state, day, actors);
      },
      byteLength: ({ byUnit, ownByteLength }) => byUnit.size * 32 + ownByteLength,
    },
  };
}
