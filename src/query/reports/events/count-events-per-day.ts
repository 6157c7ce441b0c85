import type { Selector } from "../../filter/predicate.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { countRows } from "./count-rows.js";
import { perDayItems } from "../../answer/per-day.js";
import type { CachedStates, Fold } from "../form/report.js";

export type DayCounts = Map<number, number>;

export function countRowsOfDay(state: DayCounts, rows: Rows, selector: Selector): void {
  const count = countRows(rows, selector);
  if (count > 0) state.set(rows.day, (state.get(rows.day) ?? 0) + count);
}

export function mergeDayCounts(into: DayCounts, from: DayCounts): void {
  for (const [day, count] of from) into.set(day, (into.get(day) ?? 0) + count);
}

export const keptDayCounts: CachedStates<"countEventsPerDay" | "countEventsRunningTotalPerDay", DayCounts, DayCounts> = {
  key: () => "",
  of: (state) => state,
  add: mergeDayCounts,
  byteLength: ({ size }) => size * 32,
};

/** Number of matching events per day. */
export const countEventsPerDay: Fold<"countEventsPerDay", DayCounts, DayCounts> = {
  kind: "fold",
  columns: () => [],
  begin: () => new Map(),
  scan: (state, rows, { selector }) => countRowsOfDay(state, rows, selector),
  finish: (state, plan) => perDayItems(state, plan.range, plan.fill),
  kept: keptDayCounts,
};
