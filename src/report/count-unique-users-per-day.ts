import { ACTOR_COLUMNS, countIdentities, distinctActors } from "./actors.js";
import { perDayItems } from "./per-day.js";
import type { Report } from "./report.js";

/** Distinct identities among the matching events of each day that has some. */
export const countUniqueUsersPerDay: Report<"countUniqueUsersPerDay", Map<number, Uint32Array[]>> = {
  columns: () => ACTOR_COLUMNS,
  begin: () => new Map(),
  scan: (state, rows, { selector }) => {
    const actors = distinctActors(rows, selector);
    if (actors.length > 0) state.set(rows.day, [...(state.get(rows.day) ?? []), actors]);
  },
  merge: (into, from) => {
    for (const [day, lists] of from) into.set(day, [...(into.get(day) ?? []), ...lists]);
  },
  finish: (state, plan, { identities }) => {
    const counts = new Map<number, number>();
    for (const [day, lists] of state) counts.set(day, countIdentities(lists, identities));
    return perDayItems(counts, plan.range, plan.fill);
  },
};
