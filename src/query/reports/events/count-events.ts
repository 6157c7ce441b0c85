import { countRows } from "./count-rows.js";
import type { Fold } from "../form/report.js";

/** Number of matching events. */
export const countEvents: Fold<"countEvents", { count: number }, number> = {
  kind: "fold",
  columns: () => [],
  begin: () => ({ count: 0 }),
  scan: (state, rows, { selector }) => {
    state.count += countRows(rows, selector);
  },
  finish: (state) => state.count,
  kept: {
    key: () => "",
    of: ({ count }) => count,
    add: (state, count) => void (state.count += count),
    byteLength: () => 8,
  },
};
