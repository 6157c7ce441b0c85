import { countRows } from "./count-rows.js";
import type { Report } from "./report.js";

/** Matching events. */
export const countEvents: Report<"countEvents", { count: number }, number> = {
  columns: () => [],
  begin: () => ({ count: 0 }),
  scan: (state, rows, { selector }) => {
    state.count += countRows(rows, selector);
  },
  merge: (into, from) => {
    into.count += from.count;
  },
  finish: (state) => state.count,
  kept: {
    key: () => "",
    of: ({ count }) => count,
    add: (state, count) => (state.count += count),
    byteLength: () => 8,
  },
};
