import { ACTOR_COLUMNS, countIdentities, distinctActors, type DistinctActors } from "./actors.js";
import { perDayItems } from "./per-day.js";
import type { Report } from "./report.js";

/** Distinct identities among the matching events of each day that has some. */
export const countUniqueUsersPerDay: Report<"countUniqueUsersPerDay", Map<number, DistinctActors[]>> = {
  columns: () => ACTOR_COLUMNS,
  begin: () => new Map(),
  scan: (state, rows, { selector }) => {
    const actors = distinctActors(rows, selector);
    const ofDay = state.get(rows.day);
    if (ofDay === undefined) state.set(rows.day, [actors]);
    else ofDay.push(actors);
  },
  merge: (into, from) => {
    for (const [day, lists] of from) into.set(day, [...(into.get(day) ?? []), ...lists]);
  },
  finish: (state, plan, { identities }) => {
    const counts = new Map<number, number>();
    for (const [day, parts] of state) {
      const count = countIdentities(parts, identities);
      if (count > 0) counts.set(day, count);
    }
    return perDayItems(counts, plan.range, plan.fill);
  },
};
