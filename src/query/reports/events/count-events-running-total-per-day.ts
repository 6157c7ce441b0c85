import { countRowsOfDay, keptDayCounts } from "./count-events-per-day.js";
import type { DayCounts } from "./count-events-per-day.js";
import { perDayItems } from "../../answer/per-day.js";
import type { Fold } from "../form/report.js";

/** Number of matching events from the start of the range through each day. */
export const countEventsRunningTotalPerDay: Fold<"countEventsRunningTotalPerDay", DayCounts, DayCounts> = {
  kind: "fold",
  columns: () => [],
  begin: () => new Map(),
  scan: (state, rows, { selector }) => countRowsOfDay(state, rows, selector),
  finish: (state, plan) => {
    let total = 0;
    return perDayItems(state, plan.range, plan.fill).map(({ day, count }) => {
      total += count;
      return { day, count: total };
    });
  },
  kept: keptDayCounts,
};
